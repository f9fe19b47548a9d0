// Packed data in the page: base64 of deflate-raw in `<script type="application/octet-stream">`, unpacked when needed.

import { SourceError } from "./source.ts";

function packed(id: string): Uint8Array<ArrayBuffer> {
  const element = document.getElementById(id);
  if (!element) throw new SourceError("A part of this file is missing.", "It may have been cut off while it was copied; export it again.");
  const text = atob((element.textContent ?? "").trim());
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < text.length; n += 1) bytes[n] = text.charCodeAt(n);
  return bytes;
}

/** The JSON value in the element with this id. */
export async function unpack<T>(id: string): Promise<T> {
  const stream = new Blob([packed(id)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  try {
    return (await new Response(stream).json()) as T;
  } catch {
    throw new SourceError("A part of this file is damaged.", "Export it again.");
  }
}

/** Unpacked blocks; the least recently used ones are dropped, so that a long session stays small in memory. */
export class Blocks<T> {
  private readonly held = new Map<number, Promise<T>>();
  private readonly limit: number;
  private readonly name: (block: number) => string;

  constructor(name: (block: number) => string, limit: number) {
    this.name = name;
    this.limit = limit;
  }

  get(block: number): Promise<T> {
    const value = this.held.get(block) ?? unpack<T>(this.name(block));
    this.held.delete(block);
    this.held.set(block, value);
    for (const oldest of this.held.keys()) {
      if (this.held.size <= this.limit) break;
      this.held.delete(oldest);
    }
    return value;
  }
}
