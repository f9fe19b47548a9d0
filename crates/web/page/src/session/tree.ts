// The tree beside the conversation: one line per entry, all branches, in drawing order.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { styles } from "../styles.ts";

import { attempt, PageElement } from "../element.ts";
import { oneLine } from "../text.ts";
import type { Filter, TreeRow } from "../types.ts";
import { Virtual } from "../virtual.ts";
import type { SessionModel } from "./model.ts";

const HEIGHT = 24;
const PAGE = 100;
/** Deeper branches are not moved further to the right. */
const MOST_DEPTH = 14;

/** Who speaks, for those who do not see the dots; tools say their names. */
const SPEAKERS: Readonly<Record<string, string>> = { user: "User: ", assistant: "Assistant: " };

@customElement("pt-tree")
export class TreeView extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) filter: Filter = "default";
  @property({ attribute: false }) cursor = -1;
  @property({ attribute: false }) version = 0;
  @state() private total = 0;
  /** The place of the row that the keys act on. */
  @state() private active = -1;

  private rows = new Map<number, TreeRow>();
  private readonly pages = new Set<number>();
  private readonly places = new Map<number, number>();
  private readonly virtual = new Virtual(this, () => ({ count: this.total, scroller: ".tree-scroller", estimate: () => HEIGHT, overscan: 10 }));
  private shownAs = "";
  private followed = -1;
  private generation = 0;
  private isNew = true;

  protected override willUpdate(changed: PropertyValues<this>): void {
    const facts = this.model.facts;
    const shownAs = `${this.model.key} ${facts?.entries} ${facts?.leaf} ${this.filter}`;
    if (facts && this.model.hasRows && shownAs !== this.shownAs) {
      const isOther = !this.shownAs.startsWith(`${this.model.key} `) || !this.shownAs.endsWith(this.filter);
      this.shownAs = shownAs;
      this.forget(isOther);
      attempt(this.load(0));
    }
    if (!this.model.hasRows || (!changed.has("cursor") && this.followed === this.cursor)) return;
    this.followed = this.cursor;
    attempt(this.follow());
  }

  /** What was loaded is out of date; until it has come again, the old rows stay unless they are of another tree. */
  private forget(isOther: boolean): void {
    this.generation += 1;
    this.pages.clear();
    this.places.clear();
    if (isOther) this.rows = new Map();
    this.isNew ||= isOther;
  }

  protected override updated(): void {
    const range = this.virtual.range;
    if (!range || this.total === 0) return;
    for (let page = Math.floor(range.startIndex / PAGE); page <= Math.floor(range.endIndex / PAGE); page += 1) attempt(this.load(page));
  }

  private async load(page: number): Promise<void> {
    if (this.pages.has(page)) return;
    const generation = this.generation;
    this.pages.add(page);
    const part = await this.model.source.tree(this.model.key, { from: page * PAGE, count: PAGE, filter: this.filter });
    if (generation === this.generation) this.keep(part.from, part.rows, part.total);
  }

  private keep(from: number, rows: readonly TreeRow[], total: number): void {
    rows.forEach((row, n) => {
      this.rows.set(from + n, row);
      this.places.set(row.at, from + n);
    });
    this.total = total;
    this.requestUpdate();
  }

  /** Brings the row of the entry at the cursor on the screen. */
  private async follow(): Promise<void> {
    if (this.cursor < 0) return;
    if (!this.places.has(this.cursor)) {
      const generation = this.generation;
      const part = await this.model.source.tree(this.model.key, { count: PAGE, filter: this.filter, at: this.cursor });
      if (generation === this.generation) this.keep(part.from ?? 0, part.rows, part.total);
    }
    const place = this.places.get(this.cursor) ?? this.nearest(this.cursor);
    if (place === undefined) return;
    this.active = place;
    const range = this.virtual.range;
    // The first time it is not certain yet what is on the screen.
    if (this.isNew || !range || place <= range.startIndex || place >= range.endIndex) this.virtual.scrollTo(place, "center");
    this.isNew = false;
  }

  /** The tree leaves some entries out; the one above stands for them. */
  private nearest(at: number): number | undefined {
    let best = -1;
    for (const [other] of this.places) if (other < at && other > best) best = other;
    return this.places.get(best);
  }

  private choose(place: number): void {
    const row = this.rows.get(place);
    if (!row) return;
    this.active = place;
    this.dispatchEvent(new CustomEvent<number>("choose", { detail: row.at, bubbles: true }));
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -this.total, g: -this.total, End: this.total, G: this.total };
    const step = steps[event.key];
    if (event.key === "Enter" || event.key === " ") this.choose(this.active);
    else if (step !== undefined) this.move(Math.max(0, Math.min(this.total - 1, this.active + step)));
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.toBranch(event.key === "ArrowLeft" ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** To the next or previous place where it branches, as far as rows are loaded. */
  private toBranch(by: 1 | -1): void {
    for (let place = this.active + by; this.rows.has(place); place += by) {
      if ((this.rows.get(place)?.children ?? 0) > 1) return this.move(place);
    }
  }

  private move(place: number): void {
    this.active = place;
    this.virtual.scrollTo(place);
  }

  private line(place: number, start: number): TemplateResult {
    const row = this.rows.get(place);
    const isActive = place === this.active;
    const placed = { transform: `translateY(${start}px)`, "--depth": String(Math.min(row?.depth ?? 0, MOST_DEPTH)) };
    if (!row) return html`<div class="tree-row" role="treeitem" aria-level="1" style=${styles(placed)}><span class="muted">…</span></div>`;
    const classes = ["tree-row", `is-${row.role ?? row.kind}`, row.active ? "is-active" : "is-abandoned", isActive ? "is-here" : "", isActive ? "is-focus" : "", row.begins && place > 0 ? "begins" : "", row.isError ? "is-failed" : ""];
    return html`<div
      class=${classes.filter(Boolean).join(" ")} id="tree-${row.at}" role="treeitem" aria-level=${row.depth + 1} aria-selected=${row.at === this.cursor ? "true" : "false"}
      aria-setsize=${this.total} aria-posinset=${place + 1} data-at=${row.at} style=${styles(placed)} @click=${() => this.choose(place)}
    ><span class="dot" aria-hidden="true"></span><span class="hidden">${SPEAKERS[row.role ?? ""] ?? ""}</span>${row.label === null || row.label === undefined ? nothing : html`<span class="chip is-label">${row.label}</span>`}<span class="tree-text">${oneLine(row.text, 120) || row.kind}</span>${row.children > 1 ? html`<span class="branches" title="Branches here">${row.children}</span>` : nothing}${row.isLeaf ? html`<span class="chip">current</span>` : nothing}</div>`;
  }

  protected override render(): TemplateResult {
    const items = this.virtual.items;
    const focused = this.rows.get(this.active);
    return html`<div class="tree-scroller" role="tree" aria-label="Tree of entries" tabindex="0" aria-activedescendant=${focused ? `tree-${focused.at}` : nothing} @keydown=${this.pressed}>
      <div class="tree-rows" role="none" style=${styles({ height: `${this.virtual.total}px` })}>
        ${repeat(items, (item) => item.key, (item) => this.line(item.index, item.start))}
      </div>
    </div>`;
  }
}
