// One session as the views see it: its facts, the path that is shown, and the rows of it that were loaded.

import { toast } from "../element.ts";
import { sessionLink, type Tab } from "../route.ts";
import { explain, MOST_ROWS, type Source } from "../source/source.ts";
import type { Filter, Lane, Mark, MarkKind, Row, SessionFacts } from "../types.ts";

/** Rows are asked for in groups of this size. */
const CHUNK = 50;
/** More rows than these are not kept. */
const MOST_KEPT = 4000;
/** Milliseconds until rows are asked for again that could not be had. */
const RETRY = 3000;

export class SessionModel {
  readonly source: Source;
  readonly key: string;
  /** How many conversations this one is shown inside of. */
  readonly depth: number;
  facts: SessionFacts | null = null;
  marks: Mark[] = [];
  leaf: number | null = null;
  filter: Filter = "all";
  path: Int32Array = new Int32Array();
  failure: unknown = null;
  /** Called when rows or facts have arrived. */
  changed: () => void = () => undefined;

  private readonly kept = new Map<number, Row>();
  private readonly callers = new Map<number, number>();
  private readonly loading = new Set<number>();
  private readonly lanePaths = new Map<number, Promise<Int32Array>>();
  private loaded = new Set<number>();
  private generation = 0;
  private opened = false;

  constructor(source: Source, key: string, depth = 0) {
    this.source = source;
    this.key = key;
    this.depth = depth;
  }

  async open(leaf: number | null, filter: Filter): Promise<void> {
    const generation = ++this.generation;
    this.facts ??= await this.source.session(this.key);
    const path = await this.source.path(this.key, leaf ?? this.facts.leaf, filter);
    if (generation !== this.generation) return;
    this.show(leaf ?? this.facts.leaf, filter, path);
  }

  /** The marks take a look at the whole session, so they come after the first rows. */
  async readMarks(): Promise<void> {
    if (this.marks.length > 0) return;
    this.marks = await this.source.marks(this.key);
    this.changed();
  }

  private show(leaf: number | null, filter: Filter, path: Int32Array): void {
    this.opened = true;
    this.leaf = leaf;
    this.filter = filter;
    this.path = path;
    this.loaded = new Set();
    this.loading.clear();
    this.changed();
  }

  /** Reads again what may have changed, and says by how many rows the path grew. */
  async refresh(): Promise<number> {
    const { facts: before, path: shown } = this;
    const facts = await this.source.session(this.key);
    const follows = this.leaf === before?.leaf;
    const leaf = follows ? facts.leaf : this.leaf;
    const [path, marks] = await Promise.all([this.source.path(this.key, leaf, this.filter), this.source.marks(this.key)]);
    // Another branch was opened meanwhile.
    if (this.path !== shown) return this.refresh();
    const grew = path.length - shown.length;
    this.facts = facts;
    this.marks = marks;
    this.lanePaths.clear();
    this.show(leaf, this.filter, path);
    return grew;
  }

  /** Whether it is known what is on the path. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** Whether something of the conversation can be read: what takes a look at the whole session waits for it. */
  get hasRows(): boolean {
    return this.kept.size > 0 || this.path.length === 0 || this.failure !== null;
  }

  row(at: number): Row | undefined {
    return this.kept.get(at);
  }

  /** Whether a row is shown with the call that it answers. */
  isMerged(at: number): boolean {
    return this.callerOf(at) !== null;
  }

  /** The reply with which a tool result is shown. */
  callerOf(at: number): number | null {
    const caller = this.callers.get(at);
    return caller !== undefined && this.place(caller) >= 0 ? caller : null;
  }

  /** Sees to it that the rows at these places of the path are loaded. */
  want(first: number, last: number): void {
    // The reply of a first tool result stands a little above it.
    for (let chunk = Math.max(0, Math.floor((first - 8) / CHUNK)); chunk * CHUNK <= Math.min(last, this.path.length - 1); chunk += 1) {
      if (!this.loaded.has(chunk) && !this.loading.has(chunk)) void this.fetchChunk(chunk);
    }
  }

  private async fetchChunk(chunk: number): Promise<void> {
    const generation = this.generation;
    const path = this.path;
    this.loading.add(chunk);
    try {
      this.keep(await this.source.rows(this.key, { leaf: this.leaf, filter: this.filter, from: chunk * CHUNK, count: CHUNK }));
      this.failure = null;
    } catch (error) {
      if (this.failure === null) toast(explain(error));
      this.failure = error;
    }
    if (generation !== this.generation || path !== this.path) return;
    if (this.failure === null) this.loaded.add(chunk);
    // What failed is asked for again, but not at once.
    else await new Promise((resolve) => setTimeout(resolve, RETRY));
    this.loading.delete(chunk);
    this.changed();
  }

  private keep(rows: readonly Row[]): void {
    for (const fresh of rows) {
      const row = updated(this.kept.get(fresh.at), fresh);
      this.kept.delete(row.at);
      this.kept.set(row.at, row);
      for (const call of row.calls) if (call.resultAt !== null) this.callers.set(call.resultAt, row.at);
    }
    if (this.kept.size <= MOST_KEPT) return;
    for (const at of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT / 2) break;
      this.kept.delete(at);
    }
    this.loaded.clear();
  }

  /** Loads so many rows of the path from a place on, for printing. */
  async loadAll(first: number, count: number): Promise<void> {
    const end = Math.min(first + count, this.path.length);
    for (let from = first; from < end; from += MOST_ROWS) {
      this.keep(await this.source.rows(this.key, { leaf: this.leaf, filter: this.filter, from, count: Math.min(MOST_ROWS, end - from) }));
    }
  }

  /** The place of an entry on the path; -1 if it is not shown. */
  place(at: number): number {
    return placeIn(this.path, at);
  }

  /** The place of the entry, or of the next one above it that is shown. */
  nearest(at: number): number {
    const place = this.place(at);
    if (place >= 0 || this.path.length === 0) return place;
    return Math.min(this.path.length - 1, Math.max(0, lowerBound(this.path, at) - 1));
  }

  /** The address of an entry on the branch that is shown, or on another one; the current branch goes without saying. */
  link(at: number, tab: Tab = "", leaf: number | null = this.leaf): string {
    return sessionLink(this.key, tab, { leaf: leaf === (this.facts?.leaf ?? null) ? null : leaf, e: at });
  }

  /** How many branches there are. */
  get laneCount(): number {
    return this.facts?.laneCount ?? this.facts?.lanes.length ?? 0;
  }

  /** The first branches, as many as are wanted and there are. */
  async lanes(count: number): Promise<Lane[]> {
    const lanes = [...(this.facts?.lanes ?? [])];
    while (lanes.length < Math.min(count, this.laneCount)) {
      const more = await this.source.lanes(this.key, lanes.length, MOST_ROWS);
      if (more.length === 0) break;
      lanes.push(...more);
    }
    return lanes.slice(0, count);
  }

  lanePath(lane: Lane): Promise<Int32Array> {
    const known = this.lanePaths.get(lane.leaf) ?? this.source.path(this.key, lane.leaf, "all");
    this.lanePaths.set(lane.leaf, known);
    return known;
  }

  /** A leaf from which the entry can be seen; the one that is shown, if possible. */
  async leafFor(at: number): Promise<number | null> {
    return this.place(at) >= 0 ? this.leaf : this.source.leafOf(this.key, at);
  }

  /** The next mark of a kind on the path after (or before) an entry. */
  nextMark(kind: MarkKind, at: number, step: 1 | -1): number | null {
    const ats = this.marks.filter((mark) => mark.kind === kind && this.place(mark.at) >= 0).map((mark) => mark.at);
    const found = step === 1 ? ats.find((each) => each > at) : ats.findLast((each) => each < at);
    return found ?? null;
  }
}

/** A row that was read again: if its text is the same, it stays the one that it was, with what is unfolded in it. */
function updated(known: Row | undefined, fresh: Row): Row {
  if (!known || JSON.stringify(known.body) !== JSON.stringify(fresh.body)) return fresh;
  return Object.assign(known, fresh, { body: known.body });
}

function lowerBound(path: Int32Array, at: number): number {
  let low = 0;
  let high = path.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((path[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where an entry stands in a path. Parents come before children in a file, so a path ascends; a damaged file may break that. */
export function placeIn(path: Int32Array, at: number): number {
  const place = lowerBound(path, at);
  if (path[place] === at) return place;
  return ascends(path) ? -1 : path.indexOf(at);
}

const ASCENDING = new WeakMap<Int32Array, boolean>();

function ascends(path: Int32Array): boolean {
  let known = ASCENDING.get(path);
  if (known === undefined) {
    known = path.every((at, place) => place === 0 || (path[place - 1] ?? 0) < at);
    ASCENDING.set(path, known);
  }
  return known;
}
