// A sub-agent, opened in place: its own conversation inside the entry that started it.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { PageElement } from "../element.ts";
import { sessionLink } from "../route.ts";
import { explain, type Source } from "../source/source.ts";
import { plural } from "../text.ts";
import type { FamilyMember } from "../types.ts";
import { SessionModel } from "./model.ts";
import { rowTemplate } from "./row.ts";

/** So many entries are shown in place; the rest is a click away. */
const IN_PLACE = 100;

@customElement("pt-subagent")
export class Subagent extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) member!: FamilyMember;
  @property({ attribute: false }) depth = 1;
  @state() private model: SessionModel | null = null;
  @state() private failure = "";

  private readonly toggled = (event: Event): void => {
    if (event.target === event.currentTarget && (event.currentTarget as HTMLDetailsElement).open && this.model === null) void this.load();
  };

  private async load(): Promise<void> {
    const model = new SessionModel(this.source, this.member.key, this.depth);
    try {
      await model.open(null, "all");
      await model.loadAll(0, IN_PLACE);
      this.model = model;
      this.failure = "";
    } catch (error) {
      this.failure = explain(error);
    }
  }

  protected override render(): TemplateResult {
    const ats = [...(this.model?.path.subarray(0, IN_PLACE) ?? [])].filter((at) => !this.model?.isMerged(at));
    const left = (this.model?.path.length ?? 0) - IN_PLACE;
    return html`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      ${this.failure ? html`<p class="notice is-bad">${this.failure}</p>` : html`<p><a href=${sessionLink(this.member.key)}>Open this session</a></p>
      ${this.model ? ats.map((at, place) => this.row(at, place)) : html`<p class="muted">Loading…</p>`}
      ${left > 0 ? html`<p class="muted">${plural(left, "more entry", "more entries")}: open the session to read them.</p>` : nothing}`}
    </details>`;
  }

  private row(at: number, place: number): TemplateResult | typeof nothing {
    const row = this.model?.row(at);
    // Which model was selected is said at each reply.
    if (!row || !this.model || row.kind === "note") return nothing;
    return rowTemplate(this.model, row, { place, isCursor: false, isFolded: false, isHit: false, isNested: true });
  }
}
