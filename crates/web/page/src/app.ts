// The shell: head, navigation, theme, live changes, and the view that the address names.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, query, state } from "lit/decorators.js";

import type { DeleteDialog } from "./delete.ts";
import { attempt, PageElement } from "./element.ts";
import type { Help } from "./help.ts";
import { isTyping } from "./keys.ts";
import type { Palette } from "./palette.ts";
import { go, readRoute, type Route, viewLink } from "./route.ts";
import type { SessionView } from "./session/view.ts";
import { explain, type Source } from "./source/source.ts";
import { openSource } from "./source/open.ts";
import { currentTheme, nextTheme, setTheme } from "./theme.ts";
import type { ChangeEvent } from "./types.ts";

const TITLES = { sessions: "Sessions", session: "Session", spend: "Spend", stats: "Stats" } as const;

@customElement("pt-app")
export class App extends PageElement {
  @state() private source: Source | null = null;
  @state() private failure = "";
  @state() private route: Route = readRoute(location.hash);
  @state() private listVersion = 0;
  /** Why the server does not answer this page any more. */
  @state() private ended = "";
  @state() private message = "";
  @state() private theme = currentTheme();
  @query("pt-palette") private palette!: Palette;
  @query("pt-help") private help!: Help;
  @query("pt-delete") private deleting!: DeleteDialog;
  @query("pt-session") private session!: SessionView | null;

  private messageTimer = 0;

  override connectedCallback(): void {
    // What the page says until this runs.
    this.replaceChildren();
    super.connectedCallback();
    for (const name of ["popstate", "hashchange", "route"]) window.addEventListener(name, this.routed);
    window.addEventListener("toast", this.toasted as EventListener);
    window.addEventListener("ask-delete", this.askedDelete as EventListener);
    window.addEventListener("keydown", this.pressed);
    document.addEventListener("click", this.clicked);
    openSource().then((source) => this.begin(source), (error: unknown) => (this.failure = explain(error)));
  }

  private begin(source: Source): void {
    this.source = source;
    source.listen((event) => this.changed(event), (why) => (this.ended = why));
    this.routed();
  }

  private readonly routed = (): void => {
    const route = readRoute(location.hash);
    // A file has one session, whatever the address says.
    if (this.source && !this.source.hasList) Object.assign(route, { view: "session", key: this.source.onlyKey });
    const isOther = route.view !== this.route.view || route.key !== this.route.key;
    this.route = route;
    document.title = route.view === "session" ? document.title : `${TITLES[route.view]} · pitree`;
    if (isOther) void this.updateComplete.then(() => this.querySelector<HTMLElement>("main")?.focus({ preventScroll: true }));
  };

  /** Links of the page go through the history without loading anything. */
  private readonly clicked = (event: MouseEvent): void => {
    const link = (event.target as Element).closest("a");
    const address = link?.getAttribute("href");
    if (!address?.startsWith("#") || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (address !== location.hash) history.pushState(null, "", address);
    this.routed();
  };

  private changed(event: ChangeEvent): void {
    if (event.all || event.list || event.changed.length > 0) this.listVersion += 1;
    if (this.deleting?.isTaking(this.route.key)) return;
    void this.session?.liveChange(event).catch(() => undefined);
  }

  private readonly toasted = (event: CustomEvent<string>): void => {
    this.message = event.detail;
    clearTimeout(this.messageTimer);
    this.messageTimer = window.setTimeout(() => (this.message = ""), 2600);
  };

  private readonly askedDelete = (event: CustomEvent<string>): void => attempt(this.deleting.ask(event.detail));

  private readonly pressed = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") this.palette.open();
    else if (event.key === "?" && !isTyping(event) && !event.ctrlKey && !event.metaKey) this.help.toggle();
    else if (event.key === "Escape" && isTyping(event) && !(event.target as Element).closest("dialog")) (event.target as HTMLElement).blur();
    else return;
    event.preventDefault();
  };

  /** A session that is gone is not shown any longer; the list is read again at once. */
  private readonly deleted = (event: CustomEvent<string>): void => {
    this.listVersion += 1;
    if (this.route.view === "session" && this.route.key === event.detail) go(viewLink("sessions"), true);
  };

  private switchTheme(): void {
    this.theme = nextTheme(this.theme);
    setTheme(this.theme);
  }

  private readonly commands = (): readonly { name: string; note: string; run: () => void }[] => {
    const session = this.session;
    return [
      { name: "Show all keys", note: "?", run: () => this.help.toggle() },
      { name: "Switch between light and dark", note: this.theme, run: () => this.switchTheme() },
      ...(this.route.view === "session" && session ? [
        { name: "Show or hide the tree", note: "", run: () => session.toggleTree() },
        { name: "Fold or unfold all messages", note: "O", run: () => session.conversation?.foldAll(!session.conversation.isAllFolded) },
        { name: "Print this branch", note: "", run: () => session.print() },
        { name: "Print from this message on", note: "", run: () => session.printFromHere() },
      ] : []),
      ...(this.route.view === "session" && session?.canEdit ? [
        { name: "Rename this session…", note: "", run: () => session.rename() },
        { name: "Save the position at this message", note: "", run: () => session.savePosition() },
        { name: "Delete this session…", note: "", run: () => attempt(this.deleting.ask(this.route.key)) },
      ] : []),
    ];
  };

  private bar(source: Source): TemplateResult {
    const here = (view: string): string | typeof nothing => (this.route.view === view ? "page" : nothing);
    return html`<header class="bar-top">
      <a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      ${source.hasList ? html`<a class="brand" href=${viewLink("sessions")}>pitree</a><nav aria-label="Main">
        <a href=${viewLink("sessions")} aria-current=${here("sessions")}>Sessions</a><a href=${viewLink("spend")} aria-current=${here("spend")}>Spend</a><a href=${viewLink("stats")} aria-current=${here("stats")}>Stats</a></nav>` : html`<span class="brand">pitree</span>`}
      <span class="spacer"></span>
      <button class="go-to" @click=${() => this.palette.open()}><span>Go to…</span><kbd>Ctrl K</kbd></button>
      <button class="quiet" title="Light, dark, or as the system" @click=${() => this.switchTheme()}>${this.theme === "auto" ? "Auto" : this.theme === "dark" ? "Dark" : "Light"}<span class="hidden"> colors</span></button>
      <button class="quiet" title="Keys (?)" aria-label="Keys" @click=${() => this.help.toggle()}>?</button>
    </header>`;
  }

  private readonly skip = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    this.querySelector<HTMLElement>("main")?.focus();
  };

  private view(source: Source): TemplateResult {
    switch (this.route.view) {
      case "session": return html`<pt-session .source=${source} .route=${this.route}></pt-session>`;
      case "spend": return html`<pt-spend .source=${source} .route=${this.route} .version=${this.listVersion}></pt-spend>`;
      case "stats": return html`<pt-stats .source=${source} .version=${this.listVersion}></pt-stats>`;
      default: return html`<pt-sessions .source=${source} .route=${this.route} .version=${this.listVersion}></pt-sessions>`;
    }
  }

  protected override render(): TemplateResult {
    const source = this.source;
    if (!source) return html`<main class="page-message"><p>${this.failure || "Loading…"}</p></main>`;
    return html`${this.bar(source)}${this.ended ? html`<p class="notice is-bad ended" role="alert">${this.ended}</p>` : nothing}${this.view(source)}
      <pt-palette .source=${source} .route=${this.route} .commands=${this.commands}></pt-palette><pt-help></pt-help>
      <pt-delete .source=${source} @deleted=${this.deleted}></pt-delete>
      <div id="announcer" class="hidden" role="status" aria-live="polite"></div>
      <div class=${this.message ? "toast is-shown" : "toast"} role="status">${this.message}</div>`;
  }
}
