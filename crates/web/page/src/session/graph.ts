// The tree as a drawing: each branch a line, with dots where something happened. Long stretches in which nothing did
// are short, so that a session of 100,000 entries fits.

import { html, nothing, svg, type PropertyValues, type SVGTemplateResult, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { PanZoom } from "../charts/panzoom.ts";
import { attempt } from "../element.ts";
import { laneTitle } from "../source/source.ts";
import { count, entryNumber, oneLine, plural } from "../text.ts";
import type { Lane, Mark } from "../types.ts";
import { placeIn, type SessionModel } from "./model.ts";

const LANE_HEIGHT = 46;
const LEFT = 24;
const LABEL_WIDTH = 350;
/** So many branches are drawn at first, and added by each click. */
const STEP = 120;
/** More dots are not drawn; what is on a branch is in the conversation. */
const MOST_MARKS = 3000;
/** User messages are drawn only while there are few enough to tell apart. */
const MOST_USER = 150;

interface Drawn {
  lane: Lane;
  path: Int32Array;
  /** Place of the first own entry, and the lane and place it leaves from. */
  own: number;
  parent: number;
  y: number;
  marks: Mark[];
}

@customElement("pt-graph")
export class TreeGraph extends PanZoom {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) version = 0;
  @state() private drawn: Drawn[] = [];
  @state() private wanted = STEP;

  private stops: number[] = [];
  private xs: number[] = [];
  private loadedAs = "";

  protected override willUpdate(changed: PropertyValues): void {
    const { facts, marks } = this.model;
    if (changed.has("model")) this.wanted = STEP;
    const loadedAs = `${this.model.key} ${facts?.entries} ${marks.length} ${this.wanted}`;
    if (!facts || loadedAs === this.loadedAs) return;
    this.loadedAs = loadedAs;
    attempt(this.load(this.wanted));
  }

  private async load(wanted: number): Promise<void> {
    const lanes = await this.model.lanes(wanted);
    const paths = await Promise.all(lanes.map((lane) => this.model.lanePath(lane)));
    const marks = this.shownMarks().slice(0, MOST_MARKS);
    const taken = new Set<number>();
    this.drawn = lanes.map((lane, index) => {
      const path = paths[index] as Int32Array;
      const own = index === 0 ? 0 : forkPlace(path, paths.slice(0, index));
      const mine = marks.filter((mark) => !taken.has(mark.at) && placeIn(path, mark.at) >= own);
      for (const mark of mine) taken.add(mark.at);
      return { lane, path, own, parent: own === 0 ? -1 : paths.findIndex((other) => placeIn(other, path[own - 1] as number) >= 0), y: 30 + index * LANE_HEIGHT, marks: mine };
    });
    this.scaleX();
  }

  /** What gets a dot. User messages only if there is room. */
  private shownMarks(): Mark[] {
    const users = this.model.marks.filter((mark) => mark.kind === "user").length;
    return this.model.marks.filter((mark) => mark.kind !== "branch" && (mark.kind !== "user" || users <= MOST_USER));
  }

  /** What is not drawn, in words. */
  private left(): string {
    const users = this.model.marks.filter((mark) => mark.kind === "user").length;
    const marks = this.shownMarks().length;
    const texts = [users > MOST_USER ? `${plural(users, "user message")} not drawn` : "", marks > MOST_MARKS ? `${plural(marks - MOST_MARKS, "further dot")} not drawn` : ""];
    return texts.filter(Boolean).join(", ");
  }

  /** Places on the paths become positions: gaps count by their logarithm. */
  private scaleX(): void {
    const stops = new Set<number>([0]);
    for (const { path, own, marks } of this.drawn) {
      stops.add(own).add(Math.max(0, own - 1)).add(path.length - 1);
      for (const mark of marks) stops.add(placeIn(path, mark.at));
    }
    this.stops = [...stops].sort((a, b) => a - b);
    let x = LEFT;
    this.xs = this.stops.map((stop, n) => (x += n === 0 ? 0 : 10 + 9 * Math.log2(stop - (this.stops[n - 1] ?? 0))));
  }

  private x(place: number): number {
    let low = 0;
    let high = this.stops.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.stops[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return this.xs[low] ?? LEFT;
  }

  protected override get name(): string {
    return `Tree with ${count(this.drawn.length)} branches`;
  }

  protected override get size(): { width: number; height: number } {
    return { width: this.drawn.length === 0 ? 0 : (this.xs.at(-1) ?? 0) + LABEL_WIDTH, height: 60 + this.drawn.length * LANE_HEIGHT };
  }

  private link(drawn: Drawn, at: number): string {
    return this.model.link(at, "", drawn.lane.leaf);
  }

  private line(drawn: Drawn): SVGTemplateResult {
    const { lane, path, own, parent, y } = drawn;
    const from = this.x(Math.max(0, own));
    const to = this.x(path.length - 1);
    const above = this.drawn[parent];
    const start = above ? `M${this.x(own - 1)} ${above.y} C${this.x(own - 1) + 12} ${y}, ${this.x(own - 1)} ${y}, ${Math.max(from, this.x(own - 1) + 14)} ${y}` : `M${from} ${y}`;
    const title = oneLine(laneTitle(lane), 52);
    return svg`<g class=${`branch-line ${lane.isActive ? "is-active" : ""} ${lane.leaf === this.model.leaf ? "is-shown" : ""}`}>
      <path d=${`${start} L${to} ${y}`}></path>
      <a href=${this.link(drawn, lane.isActive ? lane.leaf : (lane.from ?? lane.leaf))}>
        <circle class="leaf" cx=${to} cy=${y} r="6"></circle>
        <text x=${to + 14} y=${y - 2}>${title}</text>
        <text class="small" x=${to + 14} y=${y + 13}>${`${lane.isActive ? "current, " : ""}${count(path.length - own)} entries`}</text>
      </a>
      ${drawn.marks.map((mark) => this.dot(drawn, mark))}${this.labels(drawn)}
    </g>`;
  }

  private dot(drawn: Drawn, mark: Mark): SVGTemplateResult {
    const x = this.x(placeIn(drawn.path, mark.at));
    const name = `${mark.kind}: ${oneLine(mark.text ?? entryNumber(mark.at), 80)}`;
    return svg`<a href=${this.link(drawn, mark.at)} aria-label=${name} tabindex=${mark.kind === "user" ? -1 : 0}><title>${name}</title>
      <circle class=${`mark is-${mark.kind}`} cx=${x} cy=${drawn.y} r=${mark.kind === "user" ? 3 : 4.5}></circle></a>`;
  }

  /** The names of labels over their dots, as far as there is room. */
  private labels(drawn: Drawn): SVGTemplateResult[] {
    let free = -Infinity;
    return drawn.marks.filter(({ kind }) => kind === "label").map((mark) => {
      const x = this.x(placeIn(drawn.path, mark.at)) - 4;
      const text = oneLine(mark.text ?? "", 20);
      if (x < free) return svg``;
      free = x + text.length * 6.2 + 8;
      return svg`<text class="small is-label" aria-hidden="true" x=${x} y=${drawn.y - 10}>${text}</text>`;
    });
  }

  protected override drawing(): SVGTemplateResult {
    return svg`${[...this.drawn].reverse().map((drawn) => this.line(drawn))}`;
  }

  protected override legend(): TemplateResult {
    const kinds = ["user", "label", "compaction", "error"];
    const more = this.model.laneCount - this.drawn.length;
    const left = this.left();
    return html`<span class="legend">${kinds.map((kind) => html`<span class=${`key is-${kind}`}>${kind === "user" ? "user message" : kind}</span>`)}</span>
      ${more > 0 && this.drawn.length > 0 ? html`<span class="more-lanes">${plural(this.drawn.length, "branch", "branches")} of ${count(this.model.laneCount)} <button @click=${() => (this.wanted += STEP)}>Show ${count(Math.min(STEP, more))} more</button></span>` : nothing}
      ${left ? html`<span class="muted">${left}</span>` : nothing}`;
  }

  protected override inWords(): TemplateResult {
    return html`<ul>${this.drawn.map((drawn) => html`<li>
      <a href=${this.link(drawn, drawn.lane.leaf)}>${laneTitle(drawn.lane)}</a>${drawn.lane.isActive ? " (current)" : ` (abandoned, forked after ${entryNumber(drawn.path[drawn.own - 1] ?? 0)})`}: ${count(drawn.path.length)} entries.
      ${drawn.marks.filter((mark) => mark.kind !== "user").slice(0, 40).map((mark) => html`<a href=${this.link(drawn, mark.at)}>${mark.kind} at ${entryNumber(mark.at)}${mark.text ? `: ${oneLine(mark.text, 60)}` : ""}</a> `)}
    </li>`)}</ul>`;
  }
}

/** Where a path leaves all those before it. */
function forkPlace(path: Int32Array, others: readonly Int32Array[]): number {
  let own = 0;
  for (const other of others) {
    let [low, high] = [own, Math.min(path.length, other.length)];
    // Two paths share a beginning and nothing after it.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (path[middle] === other[middle]) low = middle + 1;
      else high = middle;
    }
    own = Math.max(own, low);
  }
  return own;
}
