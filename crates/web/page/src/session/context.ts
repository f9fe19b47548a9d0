// What filled the model's context, reply by reply: a stacked chart with compactions, and the largest things in it.

import { html, nothing, svg, type PropertyValues, type SVGTemplateResult, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { styles } from "../styles.ts";

import { axisTicks } from "../charts/bars.ts";
import { attempt, PageElement } from "../element.ts";
import { explain } from "../source/source.ts";
import { count, oneLine, plural, short } from "../text.ts";
import type { ContextFacts, ContextTurn } from "../types.ts";
import type { SessionModel } from "./model.ts";

const WIDTH = 1000;
const HEIGHT = 240;
/** More columns than these could not be told apart; each then shows the largest of its turns. */
const MOST_COLUMNS = 250;
/** If the window is larger than the chart by this factor, it is told in words: bars would be too low. */
const FAR = 10;

interface Column {
  turn: ContextTurn;
  compacts: boolean;
}

@customElement("pt-context")
export class ContextView extends PageElement {
  @property({ attribute: false }) model!: SessionModel;
  @property({ attribute: false }) at: number | null = null;
  @state() private facts: ContextFacts | null = null;
  @state() private selected = -1;
  /** The column that was clicked, and the context there. */
  @state() private turn: { name: string; facts: ContextFacts } | null = null;
  @state() private failure = "";

  private loadedAs = "";

  protected override willUpdate(_changed: PropertyValues): void {
    const loadedAs = `${this.model.key} ${this.model.leaf}`;
    if (loadedAs === this.loadedAs || !this.model.facts) return;
    this.loadedAs = loadedAs;
    attempt(this.load());
  }

  private async load(): Promise<void> {
    [this.turn, this.facts, this.failure] = [null, null, ""];
    const { loadedAs } = this;
    const facts = await this.model.source.context(this.model.key, this.model.leaf).catch((error: unknown) => explain(error));
    if (loadedAs !== this.loadedAs) return;
    if (typeof facts === "string") {
      this.failure = facts;
      return;
    }
    this.facts = facts;
    const columns = columnsOf(facts.turns);
    const near = this.at === null ? -1 : columns.findIndex(({ turn }) => turn.at >= (this.at ?? 0));
    this.selected = near >= 0 ? near : columns.length - 1;
  }

  /** Shows what is in the context at a column. */
  private pick({ turn }: Column): void {
    const { facts } = this;
    attempt(this.model.source.context(this.model.key, turn.at).then(
      (there) => {
        if (facts === this.facts) [this.turn, this.failure] = [{ name: nameOf(turn), facts: there }, ""];
      },
      (error: unknown) => {
        if (facts === this.facts) [this.turn, this.failure] = [null, explain(error)];
      },
    ));
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    const columns = columnsOf(this.facts?.turns ?? []);
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -columns.length, End: columns.length };
    const step = steps[event.key];
    const column = columns[this.selected];
    if (event.key === "Enter" && column) this.pick(column);
    else if (step !== undefined) this.selected = Math.max(0, Math.min(columns.length - 1, this.selected + step));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private readonly pointed = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const columns = columnsOf(this.facts?.turns ?? []);
    this.selected = Math.max(0, Math.min(columns.length - 1, Math.floor(((event.clientX - box.left) / box.width) * columns.length)));
  };

  private chart(facts: ContextFacts, columns: readonly Column[]): TemplateResult {
    const names = partNames(facts);
    const most = Math.max(1, ...columns.map(({ turn }) => turn.total));
    const isNear = facts.window !== null && most >= facts.window / FAR;
    // A little above the line, so that it can be seen.
    const top = isNear ? Math.max(most, (facts.window ?? 0) * 1.04) : most;
    const selected = columns[this.selected];
    const says = selected ? `${nameOf(selected.turn)}: ${count(selected.turn.total)} tokens` : "";
    return html`<div class="chart-frame"><div class="chart-axis" aria-hidden="true">${axisTicks(top).map((tick) => html`<span style=${styles({ "--at": String(1 - tick / top) })}>${short(tick)}</span>`)}</div>
      <svg class="context-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="Tokens in the context by reply"
        aria-valuemin="1" aria-valuemax=${Math.max(1, columns.length)} aria-valuenow=${this.selected + 1} aria-valuetext=${says} @keydown=${this.pressed} @pointermove=${this.pointed}
        @click=${() => selected && this.pick(selected)}>
        ${columns.map((column, n) => stack(column, n, columns.length, names, top))}
        ${columns.map((column, n) => column.compacts ? svg`<line class="compaction" x1=${(n * WIDTH) / columns.length} x2=${(n * WIDTH) / columns.length} y1="0" y2=${HEIGHT}></line>` : nothing)}
        ${facts.window && isNear ? svg`<line class="limit" x1="0" x2=${WIDTH} y1=${HEIGHT - (facts.window / top) * HEIGHT} y2=${HEIGHT - (facts.window / top) * HEIGHT}></line>` : nothing}
        ${selected ? svg`<rect class="selected" x=${(this.selected * WIDTH) / columns.length} width=${WIDTH / columns.length} y="0" height=${HEIGHT}></rect>` : nothing}
      </svg>${facts.window && isNear ? html`<span class="limit-name" style=${styles({ "--at": String(1 - facts.window / top) })}>window: ${short(facts.window)}</span>` : nothing}</div>
      ${facts.window && !isNear ? html`<p class="muted">The model’s context window (${short(facts.window)} tokens) is far above this chart.</p>` : nothing}
      ${selected ? this.readout(selected, names) : nothing}`;
  }

  private readout({ turn, compacts }: Column, names: readonly string[]): TemplateResult {
    return html`<p class="readout"><span><a href=${this.model.link(turn.at)}>${nameOf(turn)}</a>: <b>${count(turn.total)}</b> tokens${turn.reported && turn.reported !== turn.total ? html` (${count(turn.reported)} reported)` : nothing}${compacts && !turn.compaction ? ", after a compaction" : ""}</span>
      ${names.map((name, n) => turn.parts[name] ? html`<span class=${`key series-${n % 8}`}>${name} ${short(turn.parts[name] ?? 0)}</span>` : nothing)}</p>`;
  }

  protected override render(): TemplateResult {
    const facts = this.facts;
    if (!facts) return html`<div class="page-pad"><p class=${this.failure ? "notice is-bad" : "muted"}>${this.failure || "Computing the context…"}</p></div>`;
    const there = this.turn?.facts ?? facts;
    const columns = columnsOf(facts.turns);
    const most = Math.max(1, ...there.largest.map(({ tokens }) => tokens));
    const names = partNames(facts);
    const series = (name: string): string => `series-${(names.includes(name) ? names : there.parts.map((part) => part.name)).indexOf(name) % 8}`;
    return html`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Context">
      <div class="figures">
        <div><b>${short(facts.total)}</b><span>tokens now</span></div>
        ${facts.window ? html`<div><b>${Math.round((facts.total / facts.window) * 100)}%</b><span>of the model’s ${short(facts.window)}</span></div>` : nothing}
        <div><b>${count(facts.replies)}</b><span>${facts.replies === 1 ? "reply" : "replies"}</span></div><div><b>${count(facts.compactions)}</b><span>${facts.compactions === 1 ? "compaction" : "compactions"}</span></div>
      </div>
      <section class="card"><h2>Context by reply</h2>${columns.length === 0 ? html`<p class="muted">No request was sent on this branch.</p>` : this.chart(facts, columns)}</section>
      ${this.failure ? html`<p class="notice is-bad">${this.failure}</p>` : nothing}
      ${this.turn ? html`<p><button class="quiet" @click=${() => (this.turn = null)}>Back to now</button></p>` : nothing}
      <div class="columns">
        <section class="card"><h2>${this.turn ? this.turn.name : "Now"}</h2>${there.parts.map(({ name, tokens }) => bar(name, tokens, Math.max(1, ...there.parts.map((part) => part.tokens)), series(name), null))}</section>
        <section class="card"><h2>Largest entries${this.turn ? `: ${this.turn.name}` : nothing}</h2>${there.largest.map(({ at, what, tokens }) => bar(oneLine(what, 110), tokens, most, "series-2", this.model.link(at)))}
          ${there.largest.length === 0 ? html`<p class="muted">Nothing yet.</p>` : nothing}</section>
      </div>
      <p class="muted">${plural(facts.replies, "reply", "replies")} on this branch. Sizes are estimated as Pi does it, up to the total that the provider reported.${facts.window ? "" : " The size of the model’s context window is not known."}</p>
    </div>`;
  }
}

function nameOf({ reply, compaction }: ContextTurn): string {
  return compaction ? `Compaction after reply ${count(reply)}` : `Reply ${count(reply)}`;
}

/** What is in the context now, then what was in it before. */
function partNames({ parts, turns }: ContextFacts): string[] {
  return [...new Set([...parts.map(({ name }) => name), ...turns.flatMap((turn) => Object.keys(turn.parts))])];
}

function stack({ turn }: Column, n: number, columns: number, names: readonly string[], top: number): SVGTemplateResult[] {
  const width = WIDTH / columns;
  const gap = columns > 80 ? 0 : 1.5;
  let below = 0;
  return names.map((name, series) => {
    const height = ((turn.parts[name] ?? 0) / top) * HEIGHT;
    below += height;
    return svg`<rect class=${`series-${series % 8}`} x=${n * width} y=${HEIGHT - below} width=${width - gap} height=${height}></rect>`;
  });
}

function bar(name: string, tokens: number, most: number, series: string, link: string | null): TemplateResult {
  const inner = html`<span class="bar-name">${name}</span><span class="bar-value">${short(tokens)}</span><span class=${`bar-fill ${series}`} style=${styles({ width: `${(tokens / most) * 100}%` })}></span>`;
  return link === null ? html`<div class="bar">${inner}</div>` : html`<a class="bar" href=${link}>${inner}</a>`;
}

/** The turns as columns: one each, or the largest of several. */
function columnsOf(turns: readonly ContextTurn[]): Column[] {
  const step = Math.max(1, Math.ceil(turns.length / MOST_COLUMNS));
  const columns: Column[] = [];
  for (let from = 0; from < turns.length; from += step) {
    const group = turns.slice(from, from + step);
    const turn = group.reduce((largest, each) => (each.total > largest.total ? each : largest));
    columns.push({ turn, compacts: group.some(({ compaction }) => compaction) });
  }
  return columns;
}
