// A drawing that can be moved and zoomed, by pointer, wheel, touch, buttons and keys.

import { html, svg, type PropertyValues, type SVGTemplateResult, type TemplateResult } from "lit";

import { PageElement } from "../element.ts";

const MIN_SCALE = 0.05;
const MAX_SCALE = 6;
/** At first nothing is drawn smaller: its text could not be read. */
const READABLE = 0.7;

export abstract class PanZoom extends PageElement {
  private offsetX = 0;
  private offsetY = 0;
  private scale = 1;
  private pointers = new Map<number, { x: number; y: number }>();
  private moved = 0;
  private fittedTo = "";

  /** What the drawing is, for people who do not see it. */
  protected abstract get name(): string;
  /** Size of the drawing in its own units. */
  protected abstract get size(): { width: number; height: number };
  protected abstract drawing(): SVGTemplateResult;
  /** The same in words, with links. */
  protected abstract inWords(): TemplateResult;
  protected legend(): TemplateResult {
    return html``;
  }

  protected override updated(_changed: PropertyValues): void {
    const { width, height } = this.size;
    const fitted = `${width} ${height}`;
    if (width > 0 && fitted !== this.fittedTo) {
      this.fittedTo = fitted;
      this.fit();
    }
  }

  private get frame(): DOMRect {
    return this.querySelector("svg.canvas")?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
  }

  /** Shows all of it, unless that would make it too small to read. */
  private fit(isAll = false): void {
    const { width, height } = this.size;
    const box = this.frame;
    const whole = Math.min(box.width / width, box.height / height) * 0.96;
    this.scale = Math.max(isAll ? MIN_SCALE : READABLE, Math.min(1.25, whole));
    this.offsetX = Math.max(16, (box.width - width * this.scale) / 2);
    this.offsetY = Math.max(16, (box.height - height * this.scale) / 2);
    this.place();
  }

  /** Moves the drawing without drawing it again. */
  private place(): void {
    this.querySelector("svg.canvas > g")?.setAttribute("transform", `translate(${this.offsetX} ${this.offsetY}) scale(${this.scale})`);
  }

  private zoom(factor: number, x = this.frame.width / 2, y = this.frame.height / 2): void {
    const scale = Math.max(MIN_SCALE, Math.min(MAX_SCALE, this.scale * factor));
    this.offsetX = x - ((x - this.offsetX) * scale) / this.scale;
    this.offsetY = y - ((y - this.offsetY) * scale) / this.scale;
    this.scale = scale;
    this.place();
  }

  private pan(x: number, y: number): void {
    this.offsetX += x;
    this.offsetY += y;
    this.place();
  }

  private readonly wheeled = (event: WheelEvent): void => {
    event.preventDefault();
    const box = this.frame;
    if (event.ctrlKey || event.metaKey || !event.shiftKey) this.zoom(Math.exp(-event.deltaY / 500), event.clientX - box.left, event.clientY - box.top);
    else this.pan(-event.deltaY, 0);
  };

  private readonly grabbed = (event: PointerEvent): void => {
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
  };

  private readonly dragged = (event: PointerEvent): void => {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    const now = { x: event.clientX, y: event.clientY };
    this.pointers.set(event.pointerId, now);
    this.moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    const other = others[0]?.[1];
    if (other) {
      const [was, is] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(now.x - other.x, now.y - other.y)];
      const box = this.frame;
      this.zoom(is / Math.max(1, was), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
    } else this.pan(now.x - before.x, now.y - before.y);
  };

  private readonly released = (event: PointerEvent): void => {
    this.pointers.delete(event.pointerId);
  };

  /** A drag that ends on a link does not open it. */
  private readonly clicked = (event: MouseEvent): void => {
    if (this.moved > 6) event.preventDefault();
  };

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "0": () => this.fit(true),
      ArrowLeft: () => this.pan(60, 0), ArrowRight: () => this.pan(-60, 0), ArrowUp: () => this.pan(0, 60), ArrowDown: () => this.pan(0, -60),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  /** A node that gets the focus is brought into view. */
  private readonly focused = (event: FocusEvent): void => {
    const target = event.target as Element;
    if (!target.matches("a")) return;
    const node = target.getBoundingClientRect();
    const box = this.frame;
    if (node.left < box.left || node.right > box.right) this.pan(box.left + box.width / 2 - (node.left + node.right) / 2, 0);
    if (node.top < box.top || node.bottom > box.bottom) this.pan(0, box.top + box.height / 2 - (node.top + node.bottom) / 2);
  };

  protected override render(): TemplateResult {
    return html`<div class="graph" @keydown=${this.pressed}>
      <div class="graph-bar">
        <button class="quiet" aria-label="Zoom in" title="Zoom in (+)" @click=${() => this.zoom(1.25)}>+</button>
        <button class="quiet" aria-label="Zoom out" title="Zoom out (−)" @click=${() => this.zoom(0.8)}>−</button>
        <button class="quiet" title="Show all of it (0)" @click=${() => this.fit(true)}>Fit</button>
        ${this.legend()}
      </div>
      <svg class="canvas" role="group" aria-label=${this.name} @wheel=${this.wheeled} @pointerdown=${this.grabbed} @pointermove=${this.dragged}
        @pointerup=${this.released} @pointercancel=${this.released} @pointerleave=${this.released} @click=${this.clicked} @focusin=${this.focused}>
        <g>${svg`${this.drawing()}`}</g>
      </svg>
      <details class="in-words"><summary>${this.name} in words</summary>${this.inWords()}</details>
    </div>`;
  }
}
