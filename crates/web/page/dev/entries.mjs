// Invented entries: what the renderer of the real server would hand out.

import { hex, pick, randomFrom } from "./random.mjs";
import { ASKS, COMMANDS, FILES, HOSTILE, REPLIES } from "./texts.mjs";

const MINUTE = 60_000;

/** Adds an entry below `parent` and returns its index. */
export function add(session, parent, entry) {
  const at = session.entries.length;
  const before = session.entries[at - 1];
  session.entries.push({
    at, parent, id: hex(session.seed * 7919 + at, 8), kind: "assistant", label: null, isError: false,
    time: (before ? before.time : session.created) + MINUTE / 4, ...entry,
  });
  return at;
}

/** One turn: a question, a reply with calls, their results, a last reply. Returns the last index. */
export function turn(session, parent, random, ask = pick(random, ASKS)) {
  let at = add(session, parent, { kind: "user", text: ask, time: (session.entries.at(-1)?.time ?? session.created) + MINUTE * 3 });
  const rounds = 1 + Math.floor(random() * 2);
  for (let round = 0; round < rounds; round += 1) {
    const calls = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, n) => call(random, `c${session.entries.length}-${n}`));
    at = add(session, at, { text: pick(random, REPLIES), thinking: "The user wants a small change.\nRead first, then edit.", calls, model: session.model });
    for (const made of calls) {
      made.resultAt = session.entries.length;
      const isError = random() < 0.06;
      at = add(session, at, { kind: "toolResult", tool: made.name, callId: made.id, isError, text: isError ? "error: no such file or directory (os error 2)" : output(made, random) });
    }
  }
  return add(session, at, { text: `${pick(random, REPLIES)}\n\n${pick(random, REPLIES)}`, code: random() < 0.3 ? "fn days(count: usize) -> Vec<Day> {\n    // one line a day\n    (0..count).map(Day::after).collect()\n}" : null, model: session.model });
}

function call(random, id) {
  const name = pick(random, ["bash", "read", "edit"]);
  return { id, name, what: name === "bash" ? pick(random, COMMANDS) : pick(random, FILES), resultAt: null };
}

function output(made, random) {
  if (made.name === "edit") return "@@ -12,4 +12,4 @@\n fn show(days: &[Day]) {\n-    println!(\"{}\", days[0]);\n+    for day in days { println!(\"{day}\"); }\n }";
  const lines = 3 + Math.floor(random() * 14);
  return Array.from({ length: lines }, (_, n) => `test cache::case_${n} ... ok`).join("\n");
}

/** The session with everything in it: branches, labels, errors, compactions, tables. */
export function showcase(session) {
  const random = randomFrom(session.seed);
  let at = add(session, null, { kind: "model", text: "claude-opus-4-6" });
  at = turn(session, at, random, "The forecast command shows only today. Show five days.");
  session.entries[at].label = "five days work";
  session.entries[at].table = true;
  const fork = at;
  at = turn(session, fork, random, "Each call takes two seconds. Cache the answers in SQLite.");
  const abandoned = turn(session, at, random, "A migration, for a cache? Explain.");
  at = add(session, fork, { kind: "branchSummary", text: "A SQLite cache needed a migration. Too much for a cache." });
  at = turn(session, at, random, "Keep the cache in one JSON file, good for ten minutes.");
  session.entries[at].label = "fast enough";
  const failed = add(session, at, { text: "", isError: true, error: "429 Too Many Requests: the provider asks to wait 20 seconds", model: session.model });
  at = turn(session, failed, random, "Write tests for the cache.");
  const second = at;
  at = turn(session, second, random, "What would it take to make this async?");
  at = add(session, second, { kind: "compaction", text: "The command shows five days. Answers are cached in one JSON file for ten minutes; tests cover midnight UTC.", tokens: 18_400 });
  for (let n = 0; n < 6; n += 1) at = turn(session, at, random);
  session.entries[at].ansi = true;
  at = add(session, at, { kind: "subagent", text: "A sub-agent read the upgrade notes." });
  at = turn(session, at, random, "And without a network?");
  session.entries.findLast((entry) => entry.kind === "user").cut = 5120;
  return { leaf: at, abandoned };
}

/** Text that tries to be markup, in every field. */
export function hostile(session) {
  let at = null;
  for (const text of HOSTILE) {
    at = add(session, at, { kind: "user", text });
    at = add(session, at, { text, thinking: text, label: text, isError: true, error: text, hostileLink: text, model: text, calls: [{ id: text, name: text, what: text, resultAt: session.entries.length + 1 }] });
    at = add(session, at, { kind: "toolResult", tool: text, callId: text, text });
  }
  return at;
}

/** A session that began anew 300 times. */
export function manyTries(session) {
  const random = randomFrom(session.seed);
  const start = turn(session, null, random);
  let at = start;
  for (let n = 0; n < 300; n += 1) {
    const ask = add(session, start, { kind: "user", text: `Try number ${n + 1}.` });
    at = add(session, ask, { text: pick(random, REPLIES), model: session.model });
  }
  return at;
}

/** A session of a given length, with branches now and then. */
export function long(session, count) {
  const random = randomFrom(session.seed);
  let at = null;
  while (session.entries.length < count) {
    const last = at;
    at = turn(session, at, random);
    const made = session.entries.length;
    if (random() < 0.002 && last !== null) turn(session, last, random);
    if (random() < 0.001) at = add(session, at, { kind: "compaction", text: `Summary of ${made} entries.`, tokens: 120_000 });
    if (random() < 0.002) session.entries[at].label = `step ${made}`;
  }
  session.entries.length = Math.max(count, 1);
  return fixEnds(session, at);
}

/** After cutting to the exact length, calls may point past the end. */
function fixEnds(session, at) {
  const count = session.entries.length;
  for (const entry of session.entries.slice(-12)) {
    for (const made of entry.calls ?? []) if (made.resultAt !== null && made.resultAt >= count) made.resultAt = null;
  }
  return at !== null && at < count ? at : count - 1;
}
