// The answers of the mock that are computed over a whole session or store.

import { summary, view } from "./nodes.mjs";
import { randomFrom } from "./random.mjs";
import { lanes, load, marks, passes, pathTo, sessions, treeRows } from "./store.mjs";
import { MODELS } from "./texts.mjs";

function titleOf(session) {
  return session.name ?? session.firstMessage;
}

/** A row of the list. */
function listRow(session, terms) {
  const random = randomFrom(session.seed + 77);
  const parent = session.parentSeed === null ? null : sessions[session.parentSeed];
  return {
    key: session.key, id: session.id, title: titleOf(session), firstMessage: session.firstMessage, name: session.name, cwd: session.cwd,
    project: session.cwd.split("/").at(-1), created: session.created, modified: session.modified, messages: session.size, model: session.model,
    tokens: session.tokens, cost: session.cost, parentKey: parent?.key ?? null, depth: parent ? (parent.parentSeed === null ? 1 : 2) : 0,
    isSubagent: session.isSubagent, isLive: session.isLive, liveMs: session.isLive ? 60_000 : 0, activity: Array.from({ length: 24 }, () => Math.floor(random() ** 3 * 12)), ...match(session, terms),
  };
}

function match(session, terms) {
  if (terms.length === 0) return { why: [], hit: null };
  const text = session.firstMessage;
  const found = [];
  for (const term of terms) {
    const from = text.toLowerCase().indexOf(term);
    if (from >= 0) found.push([from, from + term.length]);
  }
  const entry = load(session).entries.find((each) => each.kind === "user" && terms.some((term) => each.text.toLowerCase().includes(term)));
  const marked = entry ? snippet(entry.text, terms) : { text, marks: found };
  return {
    why: terms.map((term) => ({ term, in: titleOf(session).toLowerCase().includes(term) ? "title" : "user message", whole: true })),
    hit: { id: entry?.id ?? "", line: (entry?.at ?? 0) + 2, role: "user", time: entry?.time ?? null, snippet: marked },
  };
}

function snippet(text, terms) {
  const found = [];
  for (const term of terms) {
    for (let from = text.toLowerCase().indexOf(term); from >= 0 && term; from = text.toLowerCase().indexOf(term, from + term.length)) found.push([from, from + term.length]);
  }
  return { text, marks: found.sort((a, b) => a[0] - b[0]) };
}

export function list(query) {
  const terms = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let found = sessions.filter((session) => !session.isGone && terms.every((term) => `${titleOf(session)} ${session.firstMessage} ${session.cwd}`.toLowerCase().includes(term)));
  if (query.get("project")) found = found.filter((session) => session.cwd === query.get("project"));
  if (query.get("in")) {
    const [by, ...rest] = query.get("in").split(":");
    found = found.filter((session) => inTime(session, query) && groupOf(by, session) === rest.join(":"));
  }
  const sort = { cost: (s) => s.cost, tokens: (s) => s.tokens, messages: (s) => s.size }[query.get("sort")] ?? ((s) => s.modified);
  found.sort((a, b) => sort(b) - sort(a));
  const offset = Number(query.get("offset") ?? 0);
  const rows = found.slice(offset, offset + Number(query.get("limit") ?? 100));
  return { total: found.length, offset, isGuess: false, canEdit: true, words: terms, rows: rows.map((session) => listRow(session, terms)) };
}

export function projects() {
  const counts = new Map();
  for (const { cwd, isGone } of sessions) if (!isGone) counts.set(cwd, (counts.get(cwd) ?? 0) + 1);
  return { projects: [...counts].sort((a, b) => b[1] - a[1]).map(([cwd, count]) => ({ cwd, name: cwd, sessions: count })) };
}

export function facts(session) {
  load(session);
  return {
    key: session.key, id: session.id, title: titleOf(session), name: session.name, cwd: session.cwd, path: `~/.pi/agent/sessions/${session.id}.jsonl`,
    created: session.created, modified: session.modified, version: 3, entries: session.entries.length, leaf: session.leaf, isLive: session.isLive, liveMs: session.isLive ? 60_000 : 0,
    parentKey: session.parentSeed === null ? null : sessions[session.parentSeed].key,
    family: familyOf(session), problems: session.problems ?? [],
    facts: [["Directory", session.cwd], ["Model", session.model], ["Entries", String(session.entries.length)]],
    lanes: lanes(session).slice(0, 200), laneCount: lanes(session).length, cost: session.cost, tokens: session.tokens, canEdit: true,
  };
}

function familyOf(session) {
  const root = session.parentSeed === null ? session : sessions[session.parentSeed];
  const family = sessions.filter((other) => !other.isGone).filter((other) => other === root || other.parentSeed === root.seed || (other.parentSeed !== null && sessions[other.parentSeed].parentSeed === root.seed));
  return family.map((other) => ({ key: other.key, title: titleOf(other), parentKey: other.parentSeed === null ? null : sessions[other.parentSeed].key, at: other.parentAt, isSelf: other === session, subagentOf: other.isSubagent ? sessions[other.parentSeed].key : null }));
}

export function family(session) {
  const members = familyOf(session);
  return { total: members.length, members };
}

export function laneList(session, query) {
  const all = lanes(load(session));
  const from = Number(query.get("from") ?? 0);
  return { total: all.length, from, lanes: all.slice(from, from + Math.min(200, Number(query.get("count") ?? 200))) };
}

/** What would go with a session. */
export function deletion(session) {
  const forks = sessions.filter((other) => other.parentSeed === session.seed).map((other) => ({ key: other.key, title: titleOf(other) }));
  return { title: titleOf(session), forkCount: forks.length, forks, records: 0, refused: session.isLive ? "The session is in use: it changed within the last minute" : null };
}

function filtered(session, query) {
  load(session);
  const leaf = query.has("leaf") ? Number(query.get("leaf")) : session.leaf;
  const filter = query.get("filter") ?? "default";
  const name = `${leaf} ${filter} ${session.entries.length}`;
  if (session.filteredAs !== name) {
    session.filteredAs = name;
    session.filtered = pathTo(session, leaf).filter((at) => passes(session.entries[at], filter));
  }
  return { leaf, ats: session.filtered };
}

export function path(session, query) {
  const { leaf, ats } = filtered(session, query);
  const runs = [];
  for (const at of ats) {
    const run = runs.at(-1);
    if (run && run[0] + run[1] === at) run[1] += 1;
    else runs.push([at, 1]);
  }
  return { leaf, total: ats.length, runs };
}

export function rows(session, query) {
  const { leaf, ats } = filtered(session, query);
  const from = Number(query.get("from") ?? 0);
  const part = ats.slice(from, from + Math.min(200, Number(query.get("count") ?? 200)));
  return { from, total: ats.length, leaf, rows: part.map((at) => view(session.entries[at], query.get("brief") === "1")) };
}

/** Where the entry with an id or a place is; null if there is none. */
export function locate(session, query) {
  const entry = load(session).entries.find((each) => (query.has("at") ? each.at === Number(query.get("at")) : each.id === query.get("id")));
  if (!entry) return null;
  let leaf = entry.at;
  if (pathTo(session, session.leaf).includes(leaf)) return { at: entry.at, leaf: session.leaf };
  for (let below = session.children.get(leaf); below; below = session.children.get(leaf)) leaf = below.at(-1);
  return { at: entry.at, leaf };
}

/** An entry with nothing cut off. */
export function entry(session, at) {
  const found = load(session).entries[at];
  return view(found.cut ? { ...found, cut: 0 } : found, false);
}

export function markList(session) {
  return { marks: marks(load(session)) };
}

export function tree(session, query) {
  const all = treeRows(load(session), query.get("filter") ?? "default");
  const count = Number(query.get("count") ?? 200);
  let from = Number(query.get("from") ?? 0);
  if (query.has("at")) from = Math.max(0, all.findIndex((row) => row.at === Number(query.get("at"))) - Math.floor(count / 2));
  return { total: all.length, from, rows: all.slice(from, from + count) };
}

export function find(session, query) {
  const wanted = (query.get("q") ?? "").toLowerCase();
  const hits = load(session).entries.filter((entry) => wanted && (entry.text ?? "").toLowerCase().includes(wanted));
  const shown = hits.slice(0, 2000);
  return { total: shown.length, isAll: shown.length === hits.length, words: wanted ? [wanted] : [], hits: shown.map((entry) => ({ at: entry.at, snippet: snippet(summary(entry), [wanted]) })) };
}

export function context(session, query = new URLSearchParams()) {
  load(session);
  const leaf = query.has("at") ? Number(query.get("at")) : session.leaf;
  const random = randomFrom(session.seed);
  let parts = { system: 3200, user: 0, assistant: 0, tools: 0, summary: 0 };
  const turns = [];
  let replies = 0;
  for (const at of pathTo(session, leaf)) {
    const entry = session.entries[at];
    const note = (compaction) => {
      const rounded = Object.fromEntries(Object.entries(parts).map(([name, tokens]) => [name, Math.round(tokens) % 190_000]));
      turns.push({ at, reply: replies, total: Object.values(rounded).reduce((sum, tokens) => sum + tokens, 0), parts: rounded, compaction });
    };
    if (entry.kind === "compaction") {
      parts = { system: 3200, user: 300, assistant: 900, tools: 1200, summary: 1400 };
      note(true);
    }
    if (entry.kind === "user") parts = { ...parts, user: parts.user + 60 + random() * 200 };
    if (entry.kind === "toolResult") parts = { ...parts, tools: parts.tools + random() * 2600 };
    if (entry.kind === "assistant") {
      parts = { ...parts, assistant: parts.assistant + 80 + random() * 400 };
      replies += 1;
      note(false);
    }
  }
  const last = turns.at(-1);
  const largest = session.entries.filter((entry) => entry.kind === "toolResult" && entry.at <= leaf).slice(0, 200).map((entry) => ({ at: entry.at, what: `${entry.tool}: ${summary(entry)}`, tokens: 200 + entry.text.length * 7 })).sort((a, b) => b.tokens - a.tokens).slice(0, 20);
  return { leaf, total: last?.total ?? 0, window: 200_000, parts: Object.entries(last?.parts ?? {}).map(([name, tokens]) => ({ name, tokens })), turns, replies, compactions: turns.filter(({ compaction }) => compaction).length, largest };
}

export function request(session, query) {
  load(session);
  const at = Number(query.get("at"));
  const total = pathTo(session, at).length - 1;
  const first = query.has("from") ? Number(query.get("from")) : Math.max(0, total - 7);
  const before = pathTo(session, at).slice(0, -1).filter((each) => session.entries[each].kind === "assistant").at(-1) ?? null;
  const messages = pathTo(session, at).slice(first, Math.min(first + 400, total)).map((each) => ({ role: session.entries[each].kind, content: summary(session.entries[each]) }));
  return {
    at, model: session.model, total, from: first, shown: messages.length, shared: Math.max(0, total - 2), body: [["pre", JSON.stringify({ model: session.model, max_tokens: 8192, system: [{ type: "text", text: "You are a coding agent." }], messages }, null, 2)]], previous: before,
    difference: [["pre", { c: "output" }, ["code", ["span", { c: "diff-hunk" }, "@@ messages @@\n"], "   { role: user }\n", ["span", { c: "diff-add" }, "+  { role: assistant }\n"], ["span", { c: "diff-del" }, "-  cache_control: ephemeral\n"]]]],
    cacheBreak: before === null ? null : {
      message: 2, path: "messages[2].content", what: "Message 2 (tool) changed", cause: "context edit",
      body: [["pre", "def load(): return ", ["span", { c: "diff-del" }, "{}"], ["span", { c: "diff-add" }, "None"]]],
    },
  };
}

const BY = {
  day: (s) => new Date(s.modified).toISOString().slice(0, 10), week: (s) => new Date(s.modified - ((new Date(s.modified).getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10),
  model: (s) => s.model, project: (s) => s.cwd, role: (s) => (s.seed % 5 === 0 ? "mayor" : s.seed % 3 === 0 ? "polecat" : null), family: (s) => (s.parentSeed === null ? s.id : sessions[s.parentSeed].id),
};

const groupOf = (by, session) => (by === "family" ? (session.parentSeed === null ? session : sessions[session.parentSeed]).key : (BY[by]?.(session) ?? ""));

/** The mock knows only dates. */
function inTime(session, query) {
  const day = new Date(session.modified).toISOString().slice(0, 10);
  return (!query.get("since") || day >= query.get("since")) && (!query.get("until") || day <= query.get("until"));
}

export function spend(query) {
  for (const name of ["since", "until"]) if (query.get(name) && !/^\d{4}-\d\d-\d\d$/.test(query.get(name))) return { error: `${name} ${query.get(name)} is not a time; give a date`, status: 400 };
  const by = Object.hasOwn(BY, query.get("by") ?? "") ? query.get("by") : "day";
  const groups = new Map();
  const sum = (list) => ({ count: list.length * 9, cost: list.reduce((all, s) => all + s.cost, 0), tokens: { input: list.length * 900, output: list.length * 300, cacheRead: list.length * 9000, cacheWrite: list.length * 200, total: list.reduce((all, s) => all + s.tokens, 0) }, unknownCosts: 0 });
  const shown = sessions.filter((session) => !session.isGone && inTime(session, query));
  for (const session of shown) {
    const key = BY[by](session);
    groups.set(key, [...(groups.get(key) ?? []), session]);
  }
  const rows = [...groups].map(([key, list]) => ({ key, ...sum(list), group: groupOf(by, list[0]), sessionCount: list.length, ...(by === "family" ? { path: titleOf(list[0]) } : {}) }));
  rows.sort((a, b) => (by === "day" || by === "week" ? (a.key < b.key ? -1 : 1) : b.cost - a.cost));
  return { by, total: sum(shown), rows, identity: "", checked: true, unreadable: [] };
}

export function stats() {
  const random = randomFrom(4);
  const counted = (n) => ({ calls: 4000 >> n, errors: 90 >> n, errorPercent: 2.2 });
  return {
    totals: { sessions: 300, projects: 8, activeDays: 121, first: "2025-11-02T08:00:00Z", last: "2026-05-20T14:30:00Z", messages: { total: 41_220, user: 4100, assistant: 19_000, toolResult: 18_000, bashExecution: 40, custom: 20, other: 60 }, replies: 19_000, failedReplies: 132 },
    tools: ["bash", "read", "edit", "write", "grep", "find"].map((name, n) => ({ name, ...counted(n) })),
    files: ["src/main.rs", "README.md", "src/cache.rs"].map((file, n) => ({ path: file, project: "/home/dana/code/weather-cli", reads: 210 >> n, edits: 80 >> n, writes: 4 >> n })),
    commands: ["cargo", "git", "rg", "npm"].map((command, n) => ({ command, runs: 900 >> n, userRuns: 3, errors: 40 >> n, errorPercent: 4.4 })),
    models: MODELS.map((model, n) => ({ model, replies: 9000 >> n, percent: 48 >> n })),
    hours: Array.from({ length: 24 }, (_, n) => Math.round(300 * Math.exp(-((n - 15) ** 2) / 30) + random() * 30)), weekdays: [900, 1100, 1000, 950, 700, 120, 200],
    habits: { branchedSessions: 41, branchPoints: 77, forkedSessions: 18, forks: 23, compactions: 66, branchSummaries: 19, labels: 48, subagentRuns: 31 },
    others: { tools: { names: 2, ...counted(8) }, files: { names: 210, reads: 5, edits: 3, writes: 1 }, commands: { names: 6, runs: 9, userRuns: 0, errors: 0, errorPercent: 0 }, models: { names: 0, replies: 0, percent: 0 } }, unreadable: [],
  };
}

