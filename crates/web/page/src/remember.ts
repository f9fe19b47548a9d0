// What the page remembers in the browser. A page without storage forgets it, which is all right.

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`pitree-${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`pitree-${name}`, value);
  } catch {
    // Nothing to do.
  }
}
