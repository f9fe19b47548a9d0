// Reads an exported page: the file is its own server. The format is in FORMAT.md.

import type { Tab } from "../route.ts";
import { count } from "../text.ts";
import type { ContextFacts, Filter, Found, Mark, RequestFacts, Row, SessionFacts, ShownNode, TreeRow } from "../types.ts";
import { Blocks, unpack } from "./blocks.ts";
import { SourceError, whole, type PathPart, type Source } from "./source.ts";
import { wordsOf } from "./words.ts";

export const INDEX_ID = "pitree-index";
const REQUESTS_ID = "pitree-requests";
const CONTEXTS_ID = "pitree-contexts";
const BLOCKS_IN_MEMORY = 24;
const MAX_HITS = 5000;

/** Bits of `flags`. */
const ON_PATH = 1;
const ERROR = 2;
const QUIET = 4;
const TOOL = 8;
const USER = 16;

interface Index {
  format: number;
  session: SessionFacts;
  marks: Mark[];
  /** How many branches have their context in the element `pitree-contexts`, of how many there are. */
  contexts?: { shown: number; branches: number };
  /** How many requests there are in the element `pitree-requests`, of how many replies. */
  requests?: { shown: number; replies: number };
  blockRows: number;
  kinds: string[];
  light: { ids: string[]; parents: (number | null)[]; kinds: number[]; flags: number[]; summaries: string[]; labels: [number, string][]; lines?: [number, string][] };
  /** All entries in the order of the tree. */
  order?: number[];
}

/** What a block holds of a row; the rest is in the index. */
type BlockRow = Partial<Row>;

class Session {
  readonly index: Index;
  private readonly labels: Map<number, string>;
  private readonly blocks: Blocks<BlockRow[]>;
  private lastPath: { name: string; path: Int32Array } | null = null;
  private drawn: Int32Array | null = null;
  private readonly lines: Map<number, string>;
  private depths = new Map<number, number>();
  /** The first entry of the branch that an entry is on. */
  private branches = new Map<number, number>();
  private children = new Map<number | null, number[]>();

  constructor(index: Index) {
    this.index = index;
    this.labels = new Map(index.light.labels);
    this.lines = new Map(index.light.lines);
    this.blocks = new Blocks((block) => `pitree-rows-${block}`, BLOCKS_IN_MEMORY);
    index.light.parents.forEach((parent, at) => {
      const siblings = this.children.get(parent);
      if (siblings) siblings.push(at);
      else this.children.set(parent, [at]);
    });
  }

  passes(at: number, filter: Filter): boolean {
    const flags = this.index.light.flags[at] ?? 0;
    switch (filter) {
      case "all": return true;
      case "user": return (flags & USER) !== 0;
      case "labeled": return this.labels.has(at);
      case "no-tools": return (flags & (QUIET | TOOL)) === 0;
      case "default": return (flags & QUIET) === 0;
    }
  }

  path(leaf: number | null, filter: Filter): Int32Array {
    const path: number[] = [];
    for (let at = leaf ?? this.index.session.leaf; at !== null && at !== undefined; at = this.index.light.parents[at] ?? null) path.push(at);
    return Int32Array.from(path.reverse().filter((at) => this.passes(at, filter)));
  }

  /** The end of a branch with this entry: the active one if it has it, else the newest. */
  leafOf(at: number): number | null {
    if (at >= this.index.light.ids.length) return null;
    if (((this.index.light.flags[at] ?? 0) & ON_PATH) !== 0) return this.index.session.leaf;
    let leaf = at;
    for (let below = this.children.get(leaf); below; below = this.children.get(leaf)) leaf = below.at(-1) ?? leaf;
    return leaf;
  }

  async row(at: number, brief: boolean): Promise<Row> {
    const { light, blockRows, kinds } = this.index;
    const flags = light.flags[at] ?? 0;
    const known = {
      at, parent: light.parents[at] ?? null, id: light.ids[at] ?? "", kind: kinds[light.kinds[at] ?? 0] ?? "",
      label: this.labels.get(at) ?? null, isError: (flags & ERROR) !== 0, summary: light.summaries[at] ?? "",
    };
    if (brief) return whole(known);
    const block = await this.blocks.get(Math.floor(at / blockRows));
    const rest = block[at % blockRows];
    if (!rest) throw new SourceError("An entry of this file is missing.", "Export it again.");
    return whole({ ...rest, ...known });
  }

  /** All entries in drawing order, each with its depth and its branch. */
  private order(): Int32Array {
    this.drawn ??= Int32Array.from(this.index.order ?? this.inFileOrder());
    if (this.depths.size > 0) return this.drawn;
    for (const at of this.drawn) {
      const parent = this.index.light.parents[at] ?? null;
      const isAlone = parent !== null && (this.children.get(parent)?.length ?? 0) === 1;
      this.depths.set(at, parent === null ? 0 : (this.depths.get(parent) ?? 0) + (isAlone ? 0 : 1));
      this.branches.set(at, isAlone ? (this.branches.get(parent) ?? parent) : at);
    }
    return this.drawn;
  }

  /** Branches by their first entries, for a file that does not say it. */
  private inFileOrder(): number[] {
    const drawn: number[] = [];
    const open = [...(this.children.get(null) ?? [])].reverse();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      drawn.push(at);
      open.push(...[...(this.children.get(at) ?? [])].reverse());
    }
    return drawn;
  }

  treeRows(filter: Filter): { at: number; begins: boolean }[] {
    const begun = new Set<number>();
    return [...this.order()].filter((at) => this.passes(at, filter)).map((at) => {
      const branch = this.branches.get(at) ?? at;
      const begins = !begun.has(branch);
      begun.add(branch);
      return { at, begins };
    });
  }

  treeRow({ at, begins }: { at: number; begins: boolean }): TreeRow {
    const { light, kinds, session } = this.index;
    const flags = light.flags[at] ?? 0;
    const kind = kinds[light.kinds[at] ?? 0] ?? "";
    return {
      at, id: light.ids[at] ?? "", depth: this.depths.get(at) ?? 0, begins, kind,
      role: kind === "user" || kind === "assistant" ? kind : null, text: this.lines.get(at) ?? light.summaries[at] ?? "", label: this.labels.get(at) ?? null, active: (flags & ON_PATH) !== 0, isLeaf: at === session.leaf,
      isError: (flags & ERROR) !== 0, children: this.children.get(at)?.length ?? 0,
    };
  }

  private requests: Promise<RequestFacts[]> | null = null;

  async request(at: number): Promise<RequestFacts> {
    if ((this.index.requests?.shown ?? 0) > 0) this.requests ??= unpack<RequestFacts[]>(REQUESTS_ID);
    const found = (await this.requests)?.find((request) => request.at === at);
    if (!found) throw new SourceError("The request for this reply is not in this file.", requestsHere(this.index));
    return found;
  }

  private contexts: Promise<ContextFacts[]> | null = null;

  /** The context at the end of a branch. */
  async context(at: number | null): Promise<ContextFacts> {
    const leaf = at ?? this.index.session.leaf;
    if ((this.index.contexts?.shown ?? 0) > 0) this.contexts ??= unpack<ContextFacts[]>(CONTEXTS_ID);
    const found = (await this.contexts)?.find((context) => context.leaf === leaf);
    if (!found) throw new SourceError("The context at this entry is not in this file.", contextsHere(this.index));
    return found;
  }

  /** A part of a path. The last path is kept, since its parts are asked for one after the other. */
  part({ leaf, filter, from, count, brief = false }: PathPart): Promise<Row[]> {
    const name = `${leaf} ${filter}`;
    if (this.lastPath?.name !== name) this.lastPath = { name, path: this.path(leaf, filter) };
    return Promise.all([...this.lastPath.path.subarray(from, from + count)].map((at) => this.row(at, brief)));
  }

  async find(query: string): Promise<Found> {
    // The language of the search is the server's; here all words have to be there.
    const words = wordsOf(query);
    const hits: Found["hits"] = [];
    let total = 0;
    for (let at = 0; words.length > 0 && at < this.index.light.ids.length; at += 1) {
      const text = plainText((await this.row(at, false)).body);
      const lower = text.toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
      const [first = ""] = words;
      const from = lower.indexOf(first);
      total += 1;
      const start = Math.max(0, from - 40);
      if (hits.length < MAX_HITS) hits.push({ at, snippet: { text: text.slice(start, from + 120), marks: [[from - start, from - start + first.length]] } });
    }
    return { total, isAll: hits.length === total, words, hits };
  }
}

/** The text of nodes, without their tags. */
function plainText(nodes: readonly ShownNode[]): string {
  let text = "";
  const open: unknown[] = [...nodes].reverse();
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === "string") text += node;
    else if (Array.isArray(node)) {
      text += text && !text.endsWith(" ") && node[0] !== "span" && node[0] !== "code" ? " " : "";
      for (const child of node.slice(1).reverse()) if (typeof child === "string" || Array.isArray(child)) open.push(child);
    }
  }
  return text;
}

const NOT_HERE = new SourceError("This page is a file, so there is no server to ask.", "Run `pitree serve` for that.");

/** Which requests the file has, in words. */
function requestsHere({ requests }: Index): string {
  if (!requests) return "";
  const { shown, replies } = requests;
  if (shown === 0) return "This file has no requests: the context is too long for it. `pitree serve` shows them.";
  if (shown === replies) return "This file has the request behind each reply of the current branch.";
  return `This file has the requests behind the last ${count(shown)} of ${count(replies)} replies of the current branch; \`pitree serve\` shows them all.`;
}

/** Which contexts the file has, in words. */
function contextsHere({ contexts }: Index): string {
  const { shown, branches } = contexts ?? { shown: 0, branches: 0 };
  const ends = shown === branches ? "at the end of each branch" : `at the ends of ${count(shown)} of ${count(branches)} branches`;
  return `It has the context ${ends}; \`pitree serve\` shows it at every turn.`;
}

/** The tabs that the index has data for. */
function tabsOf(index: Index): Set<Tab> {
  const tabs = new Set<Tab>(["", "lanes", "tree"]);
  if (index.contexts) tabs.add("context");
  if (index.requests) tabs.add("request");
  return tabs;
}

/** The one session of the page; any key means it, so that a link may leave the key out. */
export async function fileSource(): Promise<Source> {
  const index = await unpack<Index>(INDEX_ID);
  if (index.format !== 1) throw new SourceError("This file is in a format that this page cannot read.", "Export it again.");
  const session = new Session(index);
  const fail = (): Promise<never> => Promise.reject(NOT_HERE);
  return {
    hasList: false,
    onlyKey: index.session.key,
    tabs: tabsOf(index),
    canEdit: false,
    sessions: () => Promise.resolve({ total: 0, offset: 0, isGuess: false, words: [], rows: [] }),
    projects: () => Promise.resolve([]),
    session: () => Promise.resolve(index.session),
    lanes: (_key, from, count) => Promise.resolve(index.session.lanes.slice(from, from + count)),
    family: () => Promise.resolve(index.session.family),
    marks: () => Promise.resolve(index.marks),
    path: (_key, leaf, filter) => Promise.resolve(session.path(leaf, filter)),
    rows: (_key, part) => session.part(part),
    tree: (_key, { from = 0, count, filter, at }) => {
      const all = session.treeRows(filter);
      const start = at === undefined ? from : Math.max(0, all.findIndex((row) => row.at === at) - Math.floor(count / 2));
      return Promise.resolve({ total: all.length, from: start, rows: all.slice(start, start + count).map((each) => session.treeRow(each)) });
    },
    find: (_key, query) => session.find(query),
    context: (_key, at) => session.context(at),
    requestsHere: requestsHere(index),
    request: (_key, at) => session.request(at),
    spend: fail,
    stats: fail,
    listen: () => () => undefined,
    rename: fail,
    label: fail,
    goTo: fail,
    deletion: fail,
    remove: fail,
    leafOf: (_key, at) => Promise.resolve(session.leafOf(at)),
    entry: (_key, at) => session.row(at, false),
    resolve: (_key, id) => Promise.resolve(index.light.ids.indexOf(id)),
  };
}
