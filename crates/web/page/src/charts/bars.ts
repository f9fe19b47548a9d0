// Bars that lead somewhere: lying ones for names, standing ones for days.

import { html, nothing, type TemplateResult } from "lit";
import { styles } from "../styles.ts";

export interface Bar {
  name: string;
  /** The name in full. */
  title: string;
  value: number;
  shown: string;
  note?: string;
  link: string | null;
}

/** Round numbers from 0 to the top of a chart, few enough to be read. */
export function axisTicks(top: number): number[] {
  const rough = 10 ** Math.floor(Math.log10(top / 2));
  const step = [5, 2, 1].map((times) => times * rough).find((each) => top / each >= 2) ?? rough;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step);
}

/** One line each if `isWide`; else the bar below its name. */
export function lyingBars(bars: readonly Bar[], isWide = false): TemplateResult {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  return html`<div class=${isWide ? "bars is-wide" : "bars"}>${bars.map(({ name, title, value, shown, note, link }) => {
    const inner = html`<span class="bar-name" title=${title}>${name}</span><span class="bar-value">${shown}${note ? html` <small>${note}</small>` : nothing}</span>
      <span class="bar-fill series-0" style=${styles({ width: `${(value / most) * 100}%` })}></span>`;
    return link === null ? html`<div class="bar">${inner}</div>` : html`<a class="bar" href=${link}>${inner}</a>`;
  })}</div>`;
}

/** Columns; each is a link as high as the chart, so that small ones can be hit, too. */
export function standingBars(bars: readonly Bar[], label: string, ticks: (bar: Bar, n: number) => string, amount: (value: number) => string): TemplateResult {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  const axis = html`<div class="chart-axis" aria-hidden="true">${axisTicks(most).map((tick) => html`<span style=${styles({ "--at": String(1 - tick / most) })}>${amount(tick)}</span>`)}</div>`;
  return html`<div class="standing-frame">${axis}<div class="standing" role="group" aria-label=${label}>${bars.map((bar, n) => {
    const says = `${bar.title}: ${bar.shown}`;
    const height = bar.value > 0 ? `max(2px, ${(bar.value / most) * 100}%)` : "0";
    const column = html`<span class="column-fill" style=${styles({ height })}></span><span class="tick" aria-hidden="true">${ticks(bar, n)}</span>`;
    return bar.link === null ? html`<span class="column" role="img" aria-label=${says} title=${says}>${column}</span>` : html`<a class="column" href=${bar.link} aria-label=${says} title=${says}>${column}</a>`;
  })}</div></div>`;
}

/** Activity over the life of a session, in the space of a word. */
export function sparkline(values: readonly number[] | undefined): TemplateResult {
  if (!values || values.every((value) => value === 0)) return html`<span class="spark"></span>`;
  const most = Math.max(...values);
  const path = values.map((value, n) => (value === 0 ? "" : `M${n * 3 + 1} 16v${-Math.max(1.5, (value / most) * 15)}`)).join("");
  return html`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${path}></path></svg>`;
}
