// A session: its head, its tabs, and what the tab shows. It owns the model, and the entry at the cursor.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";

import { announce, attempt, copyText, debounced, PageElement, toast } from "../element.ts";
import { type Action, isControl, isTyping, READING } from "../keys.ts";
import { LiveMarks } from "../live.ts";
import { remember, remembered } from "../remember.ts";
import { changed as changedRoute, go, idIn, numberOf, placeIn, readRoute, type Route, sessionLink, TABS, viewLink } from "../route.ts";
import { explain, type Source } from "../source/source.ts";
import { oneLine, plural } from "../text.ts";
import { type ChangeEvent, type Filter, FILTERS } from "../types.ts";
import { codeOf, textOf } from "./body.ts";
import type { Conversation, Seen } from "./conversation.ts";
import type { FindBar } from "./find.ts";
import { head, readingPane } from "./frame.ts";
import { SessionModel } from "./model.ts";
import { printPath, putBack } from "./print.ts";
import type { RowAction } from "./row.ts";

@customElement("pt-session")
export class SessionView extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) route!: Route;
  @state() model: SessionModel | null = null;
  @state() version = 0;
  @state() cursor = -1;
  @state() seen: Seen = { first: 0, last: 0 };
  @state() hits: ReadonlySet<number> = new Set();
  @state() findText = "";
  /** What the text looks for, in lower case. */
  @state() findWords: readonly string[] = [];
  @state() newRows = 0;
  @state() showsTree = remembered("tree") !== "no" && innerWidth > 760;
  @state() private failure = "";
  @query("pt-conversation") conversation!: Conversation | null;
  @query("pt-find") finder!: FindBar | null;

  readonly live = new LiveMarks(this);
  private openedAs = "";
  /** The id in the address that was gone to. */
  private openedId = "";
  private isStale = false;
  private isRefreshing = false;

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener("keydown", this.pressed);
    window.addEventListener("beforeprint", this.printing);
    window.addEventListener("afterprint", this.printed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("keydown", this.pressed);
    window.removeEventListener("beforeprint", this.printing);
    window.removeEventListener("afterprint", this.printed);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("route") || changed.has("source")) this.followRoute();
  }

  /** Shows what the address says: session, leaf, filter, entry, search. */
  private followRoute(): void {
    const { key, parameters } = this.route;
    if (this.model?.key !== key) {
      this.model = new SessionModel(this.source, key);
      this.model.changed = () => this.loaded();
      this.cursor = -1;
      this.openedAs = "";
      this.hits = new Set();
    }
    const leaf = numberOf(parameters.get("leaf"));
    const filter = FILTERS.find((each) => each === parameters.get("filter")) ?? "all";
    const entry = placeIn(this.route);
    const id = idIn(this.route);
    const openedAs = `${leaf} ${filter}`;
    this.findText = parameters.get("find") ?? "";
    if (openedAs !== this.openedAs) {
      this.openedAs = openedAs;
      attempt(this.open(this.model, leaf, filter));
    } else if (id !== "" && id !== this.openedId && this.model.isOpen) attempt(this.reachId(id));
    else if (entry !== null && entry !== this.cursor && this.model.isOpen) this.reach(entry);
  }

  /** Shows the entry that an address names, on whatever branch it is. */
  private reach(entry: number): void {
    const isElsewhere = this.route.tab === "" && (this.model?.place(entry) ?? 0) < 0;
    if (isElsewhere) attempt(this.goTo(entry));
    else this.show(entry);
  }

  private async reachId(id: string): Promise<void> {
    const entry = await this.entryOf(id);
    if (entry !== null && id === this.openedId) this.reach(entry);
  }

  /** Rows have come. A result that the cursor was put on before its call was known is shown with that. */
  private loaded(): void {
    this.cursor = this.model?.callerOf(this.cursor) ?? this.cursor;
    if (this.model?.facts) this.live.watch([this.model.facts]);
    this.version += 1;
  }

  private async open(model: SessionModel, leaf: number | null, filter: Filter): Promise<void> {
    try {
      await model.open(leaf, filter);
      this.failure = "";
      document.title = `${oneLine(model.facts?.title ?? "Session", 80)} · pitree`;
      await this.updateComplete;
      // While it was opened, the address may have gone on to another entry.
      const entry = placeIn(this.route) ?? (await this.entryOf(idIn(this.route)));
      if (this.route.tab === "") this.begin(entry);
      else if (entry !== null) this.cursor = entry;
      await model.readMarks();
    } catch (error) {
      this.failure = explain(error);
    }
  }

  private async entryOf(id: string): Promise<number | null> {
    this.openedId = id;
    if (id === "") return null;
    const at = await this.source.resolve(this.route.key, id);
    // In a file, `#e12` is a place unless it is an id.
    return at >= 0 ? at : numberOf(/^e(\d+)$/.exec(this.route.entry)?.[1] ?? null);
  }

  private begin(entry: number | null): void {
    if (entry !== null) this.reach(entry);
    else if (this.cursor < 0) this.cursor = this.model?.path[0] ?? -1;
    else this.show(this.cursor);
  }

  /** The route with what the address says by now: the property follows a little later. */
  private get here(): Route {
    return { ...this.route, parameters: readRoute(location.hash).parameters };
  }

  /** Moves to an entry on whatever branch it is; `link` makes a step for the back button. */
  async goTo(at: number, { push = false, focus = false } = {}): Promise<void> {
    const model = this.model;
    if (!model) return;
    const leaf = await model.leafFor(at);
    const isElsewhere = leaf !== model.leaf && leaf !== null;
    const link = sessionLink(model.key, "", { ...Object.fromEntries(this.here.parameters), leaf: isElsewhere ? leaf : this.here.parameters.get("leaf"), id: null, e: at });
    if (push || isElsewhere) {
      if (isElsewhere) toast("On another branch: switched to it.");
      // A search goes from hit to hit; the back button should leave it, not walk through it.
      go(link, !push);
    } else {
      this.show(at, focus);
      go(link, true);
    }
  }

  show(at: number, focus = false): void {
    this.cursor = this.model?.callerOf(at) ?? at;
    this.version += 1;
    void this.updateComplete.then(() => this.conversation?.show(at, { focus }));
  }

  /** Moves the cursor by keys: the address follows a little later. */
  private moveTo(at: number | null, align: "auto" | "center" | "start" = "auto"): void {
    if (at === null) return;
    this.cursor = at;
    void this.updateComplete.then(() => this.conversation?.show(at, { focus: true, align }));
    this.noteCursor(at);
  }

  readonly noteCursor = debounced(300, (at: number) => {
    if (this.isConnected && this.route.tab === "" && this.cursor === at) go(changedRoute(this.here, { id: null, e: at }), true);
  });

  /** Something changed on disk. */
  async liveChange(event: ChangeEvent): Promise<void> {
    if (!event.all && !event.changed.includes(this.route.key)) return;
    if (this.failure) {
      this.openedAs = "";
      return this.followRoute();
    }
    // One at a time: answers that overtake each other would show what was.
    this.isStale = true;
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.refresh();
      }
    } finally {
      this.isRefreshing = false;
    }
  }

  private async refresh(): Promise<void> {
    const model = this.model;
    if (!model?.facts) return;
    const isFollowing = this.conversation?.isAtEnd ?? false;
    const grew = await model.refresh();
    if (grew <= 0 || model !== this.model) return;
    announce(plural(grew, "new entry", "new entries"));
    if (isFollowing) void this.updateComplete.then(() => this.conversation?.scrollToEnd());
    else this.newRows += grew;
  }

  toNewest(): void {
    this.newRows = 0;
    this.moveTo(this.model?.path.at(-1) ?? null, "start");
    void this.updateComplete.then(() => this.conversation?.scrollToEnd());
  }

  setFilter(filter: string): void {
    go(changedRoute(this.here, { filter: filter === "all" ? null : filter, id: null, e: this.cursor >= 0 ? this.cursor : null }));
  }

  setFound(text: string, words: readonly string[], hits: ReadonlySet<number>): void {
    this.findText = text;
    this.findWords = words;
    this.hits = hits;
    go(changedRoute(this.here, { find: text || null }), true);
  }

  toggleTree(): void {
    this.showsTree = !this.showsTree;
    remember("tree", this.showsTree ? "yes" : "no");
  }

  /** Printing by the browser's menu cannot wait: what is loaded goes on the paper. */
  private readonly printing = (): void => {
    if (!this.conversation || this.conversation.isPrinting) return;
    this.conversation.printedFrom = 0;
    this.conversation.isPrinting = true;
  };

  private readonly printed = (): void => {
    if (this.conversation) attempt(putBack(this.conversation));
  };

  rename(): void {
    const typed = prompt("Name of the session (empty removes it)", this.model?.facts?.name ?? "");
    if (typed !== null) attempt(this.source.rename(this.route.key, typed.trim()));
  }

  /** Where the session continues when it is resumed. */
  savePosition(): void {
    attempt(this.source.goTo(this.route.key, this.cursor).then(() => toast("Position saved")));
  }

  print(): void {
    if (this.conversation && this.model) attempt(printPath(this.conversation, this.model));
  }

  printFromHere(): void {
    if (this.conversation && this.model) attempt(printPath(this.conversation, this.model, Math.max(0, this.model.nearest(this.cursor))));
  }

  /** Whether this one may be changed: records of sub-agents may not. */
  get canEdit(): boolean {
    return this.source.canEdit && this.model?.facts?.canEdit === true;
  }

  readonly rowAction = (event: CustomEvent<{ action: RowAction; at: number }>): void => this.act(event.detail.action, event.detail.at);

  private act(action: RowAction, at: number): void {
    const model = this.model;
    const row = model?.row(at);
    if (!model || !row) return;
    switch (action) {
      case "fold": return this.conversation?.fold(at);
      case "copy": return attempt(copyText(textOf(row)).then(() => toast("Message copied")));
      case "copyCode": return this.copyCode(codeOf(row));
      case "link": return attempt(copyText(new URL(sessionLink(model.key, "", { leaf: this.route.parameters.get("leaf"), e: at }), location.href).href).then(() => toast("Link copied")));
      case "request": return go(sessionLink(model.key, "request", { leaf: this.route.parameters.get("leaf"), e: at }));
      case "label": return this.askLabel(at, row.label);
    }
  }

  private copyCode(blocks: readonly string[]): void {
    if (blocks.length === 0) return toast("No code block in this message");
    attempt(copyText(blocks.join("\n\n")).then(() => toast(blocks.length === 1 ? "Code block copied" : plural(blocks.length, "code block copied", "code blocks copied"))));
  }

  private askLabel(at: number, label: string | null): void {
    const typed = this.source.canEdit ? prompt("Label (empty removes it)", label ?? "") : null;
    if (typed !== null) attempt(this.source.label(this.route.key, at, typed.trim()));
  }

  private readonly actions: Record<Action, () => void> = {
    down: () => this.moveTo(this.conversation?.step(this.cursor, 1) ?? null),
    up: () => this.moveTo(this.conversation?.step(this.cursor, -1) ?? null),
    pageDown: () => this.page(1),
    pageUp: () => this.page(-1),
    first: () => this.moveTo(this.model?.path[0] ?? null, "start"),
    last: () => this.moveTo(this.lastShown(), "center"),
    nextUser: () => this.toMark("user", 1),
    previousUser: () => this.toMark("user", -1),
    nextError: () => this.toMark("error", 1),
    previousError: () => this.toMark("error", -1),
    find: () => this.finder?.focusField(),
    findNext: () => this.finder?.step(1),
    findPrevious: () => this.finder?.step(-1),
    fold: () => this.conversation?.fold(this.cursor),
    foldAll: () => this.conversation?.foldAll(!this.conversation.isAllFolded),
    copy: () => this.act("copy", this.cursor),
    copyCode: () => this.act("copyCode", this.cursor),
    link: () => this.act("link", this.cursor),
    label: () => this.act("label", this.cursor),
    request: () => this.act("request", this.cursor),
    tree: () => this.toTree(),
    leave: () => go(this.route.tab === "" ? viewLink("sessions") : sessionLink(this.route.key)),
  };

  private lastShown(): number | null {
    const last = this.model?.path.at(-1);
    return last === undefined ? null : (this.model?.callerOf(last) ?? last);
  }

  private page(by: 1 | -1): void {
    this.conversation?.scrollByPage(by);
    requestAnimationFrame(() => requestAnimationFrame(() => (this.cursor = this.conversation?.firstSeen() ?? this.cursor)));
  }

  private toMark(kind: "user" | "error", by: 1 | -1): void {
    const next = this.model?.nextMark(kind, this.cursor, by) ?? null;
    if (next === null) return announce(kind === "user" ? "No further message" : "No further error");
    this.show(next, true);
    this.noteCursor(this.cursor);
  }

  private toTree(): void {
    if (!this.showsTree) this.toggleTree();
    void this.updateComplete.then(() => {
      const tree = this.querySelector<HTMLElement>(".tree-scroller");
      if (document.activeElement === tree) this.conversation?.show(this.cursor, { focus: true, align: "auto" });
      else tree?.focus();
    });
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || isTyping(event) || document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "p" && this.route.tab === "") {
      event.preventDefault();
      return this.print();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tab = TABS.find((each) => each.key === event.key);
    if (tab && this.source.tabs.has(tab.tab)) return go(sessionLink(this.route.key, tab.tab, { leaf: this.route.parameters.get("leaf"), e: this.cursor >= 0 ? this.cursor : null }));
    const binding = READING.find(({ keys }) => keys.includes(event.key));
    const isOwn = (event.key === "Enter" || event.key === " ") && isControl(event);
    if (!binding || isOwn || (this.route.tab !== "" && binding.action !== "leave")) return;
    event.preventDefault();
    this.actions[binding.action]();
  };

  protected override render(): TemplateResult {
    const model = this.model;
    if (this.failure) return html`<main class="page-message" tabindex="-1"><h1>This session cannot be shown</h1><p>${this.failure}</p><p><a href=${viewLink("sessions")}>All sessions</a></p></main>`;
    if (!model?.facts) return html`<main class="page-message" tabindex="-1"><p class="muted">Loading…</p></main>`;
    return html`${head(this, model, model.facts)}<main class="session-main" tabindex="-1">${this.tab(model)}</main>`;
  }

  private tab(model: SessionModel): TemplateResult | typeof nothing {
    const entry = numberOf(this.route.parameters.get("e"));
    switch (this.route.tab) {
      case "lanes": return html`<pt-lanes .model=${model} .version=${this.version}></pt-lanes>`;
      case "tree": return html`<pt-graph .model=${model} .version=${this.version}></pt-graph>`;
      case "family": return html`<pt-family .model=${model} .version=${this.version}></pt-family>`;
      case "context": return html`<pt-context .model=${model} .at=${entry}></pt-context>`;
      case "request": return html`<pt-request .model=${model} .at=${entry}></pt-request>`;
      default: return readingPane(this, model);
    }
  }
}
