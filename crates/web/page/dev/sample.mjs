// Writes invented sessions as Pi would have left them, for the pictures of the documentation.

import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { chart } from "./drawing.mjs";
import { hex, pick, randomFrom } from "./random.mjs";
import { CALLS, FILES, FOLLOW_UPS, FORECAST, REPLIES, SECTIONS, SOURCE, STORIES, TESTS_FAILED, TESTS_PASSED, THOUGHTS, TOOLS } from "./stories.mjs";

const DAY = 86_400_000;
const MINUTE = 60_000;
const CWD = "/home/dana/code/weather-cli";
const MODEL = "claude-opus-4-5";
const PRICES = { "claude-haiku-4-5": [1, 5], "claude-sonnet-4-5": [3, 15], "claude-opus-4-5": [5, 25], "claude-opus-4-6": [5, 25], "gpt-5.1-codex": [1.25, 10] };
const DIFF = { diff: "  3 /// Prints the forecast.\n  4 pub fn show(days: &[Day]) {\n- 5     println!(\"{}\", days[0]);\n+ 5     for day in days {\n+ 6         println!(\"{day}\");\n+ 7     }\n  8 }", firstChangedLine: 5 };
const UTC = { diff: " 30     fn made_today(&self) -> bool {\n-31         self.made.date() == Local::now().date()\n+31         self.made.date() == Utc::now().date()\n 32     }", firstChangedLine: 31 };

const sum = (numbers) => Object.values(numbers).reduce((a, b) => a + b, 0);

/** One session, built as Pi builds it: each entry is the child of the leaf, and becomes the leaf. */
class Session {
  constructor(number, begun, cwd, model) {
    this.random = randomFrom(number + 41);
    Object.assign(this, { number, time: begun, cwd, model, leaf: null, context: 0, lines: [] });
    this.id = `019e${hex(number + 900, 4)}-${hex(number, 4)}-7000-8000-${hex(number + 5, 12)}`;
    this.file = `--${cwd.slice(1).replaceAll("/", "-")}--/${this.iso().replace(/[:.]/g, "-")}_${this.id}.jsonl`;
    this.lines.push({ type: "session", version: 3, id: this.id, timestamp: this.iso(), cwd });
  }

  iso() {
    return new Date(this.time).toISOString();
  }

  add(type, members) {
    this.time += 15_000 + Math.floor(this.random() * 45_000);
    const id = hex(this.number * 7919 + this.lines.length, 8);
    this.lines.push({ type, id, parentId: this.leaf, timestamp: this.iso(), ...members });
    this.leaf = id;
    return id;
  }

  /** All that is added fills the context, at four characters a token. */
  message(message) {
    this.context += JSON.stringify({ ...message, content: withoutImages(message.content), details: undefined, usage: undefined }).length / 4;
    return this.add("message", { message: { ...message, timestamp: this.time } });
  }

  /** What stands before the first message of every session. */
  begin(thinkingLevel = "medium") {
    this.message(this.system());
    this.add("model_change", { provider: this.provider(), modelId: this.model });
    this.add("thinking_level_change", { thinkingLevel });
    return this;
  }

  system() {
    return { role: "system", content: "", sections: { ...SECTIONS, cwd: `Current working directory: ${this.cwd}` }, toolsAdded: TOOLS, timestamp: this.time };
  }

  provider() {
    return this.model.startsWith("gpt") ? "openai" : "anthropic";
  }

  user(text, image) {
    return this.message({ role: "user", content: [{ type: "text", text }, ...(image ? [{ type: "image", data: image, mimeType: "image/png" }] : [])] });
  }

  reply(content, stopReason = "stop") {
    const [input, output] = PRICES[this.model];
    const tokens = { input: 12, output: 60 + Math.floor(JSON.stringify(content).length / 4), cacheRead: Math.floor(this.context * 0.96), cacheWrite: Math.ceil(this.context * 0.04) };
    const cost = { input: (tokens.input * input) / 1e6, output: (tokens.output * output) / 1e6, cacheRead: (tokens.cacheRead * input) / 1e7, cacheWrite: (tokens.cacheWrite * input * 1.25) / 1e6 };
    const api = this.provider() === "openai" ? "openai-responses" : "anthropic-messages";
    const usage = { ...tokens, totalTokens: sum(tokens), cost: { ...cost, total: sum(cost) } };
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return this.message({ role: "assistant", content: blocks, api, provider: this.provider(), model: this.model, usage, stopReason });
  }

  /** A reply that calls tools, and their results: name, arguments, text, whether it failed, details. */
  work(thinking, text, calls) {
    const made = calls.map(([name, args, output, isError = false, details], at) => ({ id: `toolu_${this.number}_${this.lines.length}_${at}`, name, args, output, isError, details }));
    const content = [...(thinking ? [{ type: "thinking", thinking }] : []), { type: "text", text }];
    this.reply([...content, ...made.map(({ id, name, args }) => ({ type: "toolCall", id, name, arguments: args }))], "toolUse");
    for (const { id, name, output, isError, details } of made) {
      this.message({ role: "toolResult", toolCallId: id, toolName: name, content: [{ type: "text", text: output }], ...(details ? { details } : {}), isError });
    }
  }

  turn(text) {
    const { random } = this;
    this.user(text);
    const calls = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(random, CALLS));
    this.work(random() < 0.5 ? pick(random, THOUGHTS) : null, "I'll look at the code first.", [...calls, ["read", { path: pick(random, FILES) }, longSource(random, 40 + Math.floor(random() * 200))]]);
    this.reply(pick(random, REPLIES));
  }

  name(name) {
    this.add("session_info", { name });
  }

  label(targetId, label) {
    this.add("label", { targetId, label });
  }

  /** Goes back to an entry, as `/tree` does, with a summary of what is left behind if there is one. */
  goTo(target, summary) {
    const fromId = this.leaf;
    this.leaf = target;
    if (summary) this.add("branch_summary", { fromId, summary, details: { readFiles: ["src/forecast.rs"], modifiedFiles: ["src/store.rs"] }, usage: this.summaryUsage() });
  }

  /** What a summary of the context costs. */
  summaryUsage() {
    const [input, output] = PRICES[this.model];
    const tokens = { input: Math.floor(this.context), output: 210, cacheRead: 0, cacheWrite: 0 };
    const cost = { input: (tokens.input * input) / 1e6, output: (tokens.output * output) / 1e6, cacheRead: 0, cacheWrite: 0 };
    return { ...tokens, totalTokens: sum(tokens), cost: { ...cost, total: sum(cost) } };
  }

  /** The path to an entry, as a session of its own. */
  fork(number, begun, target, home) {
    const copy = new Session(number, begun, this.cwd, this.model);
    copy.lines[0].parentSession = place(home, this);
    const ids = new Map(this.lines.slice(1).map((line) => [line.id, line]));
    const path = [];
    for (let line = ids.get(target); line; line = ids.get(line.parentId)) path.unshift(line);
    copy.lines.push(...path.filter(({ type }) => type !== "session_info"));
    let parentId = null;
    copy.lines = copy.lines.map((line) => {
      if (line.type === "session") return line;
      const linked = { ...line, parentId };
      parentId = line.id;
      return linked;
    });
    copy.leaf = parentId;
    return copy;
  }
}

const withoutImages = (content) => (Array.isArray(content) ? content.filter(({ type }) => type !== "image") : content);
const place = (home, session) => `${home}/.pi/agent/sessions/${session.file}`;

/** A file of code with so many functions. */
function longSource(random, functions) {
  const words = ["day", "station", "wind", "cache", "row", "zone", "hour", "cloud"];
  return Array.from({ length: functions }, () => {
    const [a, b] = [pick(random, words), pick(random, words)];
    return `pub fn ${a}_of_${b}(${b}: &[${b[0].toUpperCase()}${b.slice(1)}]) -> Option<usize> {\n    let first = ${b}.iter().position(|each| each.is_${a}())?;\n    (first < ${Math.floor(random() * 90) + 10}).then_some(first)\n}\n`;
  }).join("\n");
}

/** The two sub-agents, each with a session of its own. */
function agents(begun) {
  const scout = new Session(101, begun, CWD, "claude-haiku-4-5").begin("off");
  scout.user("Find every place that asks the network, with file and line.");
  scout.work(null, "I'll search for requests.", [["bash", { command: "rg -n 'get\\(' src" }, "src/forecast.rs:21:    let answer = client.get(url)?;\nsrc/alerts.rs:14:    let answer = client.get(url)?;"]]);
  scout.reply("Two places:\n\n1. `src/forecast.rs:21`\n2. `src/alerts.rs:14`, which the cache does not cover");
  const reviewer = new Session(102, begun + MINUTE, CWD, "claude-sonnet-4-5").begin("low");
  reviewer.user("Review src/cache.rs: what can go wrong when two commands run at once?");
  reviewer.work("Two writers, one file.", "I'll read the cache.", [["read", { path: "src/cache.rs" }, SOURCE]]);
  reviewer.reply("Two writers can interleave. Write to a temporary file and rename it; readers then see the old answers or the new ones, never half of them.");
  return [scout, reviewer];
}

function delegation(session, home) {
  const runs = agents(session.time);
  const tasks = [["scout", runs[0]], ["reviewer", runs[1]]].map(([agent, run]) => ({ agent, run, task: run.lines.find((line) => line.message?.role === "user").message.content[0].text }));
  const results = tasks.map(({ agent, run, task }) => {
    const usages = run.lines.filter((line) => line.message?.usage).map((line) => line.message.usage);
    const total = (name) => usages.reduce((all, usage) => all + usage[name], 0);
    const usage = { input: total("input"), output: total("output"), cacheRead: total("cacheRead"), cacheWrite: total("cacheWrite"), cost: usages.reduce((all, { cost }) => all + cost.total, 0), turns: usages.length };
    return { agent, task, exitCode: 0, model: run.model, usage, progressSummary: { toolCount: 1, tokens: usage.input + usage.output, durationMs: 41_000 }, sessionFile: place(home, run) };
  });
  session.user("Before I merge this: let a scout find all network calls and a reviewer look at the cache.");
  session.work(null, "I'll send both out at once.", [["subagent", { tasks: tasks.map(({ agent, task }) => ({ agent, task })) }, "scout: two calls, one is not cached (src/alerts.rs:14).\nreviewer: two writers can interleave; write to a temporary file and rename it.", false, { mode: "parallel", results }]]);
  const at = session.lines.length - 2;
  session.reply("Both found something:\n\n- **scout:** `src/alerts.rs:14` asks the network each time. It should use the cache, too.\n- **reviewer:** two commands at once can tear the file. A temporary file and a rename solve that.");
  return { runs, at };
}

/** The first half of the session of the pictures: a change, an abandoned branch, and a better idea. */
function caching(session) {
  session.user("The forecast command shows only today. Show five days.");
  session.work("The command prints one day. Find where, then print all of them.", "I'll look at the command first.", [
    ["read", { path: "src/forecast.rs" }, FORECAST], ["bash", { command: "rg -n 'days\\[0\\]' src" }, "src/forecast.rs:5:    println!(\"{}\", days[0]);"],
  ]);
  session.name("Five days of weather");
  session.work(null, "One place prints it.", [["edit", { path: "src/forecast.rs", edits: [{ oldText: "    println!(\"{}\", days[0]);", newText: "    for day in days {\n        println!(\"{day}\");\n    }" }] }, "Replaced 1 block in src/forecast.rs.", false, DIFF]]);
  const five = session.reply("The command now shows five days, one line a day.\n\n| day | high | low | wind |\n|---|---:|---:|---|\n| Mon | 14° | 6° | light |\n| Tue | 12° | 5° | strong |\n| Wed | 15° | 7° | light |");
  session.label(five, "five days work");
  const begun = session.lines.length - 1;
  session.user("Each call takes two seconds. Cache the answers in SQLite.");
  session.work("A database for one answer is a lot, but it was asked for.", "I'll add the database.", [["write", { path: "src/store.rs", content: `${SOURCE}\n${SOURCE}` }, "Wrote 632 bytes to src/store.rs."], ["bash", { command: "cargo test" }, TESTS_FAILED, true]]);
  session.reply("Done: a SQLite cache of 140 lines. Old databases need a migration.");
  session.user("A migration, for a cache? Explain.");
  session.reply("The table has a version. When a column is added, old files must be altered.");
  session.goTo(five, "A SQLite cache needed 140 lines and a migration. Too much for a cache.");
  session.user("Keep the cache in one JSON file, good for **ten minutes**.");
  session.work("One file, one time stamp.", "Much smaller:", [["write", { path: "src/cache.rs", content: SOURCE }, "Wrote 316 bytes to src/cache.rs."]]);
  const fast = session.reply("The cache is one JSON file, 22 lines. A second call takes 40 ms:\n\n```rust\nlet cache = Cache::open(path)?;\nif cache.is_fresh(made) {\n    return Ok(cache.days()); // no network\n}\n```");
  session.label(fast, "fast enough");
  return { five, fast, begun };
}

/** The second half: tests, sub-agents, an image, a compaction. */
function testing(session, home) {
  session.user("Write tests for the cache, and cover what happens at midnight UTC.");
  session.work(null, "Four tests, then I run them.", [["write", { path: "tests/cache.rs", content: SOURCE }, "Wrote 316 bytes to tests/cache.rs."], ["bash", { command: "cargo test" }, TESTS_FAILED, true]]);
  const at = session.lines.length - 4;
  session.work("Local time against UTC.", "One failed: it mixed UTC and local time.", [["edit", { path: "src/cache.rs", edits: [{ oldText: "Local::now()", newText: "Utc::now()" }] }, "Replaced 1 block in src/cache.rs.", false, UTC], ["bash", { command: "cargo test" }, TESTS_PASSED]]);
  const tested = session.reply("Fixed, all four pass. The cache compared a local date with a UTC date, so it was stale for an hour around midnight.");
  session.user("What would it take to make this async?");
  session.reply("An executor for one request a minute. I would leave it.");
  session.goTo(tested);
  const sent = delegation(session, home);
  session.user("Draw the five days as bars. This is what I have in mind:", chart());
  session.work(null, "Bars from the low to the high, colored by temperature.", [["read", { path: "src/draw.rs" }, longSource(session.random, 160)], ["edit", { path: "src/draw.rs", edits: [{ oldText: "todo", newText: "bars" }] }, "Replaced 1 block in src/draw.rs.", false, DIFF]]);
  session.reply("`weather --bars` draws them in the terminal, 24 columns wide.");
  for (let turn = 0; turn < 14; turn += 1) session.turn(FOLLOW_UPS[turn % FOLLOW_UPS.length]);
  const kept = session.user("Is the README still right?");
  session.work(null, "I'll compare it with `--help`.", [["read", { path: "README.md" }, longSource(session.random, 60)]]);
  session.reply("It is missing `--bars`. I added it.");
  session.add("compaction", { summary: "## Goal\nShow five days of weather, fast and offline.\n\n## Done\n- five days, one line a day\n- one JSON file as a cache, good for ten minutes\n- tests cover midnight UTC\n- `--bars`", firstKeptEntryId: kept, tokensBefore: Math.floor(session.context), details: { readFiles: ["README.md"], modifiedFiles: ["src/cache.rs", "src/draw.rs"] }, systemMessage: session.system(), usage: session.summaryUsage() });
  session.context = 6000;
  for (const text of ["And without a network?", "Show how old the answers are.", "Good. Prepare the release."]) session.turn(text);
  session.work(null, "I'll run everything once more.", [["bash", { command: "cargo test" }, TESTS_PASSED], ["bash", { command: "git diff --stat" }, " README.md      |  4 ++\n src/cache.rs   | 22 +++++++\n src/forecast.rs |  4 +-"]]);
  session.reply("Ready for **0.3.0**:\n\n1. the forecast shows five days\n2. answers are kept for ten minutes, in one file\n3. `--bars` draws them\n\nWithout a network, it shows the last answers and says how old they are.");
  return { ...sent, tested, at };
}

function family(home, now) {
  const main = new Session(0, now - 3 * 60 * MINUTE, CWD, MODEL).begin();
  const first = caching(main);
  const second = testing(main, home);
  const toml = main.fork(60, main.time - 90 * MINUTE, first.fast, home);
  toml.turn("Try TOML instead of JSON for the cache.");
  toml.turn("Compare the sizes.");
  toml.name("Cache as TOML");
  const async_ = main.fork(61, main.time - 60 * MINUTE, second.tested, home);
  for (let turn = 0; turn < 3; turn += 1) async_.turn(FOLLOW_UPS[turn]);
  async_.name("Async, to measure it");
  const again = toml.fork(62, main.time - 30 * MINUTE, toml.leaf, home);
  again.turn("Back to JSON, but with sorted keys.");
  again.name("Sorted keys");
  const sent = main.lines.findIndex((line) => line.message?.content?.some?.(({ name }) => name === "subagent"));
  // Entries are counted without the header.
  const places = { begin: first.begun - 4, tests: second.at - 1, reply: second.at + 4, agents: sent - 1 };
  return { main, others: [toml, async_, again, ...second.runs], places };
}

/**
 * Writes the sessions below a home folder. All times are counted from `now`. Returns the session of the pictures: its
 * file, and the entries that they show.
 */
export async function writeSample(home, now) {
  const { main, others, places } = family(home, now);
  const sessions = [main, ...others];
  STORIES.forEach(([cwd, name, ask, model, days], at) => {
    const session = new Session(at + 1, now - days * DAY - 2 * 60 * MINUTE, cwd, model).begin();
    session.turn(ask);
    for (let turn = Math.floor(session.random() * 11); turn > 0; turn -= 1) session.turn(pick(session.random, FOLLOW_UPS));
    if (name !== null) session.name(name);
    sessions.push(session);
  });
  for (const session of sessions) {
    const file = place(home, session);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, session.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await utimes(file, session.time / 1000, session.time / 1000);
  }
  return { file: place(home, main), name: "Five days of weather", places };
}
