// What all elements of the page share: they live in the document itself, not in shadow trees, so that one style
// sheet, one search and one print reach everything.

import { LitElement } from "lit";

import { explain } from "./source/source.ts";

export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** Says something to people who cannot see the change. */
export function announce(text: string): void {
  const region = document.getElementById("announcer");
  if (region && region.textContent !== text) region.textContent = text;
}

/** Shows a message for a moment. */
export function toast(text: string): void {
  window.dispatchEvent(new CustomEvent("toast", { detail: text }));
}

/** Runs something that may fail, and shows the failure. */
export function attempt(work: Promise<unknown>): void {
  work.catch((error: unknown) => toast(explain(error)));
}

/** Calls only when nothing else was asked for a while. */
export function debounced<A extends unknown[]>(wait: number, call: (...given: A) => void): (...given: A) => void {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => call(...given), wait);
  };
}

/** Copies text; a page without the right to may still copy a selection. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
