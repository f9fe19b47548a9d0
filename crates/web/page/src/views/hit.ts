// How an address names the entry of a hit: by its id, or the line of the file.

import type { SessionRow } from "../types.ts";

export function hitEntry({ hit }: SessionRow): string | null {
  return hit ? hit.id || `line-${hit.line}` : null;
}
