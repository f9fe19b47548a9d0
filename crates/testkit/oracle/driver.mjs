// Answers questions about session files with the code of the real Pi.
//
// Started as `node driver.mjs <entry module of Pi>`. Reads one JSON request per line on standard
// input and writes one JSON answer per line on standard output, in the same order.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

import { attempt } from "./attempt.mjs";
import { requests } from "./requests.mjs";
import { agent, branchSummary, compaction } from "./summaries.mjs";

const entryModule = path.resolve(process.argv[2]);
const pi = await import(pathToFileURL(entryModule).href);
const getCurrentSystemMessage = await findInChunks("getCurrentSystemMessage");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "pitree-oracle-"));
const tools = { pi, entryModule, scratch };

// Above this count the answer leaves out the branch of every entry: it grows with the square.
const MOST_ENTRIES_WITH_BRANCHES = 400;
const UNKNOWN_ID = "deadbeef";

// Some functions are not exported by the entry module, but by one of the chunks it imports.
async function findInChunks(name) {
  const text = fs.readFileSync(entryModule, "utf8");
  for (const [, chunk] of text.matchAll(/(?:from|import)\s*"(\.\/chunks\/[^"]+)"/g)) {
    const file = path.join(path.dirname(entryModule), chunk);
    if (!fs.readFileSync(file, "utf8").includes(name)) continue;
    const found = (await import(pathToFileURL(file).href))[name];
    if (found) return found;
  }
  return null;
}

// ---------------------------------------------------------------------------------------- read

function read(request) {
  const copy = path.join(scratch, "session.jsonl");
  const before = fs.readFileSync(request.path);
  fs.writeFileSync(copy, before);
  const manager = pi.SessionManager.open(copy);
  const after = fs.readFileSync(copy);

  const entries = manager.getEntries();
  const endless = endlessIds(entries);
  const leaf = manager.getLeafId();
  return {
    ok: true,
    header: manager.getHeader(),
    entries,
    leafId: leaf,
    labels: labels(manager, entries),
    name: manager.getSessionName() ?? null,
    branches: branches(manager, entries, endless),
    tree: treeIsEndless(entries) ? null : tree(manager),
    contexts: [
      context(manager, entries, leaf, endless),
      ...(request.at ?? []).map((at) => context(manager, entries, idAt(entries, at), endless)),
    ],
    rewritten: before.equals(after) ? null : after.toString("utf8"),
  };
}

// A place is an id, or the ordinal of an entry where ids are made up anew by each reader.
function idAt(entries, at) {
  return typeof at === "number" ? (entries[at]?.id ?? null) : at;
}

// Pi walks up the parents without a guard, so a chain that never ends must not be asked for.
function endlessIds(entries) {
  const parents = new Map(entries.map((entry) => [entry.id, entry.parentId]));
  const ends = new Map();
  for (const start of parents.keys()) {
    const walked = new Set();
    let id = start;
    while (id && parents.has(id) && !ends.has(id) && !walked.has(id)) {
      walked.add(id);
      id = parents.get(id);
    }
    const verdict = walked.has(id) ? false : (ends.get(id) ?? true);
    for (const passed of walked) ends.set(passed, verdict);
  }
  return new Set([...ends].filter(([, does]) => !does).map(([id]) => id));
}

function labels(manager, entries) {
  const found = [];
  for (const target of new Set(entries.filter((e) => e.type === "label").map((e) => e.targetId))) {
    const label = manager.getLabel(target);
    if (label !== undefined) found.push([String(target), label]);
  }
  return Object.fromEntries(found);
}

function branches(manager, entries, endless) {
  if (entries.length > MOST_ENTRIES_WITH_BRANCHES) return null;
  const found = [];
  for (const { id } of entries) {
    // Without an id, `getBranch` answers for the leaf.
    const asked = id ?? manager.getLeafId();
    const ids = endless.has(asked) ? null : manager.getBranch(id).map((entry) => entry.id ?? null);
    found.push([String(id), ids]);
  }
  return Object.fromEntries(found);
}

// Entries with the same id share one tree node, which may so come to lie below itself.
// Pi sorts the children of such a tree for ever.
function treeIsEndless(entries) {
  const known = new Set(entries.map((entry) => entry.id));
  const children = new Map(entries.map((entry) => [entry.id, []]));
  const roots = [];
  for (const { id, parentId } of entries) {
    const isRoot = parentId === null || parentId === id || !known.has(parentId);
    (isRoot ? roots : children.get(parentId)).push(id);
  }
  const open = new Set();
  const done = new Set();
  const stack = [...roots];
  while (stack.length > 0) {
    const id = stack.at(-1);
    if (open.has(id) || done.has(id)) {
      open.delete(id);
      done.add(stack.pop());
      continue;
    }
    open.add(id);
    for (const child of children.get(id)) {
      if (open.has(child)) return true;
      if (!done.has(child)) stack.push(child);
    }
  }
  return false;
}

function tree(manager) {
  const rows = [];
  const stack = manager.getTree().map((node) => [node, 0]).reverse();
  while (stack.length > 0) {
    const [node, depth] = stack.pop();
    rows.push([node.entry.id ?? null, depth, node.label ?? null, node.labelTimestamp ?? null]);
    for (const child of node.children.toReversed()) stack.push([child, depth + 1]);
  }
  return rows;
}

function context(manager, entries, at, endless) {
  const start = entries.some((entry) => entry.id === at) ? at : entries.at(-1)?.id;
  if (at !== null && endless.has(start)) return { at, endless: true };
  const built = attempt(() => pi.buildSessionContext(entries, at));
  const messages = built?.messages ?? [];
  const ask = (exists, answer) => (exists ? attempt(answer) : null);
  return {
    at,
    context: built,
    llm: ask(pi.convertToLlm, () => pi.convertToLlm(messages)),
    entries: ask(pi.buildContextEntries, () =>
      pi.buildContextEntries(entries, at).map((entry) => entry.id ?? null)),
    system: ask(getCurrentSystemMessage, () => getCurrentSystemMessage(messages)),
    tokens: ask(pi.estimateTokens, () =>
      messages.map((message) => attempt(() => pi.estimateTokens(message)))),
  };
}

// ----------------------------------------------------------------------------------------- run

// What a run has met so far: every entry id with its ordinal, and every file that came to be.
class Run {
  constructor(request) {
    this.dir = request.dir;
    this.cwd = request.cwd;
    this.ids = [];
    this.ordinals = new Map();
    this.files = [];
    this.manager = request.start
      ? pi.SessionManager.open(request.start, request.dir)
      : pi.SessionManager.create(request.cwd, request.dir);
    this.notice();
  }

  notice() {
    for (const { id } of this.manager.getEntries()) {
      if (this.ordinals.has(id)) continue;
      this.ordinals.set(id, this.ids.length);
      this.ids.push(id);
    }
    const file = this.manager.getSessionFile();
    if (file && fs.existsSync(file) && !this.files.includes(file)) this.files.push(file);
  }

  id(ordinal) {
    return ordinal === null || ordinal === undefined ? null : (this.ids[ordinal] ?? UNKNOWN_ID);
  }

  ordinal(id) {
    return this.ordinals.get(id) ?? null;
  }

  step(op) {
    try {
      this.apply(op);
      return { ok: true };
    } catch (error) {
      return { error: this.withOrdinals(String(error?.message ?? error)) };
    } finally {
      this.notice();
    }
  }

  withOrdinals(message) {
    return message.replace(/^Entry (.*?) (?=not found|is not on|does not)/, (whole, id) =>
      this.ordinals.has(id) ? `Entry #${this.ordinals.get(id)} ` : whole);
  }

  apply(op) {
    const m = this.manager;
    switch (op.do) {
      case "message": return m.appendMessage(op.message);
      case "thinking": return m.appendThinkingLevelChange(op.level);
      case "model": return m.appendModelChange(op.provider, op.modelId);
      case "usage": return m.appendUsage(op.kind, op.provider, op.model, op.usage, op.note);
      case "compaction": return m.appendCompaction(
        op.summary, this.id(op.firstKept), op.tokensBefore, op.details, op.fromHook, op.usage);
      case "custom": return m.appendCustomEntry(op.customType, op.data);
      case "customMessage":
        return m.appendCustomMessageEntry(op.customType, op.content, op.display, op.details);
      case "contextEdit": return m.appendContextEdit(this.id(op.target), op.replacement);
      case "label": return m.appendLabelChange(this.id(op.target), op.label);
      case "name": return m.appendSessionInfo(op.name);
      case "branch": return m.branch(this.id(op.target));
      case "resetLeaf": return m.resetLeaf();
      case "branchWithSummary": return m.branchWithSummary(
        this.id(op.target), op.summary, op.details, op.fromHook, op.usage);
      case "createBranched": return m.createBranchedSession(this.id(op.target));
      case "newSession": return m.newSession({ parentSession: op.parentSession });
      case "reopen": return this.replace((file) => pi.SessionManager.open(file, this.dir));
      case "forkFrom":
        return this.replace((file) => pi.SessionManager.forkFrom(file, this.cwd, this.dir), op.path);
      default: throw new Error(`Unknown operation: ${op.do}`);
    }
  }

  // Opening migrates an old file, so one that shall stay as it is, is named by its path.
  replace(open, path) {
    const file = path ?? this.manager.getSessionFile();
    if (file && fs.existsSync(file)) this.manager = open(file);
  }
}

function run(request) {
  const state = new Run(request);
  const results = request.ops.map((op) => state.step(op));
  return {
    ok: true,
    results,
    files: state.files,
    leaf: state.ordinal(state.manager.getLeafId()),
    name: state.manager.getSessionName() ?? null,
  };
}

// ---------------------------------------------------------------------------------------- list

function isoOrNull(date) {
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

// Without `dir` the sessions of the agent folder that the environment names; with `cwd` only those
// of that working directory.
async function list(request) {
  const sessions = request.cwd
    ? await pi.SessionManager.list(request.cwd, request.dir)
    : await pi.SessionManager.listAll(request.dir);
  return {
    ok: true,
    sessions: sessions.map(({ allMessagesText, ...info }) => ({
      ...info,
      created: isoOrNull(info.created),
      modified: isoOrNull(info.modified),
      textLength: allMessagesText.length,
    })),
  };
}

// --------------------------------------------------------------------------- export and import

// `/export FILE.jsonl`, of which only the session manager is needed.
function exportBranch(request) {
  const copy = path.join(scratch, "session.jsonl");
  fs.copyFileSync(request.path, copy);
  const sessionManager = pi.SessionManager.open(copy);
  if (endlessIds(sessionManager.getEntries()).has(sessionManager.getLeafId())) return { ok: true };
  const out = path.join(scratch, "export.jsonl");
  pi.AgentSession.prototype.exportToJsonl.call({ sessionManager }, out);
  return { ok: true, text: fs.readFileSync(out, "utf8") };
}

// `/import FILE` of a Pi whose current session lies in `dir`, without the agent around it.
async function importFile(request) {
  let opened = null;
  await pi.AgentSessionRuntime.prototype.importFromJsonl.call({
    cwd: request.cwd,
    services: { agentDir: request.dir },
    session: { sessionManager: { getSessionDir: () => request.dir } },
    emitBeforeSwitch: async () => ({ cancelled: false }),
    teardownCurrent: async () => {},
    createRuntime: async ({ sessionManager }) => (opened = sessionManager),
    apply: () => {},
    finishSessionReplacement: async () => {},
  }, request.path, request.cwdOverride);
  return { ok: true, path: opened.getSessionFile(), cwd: opened.getCwd() };
}

// --------------------------------------------------------------------------------------- lines

async function answer(line) {
  try {
    const request = JSON.parse(line);
    switch (request.op) {
      case "read": return JSON.stringify(read(request));
      case "run": return JSON.stringify(run(request));
      case "compaction": return JSON.stringify(await compaction(tools, request));
      case "branchSummary": return JSON.stringify(branchSummary(tools, request));
      case "agent": return JSON.stringify(await agent(tools, request));
      case "requests": return JSON.stringify(await requests(tools, request, endlessIds));
      case "list": return JSON.stringify(await list(request));
      case "exportBranch": return JSON.stringify(exportBranch(request));
      case "import": return JSON.stringify(await importFile(request));
      case "quit": return quit();
      default: throw new Error(`Unknown request: ${request.op}`);
    }
  } catch (error) {
    return JSON.stringify({ ok: false, error: String(error?.message ?? error) });
  }
}

function quit() {
  fs.rmSync(scratch, { recursive: true, force: true });
  process.exit(0);
}

// Written synchronously, so that an answer of many megabytes is whole before the next request.
function writeLine(text) {
  const bytes = Buffer.from(`${text}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += fs.writeSync(1, bytes, written);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// Split at line feeds only: the usual line reader also splits at U+2028, which JSON may hold.
let pending = [];
let queue = Promise.resolve();
process.stdin.on("data", (chunk) => {
  let rest = chunk;
  for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
    pending.push(rest.subarray(0, end));
    const line = Buffer.concat(pending).toString("utf8");
    // One after the other, so that the answers keep the order of the requests.
    queue = queue.then(async () => writeLine(await answer(line)));
    pending = [];
    rest = rest.subarray(end + 1);
  }
  if (rest.length > 0) pending.push(rest);
});
process.stdin.on("end", () => queue.then(quit));
