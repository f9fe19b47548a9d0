// Lists of which only the rows on the screen are elements.

import type { ReactiveController, ReactiveControllerHost } from "lit";

import { Heights } from "./heights.ts";

interface VirtualOptions {
  count: number;
  /** Selector of the element that scrolls. */
  scroller: string;
  estimate: (place: number) => number;
  /** What the rows are made of: the list is another one when this is. */
  of?: unknown;
  /** Rows of different heights: their elements have the class `slot` and `data-index`. */
  measures?: boolean;
  /** So many rows above and below the screen are elements, too. */
  overscan?: number;
  paddingStart?: number;
  paddingEnd?: number;
  keyOf?: (place: number) => number | string;
  /** A row that stays an element wherever it is; -1 for none. */
  keeps?: () => number;
}

export interface VirtualItem {
  index: number;
  key: number | string;
  start: number;
  size: number;
}

export type Align = "auto" | "start" | "center" | "end";
interface Target {
  place: number;
  align: Align;
  stays: boolean;
}
type Host = ReactiveControllerHost & HTMLElement;

/** Rows that follow each other by more than a screen within this time fly by: nobody can read them. */
const FLIGHT = 100;
/** What moves the list by hand. */
const BY_HAND = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

export class Virtual implements ReactiveController {
  items: VirtualItem[] = [];
  /** Whether rows fly by. */
  isFlying = false;

  private readonly host: Host;
  private readonly options: () => VirtualOptions;
  private now: VirtualOptions;
  private heights = new Heights(new Float64Array());
  private heightsOf: unknown = null;
  /** The heights of rows that were elements once, by their keys. */
  private readonly measured = new Map<number | string, number>();
  private readonly watched = new Set<HTMLElement>();
  private scroller: HTMLElement | null = null;
  private offset = 0;
  /** Until it is known how high the list is, it is as high as the window. */
  private height = innerHeight;
  /** By how much the rows above the screen have grown since they were drawn. */
  private shift = 0;
  /** Where to go, until all rows there have their heights; or to stay, until the reader moves. */
  private wanted: Target | null = null;
  private settling: Target | null = null;
  private jumpedAt = -Infinity;
  private landing = 0;

  private readonly scrollerSizes = new ResizeObserver(() => this.resized());
  private readonly rowSizes = new ResizeObserver((entries) => this.measure(entries));

  constructor(host: Host, options: () => VirtualOptions) {
    this.host = host;
    this.options = options;
    this.now = { count: 0, scroller: "", estimate: () => 0 };
    host.addController(this);
  }

  get total(): number {
    return this.heights.total + (this.now.paddingStart ?? 0) + (this.now.paddingEnd ?? 0);
  }

  /** The rows on the screen. */
  get range(): { startIndex: number; endIndex: number } | null {
    if (this.heights.count === 0) return null;
    const top = this.offset - (this.now.paddingStart ?? 0);
    return { startIndex: this.heights.at(top), endIndex: this.heights.at(top + this.height - 1) };
  }

  /** Whether a row's height is known, and not only guessed. */
  private isKnown(place: number): boolean {
    return !this.now.measures || this.measured.has(this.keyOf(place));
  }

  private keyOf(place: number): number | string {
    return this.now.keyOf?.(place) ?? place;
  }

  private start(place: number): number {
    return this.heights.above(place) + (this.now.paddingStart ?? 0);
  }

  hostConnected(): void {
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    this.leave();
  }

  hostUpdate(): void {
    this.readOptions();
    this.items = this.placed();
  }

  /** The rows may have become others since the last time. */
  private readOptions(): void {
    this.now = this.options();
    const { count, of = null, estimate } = this.now;
    if (count === this.heights.count && of === this.heightsOf) return;
    this.heightsOf = of;
    this.heights = new Heights(Float64Array.from({ length: count }, (_, place) => this.measured.get(this.keyOf(place)) ?? estimate(place)));
  }

  private placed(): VirtualItem[] {
    const { range } = this;
    if (!range) return [];
    const { overscan = 8, keeps } = this.now;
    const item = (index: number): VirtualItem => ({ index, key: this.keyOf(index), start: this.start(index), size: this.heights.height(index) });
    const first = Math.max(0, range.startIndex - overscan);
    const last = Math.min(this.heights.count - 1, range.endIndex + overscan);
    const items = Array.from({ length: last - first + 1 }, (_, n) => item(first + n));
    const kept = keeps?.() ?? -1;
    if (kept >= 0 && kept < first) items.unshift(item(kept));
    if (kept > last && kept < this.heights.count) items.push(item(kept));
    return items;
  }

  hostUpdated(): void {
    const scroller = this.host.querySelector<HTMLElement>(this.now.scroller);
    if (scroller !== this.scroller) this.enter(scroller);
    if (!this.scroller) return;
    if (this.now.measures) this.watchRows(this.scroller);
    this.moveOn(this.scroller);
  }

  private enter(scroller: HTMLElement | null): void {
    this.leave();
    this.scroller = scroller;
    if (!scroller) return;
    scroller.addEventListener("scroll", this.scrolled, { passive: true });
    for (const name of BY_HAND) scroller.addEventListener(name, this.letGo, { passive: true });
    this.scrollerSizes.observe(scroller);
  }

  private leave(): void {
    this.scroller?.removeEventListener("scroll", this.scrolled);
    for (const name of BY_HAND) this.scroller?.removeEventListener(name, this.letGo);
    this.scrollerSizes.disconnect();
    this.rowSizes.disconnect();
    this.watched.clear();
    clearTimeout(this.landing);
    this.isFlying = false;
    this.scroller = null;
    this.offset = 0;
    this.shift = 0;
  }

  private resized(): void {
    const height = this.scroller?.clientHeight ?? 0;
    if (height === this.height) return;
    this.height = height;
    this.host.requestUpdate();
  }

  /** The browser says how high rows are, at first and whenever that changes. */
  private watchRows(scroller: HTMLElement): void {
    const there = new Set(scroller.querySelectorAll<HTMLElement>(":scope > * > .slot:not(.is-passing)"));
    for (const row of this.watched) {
      if (there.has(row)) continue;
      this.watched.delete(row);
      this.rowSizes.unobserve(row);
    }
    for (const row of there) {
      if (this.watched.has(row)) continue;
      this.watched.add(row);
      this.rowSizes.observe(row);
    }
  }

  private measure(entries: readonly ResizeObserverEntry[]): void {
    let isOther = this.wanted !== null;
    for (const { target, borderBoxSize } of entries) {
      const place = Number((target as HTMLElement).dataset["index"]);
      if (!this.watched.has(target as HTMLElement) || !target.isConnected || !(place < this.heights.count)) continue;
      const height = Math.round(borderBoxSize[0]?.blockSize ?? 0);
      const known = this.heights.height(place);
      const [start, isFirst] = [this.start(place), !this.isKnown(place)];
      this.measured.set(this.keyOf(place), height);
      if (height === known) continue;
      isOther = true;
      this.heights.set(place, height);
      // What is being read stays where it is, also if a row that reaches above the screen grows at its end.
      if (isFirst ? start < this.offset : start + known <= this.offset) this.moveBy(height - known);
    }
    if (isOther) this.host.requestUpdate();
  }

  private moveBy(pixels: number): void {
    this.shift += pixels;
    this.offset += pixels;
  }

  /** Moves to where the reader should be, once the rows are drawn. */
  private moveOn(scroller: HTMLElement): void {
    if (this.wanted && this.heights.count > 0) this.goToWanted(scroller, this.wanted);
    else if (this.shift !== 0) scroller.scrollTop = this.offset;
    this.shift = 0;
  }

  private goToWanted(scroller: HTMLElement, target: Target): void {
    const before = this.offset;
    const offset = this.offsetFor(Math.min(target.place, this.heights.count - 1), target.align);
    if (Math.abs(offset - before) >= 1 || this.shift !== 0) {
      scroller.scrollTop = offset;
      // The end may be nearer than that.
      this.offset = scroller.scrollTop;
    }
    if (Math.abs(this.offset - before) >= 1) this.host.requestUpdate();
    else if (!target.stays) this.settle(target);
  }

  /** Rows that were just drawn are measured within the next frame. If nothing has moved by then, this is the place. */
  private settle(target: Target): void {
    if (this.settling === target) return;
    this.settling = target;
    const { offset, total } = this;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      this.settling = null;
      if (this.wanted !== target) return;
      if (this.offset === offset && this.total === total && this.isSeenKnown()) this.wanted = null;
      else this.host.requestUpdate();
    }));
  }

  /** Whether all rows on the screen have their heights. */
  private isSeenKnown(): boolean {
    const { startIndex, endIndex } = this.range ?? { startIndex: 0, endIndex: -1 };
    for (let place = startIndex; place <= endIndex; place += 1) if (!this.isKnown(place)) return false;
    return true;
  }

  private offsetFor(place: number, align: Align): number {
    const [start, size] = [this.start(place), this.heights.height(place)];
    // The space above the first row belongs to it.
    const top = place === 0 ? 0 : start;
    const most = Math.max(0, this.total - this.height);
    // So does the space below the last one, below which there may be rows without any height.
    const bottom = start + size + (this.now.paddingEnd ?? 0) >= this.total ? most : start + size - this.height;
    const clamped = (offset: number): number => Math.round(Math.max(0, Math.min(most, offset)));
    switch (align) {
      case "start": return clamped(top);
      case "end": return clamped(bottom);
      case "center": return clamped(start + size / 2 - this.height / 2);
      case "auto": return top < this.offset ? clamped(top) : bottom > this.offset ? clamped(bottom) : this.offset;
    }
  }

  scrollTo(place: number, align: Align = "auto"): void {
    this.go({ place, align, stays: false });
  }

  /** Goes to the end and stays there, however high the rows turn out to be and whatever is added, until the reader moves. */
  scrollToEnd(): void {
    this.go({ place: Infinity, align: "end", stays: true });
  }

  private go(target: Target): void {
    this.wanted = target;
    this.land();
    this.host.requestUpdate();
  }

  /** The reader goes elsewhere. */
  readonly letGo = (): void => {
    this.wanted = null;
  };

  private readonly scrolled = (): void => {
    const offset = this.scroller?.scrollTop ?? 0;
    if (offset === this.offset) return;
    this.noteSpeed(offset - this.offset);
    const before = this.range;
    this.offset = offset;
    const after = this.range;
    if (before?.startIndex !== after?.startIndex || before?.endIndex !== after?.endIndex) this.host.requestUpdate();
  };

  private noteSpeed(moved: number): void {
    if (Math.abs(moved) <= this.height) return;
    const now = performance.now();
    // A single jump is one to somewhere.
    if (now - this.jumpedAt < FLIGHT) {
      this.isFlying = true;
      clearTimeout(this.landing);
      this.landing = window.setTimeout(() => this.land(), FLIGHT);
    }
    this.jumpedAt = now;
  }

  private land(): void {
    clearTimeout(this.landing);
    this.jumpedAt = -Infinity;
    if (!this.isFlying) return;
    this.isFlying = false;
    this.host.requestUpdate();
  }
}
