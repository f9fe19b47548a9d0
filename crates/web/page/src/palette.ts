// Ctrl+K: sessions, views and commands by a few letters.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { attempt, debounced, PageElement } from "./element.ts";
import { go, type Route, sessionLink, TABS, viewLink } from "./route.ts";
import type { Source } from "./source/source.ts";
import { oneLine, tail, when } from "./text.ts";
import { hitEntry } from "./views/hit.ts";
import { marked } from "./views/snippet.ts";

interface Choice {
  name: string;
  note: string;
  kind: "Session" | "View" | "Command";
  run: () => void;
}

@customElement("pt-palette")
export class Palette extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) route!: Route;
  /** What the page can do besides, at this moment. */
  @property({ attribute: false }) commands: () => readonly { name: string; note: string; run: () => void }[] = () => [];
  @state() private text = "";
  @state() private sessions: Choice[] = [];
  /** What the sessions were searched for, in lower case. */
  private words: string[] = [];
  @state() private active = 0;

  private focusedBefore: HTMLElement | null = null;

  open(): void {
    const dialog = this.querySelector("dialog");
    if (!dialog || dialog.open) return;
    this.focusedBefore = document.activeElement as HTMLElement | null;
    this.text = "";
    this.active = 0;
    dialog.showModal();
    this.querySelector("input")?.focus();
    attempt(this.search(""));
  }

  private close(): void {
    this.querySelector("dialog")?.close();
  }

  private readonly closed = (): void => {
    if (this.focusedBefore?.isConnected) this.focusedBefore.focus();
  };

  private readonly look = debounced(90, (text: string) => attempt(this.search(text)));

  private async search(text: string): Promise<void> {
    if (!this.source.hasList) return;
    const page = await this.source.sessions({ q: text, limit: 8 });
    if (text !== this.text) return;
    this.words = page.words.map((word) => word.toLowerCase());
    this.sessions = page.rows.map((row) => ({ name: oneLine(row.title, 90), note: `${tail(row.cwd, 1)} · ${when(row.modified)}`, kind: "Session", run: () => go(sessionLink(row.key, "", { id: text ? hitEntry(row) : null })) }));
  }

  /** What the names of views and commands must have. */
  private get letters(): string[] {
    return this.text.toLowerCase().split(/\s+/).filter(Boolean);
  }

  private get choices(): Choice[] {
    const views: Choice[] = this.source.hasList ? [["Sessions", viewLink("sessions")], ["Spend", viewLink("spend")], ["Stats", viewLink("stats")]].map(([name = "", link = ""]) => ({ name, note: "", kind: "View", run: () => go(link) })) : [];
    const leaf = this.route.parameters.get("leaf");
    const tabs: Choice[] = this.route.view !== "session" ? [] : TABS.filter(({ tab }) => this.source.tabs.has(tab)).map(({ tab, name, key }) => ({ name, note: key, kind: "View", run: () => go(sessionLink(this.route.key, tab, { leaf })) }));
    const commands: Choice[] = this.commands().map((command) => ({ ...command, kind: "Command" }));
    const fits = ({ name }: Choice): boolean => this.letters.every((word) => name.toLowerCase().includes(word));
    return [...this.sessions, ...[...tabs, ...views, ...commands].filter(fits)];
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    const choices = this.choices;
    const step = ({ ArrowDown: 1, ArrowUp: -1 } as Record<string, number>)[event.key];
    if (event.key === "Enter") this.choose(choices[this.active]);
    else if (step !== undefined) this.active = (this.active + step + choices.length) % Math.max(1, choices.length);
    else return;
    event.preventDefault();
    event.stopPropagation();
    void this.updateComplete.then(() => this.querySelector(`#choice-${this.active}`)?.scrollIntoView({ block: "nearest" }));
  };

  private choose(choice: Choice | undefined): void {
    if (!choice) return;
    this.focusedBefore = null;
    this.close();
    choice.run();
  }

  private typed(text: string): void {
    this.text = text;
    this.active = 0;
    this.look(text);
  }

  protected override render(): TemplateResult {
    const choices = this.choices;
    const { letters } = this;
    return html`<dialog class="palette" aria-label="Go to" @close=${this.closed} @click=${(event: Event) => event.target === event.currentTarget && this.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-activedescendant=${choices.length > 0 ? `choice-${this.active}` : nothing}
        aria-label="Go to a session, a view or a command" placeholder="Go to a session, a view or a command" autocomplete="off" spellcheck="false" .value=${this.text}
        @input=${(event: Event) => this.typed((event.target as HTMLInputElement).value)} @keydown=${this.pressed}>
      <div id="choices" role="listbox" aria-label="Choices">${choices.map((choice, n) => html`<div id=${`choice-${n}`} role="option" class=${n === this.active ? "choice is-active" : "choice"} aria-selected=${n === this.active ? "true" : "false"}
        @click=${() => this.choose(choice)} @pointermove=${() => (this.active = n)}><span class="choice-kind">${choice.kind}</span><span class="choice-name">${marked(choice.name, choice.kind === "Session" ? this.words : letters)}</span><span class="muted">${choice.note}</span></div>`)}
      </div>${choices.length === 0 ? html`<p class="empty">Nothing matched.</p>` : nothing}</dialog>`;
  }
}
