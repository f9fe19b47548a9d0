// What was asked for ahead of time: by a script so small that it runs while the page's own is still being read.

/** A question to the server, and the answer that is on its way. */
export interface Ahead {
  address: string;
  response: Promise<Response>;
}

declare global {
  interface Window {
    /** Null once the page's own script asks for itself. */
    pitreeAhead?: Ahead | null;
  }
}

/** Nothing is asked for twice, should this run late. */
export function askAhead(address: string): void {
  if (window.pitreeAhead !== undefined) return;
  const response = fetch(address);
  // A failure is told to whoever needs the answer.
  response.catch(() => undefined);
  window.pitreeAhead = { address, response };
}

/** The answer, if just this was asked for. It can be read once. */
export function takeAhead(address: string): Promise<Response> | undefined {
  const ahead = window.pitreeAhead;
  window.pitreeAhead = null;
  return ahead?.address === address ? ahead.response : undefined;
}
