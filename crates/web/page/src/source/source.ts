// Where the page gets its data. The views know only this; http.ts asks `pitree serve`, file.ts reads the page itself.

import type { Tab } from "../route.ts";
import type {
  ChangeEvent, ContextFacts, Deleted, Deletion, FamilyMember, Filter, Found, Lane, Mark, Project, RequestFacts, Row, SessionFacts, SessionPage, SessionQuery, SpendFacts, SpendQuery,
  StatsFacts, TreePage,
} from "../types.ts";

/** Rows of the path to a leaf: `count` of those that pass the filter, beginning with number `from`. */
export interface PathPart {
  leaf: number | null;
  filter: Filter;
  from: number;
  count: number;
  brief?: boolean;
}

/** The server hands out no more rows at once. */
export const MOST_ROWS = 200;

export interface Source {
  /** Whether there is a list of sessions to go back to. */
  readonly hasList: boolean;
  /** The session that there is, if there is no list. */
  readonly onlyKey: string;
  /** The views of a session for which there is data. */
  readonly tabs: ReadonlySet<Tab>;
  /** Whether names and labels may be changed. */
  readonly canEdit: boolean;
  sessions(query: SessionQuery): Promise<SessionPage>;
  /** The projects of all sessions, those with the most sessions first. */
  projects(): Promise<Project[]>;
  session(key: string): Promise<SessionFacts>;
  /** Branches that the facts do not list any more. */
  lanes(key: string, from: number, count: number): Promise<Lane[]>;
  /** The whole family, with the entries at which forks and sub-agents began. */
  family(key: string): Promise<FamilyMember[]>;
  /** What the map beside a conversation shows, in file order. */
  marks(key: string): Promise<Mark[]>;
  /** The entries from the root to the leaf that pass the filter, in order. */
  path(key: string, leaf: number | null, filter: Filter): Promise<Int32Array>;
  /** A part of the same list, with what is shown of each entry. Bodies may be missing if `brief`. */
  rows(key: string, part: PathPart): Promise<Row[]>;
  /** A part of the tree in drawing order; around the entry `at` if that is given. */
  tree(key: string, part: { from?: number; count: number; filter: Filter; at?: number }): Promise<TreePage>;
  find(key: string, query: string): Promise<Found>;
  context(key: string, at: number | null): Promise<ContextFacts>;
  /** Which requests there are, in words, if not all of them in full. */
  readonly requestsHere: string;
  /** The request for a reply; its messages from a number on, if one is given. */
  request(key: string, at: number, from?: number): Promise<RequestFacts>;
  spend(query: SpendQuery): Promise<SpendFacts>;
  stats(): Promise<StatsFacts>;
  /** Calls back when something changed on disk, or when nothing will be told any more; the result ends it. */
  listen(changed: (event: ChangeEvent) => void, ended: (why: string) => void): () => void;
  rename(key: string, name: string): Promise<void>;
  label(key: string, at: number, label: string): Promise<void>;
  /** Saves the position at which the session continues. */
  goTo(key: string, at: number): Promise<void>;
  /** What would go with a session; nothing is deleted yet. */
  deletion(key: string): Promise<Deletion>;
  /** Moves a session to the trash, with its forks if that is wanted. */
  remove(key: string, family: boolean): Promise<Deleted>;
  /** The end of a branch on which an entry is; null if there is none. */
  leafOf(key: string, at: number): Promise<number | null>;
  /** The index of the entry with this id, or on the line `line-N` of its file; -1 if there is none. */
  resolve(key: string, id: string): Promise<number>;
  /** An entry with nothing cut off. */
  entry(key: string, at: number): Promise<Row>;
}

/** A failure that people should read: a sentence and what helps. */
export class SourceError extends Error {
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

/** What a branch is called: the server puts the role before the text of a title. */
export function laneTitle(lane: Lane): string {
  return (lane.title ?? "").replace(/^user: /, "") || "Untitled branch";
}

/** What to tell people about any failure. */
export function explain(error: unknown): string {
  if (error instanceof SourceError) return error.hint ? `${error.message} ${error.hint}` : error.message;
  return error instanceof Error ? error.message : String(error);
}

/** `[[from, count], …]` as a list of indices. */
export function fromRuns(runs: readonly (readonly [number, number])[]): Int32Array {
  const total = runs.reduce((sum, [, count]) => sum + count, 0);
  const ats = new Int32Array(total);
  let filled = 0;
  for (const [from, count] of runs) for (let n = 0; n < count; n += 1) ats[filled++] = from + n;
  return ats;
}

/** A row with the members that JSON leaves out when there is nothing to say. */
export function whole(row: Partial<Row>): Row {
  return {
    at: row.at ?? 0, parent: row.parent ?? null, id: row.id ?? "", kind: row.kind ?? "note", who: row.who ?? "", what: row.what ?? null,
    particulars: row.particulars ?? [], label: row.label ?? null, time: row.time ?? null, isError: Boolean(row.isError), isFolded: Boolean(row.isFolded),
    summary: row.summary ?? "", body: row.body ?? [], calls: row.calls ?? [],
  };
}
