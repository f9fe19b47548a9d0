// A sub-agent, opened in place: its own conversation inside the entry that started it.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { attempt, PageElement } from "../element.ts";
import { sessionLink } from "../route.ts";
import type { Source } from "../source/source.ts";
import type { FamilyMember } from "../types.ts";
import { SessionModel } from "./model.ts";
import { rowTemplate } from "./row.ts";

/** So many entries are shown in place; the rest is a click away. */
const IN_PLACE = 100;

@customElement("pt-subagent")
export class Subagent extends PageElement {
  @property({ attribute: false }) source!: Source;
  @property({ attribute: false }) member!: FamilyMember;
  @state() private model: SessionModel | null = null;

  private readonly toggled = (event: Event): void => {
    if ((event.currentTarget as HTMLDetailsElement).open && this.model === null) attempt(this.load());
  };

  private async load(): Promise<void> {
    const model = new SessionModel(this.source, this.member.key);
    await model.open(null, "all");
    await model.loadAll(IN_PLACE);
    this.model = model;
  }

  protected override render(): TemplateResult {
    const ats = [...(this.model?.path.subarray(0, IN_PLACE) ?? [])].filter((at) => !this.model?.isMerged(at));
    return html`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      <p><a href=${sessionLink(this.member.key)}>Open this session</a></p>
      ${this.model ? ats.map((at, place) => this.row(at, place)) : html`<p class="muted">Loading…</p>`}
    </details>`;
  }

  private row(at: number, place: number): TemplateResult | typeof nothing {
    const row = this.model?.row(at);
    if (!row || !this.model) return nothing;
    return rowTemplate(this.model, row, { place, isCursor: false, isFolded: false, isHit: false, isNested: true });
  }
}
