// Branches side by side, from the root to each leaf. All lanes scroll together, so that what they share stands in
// the same line; the shared beginning is muted.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { styles } from "../styles.ts";

import { attempt, PageElement } from "../element.ts";
import { laneTitle } from "../source/source.ts";
import { count, entryNumber, oneLine, plural, when } from "../text.ts";
import type { Lane, Row } from "../types.ts";
import { Virtual } from "../virtual.ts";
import { placeIn, type SessionModel } from "./model.ts";

const HEIGHT = 26;
const CHUNK = 60;
/** So many lanes are shown at first, and added by each click. */
const STEP = 40;

interface LoadedLane {
  lane: Lane;
  path: Int32Array;
  /** Place of the first entry that is only on this lane. */
  own: number;
  rows: Map<number, Row>;
  asked: Set<number>;
}

@customElement("pt-lanes")
export class LanesView extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) version = 0;
  @state() private lanes: LoadedLane[] = [];
  @state() private wanted = STEP;

  private readonly virtual = new Virtual(this, () => ({
    count: Math.max(0, ...this.lanes.map(({ path }) => path.length)), scroller: ".lanes-scroller", estimate: () => HEIGHT,
  }));
  private loadedAs = "";

  protected override willUpdate(changed: PropertyValues<this>): void {
    const facts = this.model.facts;
    if (changed.has("model")) this.wanted = STEP;
    const loadedAs = `${this.model.key} ${facts?.entries} ${facts?.leaf} ${this.wanted}`;
    if (facts && loadedAs !== this.loadedAs) {
      this.loadedAs = loadedAs;
      attempt(this.load(this.wanted));
    }
  }

  private async load(count: number): Promise<void> {
    const lanes = await this.model.lanes(count);
    this.lanes = await Promise.all(lanes.map(async (lane) => {
      const path = await this.model.lanePath(lane);
      const known = this.lanes.find((each) => each.lane.leaf === lane.leaf && each.path === path);
      const own = lane.from === null ? path.length : Math.max(0, placeIn(path, lane.from));
      return known ?? { lane, path, own, rows: new Map<number, Row>(), asked: new Set<number>() };
    }));
  }

  protected override updated(): void {
    const range = this.virtual.range;
    if (!range) return;
    for (const lane of this.lanes) {
      for (let chunk = Math.floor(range.startIndex / CHUNK); chunk <= Math.floor(range.endIndex / CHUNK); chunk += 1) attempt(this.fetch(lane, chunk));
    }
  }

  private async fetch(loaded: LoadedLane, chunk: number): Promise<void> {
    if (loaded.asked.has(chunk) || chunk * CHUNK >= loaded.path.length) return;
    loaded.asked.add(chunk);
    const part = { leaf: loaded.lane.leaf, filter: "all" as const, from: chunk * CHUNK, count: CHUNK, brief: true };
    for (const row of await this.model.source.rows(this.model.key, part)) loaded.rows.set(row.at, row);
    this.requestUpdate();
  }

  private toFork(loaded: LoadedLane): void {
    this.virtual.scrollTo(Math.max(0, loaded.own - 3), "start");
  }

  private heading(loaded: LoadedLane): TemplateResult {
    const { lane, path, own } = loaded;
    const isShown = lane.leaf === this.model.leaf;
    return html`<section class=${lane.isActive ? "lane-head is-active" : "lane-head"} aria-label=${laneTitle(lane)}>
      <h2><a href=${this.model.link(lane.isActive ? lane.leaf : (lane.from ?? lane.leaf), "", lane.leaf)} aria-current=${isShown ? "true" : nothing}>${oneLine(laneTitle(lane), 90)}</a></h2>
      <p class="muted">${lane.isActive ? html`<span class="chip is-current">current</span>` : html`<span class="chip">abandoned</span>`}
        ${count(path.length)} entries, ${count(path.length - own)} its own · ${when(lane.lastTime)}</p>
      ${lane.summary ? html`<p class="lane-summary" title=${lane.summary}>${oneLine(lane.summary, 180)}</p>` : nothing}
      ${own > 0 && own < path.length ? html`<button class="quiet" @click=${() => this.toFork(loaded)}>Go to the fork (after ${entryNumber(path[own - 1] ?? 0)})</button>` : nothing}
    </section>`;
  }

  private cell(loaded: LoadedLane, place: number): TemplateResult {
    const at = loaded.path[place];
    if (at === undefined) return html`<div class="lane-cell is-none"></div>`;
    const row = loaded.rows.get(at);
    const isOwn = place >= loaded.own || loaded.lane.isActive;
    const classes = ["lane-cell", `is-${row?.kind ?? "empty"}`, isOwn ? "" : "is-shared", place === loaded.own && place > 0 ? "is-fork" : "", row?.isError ? "is-failed" : ""];
    const link = this.model.link(at, "", loaded.lane.leaf);
    return html`<a class=${classes.filter(Boolean).join(" ")} href=${link} tabindex=${isOwn ? 0 : -1}>
      <span class="dot" aria-hidden="true"></span>${row?.label ? html`<span class="chip is-label">${row.label}</span>` : nothing}<span class="tree-text">${row ? oneLine(row.summary, 120) || row.who : "…"}</span></a>`;
  }

  protected override render(): TemplateResult {
    const items = this.virtual.items;
    const start = items[0]?.start ?? 0;
    const left = this.model.laneCount - this.lanes.length;
    return html`${left > 0 && this.lanes.length > 0 ? html`<p class="more-lanes">${plural(this.lanes.length, "branch", "branches")} of ${count(this.model.laneCount)} <button @click=${() => (this.wanted += STEP)}>Show ${count(Math.min(STEP, left))} more</button></p>` : nothing}
    <div class="lanes-scroller" tabindex="0" role="region" aria-label="Branches side by side">
      <div class="lanes" style=${styles({ "--lanes": String(Math.max(1, this.lanes.length)) })}>
        <div class="lane-heads">${this.lanes.map((lane) => this.heading(lane))}</div>
        <div class="lane-rows" style=${styles({ height: `${this.virtual.total}px` })}>
          <div class="lane-window" style=${styles({ transform: `translateY(${start}px)` })}>
            ${items.map((item) => html`<div class="lane-row">${this.lanes.map((lane) => this.cell(lane, item.index))}</div>`)}
          </div>
        </div>
      </div>
    </div>`;
  }
}
