// The addresses of what the server hands out.

import type { OpeningPart } from "./source.ts";

export type Parameters = Record<string, string | number | boolean | null | undefined>;

export function address(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "" && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `api/${path}?${text}` : `api/${path}`;
}

/** The path of something of a session. */
export function ofSession(key: string, what = ""): string {
  return `sessions/${encodeURIComponent(key)}${what}`;
}

export function openingAddress(key: string, part: OpeningPart): string {
  return address(ofSession(key, "/opening"), { ...part });
}
