// Marks of sessions to which something was written a moment ago. Nothing else happens when that time is over, so the
// page takes the mark away by itself.

import type { ReactiveController, ReactiveControllerHost } from "lit";

interface Live {
  isLive: boolean;
  liveMs?: number;
}

export class LiveMarks implements ReactiveController {
  private readonly host: ReactiveControllerHost;
  private readonly ends = new WeakMap<Live, number>();
  private timer = 0;

  constructor(host: ReactiveControllerHost) {
    this.host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.timer);
  }

  /** Watches these in place of others; the time of each begins when it is first seen here. */
  watch(rows: readonly Live[]): void {
    const now = Date.now();
    for (const row of rows) if (row.isLive && !this.ends.has(row)) this.ends.set(row, now + (row.liveMs ?? 0));
    clearTimeout(this.timer);
    const ends = rows.map((row) => this.ends.get(row) ?? 0).filter((end) => end > now);
    if (ends.length === 0) return;
    this.timer = window.setTimeout(() => {
      this.host.requestUpdate();
      this.watch(rows);
    }, Math.min(...ends) - now);
  }

  has(row: Live): boolean {
    return (this.ends.get(row) ?? 0) > Date.now();
  }
}

export const LIVE_TITLE = "Something was written a moment ago";
