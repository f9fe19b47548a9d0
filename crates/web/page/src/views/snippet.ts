// A text with its hits marked. Offsets count UTF-16 units, as strings do here.

import { html, type TemplateResult } from "lit";

import type { Snippet } from "../types.ts";

export function snippet({ text, marks }: Snippet): TemplateResult {
  const parts: (string | TemplateResult)[] = [];
  let done = 0;
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (from < done || to <= from || to > text.length) continue;
    parts.push(text.slice(done, from), html`<mark>${text.slice(from, to)}</mark>`);
    done = to;
  }
  parts.push(text.slice(done));
  return html`${parts}`;
}

/** The same for words that are searched for. */
export function marked(text: string, words: readonly string[]): TemplateResult {
  const lower = text.toLowerCase();
  const marks: [number, number][] = [];
  if (lower.length === text.length) {
    for (const word of words) {
      for (let from = lower.indexOf(word); word && from >= 0; from = lower.indexOf(word, from + word.length)) marks.push([from, from + word.length]);
    }
  }
  return snippet({ text, marks });
}
