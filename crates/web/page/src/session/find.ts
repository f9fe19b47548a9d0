// Find in the session: the count, the next and the previous match, on all branches.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { announce, attempt, debounced, PageElement } from "../element.ts";
import { count, plural } from "../text.ts";
import type { SessionModel } from "./model.ts";

@customElement("pt-find")
export class FindBar extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) query = "";
  @property({ attribute: false }) cursor = -1;
  /** What is in the field: somebody may have typed on while the answer was on its way. */
  @state() private text = "";
  @state() private ats: number[] = [];
  /** How many matches there are; with a plus if not all were looked for. */
  @state() private total = "0";
  @state() private current = -1;
  @state() private isBusy = false;

  /** Whether the address names an entry, so that a search from the address need not go to its first match. */
  @property({ attribute: false }) hasEntry = false;

  private asked = "";

  focusField(): void {
    const field = this.querySelector("input");
    field?.focus();
    field?.select();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("query") || this.query === this.asked) return;
    this.text = this.query;
    attempt(this.ask(this.query, !this.hasEntry));
  }

  private readonly askSoon = debounced(160, () => attempt(this.ask(this.text, true)));

  private readonly typed = (event: Event): void => {
    this.text = (event.target as HTMLInputElement).value;
    this.askSoon();
  };

  private async ask(query: string, goes: boolean): Promise<void> {
    this.asked = query;
    this.isBusy = query !== "";
    const found = query === "" ? { total: 0, isAll: true, words: [], hits: [] } : await this.model.source.find(this.model.key, query);
    if (this.asked !== query) return;
    this.isBusy = false;
    this.ats = found.hits.map((hit) => hit.at).sort((a, b) => a - b);
    this.total = `${count(found.total)}${found.isAll ? "" : "+"}`;
    this.current = -1;
    announce(query === "" ? "" : found.isAll ? plural(found.total, "match", "matches") : `More than ${plural(found.total, "match", "matches")}`);
    this.dispatchEvent(new CustomEvent("found", { detail: { query, words: found.words.map((word) => word.toLowerCase()), hits: new Set(this.ats) } }));
    if (goes) this.step(1, true);
  }

  /** To the next match after the cursor; `fromHere` counts one at the cursor. */
  step(by: 1 | -1, fromHere = false): void {
    if (this.ats.length === 0) return;
    const base = this.current >= 0 ? (this.ats[this.current] ?? -1) : fromHere ? this.cursor - 1 : this.cursor;
    let next = by === 1 ? this.ats.findIndex((at) => at > base) : this.ats.findLastIndex((at) => at < base);
    if (next < 0) next = by === 1 ? 0 : this.ats.length - 1;
    this.current = next;
    announce(`Match ${next + 1} of ${this.total}`);
    this.dispatchEvent(new CustomEvent<number>("find-at", { detail: this.ats[next] ?? 0 }));
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      (event.target as HTMLElement).blur();
      this.dispatchEvent(new Event("close-find"));
    }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private status(): string {
    if (this.isBusy) return "…";
    if (this.asked === "") return "";
    if (this.ats.length === 0) return "no match";
    // Nobody has gone to one yet, but the cursor may be at one.
    const here = this.current >= 0 ? this.current : this.ats.indexOf(this.cursor);
    return here >= 0 ? `${count(here + 1)} of ${this.total}` : `${this.total} ${this.total === "1" ? "match" : "matches"}`;
  }

  protected override render(): TemplateResult {
    return html`<div class="find" role="search">
      <input type="search" aria-label="Find in this session" placeholder="Find in this session" autocomplete="off" spellcheck="false" .value=${this.text}
        @input=${this.typed} @keydown=${this.pressed}>
      <span class="find-count">${this.status()}</span>
      <button class="quiet" title="Previous match (N)" aria-label="Previous match" @click=${() => this.step(-1)}>↑</button>
      <button class="quiet" title="Next match (n)" aria-label="Next match" @click=${() => this.step(1)}>↓</button>
      ${this.asked === "" ? nothing : html`<button class="quiet" aria-label="Close the search" title="Close (Esc)" @click=${() => this.dispatchEvent(new Event("close-find"))}>✕</button>`}
    </div>`;
  }
}
