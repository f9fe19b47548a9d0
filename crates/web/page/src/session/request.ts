// The request that led to a reply, and how it differs from the one before.

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { attempt, copyText, PageElement, toast } from "../element.ts";
import { shown } from "../nodes.ts";
import { sessionLink } from "../route.ts";
import { explain } from "../source/source.ts";
import { count, oneLine } from "../text.ts";
import type { RequestFacts, Row } from "../types.ts";
import type { SessionModel } from "./model.ts";

/** So many rows are asked for at a time while a reply is looked for. */
const STEP = 50;
/** So many messages are asked for when earlier ones are wanted; the server sends no more. */
const WINDOW = 400;

@customElement("pt-request")
export class RequestView extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) at: number | null = null;
  @state() private facts: RequestFacts | null = null;
  @state() private reply: Row | null = null;
  @state() private next: number | null = null;
  @state() private failure = "";

  private loadedAs = "";

  protected override willUpdate(_changed: PropertyValues): void {
    const loadedAs = `${this.model.key} ${this.model.leaf} ${this.at}`;
    if (loadedAs === this.loadedAs || this.model.path.length === 0) return;
    this.loadedAs = loadedAs;
    attempt(this.load());
  }

  private async load(): Promise<void> {
    const place = this.at === null ? this.model.path.length - 1 : this.model.nearest(this.at);
    // The reply at the entry, else the one before it, else the one after it.
    const reply = (await this.find(place, -1)) ?? (await this.find(place, 1));
    this.reply = reply;
    if (!reply) {
      this.failure = "There is no reply on this branch.";
      return;
    }
    this.facts = null;
    try {
      this.facts = await this.model.source.request(this.model.key, reply.at);
      this.failure = "";
    } catch (error) {
      this.failure = explain(error);
    }
    this.next = (await this.find(this.model.place(reply.at) + 1, 1))?.at ?? null;
  }

  /** The first reply from a place on. */
  private async find(place: number, by: 1 | -1): Promise<Row | null> {
    for (let at = place; at >= 0 && at < this.model.path.length; at += by * STEP) {
      const from = by === 1 ? at : Math.max(0, at - STEP + 1);
      const count = by === 1 ? STEP : at - from + 1;
      const rows = await this.model.source.rows(this.model.key, { leaf: this.model.leaf, filter: this.model.filter, from, count, brief: true });
      const found = by === 1 ? rows.find(isReply) : rows.findLast(isReply);
      if (found) return found;
    }
    return null;
  }

  private step(name: string, at: number | null): TemplateResult {
    return at === null ? html`<span class="button is-disabled">${name}</span>` : html`<a class="button" href=${this.model.link(at, "request")}>${name}</a>`;
  }

  private cacheBreak(facts: RequestFacts): TemplateResult | typeof nothing {
    if (facts.previous === null) return html`<p class="notice">This is the first request, so nothing was cached before it.</p>`;
    if (!facts.cacheBreak) return html`<p class="notice is-good">The request repeats the one before it from the start, so the cached prefix holds.</p>`;
    const { path, what, body, cause } = facts.cacheBreak;
    return html`<div class="notice is-bad"><p>The cached prefix broke${cause ? ` after a ${cause}` : ""}: ${what} (<code>${path}</code>)</p>${shown(body)}</div>`;
  }

  /** Which messages are shown, and the others. A request is shown in windows, since it may have tens of thousands. */
  private window({ total, from, shown: length }: RequestFacts): TemplateResult | typeof nothing {
    if (total === undefined || from === undefined || length === undefined || length >= total) return nothing;
    const end = from + length;
    // A file has only what is new in each.
    if (this.model.source.requestsHere) return html`<p class="window">${from === 0 ? "The first" : `The ${count(from)} messages before these are those of the request before; the last`} ${count(length)} of ${count(total)}:</p>`;
    return html`<p class="window">Messages ${count(from)} to ${count(end - 1)} of ${count(total)}
      ${from > 0 ? html`<button @click=${() => this.show(Math.max(0, from - WINDOW))}>Earlier</button> <button @click=${() => this.show(0)}>First</button>` : nothing}
      ${end < total ? html`<button @click=${() => this.show(end)}>Later</button>` : nothing}</p>`;
  }

  private show(from: number): void {
    const at = this.facts?.at;
    if (at === undefined) return;
    attempt(this.model.source.request(this.model.key, at, from).then((facts) => {
      if (this.facts?.at === at) this.facts = { ...this.facts, body: facts.body, from: facts.from ?? 0, shown: facts.shown ?? 0 };
    }));
  }

  private copy(facts: RequestFacts): void {
    const text = shown(facts.body).textContent ?? "";
    attempt(copyText(text).then(() => toast("Copied")));
  }

  protected override render(): TemplateResult {
    const { facts, reply } = this;
    return html`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Request">
      <div class="request-bar">
        ${this.step("‹ Previous", facts?.previous ?? null)} ${this.step("Next ›", this.next)}
        ${reply ? html`<p><a href=${sessionLink(this.model.key, "", { e: reply.at })}>Reply</a> <span class="muted">${oneLine(reply.summary, 120)}</span></p>` : nothing}
        ${facts ? html`<button class="quiet" @click=${() => this.copy(facts)}>${(facts.shown ?? 0) < (facts.total ?? 0) ? "Copy what is shown" : "Copy the request"}</button>` : nothing}
      </div>
      ${this.model.source.requestsHere && !this.failure ? html`<p class="muted">${this.model.source.requestsHere}</p>` : nothing}
      ${this.failure ? html`<p class="notice is-bad">${this.failure}</p>` : nothing}
      ${facts && !this.failure ? html`${this.cacheBreak(facts)}
        <div class="columns is-request">
          <section class="card"><h2>Changes since the previous request</h2>${facts.previous === null ? html`<p class="muted">This is the first request.</p>` : !facts.difference || facts.difference.length === 0 ? html`<p class="muted">Nothing changed.</p>` : shown(facts.difference)}</section>
          <section class="card"><h2>Request${facts.model ? html` to <code>${facts.model}</code>` : nothing}</h2>${this.window(facts)}${shown(facts.body)}</section>
        </div>` : nothing}
    </div>`;
  }
}

function isReply(row: Row): boolean {
  return row.kind === "assistant";
}
