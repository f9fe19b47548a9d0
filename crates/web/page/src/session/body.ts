// The body of a row as elements, with the results of its calls put in. Made once and kept while the row is on the
// screen, so that what somebody unfolded stays unfolded.

import { attempt, copyText, toast } from "../element.ts";
import { shown } from "../nodes.ts";
import type { Row } from "../types.ts";
import { oneLine, plural, short } from "../text.ts";
import type { SessionModel } from "./model.ts";

/** Longer results are folded, whatever they say. */
const MOST_OPEN = 24;
const BODIES = new WeakMap<Row, HTMLElement>();

export function bodyOf(row: Row, model: SessionModel): HTMLElement {
  let body = BODIES.get(row);
  if (!body) {
    body = shown(row.body);
    offerCopies(body);
    offerRest(body, row.at, model, (whole) => addResults(whole, row, model));
    BODIES.set(row, body);
  }
  addResults(body, row, model);
  return body;
}

/** Each call gets its result below it, as soon as that is loaded. */
function addResults(body: HTMLElement, row: Row, model: SessionModel): void {
  if (row.calls.length === 0) return;
  const calls = body.querySelectorAll<HTMLElement>(":scope > .call");
  row.calls.forEach((call, n) => {
    const element = calls[n];
    const result = call.resultAt === null ? undefined : model.row(call.resultAt);
    if (!element || !result || element.dataset["resultAt"] === String(result.at)) return;
    element.dataset["resultAt"] = String(result.at);
    element.classList.toggle("is-failed", result.isError);
    const shownResult = shown(result.body, "result");
    element.querySelector(":scope > summary")?.append(outcome(result, shownResult));
    offerCopies(shownResult);
    offerRest(shownResult, result.at, model);
    element.append(shownResult);
    hideRepeated(element, shownResult);
    if (opensItself(result, shownResult) && element instanceof HTMLDetailsElement) element.open = true;
  });
}

/** What was asked for is left out where the change that was made shows all of its lines. */
function hideRepeated(call: HTMLElement, shownResult: HTMLElement): void {
  if (!isChange(shownResult)) return;
  const made = shownResult.textContent ?? "";
  for (const block of call.querySelectorAll<HTMLElement>(":scope > .block")) {
    const lines = [...block.querySelectorAll(".diff-add, .diff-del")].map((line) => (line.textContent ?? "").slice(1).trim());
    block.hidden = lines.length > 0 && lines.every((line) => made.includes(line));
  }
}

/** A button at each block of code. Its name is in the style sheet, so that no search finds it. */
function offerCopies(root: HTMLElement): void {
  for (const block of root.querySelectorAll("pre")) {
    const frame = document.createElement("div");
    frame.className = "block";
    const button = document.createElement("button");
    button.className = "copy-block";
    button.tabIndex = -1;
    button.setAttribute("aria-label", "Copy this block");
    button.onclick = () => attempt(copyText(block.textContent ?? "").then(() => toast("Block copied")));
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** Where a long text was cut, a button gets the rest. */
function offerRest(root: HTMLElement, at: number, model: SessionModel, then: (whole: HTMLElement) => void = () => undefined): void {
  for (const cut of root.querySelectorAll<HTMLElement>(".cut[data-left]")) {
    const button = document.createElement("button");
    button.textContent = `Show the rest (${short(Number(cut.dataset["left"]))} bytes)`;
    button.onclick = () => attempt(model.source.entry(model.key, at).then((row) => {
      root.replaceChildren(...shown(row.body).childNodes);
      offerCopies(root);
      then(root);
    }));
    cut.append(" ", button);
  }
}

/** A short change or error is what somebody reads a session for, so it is not folded. */
function opensItself(result: Row, shownResult: HTMLElement): boolean {
  return (isChange(shownResult) || result.isError) && outputOf(shownResult).trim().split("\n").length <= MOST_OPEN;
}

function isChange(shownResult: HTMLElement): boolean {
  return shownResult.querySelector(".diff-add, .diff-del") !== null;
}

/** What a folded call says about its result. */
function outcome(result: Row, shownResult: HTMLElement): HTMLElement {
  const element = document.createElement("span");
  element.className = "outcome";
  const mark = document.createElement("span");
  mark.className = result.isError ? "mark is-bad" : "mark";
  mark.textContent = result.isError ? "failed" : "ok";
  // How many lines a change adds and removes is the first of its particulars.
  const changed = result.particulars.find((text) => /^\+\d+ −\d+$/.test(text));
  element.append(mark, " ", changed ?? gist(shownResult));
  return element;
}

/** A short output in full, of a longer one how long it is; of an error always the beginning. */
function gist(result: HTMLElement): string {
  const numbered = result.querySelectorAll(".lines > li");
  const lines = numbered.length > 0 ? [...numbered].map((line) => line.textContent ?? "") : outputOf(result).split("\n");
  const said = lines.filter((line) => line.trim() !== "");
  return said.length > 1 ? `${plural(said.length, "line")}: ${oneLine(said[0] ?? "", 60)}` : oneLine(said[0] ?? "no output", 100);
}

/** What a tool said, without what is folded below that: its details, as JSON. */
function outputOf(result: HTMLElement): string {
  return [...result.children].filter((child) => child.tagName !== "DETAILS").map((child) => child.textContent ?? "").join("\n");
}

/** Opens everything in a row that hides one of these words, or the result of an entry. */
export function reveal(root: Element, words: readonly string[], resultAt: number | null): void {
  for (const details of root.querySelectorAll("details")) {
    const holdsText = words.some((word) => (details.textContent ?? "").toLowerCase().includes(word));
    if (holdsText || (resultAt !== null && details.dataset["resultAt"] === String(resultAt))) details.open = true;
  }
}

/** The text of a row as somebody would paste it. */
export function textOf(row: Row): string {
  const holder = shown(row.body);
  const parts: string[] = [];
  for (const child of holder.children) parts.push(child.textContent ?? "");
  return parts.join("\n\n").trim() || row.summary;
}

/** The code blocks of a row. */
export function codeOf(row: Row): string[] {
  return [...shown(row.body).querySelectorAll("pre")].filter((block) => !block.closest(".call, .thinking")).map((block) => block.textContent ?? "");
}
