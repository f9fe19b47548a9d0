// The list of sessions: search as you type, filters and sort in the address, families as threads.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { styles } from "../styles.ts";

import { sparkline } from "../charts/bars.ts";
import { announce, attempt, debounced, PageElement } from "../element.ts";
import { isTyping } from "../keys.ts";
import { LIVE_TITLE, LiveMarks } from "../live.ts";
import { changed as changedRoute, go, type Route, sessionLink } from "../route.ts";
import { explain, type Source } from "../source/source.ts";
import { count, fullTime, money, oneLine, plural, short, tail, when } from "../text.ts";
import type { Project, SessionPage, SessionRow } from "../types.ts";
import { Virtual } from "../virtual.ts";
import { marked, snippet } from "./snippet.ts";
import { hitEntry } from "./hit.ts";
import { flat, type Threaded, threads } from "./threads.ts";

const PAGE = 100;
const MOST = 5000;
/** Deeper threads are not moved further to the right. */
const MOST_DEPTH = 6;
const SORTS: readonly [string, string][] = [["recent", "Recent"], ["cost", "Cost"], ["messages", "Messages"], ["tokens", "Tokens"]];
/** Only what was searched for has it, and it is the usual order then. */
const RELEVANCE = ["relevance", "Relevance"] as const;

@customElement("pt-sessions")
export class SessionsView extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) route!: Route;
  /** Changes when the list on disk did. */
  @property({ attribute: false }) version = 0;
  @state() private rows: SessionRow[] = [];
  @state() private total = -1;
  @state() private isGuess = false;
  /** What was searched for, in lower case. */
  @state() private words: string[] = [];
  @state() private failure = "";
  @state() private active = "";
  @state() private projects: readonly Project[] = [];
  @state() private folded: ReadonlySet<string> = new Set();

  private asked = "";
  private focusedKey: string | null = null;
  private readonly live = new LiveMarks(this);
  private readonly virtual = new Virtual(this, () => ({ count: this.list.length, scroller: ".list-scroller", estimate: (place) => (this.list[place]?.row.hit ? 78 : 54), measures: true, keyOf: (place) => this.list[place]?.row.key ?? place }));

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("keydown", this.pressed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("keydown", this.pressed);
  }

  private value(name: string): string {
    return this.route.parameters.get(name) ?? "";
  }

  private listed: { rows: SessionRow[]; folded: ReadonlySet<string>; isFlat: boolean; list: Threaded[] } | null = null;

  private get list(): Threaded[] {
    const isFlat = this.value("q") !== "" || this.value("flat") === "1";
    if (this.listed?.rows !== this.rows || this.listed.folded !== this.folded || this.listed.isFlat !== isFlat) {
      this.listed = { rows: this.rows, folded: this.folded, isFlat, list: isFlat ? flat(this.rows) : threads(this.rows, this.folded) };
    }
    return this.listed.list;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (document.activeElement !== document.body) this.focusedKey = this.querySelector<HTMLElement>(".session:focus-within")?.dataset["key"] ?? null;
    const isOther = changed.has("source") || (changed.has("route") && this.route.parameters.toString() !== this.asked);
    if (changed.has("source") || changed.has("version")) this.readProjects();
    if (isOther) attempt(this.load(false));
    else if (changed.has("version")) this.refresh();
  }

  /** A row that moves to another place in the list loses the focus on the way. */
  protected override updated(): void {
    if (this.focusedKey === null || document.activeElement !== document.body) return;
    this.querySelector<HTMLElement>(`[data-key="${CSS.escape(this.focusedKey)}"] a.title`)?.focus({ preventScroll: true });
  }

  private readonly readProjects = debounced(400, () => attempt(this.source.projects().then((projects) => (this.projects = projects))));

  private readonly refresh = debounced(400, () => attempt(this.load(true)));

  /** Page by page, so that the first ones are there at once. What is only read again is replaced as a whole. */
  private async load(isRefresh: boolean): Promise<void> {
    const asked = this.route.parameters.toString();
    this.asked = asked;
    try {
      let rows: SessionRow[] = [];
      for (let offset = 0; offset < MOST; offset += PAGE) {
        const page = await this.page(offset);
        if (asked !== this.asked) return;
        rows = [...rows, ...page.rows];
        const isLast = page.rows.length < PAGE || rows.length >= page.total;
        if (!isRefresh || isLast) this.take(page, rows, offset);
        if (isLast) break;
      }
      this.failure = "";
    } catch (error) {
      this.failure = explain(error);
    }
  }

  private page(offset: number): Promise<SessionPage> {
    return this.source.sessions({
      q: this.value("q"), project: this.value("project"), sort: this.value("sort"), in: this.value("in"), since: this.value("since"),
      until: this.value("until"), offset, limit: PAGE,
    });
  }

  private take(page: SessionPage, rows: SessionRow[], offset: number): void {
    this.rows = rows;
    this.live.watch(rows);
    this.isGuess = page.isGuess;
    this.words = page.words.map((word) => word.toLowerCase());
    if (offset > 0 && this.total === page.total) return;
    this.total = page.total;
    announce(plural(this.total, "session"));
  }

  /** What the list is narrowed to, in words: a row of the spend, with its times. */
  private get group(): string {
    const [by = "", ...rest] = this.value("in").split(":");
    const name = rest.join(":");
    const family = by === "family" ? this.rows.find(({ key }) => key === name)?.title : undefined;
    const times = [this.value("since") && `since ${this.value("since")}`, this.value("until") && `until ${this.value("until")}`].filter(Boolean).join(" ");
    return [by, family === undefined ? name || "not recorded" : oneLine(family, 40), times].filter(Boolean).join(" ");
  }

  private set(values: Record<string, string | null>, replace = false): void {
    go(changedRoute(this.route, values), replace);
  }

  private readonly typed = debounced(120, (text: string) => this.set({ q: text || null }, true));

  private readonly pressed = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]");
    if (event.defaultPrevented || !isPlain) return;
    const field = this.querySelector<HTMLInputElement>(".search input");
    const isInField = event.target === field;
    const step = ({ ArrowDown: 1, ArrowUp: -1, ...(isInField ? {} : { j: 1, k: -1 }) } as Record<string, number>)[event.key];
    if (isTyping(event) && !isInField) return;
    if (event.key === "/" && !isInField) field?.focus();
    else if (event.key === "Escape" && isInField) field?.blur();
    else if (event.key === "Enter" && isInField) this.open(this.list.find(({ row }) => row.key === this.active)?.row ?? this.list[0]?.row);
    else if (step !== undefined) this.move(step, isInField);
    else return;
    event.preventDefault();
  };

  private move(step: number, staysInField: boolean): void {
    const list = this.list;
    const place = Math.max(0, Math.min(list.length - 1, list.findIndex(({ row }) => row.key === this.active) + step));
    const key = list[place]?.row.key;
    if (key === undefined) return;
    this.active = key;
    this.virtual.scrollTo(place);
    if (staysInField) return;
    void this.updateComplete.then(() => requestAnimationFrame(() => this.querySelector<HTMLElement>(`[data-key="${key}"] a.title`)?.focus({ preventScroll: true })));
  }

  private open(row: SessionRow | undefined): void {
    if (row) go(this.link(row));
  }

  /** A hit opens at its entry; if only its text is known, the session is searched for it. */
  private link(row: SessionRow): string {
    const q = this.value("q");
    if (!row.hit || q === "") return sessionLink(row.key);
    const { snippet } = row.hit;
    const found = snippet?.marks[0];
    const text = found ? snippet.text.slice(found[0], found[1]) : null;
    return sessionLink(row.key, "", { id: hitEntry(row), find: text });
  }

  private askDelete(key: string): void {
    window.dispatchEvent(new CustomEvent("ask-delete", { detail: key }));
  }

  private fold(key: string): void {
    const folded = new Set(this.folded);
    if (!folded.delete(key)) folded.add(key);
    this.folded = folded;
  }

  private row({ row, depth, below, rails }: Threaded): TemplateResult {
    const words = this.words;
    const isFolded = this.folded.has(row.key);
    const isLive = this.live.has(row);
    return html`<div class=${`session ${row.key === this.active ? "is-active" : ""} ${isLive ? "is-live" : ""}`} data-key=${row.key} style=${styles({ "--depth": String(Math.min(depth, MOST_DEPTH)) })}>
      ${depth > 0 ? html`<span class="thread" aria-hidden="true"></span>` : nothing}${rails.filter((rail) => rail <= MOST_DEPTH).map((rail) => html`<span class="thread-on" aria-hidden="true" style=${styles({ "--rail": String(rail) })}></span>`)}
      <div class="session-text">
        <p class="session-title">${isLive ? html`<span class="live" title=${LIVE_TITLE}>live</span>` : nothing}${row.isSubagent ? html`<span class="chip">sub-agent</span>` : nothing}<a class="title" href=${this.link(row)}>${marked(oneLine(row.title, 140), words)}</a>
          ${row.name !== null && row.firstMessage && !row.hit ? html`<span class="first-message">${oneLine(row.firstMessage, 120)}</span>` : nothing}
          ${below > 0 ? html`<button class="quiet fold" aria-expanded=${isFolded ? "false" : "true"} @click=${() => this.fold(row.key)}>${isFolded ? "+" : "−"} ${plural(below, "more", "more")}</button>` : nothing}</p>
        ${row.hit?.snippet && row.hit.snippet.text.trim() !== row.title.trim() ? html`<p class="hit">${snippet(row.hit.snippet)}</p>` : nothing}
        <p class="session-facts"><span title=${row.cwd}>${marked(tail(row.cwd), words)}</span>${row.model ? html`<span>${row.model}</span>` : nothing}${this.why(row)}</p>
      </div>
      ${sparkline(row.activity)}
      <span class="number" title=${`${count(row.messages)} messages`}>${short(row.messages)}<small> msg</small></span>
      <span class="number" title=${`${count(row.tokens)} tokens`}>${money(row.cost)}</span>
      <time class="number" title=${fullTime(row.modified)}>${when(row.modified)}</time>
      ${this.source.canEdit ? html`<button class="quiet row-delete" title="Delete" aria-label=${`Delete ${oneLine(row.title, 60)}`} @click=${() => this.askDelete(row.key)}>✕</button>` : nothing}
    </div>`;
  }

  private why(row: SessionRow): TemplateResult | typeof nothing {
    const why = row.why ?? [];
    if (why.length === 0) return nothing;
    return html`<span class="why">matches ${why.map(({ term, in: place, whole }, n) => html`${n > 0 ? ", " : ""}<b>${term}</b> in the ${place}${whole ? "" : " (part of a word)"}`)}</span>`;
  }

  private filters(): TemplateResult {
    const project = this.value("project");
    const projects = project === "" || this.projects.some(({ cwd }) => cwd === project) ? this.projects : [...this.projects, { cwd: project, sessions: 0 }];
    const sorts = this.value("q") ? [RELEVANCE, ...SORTS] : SORTS;
    const usual = sorts[0]?.[0] ?? "";
    const sort = sorts.find(([sort]) => sort === this.value("sort"))?.[0] ?? usual;
    const chosen = (name: string) => (event: Event): void => this.set({ [name]: (event.target as HTMLSelectElement).value || null });
    return html`<div class="filters">
      <label class="select"><span class="hidden">Project</span><select @change=${chosen("project")}><option value="">All projects</option>${projects.map(({ cwd, sessions }) => html`<option value=${cwd} title=${cwd} ?selected=${cwd === project}>${tail(cwd)} (${count(sessions)})</option>`)}</select></label>
      <label class="select"><span class="hidden">Sort by</span><select @change=${chosen("sort")}>${sorts.map(([each, name]) => html`<option value=${each === usual ? "" : each} ?selected=${each === sort}>${name}</option>`)}</select></label>
      ${this.value("q") ? nothing : html`<button class="quiet" aria-pressed=${this.value("flat") === "1" ? "false" : "true"} @click=${() => this.set({ flat: this.value("flat") === "1" ? null : "1" })}>Threads</button>`}
      ${this.value("in") ? html`<span class="chip" title=${this.group}>${this.group} <button class="quiet" aria-label="Show all sessions" @click=${() => this.set({ in: null, since: null, until: null })}>✕</button></span>` : nothing}
      <span class="list-count">${this.total < 0 ? "" : plural(this.total, "session")}</span>
    </div>`;
  }

  private notice(): TemplateResult | typeof nothing {
    if (this.failure) return html`<p class="notice is-bad">${this.failure}</p>`;
    if (this.isGuess && this.rows.length > 0) return html`<p class="notice">Nothing matched exactly. These come close.</p>`;
    if (this.total === 0) return html`<p class="empty">${this.value("q") ? "Nothing matched." : "There are no sessions yet."}</p>`;
    return nothing;
  }

  protected override render(): TemplateResult {
    const list = this.list;
    return html`<main class="sessions" tabindex="-1"><h1 class="hidden">Sessions</h1>
      <div class="list-head">
        <label class="search"><span class="hidden">Search sessions</span><input type="search" placeholder="Search all sessions" autocomplete="off" spellcheck="false" .value=${this.value("q")} @input=${(event: Event) => this.typed((event.target as HTMLInputElement).value)}><kbd>/</kbd></label>
        ${this.filters()}
      </div>
      ${this.notice()}
      <div class="list-scroller" tabindex="0" role="region" aria-label="List of sessions"><div class="rows" role="list" style=${styles({ height: `${this.virtual.total}px` })}>
        ${repeat(this.virtual.items, (item) => item.key, (item) => html`<div class="slot" role="listitem" aria-setsize=${list.length} aria-posinset=${item.index + 1} data-index=${item.index} style=${styles({ transform: `translateY(${item.start}px)` })}>${list[item.index] ? this.row(list[item.index] as Threaded) : nothing}</div>`)}
      </div></div></main>`;
  }
}
