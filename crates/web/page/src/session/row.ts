// A row of the conversation.

import { html, nothing, type TemplateResult } from "lit";

import { sessionLink } from "../route.ts";
import { clock, fullTime, oneLine } from "../text.ts";
import type { FamilyMember, Row } from "../types.ts";
import { bodyOf } from "./body.ts";
import type { SessionModel } from "./model.ts";

/** Sub-agents inside sub-agents are opened in place this deep; below it they have their own page. */
const MOST_DEPTH = 4;

interface RowState {
  place: number;
  isCursor: boolean;
  isFolded: boolean;
  isHit: boolean;
  /** Whether the row above is of the same speaker. */
  isAgain?: boolean;
  /** For rows inside another session's conversation. */
  isNested?: boolean;
}

/** What a row asks its conversation to do. */
export type RowAction = "fold" | "copy" | "copyCode" | "link" | "label" | "request";

export function act(target: EventTarget, action: RowAction, at: number): void {
  target.dispatchEvent(new CustomEvent("row-action", { detail: { action, at }, bubbles: true }));
}

function button(action: RowAction, at: number, name: string, sign: string): TemplateResult {
  const press = (event: Event): void => {
    event.stopPropagation();
    act(event.currentTarget as EventTarget, action, at);
  };
  return html`<button class="quiet" tabindex="-1" title=${name} aria-label=${name} @click=${press}>${sign}</button>`;
}

function tools(model: SessionModel, row: Row, state: RowState): TemplateResult {
  const isReply = row.kind === "assistant" && model.source.tabs.has("request");
  return html`<span class="row-tools">
    ${button("copy", row.at, "Copy the message (y)", "Copy")}
    ${button("link", row.at, "Copy a link to this entry", "Link")}
    ${model.source.canEdit ? button("label", row.at, "Set a label", "Label") : nothing}
    ${isReply ? button("request", row.at, "Show the request for this reply", "Request") : nothing}
    ${button("fold", row.at, state.isFolded ? "Unfold (o)" : "Fold (o)", state.isFolded ? "Unfold" : "Fold")}
  </span>`;
}

function head(model: SessionModel, row: Row, state: RowState): TemplateResult {
  return html`<header>
    <span class="who">${row.who || row.kind}</span>
    ${row.what ? html`<code class="what">${oneLine(row.what, 80)}</code>` : nothing}
    ${row.label === null ? nothing : html`<span class="chip is-label" title="Label">${row.label}</span>`}
    ${row.isError ? html`<span class="chip is-error">error</span>` : nothing}
    <span class="particulars">${row.particulars.map((text) => html`<span>${text}</span>`)}</span>
    ${state.isNested ? nothing : tools(model, row, state)}
    <a class="time" tabindex="-1" href=${sessionLink(model.key, "", { leaf: model.leaf, e: row.at })} title=${fullTime(row.time)}>${clock(row.time) || `#${row.at}`}</a>
  </header>`;
}

/** Sub-agents of this session that were started at this entry. The results of a reply tell of them, and are shown with it. */
function subagents(model: SessionModel, row: Row): FamilyMember[] {
  const family = model.facts?.family ?? [];
  if (family.length === 0 || model.depth >= MOST_DEPTH) return [];
  const starts = new Set([row.at, ...row.calls.map(({ resultAt }) => resultAt).filter((at) => at !== null && model.isMerged(at))]);
  return family.filter((member) => member.subagentOf === model.key && typeof member.at === "number" && starts.has(member.at));
}

export function rowTemplate(model: SessionModel, row: Row, state: RowState): TemplateResult {
  const classes = ["row", `is-${row.kind}`, state.isCursor ? "is-cursor" : "", state.isFolded ? "is-folded" : "", row.isError ? "is-failed" : "", state.isHit ? "is-hit" : "", state.isAgain ? "is-again" : ""];
  const name = `${row.who || row.kind}${row.label === null ? "" : `, label ${row.label}`}: ${oneLine(row.summary, 100)}`;
  return html`<article
    class=${classes.filter(Boolean).join(" ")} data-index=${state.place} data-at=${row.at} tabindex=${state.isCursor ? 0 : -1}
    aria-label=${name} aria-posinset=${state.place + 1} aria-setsize=${model.path.length}
  >
    ${head(model, row, state)}
    ${state.isFolded ? html`<p class="folded">${row.summary}</p>` : bodyOf(row, model)}
    ${subagents(model, row).map((member) => html`<pt-subagent .source=${model.source} .member=${member} .depth=${model.depth + 1}></pt-subagent>`)}
  </article>`;
}

/** What stands in the place of a row until it has arrived. */
export function emptyRow(place: number, at: number): TemplateResult {
  return html`<article class="row is-empty" data-index=${place} data-at=${at} tabindex="-1" aria-busy="true" aria-label="Loading"><p class="folded">…</p></article>`;
}

/** The place of a result that is shown with its call. */
export function mergedRow(place: number, at: number): TemplateResult {
  return html`<div class="is-merged" data-index=${place} data-at=${at}></div>`;
}
