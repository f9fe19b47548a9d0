// Marks a text where it stands on the screen. The browser paints the ranges; the elements stay as they are.

const MOST_RANGES = 500;

/** Filters, and expressions, which are not looked for as they stand. */
const NO_WORD = /^(?:role|tool|model|cwd|on|before|after|is|re):./;

/** What a search looks for: words, their beginnings, and phrases in quotes. */
export function wordsOf(query: string): string[] {
  const parts = query.toLowerCase().matchAll(/re:"[^"]*"|"([^"]+)"|(\S+)/g);
  const words = [...parts].map(([, phrase, word]) => phrase ?? (NO_WORD.test(word ?? "") ? "" : (word ?? "").replace(/(?<=.)\*$/, "")));
  return words.map((word) => word.trim()).filter(Boolean);
}

function rangesOf(node: Node, text: string, word: string): Range[] {
  const ranges: Range[] = [];
  for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + word.length)) {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, from + word.length);
    ranges.push(range);
  }
  return ranges;
}

export function highlight(root: HTMLElement, query: string): void {
  if (!("highlights" in CSS)) return;
  const words = wordsOf(query);
  if (words.length === 0) {
    CSS.highlights.delete("find");
    return;
  }
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST_RANGES; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    // A few letters change their length with their case; offsets would be wrong then.
    if (text.length === node.nodeValue?.length) for (const word of words) ranges.push(...rangesOf(node, text, word));
  }
  CSS.highlights.set("find", new Highlight(...ranges));
}
