// The head of a session, and the pane in which it is read.

import { html, nothing, type TemplateResult } from "lit";

import { attempt, copyText, toast } from "../element.ts";
import { LIVE_TITLE } from "../live.ts";
import { sessionLink, TABS, viewLink } from "../route.ts";
import { count, fullTime, money, plural, short, tail, when } from "../text.ts";
import { type Filter, FILTERS, type SessionFacts } from "../types.ts";
import type { Seen } from "./conversation.ts";
import type { SessionModel } from "./model.ts";
import type { SessionView } from "./view.ts";

const FILTER_NAMES: Record<Filter, string> = { default: "", all: "Everything", "no-tools": "Without tools", user: "User only", labeled: "Labeled only" };

export function head(view: SessionView, model: SessionModel, facts: SessionFacts): TemplateResult {
  const kept = { leaf: view.route.parameters.get("leaf"), e: view.cursor >= 0 ? view.cursor : null };
  return html`<div class="session-head">
    <div class="title-line">
      ${view.source.hasList ? html`<a class="back" href=${viewLink("sessions")} aria-label="All sessions">‹</a>` : nothing}
      <h1 title=${facts.title}>${facts.title}</h1>
      ${view.live.has(facts) ? html`<span class="live" title=${LIVE_TITLE}>live</span>` : nothing}
      <p class="facts">${factLine(facts).map(([text, title]) => html`<span title=${title}>${text}</span>`)}${details(facts, view.source.hasList)}</p>
    </div>
    <nav class="tabs" aria-label="Views of the session">
      ${TABS.filter(({ tab }) => view.source.tabs.has(tab)).map(({ tab, name }) => html`<a href=${sessionLink(model.key, tab, kept)} aria-current=${tab === view.route.tab ? "page" : nothing}>${name}${badge(tab, facts)}</a>`)}
    </nav>
    ${damage(facts)}
  </div>`;
}

/** What is wrong with the file, in the words of `pitree check`. */
function damage({ problems = [], path }: SessionFacts): TemplateResult | typeof nothing {
  const [first, ...others] = problems;
  if (!first) return nothing;
  const said = ({ line, text, advice }: typeof first): TemplateResult => html`${line > 0 ? `line ${count(line)}: ` : ""}${text}; ${advice}`;
  return html`<div class="notice is-bad damage" role="note"><p><b>This session file is damaged</b>: ${said(first)}.</p>
    ${others.length === 0 ? nothing : html`<details><summary>${plural(others.length, "more problem", "more problems")}</summary><ul>${others.map((each) => html`<li>${said(each)}</li>`)}</ul></details>`}
    <p>Show everything: <code>pitree check ${path === "" ? "FILE" : quoted(path)}</code></p></div>`;
}

function badge(tab: string, facts: SessionFacts): TemplateResult | typeof nothing {
  const number = tab === "lanes" ? (facts.laneCount ?? facts.lanes.length) : tab === "family" ? facts.family.length : 0;
  return number > 1 ? html` <span class="badge">${number}</span>` : nothing;
}

function factLine(facts: SessionFacts): [string, string][] {
  return [
    [tail(facts.cwd), facts.cwd], [when(facts.modified), fullTime(facts.modified)], [plural(facts.entries, "entry", "entries"), ""],
    [`${short(facts.tokens ?? 0)} tokens`, count(facts.tokens ?? 0)], [money(facts.cost ?? null), "Recorded cost"],
  ];
}

/** A word as a shell takes it; it knows the home directory only outside of quotes. */
function quoted(text: string): string {
  const [home, rest] = text.startsWith("~/") ? ["~/", text.slice(2)] : ["", text];
  return /^[\w@%+=:,./-]+$/.test(rest) ? text : `${home}'${rest.replaceAll("'", "'\\''")}'`;
}

/** What continues the session in Pi, as a shell takes it. */
function resumeCommand({ cwd, id }: SessionFacts): string {
  return `cd ${quoted(cwd)} && pi --session ${quoted(id)}`;
}

function resume(facts: SessionFacts): TemplateResult {
  const command = resumeCommand(facts);
  return html`<dt>Resume</dt><dd><code>${command}</code> <button class="quiet" @click=${() => attempt(copyText(command).then(() => toast("Command copied")))}>Copy</button></dd>`;
}

function details(facts: SessionFacts, isHere: boolean): TemplateResult {
  return html`<details class="more-facts"><summary>Details</summary><dl>
    <dt>File</dt><dd><code>${facts.path}</code></dd><dt>Id</dt><dd><code>${facts.id}</code></dd><dt>Created</dt><dd>${fullTime(facts.created)}</dd>
    ${isHere && facts.id !== "" && facts.cwd !== "" ? resume(facts) : nothing}
    ${facts.facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
  </dl></details>`;
}

export function readingPane(view: SessionView, model: SessionModel): TemplateResult {
  return html`${toolbar(view, model)}
    <div class=${view.showsTree ? "panes has-tree" : "panes"}>
      ${view.showsTree ? html`<pt-tree .model=${model} .filter=${model.filter === "all" ? "default" : model.filter} .cursor=${view.cursor} .version=${view.version}
        @choose=${(event: CustomEvent<number>) => void view.goTo(event.detail, { push: true })}></pt-tree>` : nothing}
      <pt-conversation .model=${model} .cursor=${view.cursor} .words=${view.findWords} .hits=${view.hits} .version=${view.version}
        @row-action=${view.rowAction} @click=${(event: Event) => clicked(view, event)} @seen=${(event: CustomEvent<Seen>) => seen(view, event.detail)}></pt-conversation>
      <pt-minimap .model=${model} .version=${view.version} .seen=${view.seen} .hits=${view.hits}
        @go-place=${(event: CustomEvent<number>) => view.conversation?.scrollToPlace(event.detail)}></pt-minimap>
      ${view.newRows > 0 ? html`<button class="new-rows" @click=${() => view.toNewest()}>${plural(view.newRows, "new entry", "new entries")} ↓</button>` : nothing}
    </div>`;
}

function seen(view: SessionView, seen: Seen): void {
  view.seen = seen;
  if (seen.last >= (view.model?.path.length ?? 0) - 1) view.newRows = 0;
}

/** A click puts the cursor on the row, unless it was meant for something in it. */
function clicked(view: SessionView, event: Event): void {
  const target = event.target as HTMLElement;
  const row = target.closest<HTMLElement>(".slot > article");
  if (!row || target.closest("a, button") || !getSelection()?.isCollapsed) return;
  view.cursor = Number(row.dataset["at"]);
  view.noteCursor(view.cursor);
}

function toolbar(view: SessionView, model: SessionModel): TemplateResult {
  const lane = model.facts?.lanes.find((each) => each.leaf === model.leaf);
  return html`<div class="toolbar">
    <button class="quiet" aria-pressed=${view.showsTree ? "true" : "false"} title="Tree (t)" @click=${() => view.toggleTree()}>Tree</button>
    <label class="select"><span class="hidden">Filter</span>
      <select @change=${(event: Event) => view.setFilter((event.target as HTMLSelectElement).value)}>
        ${FILTERS.map((filter) => html`<option value=${filter} ?selected=${filter === model.filter}>${FILTER_NAMES[filter]}</option>`)}
      </select></label>
    <span class="spacer">${lane && !lane.isActive ? html`<span class="chip">abandoned branch</span> <a href=${sessionLink(model.key)}>Show the current one</a>` : nothing}</span>
    <pt-find .model=${model} .query=${view.findText} .hasEntry=${view.route.parameters.has("e") || view.route.parameters.has("id")} .cursor=${view.cursor}
      @found=${(event: CustomEvent<{ query: string; words: string[]; hits: ReadonlySet<number> }>) => view.setFound(event.detail.query, event.detail.words, event.detail.hits)}
      @find-at=${(event: CustomEvent<number>) => void view.goTo(event.detail)} @close-find=${() => closeFind(view)}></pt-find>
    <button class="quiet" title="Fold or unfold all messages (O)" @click=${() => view.conversation?.foldAll(!view.conversation.isAllFolded)}>Fold</button>
    <button class="quiet" title="Print this branch" @click=${() => view.print()}>Print</button>
  </div>`;
}

function closeFind(view: SessionView): void {
  view.setFound("", [], new Set());
  view.conversation?.show(view.cursor, { focus: true, align: "auto" });
}
