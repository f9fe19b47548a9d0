// Invented entries as EntryView JSON: the trees of nodes that the renderer makes.

const pre = (kind, text) => ["pre", { c: kind }, ["code", ...(Array.isArray(text) ? text : [text])]];

function body(entry) {
  switch (entry.kind) {
    case "toolResult": return [result(entry), ...(entry.details ? [["details", ["summary", "details"], pre("json", JSON.stringify(entry.details, null, 2))]] : [])];
    case "model": return [["p", "Model: ", ["code", entry.text]]];
    case "compaction": return [["p", { c: "note" }, `Compacted: ${entry.tokens.toLocaleString("en-US")} tokens became this summary.`], ["p", entry.text]];
    case "assistant": return reply(entry);
    default: return [...entry.text.split("\n\n").map((part) => ["p", part]), ...(entry.cut ? [["p", { c: "cut", n: entry.cut }, "The text is longer."]] : entry.cut === 0 ? [["p", "This is the rest."]] : [])];
  }
}

function result(entry) {
  if (!entry.text.startsWith("@@")) return pre(entry.isError ? "output error" : "output", entry.text);
  const lines = entry.text.split("\n").map((line) => {
    const kind = line.startsWith("@@") ? "diff-hunk" : line.startsWith("+") ? "diff-add" : line.startsWith("-") ? "diff-del" : null;
    return kind ? ["span", { c: kind }, `${line}\n`] : `${line}\n`;
  });
  return pre("output", lines);
}

function reply(entry) {
  const nodes = [];
  if (entry.thinking) nodes.push(["details", { c: "thinking" }, ["summary", "Thinking"], ["p", entry.thinking]]);
  for (const part of (entry.text ?? "").split("\n\n")) if (part) nodes.push(["p", part]);
  if (entry.table) nodes.push(table());
  if (entry.ansi) nodes.push(pre("output", [["span", { c: "ansi-fg-2 ansi-bold" }, "ok"], " 24 passed, ", ["span", { c: "ansi-fg-1" }, "1 failed"], " in 0.4s"]));
  if (entry.code) nodes.push(["pre", { c: "code", t: "rust" }, ["code", ["span", { c: "tok-keyword" }, "fn"], entry.code.slice(2)]]);
  if (entry.hostileLink) nodes.push(["p", ["a", { h: entry.hostileLink }, "link"], ["script", "window.__hit=20"], ["img", { src: entry.hostileLink, t: "x" }], ["iframe", { src: "https://evil.test" }, "frame"], ["p", { onclick: "window.__hit=21", style: "color:red", c: "evil\" onclick=\"x" }, "p"]]);
  if (entry.error) nodes.push(["p", { c: "error" }, entry.error]);
  for (const made of entry.calls ?? []) nodes.push(["details", { c: "call", t: made.name }, ["summary", ["span", { c: "name" }, made.name], " ", ["span", { c: "what" }, made.what]], pre("arguments", JSON.stringify({ path: made.what }, null, 2))]);
  return nodes;
}

function table() {
  const row = (tag, ...cells) => ["tr", ...cells.map((cell) => [tag, cell])];
  return ["table", ["thead", row("th", "Day", "Sky", "High")], ["tbody", row("td", "Mon", "clear", "21°"), row("td", "Tue", "rain", "17°"), row("td", "Wed", "clouds", "18°")]];
}

/** One line about an entry. */
export function summary(entry) {
  if (entry.kind === "assistant") {
    const calls = (entry.calls ?? []).map((made) => `[${made.name}: ${made.what}]`).join(" ");
    return [(entry.error ?? "") || entry.text.split("\n")[0], calls].filter(Boolean).join(" ");
  }
  return entry.kind === "toolResult" ? `${entry.text.split("\n").length} lines: ${entry.text.split("\n")[0]}` : entry.text.split("\n")[0];
}

const WHO = { user: "User", assistant: "Assistant", toolResult: "Tool", model: "Model", compaction: "Compaction", branchSummary: "Branch summary", subagent: "Sub-agent" };

const KIND = { toolResult: "tool", compaction: "summary", branchSummary: "summary", model: "note", subagent: "extension" };

/** EntryView JSON, with what the server adds; without a body if it is only for an overview. */
export function view(entry, isBrief) {
  const particulars = [...(entry.model ? [entry.model] : []), ...(entry.kind === "assistant" ? ["1.2k tokens", "$0.013"] : [])];
  return {
    at: entry.at, parent: entry.parent, id: entry.id, kind: KIND[entry.kind] ?? entry.kind, who: entry.tool ?? WHO[entry.kind],
    ...(particulars.length > 0 ? { particulars } : {}), ...(entry.label === null ? {} : { label: entry.label }), time: entry.time,
    ...(entry.isError ? { isError: 1 } : {}), summary: summary(entry), body: isBrief ? [] : body(entry),
    ...(entry.calls ? { calls: entry.calls.map(({ id, name, resultAt }) => ({ id, name, resultAt })) } : {}),
  };
}
