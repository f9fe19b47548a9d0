// Marks a text where it stands on the screen. The browser paints the ranges; the elements stay as they are.

const MOST_RANGES = 500;

export function highlight(root: HTMLElement, query: string): void {
  if (!("highlights" in CSS)) return;
  const wanted = query.trim().toLowerCase();
  if (wanted === "") {
    CSS.highlights.delete("find");
    return;
  }
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST_RANGES; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (let from = text.indexOf(wanted); from >= 0 && from + wanted.length <= (node.nodeValue ?? "").length; from = text.indexOf(wanted, from + wanted.length)) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + wanted.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("find", new Highlight(...ranges));
}
