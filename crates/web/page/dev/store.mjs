// The invented store: 300 sessions, made when they are first asked for.

import { add, hostile, long, manyTries, showcase, turn } from "./entries.mjs";
import { summary } from "./nodes.mjs";
import { hex, pick, randomFrom } from "./random.mjs";
import { ASKS, HOSTILE, MODELS, PROJECTS } from "./texts.mjs";

const NOW = Date.UTC(2026, 4, 20, 14, 30);
const DAY = 86_400_000;
export const COUNT = 300;

function describe(seed) {
  const random = randomFrom(seed + 1);
  const modified = NOW - Math.floor(random() * random() * 200 * DAY) - seed * 60_000;
  const session = {
    seed, key: hex(seed, 16), id: `019e${hex(seed + 900, 4)}-${hex(seed, 4)}-7000-8000-${hex(seed + 5, 12)}`, name: null,
    cwd: pick(random, PROJECTS), model: pick(random, MODELS), created: modified - Math.floor(random() * 5 * 3_600_000) - 600_000, modified,
    firstMessage: pick(random, ASKS), parentSeed: null, parentAt: null, isSubagent: false, isLive: false,
    cost: Math.round(random() * random() * 900) / 100, tokens: Math.floor(random() * 400_000), entries: [], leaf: null, size: 10 + Math.floor(random() * 90),
  };
  if (seed === 0) Object.assign(session, { name: "Five days of weather", cwd: PROJECTS[0], created: NOW - 7_200_000, modified: NOW, isLive: true });
  if (seed === 1) Object.assign(session, { name: "A very long session", size: 100_000, modified: NOW - 3_600_000, cost: 431.27 });
  if (seed === 2) Object.assign(session, { name: HOSTILE[0], firstMessage: HOSTILE[1], cwd: `/home/${HOSTILE[7]}`, model: HOSTILE[2], modified: NOW - 5_400_000 });
  if (seed >= 3 && seed <= 5) Object.assign(session, { parentSeed: 0, parentAt: 12 + seed * 3, cwd: PROJECTS[0], modified: NOW - seed * 3_600_000, name: ["Forecast as JSON", "Try SQLite after all", null][seed - 3] });
  if (seed === 6) Object.assign(session, { parentSeed: 0, isSubagent: true, cwd: PROJECTS[0], name: "Read the upgrade notes", modified: NOW - 1_800_000 });
  if (seed === 7) Object.assign(session, { parentSeed: 3, parentAt: 8, cwd: PROJECTS[0], modified: NOW - 20_000_000 });
  if (seed === 8) Object.assign(session, { name: "Many tries", size: 30, modified: NOW - 5_500_000 });
  if (seed > 20 && seed % 17 === 0) session.parentSeed = seed - 3;
  return session;
}

export const sessions = Array.from({ length: COUNT }, (_, seed) => describe(seed));
export const byKey = new Map(sessions.map((session) => [session.key, session]));

/** Makes the entries of a session, once. */
export function load(session) {
  if (session.leaf !== null) return session;
  if (session.seed === 0) {
    session.leaf = showcase(session).leaf;
    sessions[6].parentAt = session.entries.find((entry) => entry.kind === "subagent").at;
  } else if (session.seed === 8) session.leaf = manyTries(session);
  else session.leaf = session.seed === 2 ? hostile(session) : long(session, session.size);
  index(session);
  return session;
}

function index(session) {
  session.children = new Map();
  for (const entry of session.entries) {
    if (!session.children.has(entry.parent)) session.children.set(entry.parent, []);
    session.children.get(entry.parent).push(entry.at);
  }
}

/** Takes a session out of the list, with its forks if that is wanted. */
export function remove(session, withForks) {
  const gone = [session, ...(withForks ? sessions.filter((other) => other.parentSeed === session.seed) : [])];
  for (const each of gone) {
    byKey.delete(each.key);
    // Seeds are places in the list.
    each.isGone = true;
  }
  return { sessions: gone.length, records: 0, canRestore: true };
}

/** Adds a turn, as if an agent were working in the session. */
export function grow(session) {
  load(session);
  const before = session.entries.length;
  session.leaf = turn(session, session.leaf, randomFrom(session.entries.length), "One more thing: print the time zone, too.");
  session.modified += 60_000;
  session.size += session.entries.length - before;
  index(session);
}

/** Adds a single entry below the leaf. */
export function append(session, entry) {
  load(session);
  session.leaf = add(session, session.leaf, entry);
  index(session);
}

export function pathTo(session, leaf) {
  const path = [];
  for (let at = leaf; at !== null; at = session.entries[at].parent) path.push(at);
  return path.reverse();
}

const TOOLS = new Set(["toolResult", "bash"]);
const QUIET = new Set(["model", "label", "thinkingLevel", "custom"]);

export function passes(entry, filter) {
  switch (filter) {
    case "user": return entry.kind === "user";
    case "labeled": return entry.label !== null;
    case "no-tools": return !TOOLS.has(entry.kind) && !QUIET.has(entry.kind);
    case "all": return true;
    default: return !QUIET.has(entry.kind);
  }
}

/** The ends of the tree, the active one first, each with the first entry that is its own. */
export function lanes(session) {
  if (session.lanesOf === session.entries.length) return session.lanes;
  const ends = session.entries.filter((entry) => !session.children.has(entry.at)).map((entry) => entry.at);
  ends.sort((a, b) => (b === session.leaf) - (a === session.leaf) || b - a);
  session.lanes = ends.map((leaf, lane) => {
    const path = pathTo(session, leaf);
    const fork = path.findLastIndex((at) => at !== leaf && session.children.get(at).length > 1);
    const own = path.slice(fork + 1);
    const first = session.entries[own.find((at) => session.entries[at].kind === "user") ?? own[0]];
    const after = lane === 0 ? null : session.entries.find((entry) => entry.kind === "branchSummary" && entry.parent === session.entries[own[0]].parent);
    return { leaf, isActive: lane === 0, from: own[0], length: path.length, title: summary(first), summary: after?.text ?? null, lastTime: session.entries[leaf].time };
  });
  session.lanesOf = session.entries.length;
  return session.lanes;
}

/** What the minimap shows. */
export function marks(session) {
  const found = [];
  for (const entry of session.entries) {
    const mark = (kind, text) => found.push({ at: entry.at, kind, text });
    if (entry.kind === "user") mark("user", summary(entry));
    if (entry.isError) mark("error", summary(entry));
    if (entry.label !== null) mark("label", entry.label);
    if (entry.kind === "compaction") mark("compaction", summary(entry));
    if ((session.children.get(entry.at)?.length ?? 0) > 1) mark("branch", "Branches here");
  }
  return found;
}

/** The tree in drawing order: the branch with the leaf first, depth only where it branches. */
export function treeRows(session, filter) {
  const name = `${filter} ${session.entries.length} ${session.leaf}`;
  if (session.treeAs !== name) Object.assign(session, { treeAs: name, treeIs: walkTree(session, filter) });
  return session.treeIs;
}

function walkTree(session, filter) {
  const onPath = new Set(pathTo(session, session.leaf));
  const rows = [];
  const begun = new Set();
  const open = [...(session.children.get(null) ?? [])].reverse().map((at) => [at, 0, at]);
  while (open.length > 0) {
    const [at, depth, branch] = open.pop();
    const entry = session.entries[at];
    const children = [...(session.children.get(at) ?? [])].sort((a, b) => onPath.has(b) - onPath.has(a) || a - b);
    if (passes(entry, filter)) {
      rows.push({ at, id: entry.id, depth, begins: !begun.has(branch), kind: entry.kind === "user" || entry.kind === "assistant" || entry.kind === "toolResult" ? "message" : entry.kind, role: ["user", "assistant", "toolResult"].includes(entry.kind) ? entry.kind : null, text: summary(entry), label: entry.label, active: onPath.has(at), isLeaf: at === session.leaf, isError: Boolean(entry.isError), children: children.length });
      begun.add(branch);
    }
    for (const child of children.reverse()) open.push([child, depth + (children.length > 1 ? 1 : 0), children.length > 1 ? child : branch]);
  }
  return rows;
}
