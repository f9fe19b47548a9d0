// Bars that lead somewhere: lying ones for names, standing ones for days.

import { html, nothing, svg, type TemplateResult } from "lit";
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

/** One line each if `isWide`; else the bar below its name. */
export function lyingBars(bars: readonly Bar[], isWide = false): TemplateResult {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  return html`<div class=${isWide ? "bars is-wide" : "bars"}>${bars.map(({ name, title, value, shown, note, link }) => {
    const inner = html`<span class="bar-name" title=${title}>${name}</span><span class="bar-value">${shown}${note ? html` <small>${note}</small>` : nothing}</span>
      <span class="bar-fill series-0" style=${styles({ width: `${(value / most) * 100}%` })}></span>`;
    return link === null ? html`<div class="bar">${inner}</div>` : html`<a class="bar" href=${link}>${inner}</a>`;
  })}</div>`;
}

const HEIGHT = 160;

/** Columns; each is a link as high as the chart, so that small ones can be hit, too. */
export function standingBars(bars: readonly Bar[], label: string, ticks: (bar: Bar, n: number) => string): TemplateResult {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  const width = Math.max(6, Math.min(26, Math.floor(1100 / Math.max(1, bars.length))));
  return html`<div class="standing" tabindex="0" role="group" aria-label=${label}>
    <svg width=${width * bars.length} height=${HEIGHT + 20} role="presentation">${bars.map((bar, n) => {
      const height = bar.value > 0 ? Math.max(2, (bar.value / most) * (HEIGHT - 6)) : 0;
      const column = svg`<title>${bar.title}: ${bar.shown}</title><rect class="hit-area" x=${n * width} y="0" width=${width} height=${HEIGHT}></rect>
        <rect class="series-0" x=${n * width + 1} y=${HEIGHT - height} width=${width - 2} height=${height} rx="1.5"></rect>
        <text class="small" x=${n * width} y=${HEIGHT + 14}>${ticks(bar, n)}</text>`;
      return bar.link === null ? svg`<g>${column}</g>` : svg`<a href=${bar.link} aria-label=${`${bar.title}: ${bar.shown}`}>${column}</a>`;
    })}</svg></div>`;
}

/** Activity over the life of a session, in the space of a word. */
export function sparkline(values: readonly number[] | undefined): TemplateResult {
  if (!values || values.every((value) => value === 0)) return html`<span class="spark"></span>`;
  const most = Math.max(...values);
  const path = values.map((value, n) => (value === 0 ? "" : `M${n * 3 + 1} 16v${-Math.max(1.5, (value / most) * 15)}`)).join("");
  return html`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${path}></path></svg>`;
}
