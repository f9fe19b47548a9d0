// What was spent, grouped as one likes. Each bar leads to the sessions in it.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { type Bar, lyingBars, standingBars } from "../charts/bars.ts";
import { PageElement } from "../element.ts";
import { go, type Route, viewLink } from "../route.ts";
import { explain, type Source } from "../source/source.ts";
import { count, money, plural, short, tail } from "../text.ts";
import type { SpendBy, SpendFacts, SpendRow } from "../types.ts";

const GROUPS: readonly { by: SpendBy; name: string }[] = [
  { by: "day", name: "Day" }, { by: "week", name: "Week" }, { by: "model", name: "Model" }, { by: "project", name: "Project" }, { by: "role", name: "Role" }, { by: "family", name: "Family" },
];
/** So many bars are shown at first, and added by each click. */
const STEP = 60;
const MOST_COLUMNS = 120;
/** What `pitree cost` takes, as suggestions. */
const TIMES = ["today", "yesterday", "7d", "30d", "this week", "last week", "this month", "last month", "this year"];
const DAY = 86_400_000;

@customElement("pt-spend")
export class SpendView extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) route!: Route;
  @property({ attribute: false }) version = 0;
  @state() private facts: SpendFacts | null = null;
  @state() private failure = "";
  @state() private shown = STEP;

  private asked = "";

  private get by(): SpendBy {
    return GROUPS.find(({ by }) => by === this.route.parameters.get("by"))?.by ?? "day";
  }

  private get isByTokens(): boolean {
    return this.route.parameters.get("unit") === "tokens";
  }

  /** What the links keep: the unit and the times. */
  private get kept(): Record<string, string | null> {
    return { unit: this.isByTokens ? "tokens" : null, since: this.time("since"), until: this.time("until") };
  }

  private time(name: "since" | "until"): string | null {
    return this.route.parameters.get(name) || null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("route") || changed.has("version")) void this.load();
  }

  private async load(): Promise<void> {
    const asked = [this.by, this.time("since"), this.time("until")].join("\n");
    if (asked !== this.asked) this.shown = STEP;
    this.asked = asked;
    try {
      const facts = await this.source.spend({ by: this.by, since: this.time("since") ?? "", until: this.time("until") ?? "" });
      if (asked !== this.asked) return;
      this.facts = facts;
      this.failure = "";
    } catch (error) {
      if (asked === this.asked) this.failure = explain(error);
    }
  }

  private bar(row: SpendRow): Bar {
    const name = row.key ?? "not recorded";
    const value = this.isByTokens ? row.tokens.total : (row.cost ?? 0);
    const shown = this.isByTokens ? `${short(value)} tokens` : money(row.cost);
    const names: Partial<Record<SpendBy, string>> = { project: tail(name), family: row.title ?? (row.path ? tail(row.path, 1) : name) };
    const link = row.sessionCount > 0 ? viewLink("sessions", { in: `${this.by}:${row.group}`, since: this.time("since"), until: this.time("until") }) : null;
    return { name: names[this.by] ?? name, title: name, value, shown, note: row.sessionCount > 0 ? plural(row.sessionCount, "session") : plural(row.count, "request"), link };
  }

  private more(total: number): TemplateResult | typeof nothing {
    const left = total - this.shown;
    return left > 0 ? html`<p class="more-bars"><button @click=${() => (this.shown += STEP)}>Show ${count(Math.min(STEP, left))} more</button> <span class="muted">of ${count(total)}</span></p>` : nothing;
  }

  private chart(facts: SpendFacts): TemplateResult {
    const bars = facts.rows.map((row) => this.bar(row));
    if (this.by !== "day" && this.by !== "week") return html`${lyingBars(bars.slice(0, this.shown), true)}${this.more(bars.length)}`;
    const all = withGaps(bars, this.by === "day" ? 1 : 7);
    const last = all.slice(-MOST_COLUMNS);
    const label = (bar: Bar, n: number): string => (bar.title.slice(0, 7) !== last[n - 1]?.title.slice(0, 7) ? monthOf(bar.title) : "");
    const isPart = last.length < all.length;
    return html`${isPart ? html`<p class="muted">Showing the last ${count(last.length)} ${this.by}s. Set Since/Until for others; the list has all ${count(all.length)}.</p>` : nothing}${standingBars(last, `Spend by ${this.by}`, label, (value) => (this.isByTokens ? short(value) : amount(value)))}<details class="in-words" open><summary>As a list</summary>${lyingBars(bars.slice(-this.shown).reverse(), true)}${this.more(bars.length)}</details>`;
  }

  private set(name: "since" | "until", event: Event): void {
    const typed = (event.target as HTMLInputElement).value.trim();
    go(viewLink("spend", { by: this.by, ...this.kept, [name]: typed || null }));
  }

  /** From when to when: a date, or words such as `last week`. */
  private times(): TemplateResult {
    const field = (name: "since" | "until", label: string): TemplateResult => html`<label>${label} <input type="text" list="times" size="11" placeholder=${name === "since" ? "the start" : "now"} autocomplete="off" spellcheck="false"
      .value=${this.time(name) ?? ""} @change=${(event: Event) => this.set(name, event)}></label>`;
    const has = this.time("since") !== null || this.time("until") !== null;
    return html`<div class="times" role="group" aria-label="Time">${field("since", "Since")} ${field("until", "Until")}
      ${has ? html`<a href=${viewLink("spend", { by: this.by, unit: this.kept["unit"] })}>All time</a>` : nothing}
      <datalist id="times">${TIMES.map((time) => html`<option value=${time}></option>`)}</datalist></div>`;
  }

  private card(): TemplateResult {
    const { facts } = this;
    if (this.failure) return html`<p class="notice is-bad">${this.failure}</p>`;
    if (!facts || facts.by !== this.by) return html`<p class="muted">Adding up…</p>`;
    if (facts.rows.length > 0) return this.chart(facts);
    return html`<p class="muted">${this.time("since") || this.time("until") ? "Nothing was spent in that time." : "Nothing was spent yet."}</p>`;
  }

  protected override render(): TemplateResult {
    const facts = this.facts;
    const { kept } = this;
    return html`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${facts && !this.failure ? html`<div class="figures">
        <div><b>${money(facts.total.cost)}</b><span>recorded</span></div><div><b>${short(facts.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${count(facts.total.count)}</b><span>requests</span></div>
        ${facts.total.unknownCosts > 0 ? html`<div><b>${count(facts.total.unknownCosts)}</b><span>without a recorded cost</span></div>` : nothing}
      </div>` : nothing}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${GROUPS.map(({ by, name }) => html`<a href=${viewLink("spend", { by, ...kept })} aria-current=${by === this.by ? "true" : nothing}>${name}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${viewLink("spend", { by: this.by, ...kept, unit: null })} aria-current=${this.isByTokens ? nothing : "true"}>Dollars</a><a href=${viewLink("spend", { by: this.by, ...kept, unit: "tokens" })} aria-current=${this.isByTokens ? "true" : nothing}>Tokens</a></nav>
        ${this.times()}
      </div>
      <section class="card">${this.card()}</section>
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

/** Dollars at an axis: as many digits as they need. */
function amount(dollars: number): string {
  return `$${dollars.toLocaleString("en-US", { maximumFractionDigits: 4 })}`;
}

function monthOf(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleString("en-US", { month: "short" });
}
