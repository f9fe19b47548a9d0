// What was spent, grouped as one likes. Each bar leads to the sessions in it.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { type Bar, lyingBars, standingBars } from "../charts/bars.ts";
import { attempt, PageElement } from "../element.ts";
import { type Route, viewLink } from "../route.ts";
import type { Source } from "../source/source.ts";
import { count, money, plural, short, tail } from "../text.ts";
import type { SpendBy, SpendFacts, SpendRow } from "../types.ts";

export const GROUPS: readonly { by: SpendBy; name: string }[] = [
  { by: "day", name: "Day" }, { by: "week", name: "Week" }, { by: "model", name: "Model" }, { by: "project", name: "Project" }, { by: "role", name: "Role" }, { by: "family", name: "Family" },
];
/** Further rows are in the table of `pitree cost`. */
const MOST_BARS = 60;
const MOST_COLUMNS = 120;
const DAY = 86_400_000;

@customElement("pt-spend")
export class SpendView extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) route!: Route;
  @property({ attribute: false }) version = 0;
  @state() private facts: SpendFacts | null = null;

  private get by(): SpendBy {
    return GROUPS.find(({ by }) => by === this.route.parameters.get("by"))?.by ?? "day";
  }

  private get isByTokens(): boolean {
    return this.route.parameters.get("unit") === "tokens";
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("route") || changed.has("version")) attempt(this.load(this.by));
  }

  private async load(by: SpendBy): Promise<void> {
    const facts = await this.source.spend(by);
    if (by === this.by) this.facts = facts;
  }

  private bar(row: SpendRow): Bar {
    const name = row.key ?? "not recorded";
    const sessions = row.sessions?.length ?? 0;
    const value = this.isByTokens ? row.tokens.total : (row.cost ?? 0);
    const shown = this.isByTokens ? `${short(value)} tokens` : money(row.cost);
    const names: Partial<Record<SpendBy, string>> = { project: tail(name), family: row.title ?? (row.path ? tail(row.path, 1) : name) };
    const link = sessions > 0 ? viewLink("sessions", { in: `${this.by}:${row.key ?? ""}` }) : null;
    return { name: names[this.by] ?? name, title: name, value, shown, note: sessions > 0 ? plural(sessions, "session") : plural(row.count, "request"), link };
  }

  private chart(facts: SpendFacts): TemplateResult {
    const bars = facts.rows.map((row) => this.bar(row));
    if (this.by !== "day" && this.by !== "week") return lyingBars(bars.slice(0, MOST_BARS), true);
    const last = withGaps(bars, this.by === "day" ? 1 : 7).slice(-MOST_COLUMNS);
    const label = (bar: Bar, n: number): string => (bar.title.slice(0, 7) !== last[n - 1]?.title.slice(0, 7) ? monthOf(bar.title) : "");
    return html`${standingBars(last, `Spend by ${this.by}`, label)}<details class="in-words" open><summary>As a list</summary>${lyingBars(bars.slice(-MOST_BARS).reverse(), true)}</details>`;
  }

  protected override render(): TemplateResult {
    const facts = this.facts;
    const unit = this.isByTokens ? "tokens" : null;
    return html`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${facts ? html`<div class="figures">
        <div><b>${money(facts.total.cost)}</b><span>recorded</span></div><div><b>${short(facts.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${count(facts.total.count)}</b><span>requests</span></div>
        ${facts.total.unknownCosts > 0 ? html`<div><b>${count(facts.total.unknownCosts)}</b><span>without a recorded cost</span></div>` : nothing}
      </div>` : nothing}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${GROUPS.map(({ by, name }) => html`<a href=${viewLink("spend", { by, unit })} aria-current=${by === this.by ? "true" : nothing}>${name}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${viewLink("spend", { by: this.by })} aria-current=${unit === null ? "true" : nothing}>Dollars</a><a href=${viewLink("spend", { by: this.by, unit: "tokens" })} aria-current=${unit ? "true" : nothing}>Tokens</a></nav>
      </div>
      <section class="card">${!facts || facts.by !== this.by ? html`<p class="muted">Adding up…</p>` : facts.rows.length === 0 ? html`<p class="muted">Nothing was spent yet.</p>` : this.chart(facts)}</section>
    </main>`;
  }
}

/** Days on which nothing was spent have their place, too. */
function withGaps(bars: readonly Bar[], days: number): Bar[] {
  const all: Bar[] = [];
  for (const bar of bars) {
    const time = Date.parse(bar.title);
    const before = all.at(-1);
    const last = before ? Date.parse(before.title) : NaN;
    for (let day = last + days * DAY; day < time && all.length < 10_000; day += days * DAY) {
      const title = new Date(day).toISOString().slice(0, 10);
      all.push({ name: title, title, value: 0, shown: "nothing", link: null });
    }
    all.push(bar);
  }
  return all;
}

function monthOf(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleString("en-US", { month: "short" });
}
