// Lists of which only the rows on the screen are elements.

import type { ReactiveController, ReactiveControllerHost } from "lit";
import { elementScroll, measureElement, observeElementOffset, observeElementRect, Virtualizer, type Range, type VirtualItem } from "@tanstack/virtual-core";

interface VirtualOptions {
  count: number;
  /** Selector of the element that scrolls. */
  scroller: string;
  estimate: (place: number) => number;
  /** Rows of different heights: their elements have the class `slot` and `data-index`. */
  measures?: boolean;
  overscan?: number;
  paddingStart?: number;
  paddingEnd?: number;
  keyOf?: (place: number) => number | string;
  range?: (range: Range) => number[];
}

type Align = "auto" | "start" | "center" | "end";
type Host = ReactiveControllerHost & HTMLElement;

export class Virtual implements ReactiveController {
  private readonly host: Host;
  private readonly options: () => VirtualOptions;
  private readonly measured = new WeakSet<HTMLElement>();
  private list: Virtualizer<HTMLElement, HTMLElement> | null = null;
  private stop: (() => void) | null = null;
  /** Where to go as soon as there is something that scrolls. */
  private wanted: { place: number; align: Align } | null = null;

  constructor(host: Host, options: () => VirtualOptions) {
    this.host = host;
    this.options = options;
    host.addController(this);
  }

  private settings(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
    const { count, scroller, estimate, overscan = 8, paddingStart = 0, paddingEnd = 0, keyOf, range } = this.options();
    return {
      count, getScrollElement: () => this.host.querySelector<HTMLElement>(scroller), estimateSize: estimate, overscan, paddingStart, paddingEnd,
      observeElementRect, observeElementOffset, scrollToFn: elementScroll, measureElement, onChange: () => this.host.requestUpdate(),
      ...(keyOf ? { getItemKey: keyOf } : {}), ...(range ? { rangeExtractor: range } : {}),
    };
  }

  hostConnected(): void {
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    this.stop?.();
    this.stop = null;
    this.list = null;
  }

  /** The rows may have become others since the last time. */
  hostUpdate(): void {
    if (this.list) this.list.setOptions({ ...this.list.options, ...this.settings() });
  }

  hostUpdated(): void {
    if (!this.list) {
      this.list = new Virtualizer<HTMLElement, HTMLElement>(this.settings());
      this.stop = this.list._didMount();
      this.host.requestUpdate();
    }
    this.list._willUpdate();
    if (this.wanted && this.list.range) {
      const { place, align } = this.wanted;
      this.wanted = null;
      this.scrollTo(place, align);
    }
    if (!this.options().measures) return;
    for (const element of this.host.querySelectorAll<HTMLElement>(`${this.options().scroller} > * > .slot`)) {
      // Measured once when it is new; later changes are reported by the browser.
      if (this.measured.has(element)) continue;
      this.measured.add(element);
      this.list.measureElement(element);
    }
  }

  get items(): VirtualItem[] {
    return this.list?.getVirtualItems() ?? [];
  }

  get total(): number {
    return this.list?.getTotalSize() ?? 0;
  }

  get range(): { startIndex: number; endIndex: number } | null {
    return this.list?.range ?? null;
  }

  scrollTo(place: number, align: Align = "auto"): void {
    if (!this.list) this.wanted = { place, align };
    // The list must know of rows that have just arrived.
    this.hostUpdate();
    // The space above the first row belongs to it.
    if (place === 0 && align !== "center") this.list?.scrollToOffset(0);
    else this.list?.scrollToIndex(place, { align });
  }
}
