// What the server and an exported file hand out. Times are milliseconds since 1970; `at` is the index of
// an entry in file order.

/** A node of what is shown: text, or `[tag, {attributes}?, ...children]`. Checked again in nodes.ts. */
export type ShownNode = string | readonly unknown[];

export interface Snippet {
  text: string;
  /** Pairs of UTF-16 offsets. */
  marks: [number, number][];
}

export interface SessionRow {
  key: string;
  id: string;
  title: string;
  firstMessage: string | null;
  name: string | null;
  cwd: string;
  project: string;
  created: number | null;
  modified: number;
  messages: number;
  model: string | null;
  tokens: number;
  cost: number | null;
  parentKey: string | null;
  depth: number;
  /** Whether it was sent out by the session that it stands below, and not forked from it. */
  isSubagent?: boolean;
  isLive: boolean;
  /** How many milliseconds longer it is live, if nothing else is written. */
  liveMs?: number;
  activity?: number[];
  why?: { term: string; in: string; whole: boolean }[];
  hit?: { id: string; line: number; snippet: Snippet | null } | null;
}

export interface SessionPage {
  total: number;
  offset: number;
  isGuess: boolean;
  /** Whether sessions may be changed and deleted. */
  canEdit?: boolean;
  /** The words and phrases that were looked for. */
  words: string[];
  rows: SessionRow[];
}

export interface Project {
  cwd: string;
  /** How many sessions it has. */
  sessions: number;
}

export interface SessionQuery {
  q?: string;
  project?: string;
  sort?: string;
  /** Only those of a row of the spend, as `day:2026-05-01`, within its times. */
  in?: string;
  since?: string;
  until?: string;
  offset?: number;
  limit?: number;
}

export interface Lane {
  leaf: number;
  isActive: boolean;
  /** The first entry that no earlier lane has; null on the active lane. */
  from: number | null;
  length: number;
  title: string | null;
  summary: string | null;
  lastTime: number | null;
}

export type MarkKind = "branch" | "error" | "label" | "compaction" | "user";

export interface Mark {
  at: number;
  kind: MarkKind;
  text?: string;
}

export interface FamilyMember {
  key: string;
  title: string;
  parentKey: string | null;
  /** The entry of the parent at which it begins. */
  at?: number | null;
  isSelf: boolean;
  /** The session whose sub-agent this is. */
  subagentOf?: string | null;
}

export interface SessionFacts {
  key: string;
  id: string;
  title: string;
  name: string | null;
  cwd: string;
  path: string;
  created: number | null;
  modified: number;
  version: number;
  entries: number;
  leaf: number | null;
  isLive: boolean;
  liveMs?: number;
  parentKey: string | null;
  family: FamilyMember[];
  facts: [string, string][];
  /** What is wrong with the file; only the first of many. */
  problems?: { line: number; text: string; advice: string }[];
  /** The first of all branches. */
  lanes: Lane[];
  laneCount?: number;
  cost: number | null;
  tokens: number;
  canEdit?: boolean;
}

/** `default` is what a tree shows at first; it leaves out replies without text, so a conversation shows `all`. */
export type Filter = "default" | "no-tools" | "user" | "labeled" | "all";
export const FILTERS: readonly Filter[] = ["all", "no-tools", "user", "labeled"];

/** An entry, ready to be shown. */
export interface Row {
  at: number;
  parent: number | null;
  id: string;
  /** `user`, `assistant`, `tool`, `summary`, `extension`, `note` or `damage`. */
  kind: string;
  who: string;
  /** What the tool was called with. */
  what: string | null;
  particulars: string[];
  label: string | null;
  time: number | null;
  isError: boolean;
  /** Whether it is long, and better folded at first. */
  isFolded: boolean;
  summary: string;
  body: ShownNode[];
  calls: { id: string; name: string; resultAt: number | null }[];
}

export interface TreeRow {
  at: number;
  id: string;
  depth: number;
  /** Whether it is the first row of a branch. */
  begins: boolean;
  kind: string;
  /** Of a message. */
  role: string | null;
  text: string;
  label: string | null;
  active: boolean;
  isLeaf: boolean;
  isError: boolean;
  children: number;
}

export interface TreePage {
  total: number;
  from: number;
  rows: TreeRow[];
}

export interface Found {
  total: number;
  /** Whether these are all: after many hits nobody looks for more. */
  isAll: boolean;
  /** The words and phrases that were looked for. */
  words: string[];
  hits: { at: number; snippet: Snippet }[];
}

export interface ContextTurn {
  at: number;
  /** How many replies the branch has up to here. */
  reply: number;
  /** Estimated. */
  total: number;
  /** What the provider counted. */
  reported?: number | null;
  parts: Record<string, number>;
  compaction: boolean;
}

export interface ContextFacts {
  /** The entry at which this is the context. */
  leaf: number | null;
  total: number;
  window: number | null;
  parts: { name: string; tokens: number }[];
  /** After each reply and each compaction; of a long branch not after all. */
  turns: ContextTurn[];
  /** How many replies and compactions the branch has. */
  replies: number;
  compactions: number;
  largest: { at: number; what: string; tokens: number }[];
}

export interface RequestFacts {
  at: number;
  model: string | null;
  /** How many messages it had, and which of them are in the body. */
  total?: number;
  from?: number;
  shown?: number;
  /** How many messages at the beginning are those of the request before. */
  shared?: number;
  body: ShownNode[];
  previous: number | null;
  difference: ShownNode[] | null;
  /** The first place that keeps the provider from using what it had cached; `body` shows what changed there. */
  cacheBreak: { message: number; path: string; what: string; body: ShownNode[]; cause?: string } | null;
}

export type SpendBy = "day" | "week" | "model" | "project" | "role" | "family";

/** What of the spend is asked for; the times are as people type them for `pitree cost`. */
export interface SpendQuery {
  by: SpendBy;
  since?: string;
  until?: string;
}

export interface SpendRow {
  key: string | null;
  /** What an address names the row by. */
  group: string;
  count: number;
  cost: number | null;
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  unknownCosts: number;
  path?: string;
  cwd?: string;
  title?: string | null;
  sessionCount: number;
}

export interface SpendFacts {
  by: string;
  total: Omit<SpendRow, "key" | "group" | "sessionCount">;
  rows: SpendRow[];
}

interface Calls {
  calls: number;
  errors: number;
}

export interface StatsFacts {
  totals: {
    sessions: number;
    projects: number;
    activeDays: number;
    first: string | null;
    last: string | null;
    messages: { total: number; user: number; assistant: number };
    replies: number;
    failedReplies: number;
  };
  tools: ({ name: string } & Calls)[];
  files: { path: string; project: string | null; reads: number; edits: number; writes: number }[];
  commands: { command: string; runs: number; errors: number }[];
  models: { model: string | null; replies: number }[];
  hours: number[];
  weekdays: number[];
  habits: Record<string, number>;
}

/** What would go with a session that is deleted. */
export interface Deletion {
  title: string;
  forkCount: number;
  forks: { key: string; title: string }[];
  /** Records of sub-agents that nothing else names. */
  records: number;
  /** Why it cannot be deleted now. */
  refused: string | null;
}

export interface Deleted {
  sessions: number;
  records: number;
  /** Whether `pitree restore` knows where it went. */
  canRestore: boolean;
}

/** What has changed on disk; with `all`, anything may have. */
export interface ChangeEvent {
  changed: string[];
  list: boolean;
  all: boolean;
}
