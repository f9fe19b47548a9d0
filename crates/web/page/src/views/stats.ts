// How somebody works: tools, files, commands, models, hours and habits. A bar leads to the sessions that mention it.

import { html, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { type Bar, lyingBars, standingBars } from "../charts/bars.ts";
import { attempt, PageElement } from "../element.ts";
import { viewLink } from "../route.ts";
import type { Source } from "../source/source.ts";
import { count, plural, short, tail } from "../text.ts";
import type { StatsFacts } from "../types.ts";

const MOST = 15;
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/** With the search that finds the sessions, where the query language has one. */
const HABITS: readonly (readonly [string, string, string | null])[] = [
  ["branchedSessions", "Sessions with branches", "on:abandoned"], ["branchPoints", "Branch points", "on:abandoned"], ["forkedSessions", "Sessions that were forked", null], ["forks", "Forks", null],
  ["compactions", "Compactions", "role:summary"], ["branchSummaries", "Branch summaries", "role:summary"], ["labels", "Labels", "role:label"], ["subagentRuns", "Sub-agent runs", "tool:subagent"],
];

/** A value of a filter, in quotes if it needs them; none can be written around a quote. */
function filter(name: string, value: string): string | null {
  if (value.includes('"')) return null;
  return /^[^\s:]+$/.test(value) ? `${name}:${value}` : `${name}:"${value}"`;
}

/** A text as it is written in a search. */
function phrase(text: string): string | null {
  return text.includes('"') ? null : `"${text}"`;
}

@customElement("pt-stats")
export class StatsView extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) version = 0;
  @state() private facts: StatsFacts | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("source") || changed.has("version")) attempt(this.source.stats().then((facts) => (this.facts = facts)));
  }

  private card(title: string, bars: Bar[]): TemplateResult {
    return html`<section class="card"><h2>${title}</h2>${bars.length === 0 ? html`<p class="muted">None.</p>` : lyingBars(bars.slice(0, MOST))}</section>`;
  }

  private hours(facts: StatsFacts): TemplateResult {
    const bars = facts.hours.map((value, hour) => ({ name: `${hour}`, title: `${hour}:00`, value, shown: plural(value, "message"), link: null }));
    return html`<section class="card"><h2>Hours of the day</h2>${standingBars(bars, "Messages by hour", (bar, n) => (n % 6 === 0 ? bar.title : ""), short)}</section>`;
  }

  protected override render(): TemplateResult {
    const facts = this.facts;
    if (!facts) return html`<main class="page-pad" tabindex="-1"><h1>Stats</h1><p class="muted">Counting…</p></main>`;
    const { totals } = facts;
    const errors = (failed: number): string => (failed > 0 ? plural(failed, "error") : "");
    const about = (term: string | null): string | null => (term === null ? null : viewLink("sessions", { q: term }));
    const figures: [number, string, string | null][] = [
      [totals.sessions, "sessions", viewLink("sessions")], [totals.messages.total, "messages", viewLink("sessions", { sort: "messages" })], [totals.projects, "projects", viewLink("spend", { by: "project" })],
      [totals.activeDays, "active days", viewLink("spend", { by: "day" })], [totals.replies, "replies", about("role:assistant")], [totals.failedReplies, "failed replies", about("role:assistant is:error")],
    ];
    return html`<main class="page-pad scrolls" tabindex="-1"><h1>Stats</h1>
      <div class="figures">${figures.map(([value, name, link]) => (link === null || value === 0 ? html`<div title=${count(value)}><b>${short(value)}</b><span>${name}</span></div>` : html`<a href=${link} title=${count(value)}><b>${short(value)}</b><span>${name}</span></a>`))}</div>
      <div class="masonry">
        ${this.card("Tools", facts.tools.map(({ name, calls, errors: failed }) => ({ name, title: name, value: calls, shown: count(calls), note: errors(failed), link: about(filter("tool", name)) })))}
        ${this.card("Models", facts.models.map(({ model, replies }) => ({ name: model ?? "not recorded", title: model ?? "", value: replies, shown: count(replies), link: model === null ? null : viewLink("sessions", { in: `model:${model}` }) })))}
        ${this.card("Commands", facts.commands.map(({ command, runs, errors: failed }) => ({ name: command, title: command, value: runs, shown: count(runs), note: errors(failed), link: about(phrase(command)) })))}
        ${this.card("Files", facts.files.map(({ path, project, reads, edits, writes }) => ({ name: tail(path), title: `${path}${project ? ` (${project})` : ""}`, value: reads + edits + writes, shown: count(reads + edits + writes), note: [edits > 0 ? plural(edits, "edit") : "", project ? tail(project, 1) : ""].filter(Boolean).join(" · "), link: about(phrase(path.split("/").at(-1) ?? path)) })))}
        ${this.hours(facts)}
        ${this.card("Days of the week", facts.weekdays.map((value, day) => ({ name: WEEKDAYS[day] ?? "", title: WEEKDAYS[day] ?? "", value, shown: count(value), link: null })))}
        ${this.card("Habits", HABITS.map(([key, name, query]) => ({ name, title: name, value: facts.habits[key] ?? 0, shown: count(facts.habits[key] ?? 0), link: facts.habits[key] ? about(query) : null })))}
      </div></main>`;
  }
}
