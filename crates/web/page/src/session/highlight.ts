// Marks a text where it stands on the screen. The browser paints the ranges; the elements stay as they are.

const MOST_RANGES = 500;

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

/** `words` are in lower case. */
export function highlight(root: HTMLElement, words: readonly string[]): void {
  if (!("highlights" in CSS)) return;
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
