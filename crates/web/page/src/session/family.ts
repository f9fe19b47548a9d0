// The family of a session as a drawing: forks and sub-agents to the right of where they come from.

import { html, nothing, svg, type PropertyValues, type SVGTemplateResult, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { PanZoom } from "../charts/panzoom.ts";
import { attempt } from "../element.ts";
import { sessionLink } from "../route.ts";
import { entryNumber, oneLine } from "../text.ts";
import type { FamilyMember } from "../types.ts";
import type { SessionModel } from "./model.ts";

const WIDTH = 230;
const HEIGHT = 44;
const GAP_X = 60;
const GAP_Y = 16;

interface Placed {
  member: FamilyMember;
  x: number;
  y: number;
  depth: number;
}

/** Where a session began: a fork after an entry of its parent, a sub-agent at the one that tells of it. */
function startName(member: FamilyMember): string {
  return `${member.subagentOf ? "at" : "after"} ${entryNumber(member.at ?? 0)}`;
}

@customElement("pt-family")
export class FamilyGraph extends PanZoom {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) version = 0;
  /** What the facts do not say: where forks began, and the sub-agents of the others. */
  @state() private whole: readonly FamilyMember[] | null = null;

  private loadedAs = "";

  protected override willUpdate(_changed: PropertyValues): void {
    const loadedAs = `${this.model.key} ${this.model.facts?.entries}`;
    if (!this.model.facts || loadedAs === this.loadedAs) return;
    this.loadedAs = loadedAs;
    attempt(this.model.source.family(this.model.key).then((whole) => {
      if (loadedAs === this.loadedAs) this.whole = whole;
    }));
  }

  private get members(): readonly FamilyMember[] {
    return this.whole ?? this.model.facts?.family ?? [];
  }

  private laidOut: { members: readonly FamilyMember[]; placed: Map<string, Placed> } | null = null;

  /** Where each member stands; worked out once for the same members. */
  private get placed(): Map<string, Placed> {
    const members = this.members;
    if (this.laidOut?.members !== members) this.laidOut = { members, placed: this.layOut(members) };
    return this.laidOut.placed;
  }

  private layOut(members: readonly FamilyMember[]): Map<string, Placed> {
    const below = new Map<string, FamilyMember[]>();
    for (const member of members) if (member.parentKey !== null) (below.get(member.parentKey) ?? below.set(member.parentKey, []).get(member.parentKey))?.push(member);
    const keys = new Set(members.map((member) => member.key));
    const roots = members.filter((member) => member.parentKey === null || !keys.has(member.parentKey));
    const placed = new Map<string, Placed>();
    let line = 0;
    const put = (member: FamilyMember, depth: number): void => {
      if (placed.has(member.key)) return;
      placed.set(member.key, { member, depth, x: 16 + depth * (WIDTH + GAP_X), y: 16 + line * (HEIGHT + GAP_Y) });
      const children = below.get(member.key) ?? [];
      children.forEach((child, n) => {
        if (n > 0) line += 1;
        put(child, depth + 1);
      });
    };
    // Whatever the data says about parents, nobody is left out.
    for (const root of [...roots, ...members]) {
      if (placed.has(root.key)) continue;
      put(root, 0);
      line += 1;
    }
    return placed;
  }

  protected override get name(): string {
    return `Family of ${this.members.length} ${this.members.length === 1 ? "session" : "sessions"}`;
  }

  protected override get size(): { width: number; height: number } {
    const all = [...this.placed.values()];
    return { width: Math.max(0, ...all.map(({ x }) => x + WIDTH + 16)), height: Math.max(0, ...all.map(({ y }) => y + HEIGHT + 16)) };
  }

  private link(member: FamilyMember): string {
    return sessionLink(member.key);
  }

  /** The entry of the parent at which a session began. */
  private start(member: FamilyMember): string | null {
    return member.parentKey === null || member.at === null || member.at === undefined ? null : sessionLink(member.parentKey, "", { e: member.at });
  }

  private kind(member: FamilyMember): string {
    return member.subagentOf ? "sub-agent" : member.parentKey ? "fork" : "first session";
  }

  private box({ member, x, y }: Placed): SVGTemplateResult {
    const start = this.start(member);
    const text = `${member.isSelf ? "this session, " : ""}${this.kind(member)}`;
    return svg`<g><a href=${this.link(member)} class=${`family-box ${member.isSelf ? "is-self" : ""} ${member.subagentOf ? "is-subagent" : ""}`}>
      <title>${member.title}</title>
      <rect x=${x} y=${y} width=${WIDTH} height=${HEIGHT} rx="6"></rect>
      <text x=${x + 12} y=${y + 19}>${oneLine(member.title, 27)}</text>
      <text class="small" x=${x + 12} y=${y + 35}>${text}</text>
    </a>${start === null ? nothing : svg`<a href=${start} class="family-start"><title>${`Where ${member.title} began`}</title>
      <text class="small" text-anchor="end" x=${x + WIDTH - 12} y=${y + 35}>${startName(member)}</text></a>`}</g>`;
  }

  protected override drawing(): SVGTemplateResult {
    const placed = this.placed;
    const lines = [...placed.values()].map(({ member, x, y }) => {
      const parent = member.parentKey === null ? undefined : placed.get(member.parentKey);
      if (!parent) return svg``;
      const [fromX, fromY, toY] = [parent.x + WIDTH, parent.y + HEIGHT / 2, y + HEIGHT / 2];
      return svg`<path class=${member.subagentOf ? "family-line is-subagent" : "family-line"} d=${`M${fromX} ${fromY} C${fromX + GAP_X / 2} ${fromY}, ${x - GAP_X / 2} ${toY}, ${x} ${toY}`}></path>`;
    });
    return svg`${lines}${[...placed.values()].map((each) => this.box(each))}`;
  }

  protected override inWords(): TemplateResult {
    const placed = this.placed;
    return html`<ul>${[...placed.values()].map(({ member }) => {
      const start = this.start(member);
      return html`<li><a href=${this.link(member)}>${member.title}</a> ${member.isSelf ? "(this session)" : ""} ${this.kind(member)}${member.parentKey ? ` of ${placed.get(member.parentKey)?.member.title ?? "a session that is not here"}` : ""}
        ${start === null ? nothing : html`<a href=${start}>${startName(member)}</a>`}</li>`;
    })}</ul>`;
  }
}
