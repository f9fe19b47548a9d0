// Downloads.

/** Milliseconds after which a browser has taken what it was given. */
const TAKEN = 60_000;

/** Has the browser save what is at an address; under the name that the answer says if none is given. */
export function saveFrom(address: string, name = ""): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  saveFrom(address, name);
  setTimeout(() => URL.revokeObjectURL(address), TAKEN);
}
