// The family of a session as a drawing: forks and sub-agents to the right of where they come from.

import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";

import { PanZoom } from "../charts/panzoom.ts";
import { sessionLink } from "../route.ts";
import { oneLine } from "../text.ts";
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

@customElement("pt-family")
export class FamilyGraph extends PanZoom {
  @property({ attribute: false }) model!: SessionModel;

  private get placed(): Map<string, Placed> {
    const members = this.model.facts?.family ?? [];
    const keys = new Set(members.map((member) => member.key));
    const roots = members.filter((member) => member.parentKey === null || !keys.has(member.parentKey));
    const placed = new Map<string, Placed>();
    let line = 0;
    const put = (member: FamilyMember, depth: number): void => {
      if (placed.has(member.key)) return;
      placed.set(member.key, { member, depth, x: 16 + depth * (WIDTH + GAP_X), y: 16 + line * (HEIGHT + GAP_Y) });
      const children = members.filter((other) => other.parentKey === member.key);
      children.forEach((child, n) => {
        if (n > 0) line += 1;
        put(child, depth + 1);
      });
    };
    for (const root of roots) {
      put(root, 0);
      line += 1;
    }
    return placed;
  }

  protected override get name(): string {
    return `Family of ${this.model.facts?.family.length ?? 0} sessions`;
  }

  protected override get size(): { width: number; height: number } {
    const all = [...this.placed.values()];
    return { width: Math.max(0, ...all.map(({ x }) => x + WIDTH + 16)), height: Math.max(0, ...all.map(({ y }) => y + HEIGHT + 16)) };
  }

  private link(member: FamilyMember): string {
    return sessionLink(member.key);
  }

  private box({ member, x, y }: Placed): SVGTemplateResult {
    const kind = member.subagentOf ? "sub-agent" : member.parentKey ? "fork" : "first session";
    const start = member.at === null || member.at === undefined ? "" : ` at entry ${member.at}`;
    return svg`<a href=${this.link(member)} class=${`family-box ${member.isSelf ? "is-self" : ""} ${member.subagentOf ? "is-subagent" : ""}`}>
      <rect x=${x} y=${y} width=${WIDTH} height=${HEIGHT} rx="6"></rect>
      <text x=${x + 12} y=${y + 19}>${oneLine(member.title, 27)}</text>
      <text class="small" x=${x + 12} y=${y + 35}>${member.isSelf ? `this session, ${kind}` : `${kind}${start}`}</text>
    </a>`;
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
    return html`<ul>${[...this.placed.values()].map(({ member, depth }) => html`<li>
      <a href=${this.link(member)}>${member.title}</a> ${member.isSelf ? "(this session)" : ""} ${depth === 0 ? "the first" : member.subagentOf ? "sub-agent" : "fork"}${member.parentKey ? ` of ${this.placed.get(member.parentKey)?.member.title ?? "a session that is not here"}` : ""}
    </li>`)}</ul>`;
  }
}
