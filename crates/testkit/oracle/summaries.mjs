// What the real Pi would summarise and keep, and what its agent writes when a model answers.

import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

import { attempt } from "./attempt.mjs";

// Some functions are not exported at all. A copy of their chunk, beside it so that its imports are
// found, has one more line that exports them.
async function findInside(entryModule, names) {
  const folder = path.join(path.dirname(entryModule), "chunks");
  const holds = (text) => names.every((name) => text.includes(`function ${name}(`));
  for (const chunk of fs.readdirSync(folder)) {
    if (!chunk.startsWith("chunk-")) continue;
    const text = fs.readFileSync(path.join(folder, chunk), "utf8");
    if (!holds(text)) continue;
    const copy = path.join(folder, `exports-${chunk}`);
    const wanted = `${text}\nexport{${names.join(",")}};\n`;
    if (!fs.existsSync(copy) || fs.readFileSync(copy, "utf8") !== wanted) {
      // Several tests may do this at once, so the copy appears whole.
      const draft = `${copy}.${process.pid}`;
      fs.writeFileSync(draft, wanted);
      fs.renameSync(draft, copy);
    }
    return import(pathToFileURL(copy).href);
  }
  throw new Error(`No chunk holds ${names.join(", ")}`);
}

// ---------------------------------------------------------------------------------- compaction

let inside;

function withLists(preparation) {
  return preparation && { ...preparation, fileOps: setsAsLists(preparation.fileOps) };
}

function setsAsLists({ read, written, edited }) {
  return { read: [...read], written: [...written], edited: [...edited] };
}

function fileLists(fileOps) {
  const lists = inside.computeFileLists(fileOps);
  return [lists, inside.formatFileOperations(lists.readFiles, lists.modifiedFiles)];
}

function conversation(pi, messages) {
  return pi.serializeConversation(pi.convertToLlm(messages));
}

// For each case `{at, settings, start, window}`: what a compaction at that entry would do.
export async function compaction({ pi, entryModule, scratch }, request) {
  inside ??= await findInside(entryModule, [
    "prepareCompaction", "estimateContextTokens", "estimateProjectedContextTokens",
    "computeFileLists", "formatFileOperations",
  ]);
  const manager = openCopy(pi, scratch, request.path);
  return { ok: true, answers: request.cases.map((one) => compactionAt(pi, manager, one)) };
}

function compactionAt(pi, manager, { at, settings, start, window }) {
  const path = manager.getBranch(at);
  const preparation = attempt(() => inside.prepareCompaction(path, settings) ?? null);
  const projection = pi.buildSessionProjection(path);
  const estimate = attempt(() => inside.estimateProjectedContextTokens(projection, path));
  return {
    preparation: preparation?.throws ? preparation : withLists(preparation),
    conversations: attempt(() => preparation && [
      conversation(pi, preparation.messagesToSummarize),
      conversation(pi, preparation.turnPrefixMessages),
    ]),
    files: attempt(() => preparation && fileLists(preparation.fileOps)),
    cut: attempt(() => pi.findCutPoint(path, start, path.length, settings.keepRecentTokens)),
    context: attempt(() => inside.estimateContextTokens(projection.messages)),
    projected: estimate,
    should: attempt(() => pi.shouldCompact(estimate.tokens, window, settings)),
  };
}

// For each case `{from, to, budget}`: what is left behind, and what of it would be summarised.
export function branchSummary({ pi, scratch }, request) {
  const manager = openCopy(pi, scratch, request.path);
  return { ok: true, answers: request.cases.map((one) => branchAt(pi, manager, one)) };
}

function branchAt(pi, manager, { from, to, budget }) {
  const { entries, commonAncestorId } = pi.collectEntriesForBranchSummary(manager, from, to);
  const prepared = attempt(() => pi.prepareBranchEntries(entries, budget));
  return {
    entries: entries.map((entry) => entry.id),
    commonAncestorId,
    prepared: prepared.throws
      ? prepared
      : { ...prepared, fileOps: setsAsLists(prepared.fileOps) },
    conversation: attempt(() => conversation(pi, prepared.messages)),
  };
}

function openCopy(pi, scratch, file) {
  const copy = path.join(scratch, "session.jsonl");
  fs.copyFileSync(file, copy);
  return pi.SessionManager.open(copy);
}

// --------------------------------------------------------------------------------------- agent

// Runs a whole agent on a session file, with a model that answers at `url`: `compact`,
// `navigate` or `prompt`. The answer is what the agent's method gives back.
export async function agent({ pi, scratch }, request) {
  const folder = fs.mkdtempSync(path.join(scratch, "agent-"));
  const { session, dispose } = await startAgent(pi, folder, request);
  try {
    return { ok: true, result: (await act(session, request)) ?? null };
  } finally {
    dispose();
  }
}

function act(session, request) {
  switch (request.do) {
    case "compact": return session.compact(request.instructions);
    case "navigate": return session.navigateTree(request.target, request.options);
    case "prompt": return session.prompt(request.text);
    default: throw new Error(`Unknown act: ${request.do}`);
  }
}

async function startAgent(pi, folder, { path: file, url, settings }) {
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const model = { id: "m1", name: "m1", cost, contextWindow: 100000, maxTokens: 4000 };
  const mock = { baseUrl: url, api: "openai-completions", apiKey: "key", models: [model] };
  const modelsPath = path.join(folder, "models.json");
  fs.writeFileSync(modelsPath, JSON.stringify({ providers: { mock } }));
  const authPath = path.join(folder, "auth.json");
  const modelRuntime = await pi.ModelRuntime.create({ authPath, modelsPath });
  const nothing = {
    getExtensions: () => ({ extensions: [], errors: [], runtime: pi.createExtensionRuntime() }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: () => "Be brief.",
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
  const { session } = await pi.createAgentSession({
    cwd: folder,
    agentDir: folder,
    model: modelRuntime.getModel("mock", "m1"),
    thinkingLevel: "off",
    modelRuntime,
    resourceLoader: nothing,
    tools: [],
    sessionManager: pi.SessionManager.open(file),
    settingsManager: pi.SettingsManager.inMemory({ retry: { enabled: false }, ...settings }),
  });
  return { session, dispose: () => session.dispose() };
}
