// The conversation: only the rows on the screen are elements, so that 100,000 entries scroll like ten.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { styles } from "../styles.ts";
import { defaultRangeExtractor, type Range } from "@tanstack/virtual-core";

import { PageElement } from "../element.ts";
import { count, plural } from "../text.ts";
import { reveal } from "./body.ts";
import { highlight } from "./highlight.ts";
import type { SessionModel } from "./model.ts";
import { emptyRow, mergedRow, rowTemplate } from "./row.ts";
import { Virtual } from "../virtual.ts";

const ESTIMATE = 76;
/** Nearer to the end than this, new rows are followed. */
const NEAR_END = 60;
/** More rows are not printed at once. */
export const MOST_PRINTED = 3000;

type Align = "start" | "center" | "auto";

export interface Seen {
  first: number;
  last: number;
}

@customElement("pt-conversation")
export class Conversation extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) cursor = -1;
  /** What is looked for, in lower case. */
  @property({ attribute: false }) words: readonly string[] = [];
  @property({ attribute: false }) hits: ReadonlySet<number> = new Set();
  /** Changes whenever the model has something new. */
  @property({ attribute: false }) version = 0;
  @state() isPrinting = false;
  /** The place of the first row that is printed. */
  printedFrom = 0;

  private readonly openedForPaper: HTMLDetailsElement[] = [];
  private readonly flipped = new Set<number>();
  private foldsAll = false;
  private readonly virtual = new Virtual(this, () => ({
    count: this.model.path.length, scroller: ".scroller", estimate: () => ESTIMATE, measures: true, overscan: 6, paddingStart: 8, paddingEnd: 48,
    keyOf: (place) => this.model.path[place] ?? place, range: (range) => this.range(range),
  }));
  private staysAtEnd = false;
  private seen: Seen = { first: -1, last: -1 };
  private pending: { at: number; focus: boolean; align: Align } | null = null;

  private get scroller(): HTMLElement | null {
    return this.querySelector<HTMLElement>(".scroller");
  }

  /** The rows to draw: those on the screen, and the one with the focus, so that the focus is never lost. */
  private range(range: Range): number[] {
    const places = defaultRangeExtractor(range);
    const focused = this.cursor >= 0 ? this.model.place(this.cursor) : -1;
    if (focused < 0 || places.includes(focused) || !this.contains(document.activeElement)) return places;
    return focused < (places[0] ?? 0) ? [focused, ...places] : [...places, focused];
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("isPrinting")) this.openForPaper();
    // What was looked for may be known only after its entry is shown.
    if (changed.has("words") && this.words.length > 0 && !this.pending) this.revealAt(this.cursor);
    this.carryOut();
    this.keepEnd();
    this.tellSeen();
    highlight(this, this.words);
  }

  /** Loads what is seen, and tells the map. */
  private tellSeen(): void {
    const range = this.virtual.range;
    if (!range || this.model.path.length === 0) return;
    this.model.want(range.startIndex - 10, range.endIndex + 10);
    if (range.startIndex === this.seen.first && range.endIndex === this.seen.last) return;
    this.seen = { first: range.startIndex, last: range.endIndex };
    this.dispatchEvent(new CustomEvent<Seen>("seen", { detail: this.seen }));
  }

  get isAtEnd(): boolean {
    const scroller = this.scroller;
    return scroller !== null && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END;
  }

  /** Goes to the end and stays there, however high the rows turn out to be, until the reader moves. */
  scrollToEnd(): void {
    this.staysAtEnd = true;
    this.requestUpdate();
  }

  private keepEnd(): void {
    const scroller = this.scroller;
    if (this.staysAtEnd && scroller) scroller.scrollTop = scroller.scrollHeight;
  }

  private readonly leaveEnd = (): void => {
    this.staysAtEnd = false;
  };

  /** Shows an entry; a result is shown with its call. */
  show(at: number, options: { focus?: boolean; align?: Align } = {}): void {
    const caller = this.model.callerOf(at);
    const place = this.model.nearest(caller ?? at);
    if (place < 0) return;
    const align = options.align ?? "center";
    this.leaveEnd();
    this.virtual.scrollTo(place, align);
    this.pending = { at, focus: options.focus ?? false, align };
    this.requestUpdate();
  }

  scrollToPlace(place: number): void {
    this.leaveEnd();
    this.virtual.scrollTo(Math.max(0, Math.min(this.model.path.length - 1, place)), "start");
  }

  scrollByPage(direction: 1 | -1): void {
    const scroller = this.scroller;
    this.leaveEnd();
    scroller?.scrollBy({ top: direction * (scroller.clientHeight - 60) });
  }

  /** What `show` was asked for can be done when the row is there. */
  private carryOut(): void {
    if (!this.pending) return;
    const { at, focus, align } = this.pending;
    const row = this.model.row(at);
    const caller = this.model.callerOf(at);
    const element = this.rowElement(caller ?? at);
    if (!row || !element || element.classList.contains("is-empty")) return;
    this.pending = null;
    this.revealAt(at);
    // Rows that have just arrived are higher than was thought, so the place is another one now.
    this.virtual.scrollTo(this.model.place(caller ?? at), caller === null ? align : "start");
    if (focus) element.focus({ preventScroll: true });
  }

  /** Opens what hides the words that are looked for in an entry, and the call of a result. */
  private revealAt(at: number): void {
    const caller = this.model.callerOf(at);
    const element = this.rowElement(caller ?? at);
    if (element && (caller !== null || this.words.length > 0)) reveal(element, this.words, caller === null ? null : at);
  }

  rowElement(at: number): HTMLElement | null {
    return this.querySelector<HTMLElement>(`.rows > .slot > [data-at="${at}"]`);
  }

  isFolded(at: number): boolean {
    const isLong = this.model.row(at)?.isFolded ?? false;
    const isFolded = (this.foldsAll || isLong) !== this.flipped.has(at);
    // What only its length has folded is printed in full.
    return isFolded && !(this.isPrinting && isLong && !this.foldsAll);
  }

  fold(at: number): void {
    if (!this.flipped.delete(at)) this.flipped.add(at);
    this.requestUpdate();
  }

  foldAll(folds: boolean): void {
    this.foldsAll = folds;
    this.flipped.clear();
    this.requestUpdate();
  }

  get isAllFolded(): boolean {
    return this.foldsAll;
  }

  /** The next row that is shown, from an entry on. */
  step(at: number, by: 1 | -1): number | null {
    let place = this.model.nearest(at) + by;
    while (place >= 0 && place < this.model.path.length) {
      const next = this.model.path[place] as number;
      if (!this.model.isMerged(next)) return next;
      place += by;
    }
    return null;
  }

  /** The first row that is wholly on the screen. */
  firstSeen(): number {
    const top = this.scroller?.getBoundingClientRect().top ?? 0;
    for (const element of this.querySelectorAll<HTMLElement>(".rows > .slot > article")) {
      if (element.getBoundingClientRect().top >= top - 4) return Number(element.dataset["at"]);
    }
    return this.model.path[0] ?? 0;
  }

  /** Replies in a row, with nothing but results between them, are one turn to the eye. */
  private isAgain(place: number): boolean {
    let above = place - 1;
    while (above >= 0 && this.model.isMerged(this.model.path[above] as number)) above -= 1;
    const kind = (at: number | undefined): string | undefined => (at === undefined ? undefined : this.model.row(at)?.kind);
    return kind(this.model.path[place]) === "assistant" && kind(this.model.path[above]) === "assistant";
  }

  /** On paper nothing can be unfolded: what is closed is opened, and closed again afterwards. */
  private openForPaper(): void {
    if (!this.isPrinting) for (const details of this.openedForPaper.splice(0)) details.open = false;
    else this.openedForPaper.push(...this.querySelectorAll<HTMLDetailsElement>("details:not([open], .subagent)"));
    for (const details of this.openedForPaper) details.open = true;
  }

  private item(place: number): TemplateResult {
    const at = this.model.path[place] as number;
    const row = this.model.row(at);
    if (!row) return emptyRow(place, at);
    if (this.model.isMerged(at)) return mergedRow(place, at);
    return rowTemplate(this.model, row, { place, isCursor: at === this.cursor, isFolded: this.isFolded(at), isHit: this.hits.has(at), isAgain: this.isAgain(place) });
  }

  protected override render(): TemplateResult {
    if (this.isPrinting) return this.printed();
    const items = this.virtual.items;
    const isEmpty = this.model.path.length === 0;
    const placed = (start: number): Record<string, string> => ({ transform: `translateY(${start}px)` });
    return html`<div class="scroller" role="feed" aria-label="Conversation" aria-busy="false" tabindex=${this.cursor < 0 ? 0 : -1}
      @wheel=${this.leaveEnd} @touchstart=${this.leaveEnd} @pointerdown=${this.leaveEnd} @keydown=${this.leaveEnd}>
      ${isEmpty ? html`<p class="empty">${this.model.filter === "all" ? "This session has no entries." : "No entry of this branch passes the filter."}</p>` : nothing}
      <div class="rows" style=${styles({ height: `${this.virtual.total}px` })}>
        ${repeat(items, (item) => item.key, (item) => html`<div class="slot" data-index=${item.index} style=${styles(placed(item.start))}>${this.item(item.index)}</div>`)}
      </div>
    </div>`;
  }

  /** All rows one below the other: what goes to a printer. What is missing is said first. */
  private printed(): TemplateResult {
    const { path } = this.model;
    const places = [...path.subarray(this.printedFrom, this.printedFrom + MOST_PRINTED)].map((_, n) => this.printedFrom + n);
    const unloaded = places.filter((place) => !this.model.row(path[place] as number)).length;
    const isPart = places.length < path.length;
    return html`<div class="rows is-printed">
      ${isPart ? html`<p class="notice">Entries ${count(this.printedFrom + 1)} to ${count(this.printedFrom + places.length)} of ${count(path.length)} on this branch. The others are not printed here: put the cursor on a message and choose “Print from this message on”.</p>` : nothing}
      ${unloaded > 0 ? html`<p class="notice">${plural(unloaded, "entry was", "entries were")} not loaded and ${unloaded === 1 ? "is" : "are"} missing. Print with the page’s own button, or Ctrl+P, to have them all.</p>` : nothing}
      ${places.map((place) => (this.model.row(path[place] as number) ? this.item(place) : nothing))}</div>`;
  }
}
