// The map beside the conversation: the whole path from top to bottom, with what people look for on it.

import { html, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";

import { PageElement } from "../element.ts";
import { count } from "../text.ts";
import type { MarkKind } from "../types.ts";
import type { Seen } from "./conversation.ts";
import type { SessionModel } from "./model.ts";

/** Where marks of a kind are drawn, as shares of the width, and in which color of the style sheet. */
const COLUMNS: Record<MarkKind, { from: number; to: number; color: string; height: number }> = {
  user: { from: 0.1, to: 0.45, color: "--user", height: 2 },
  branch: { from: 0.5, to: 0.62, color: "--branch", height: 3 },
  label: { from: 0.62, to: 0.78, color: "--label", height: 3 },
  compaction: { from: 0, to: 1, color: "--compaction", height: 2 },
  error: { from: 0.8, to: 1, color: "--error", height: 3 },
};

@customElement("pt-minimap")
export class Minimap extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) version = 0;
  @property({ attribute: false }) seen: Seen = { first: 0, last: 0 };
  @property({ attribute: false }) hits: ReadonlySet<number> = new Set();

  /** What the marks were drawn from. */
  private marksDrawn: readonly unknown[] = [];
  private readonly observer = new ResizeObserver(() => this.redraw());
  private readonly scheme = matchMedia("(prefers-color-scheme: dark)");
  private readonly redraw = (): void => {
    this.marksDrawn = [];
    this.requestUpdate();
  };

  override connectedCallback(): void {
    super.connectedCallback();
    this.observer.observe(this);
    this.scheme.addEventListener("change", this.redraw);
    window.addEventListener("theme", this.redraw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.redraw);
    window.removeEventListener("theme", this.redraw);
  }

  protected override updated(): void {
    this.drawMarks();
    this.drawWindow();
  }

  /** Marks change seldom, so they are drawn apart from the window over them. */
  private drawMarks(): void {
    const { path, marks } = this.model;
    const drawn = [path, marks, this.hits, this.clientHeight, this.clientWidth];
    const canvas = this.querySelector("canvas");
    const pen = canvas?.getContext("2d");
    if (drawn.every((each, n) => each === this.marksDrawn[n]) || !canvas || !pen) return;
    this.marksDrawn = drawn;
    const scale = window.devicePixelRatio;
    const [width, height] = [this.clientWidth, this.clientHeight];
    canvas.width = width * scale;
    canvas.height = height * scale;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    const colors = new Map<string, string>();
    // A canvas does not know variables: an element says what they are.
    const color = (name: string): string => {
      const known = colors.get(name);
      if (known !== undefined) return known;
      canvas.style.color = `var(${name})`;
      colors.set(name, getComputedStyle(canvas).color);
      return colors.get(name) ?? "";
    };
    const row = height / Math.max(1, this.model.path.length);
    const draw = (at: number, column: (typeof COLUMNS)[MarkKind], most = 6): void => {
      const place = this.model.place(at);
      if (place < 0) return;
      pen.fillStyle = color(column.color);
      pen.fillRect(column.from * width, place * row, (column.to - column.from) * width, Math.max(column.height, Math.min(row, most)));
    };
    for (const mark of this.model.marks) draw(mark.at, COLUMNS[mark.kind]);
    for (const at of this.hits) draw(at, { from: 0, to: 1, color: "--hit-strong", height: 1.5 }, 1.5);
  }

  private drawWindow(): void {
    const box = this.querySelector<HTMLElement>(".window");
    if (!box) return;
    const row = this.clientHeight / Math.max(1, this.model.path.length);
    box.style.top = `${this.seen.first * row}px`;
    box.style.height = `${Math.max(6, (this.seen.last - this.seen.first + 1) * row)}px`;
  }

  private go(place: number): void {
    this.dispatchEvent(new CustomEvent<number>("go-place", { detail: place }));
  }

  private readonly dragged = (event: PointerEvent): void => {
    if (event.buttons !== 1) return;
    const box = this.getBoundingClientRect();
    const visible = this.seen.last - this.seen.first;
    this.go(Math.round(((event.clientY - box.top) / box.height) * this.model.path.length - visible / 2));
  };

  private readonly grabbed = (event: PointerEvent): void => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.dragged(event);
  };

  private readonly pressed = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.round(this.model.path.length / 20));
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.max(0, Math.min(this.model.path.length - 1, this.seen.first + step)));
  };

  protected override render(): TemplateResult {
    const total = this.model.path.length;
    const now = Math.max(0, this.seen.first) + 1;
    return html`<div
      class="map" role="slider" tabindex="0" aria-label="Position in the conversation" aria-orientation="vertical" aria-valuemin="1" aria-valuemax=${Math.max(1, total)}
      aria-valuenow=${now} aria-valuetext="Entry ${count(now)} of ${count(total)}" @pointerdown=${this.grabbed} @pointermove=${this.dragged} @keydown=${this.pressed}
      title="User messages, branches, labels, compactions, errors"
    ><canvas aria-hidden="true"></canvas><div class="window"></div></div>`;
  }
}
