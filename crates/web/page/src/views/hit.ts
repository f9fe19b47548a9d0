// How an address names the entry of a hit: by its index, its id, or the line of the file.

import type { SessionRow } from "../types.ts";

export function hitEntry({ hit }: SessionRow): string | null {
  if (!hit) return null;
  if (typeof hit.at === "number") return String(hit.at);
  return hit.id || (hit.line ? `line-${hit.line}` : null);
}
