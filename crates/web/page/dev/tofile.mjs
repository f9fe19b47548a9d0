// An exported page from the mock's data, in the format of FORMAT.md: node dev/tofile.mjs NUMBER > page.html

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

import * as answers from "./answers.mjs";
import { summary, view } from "./nodes.mjs";
import { load, marks, passes, pathTo, sessions, treeRows } from "./store.mjs";

const BLOCK_ROWS = 256;
const asset = (name) => readFile(new URL(`../../assets/${name}`, import.meta.url), "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const pack = (id, value) => `<script type="application/octet-stream" id="${id}">${deflateRawSync(JSON.stringify(value)).toString("base64")}</script>`;

function lightOf(session) {
  const onPath = new Set(pathTo(session, session.leaf));
  const kinds = [...new Set(session.entries.map((entry) => view(entry, true).kind))];
  const flags = session.entries.map((entry) => (onPath.has(entry.at) ? 1 : 0) | (entry.isError ? 2 : 0) | (passes(entry, "default") ? 0 : 4) | (passes(entry, "no-tools") ? 0 : 8) | (passes(entry, "user") ? 16 : 0));
  const light = {
    ids: session.entries.map(({ id }) => id), parents: session.entries.map(({ parent }) => parent), kinds: session.entries.map((entry) => kinds.indexOf(view(entry, true).kind)),
    flags, summaries: session.entries.map(summary), labels: session.entries.filter(({ label }) => label !== null).map(({ at, label }) => [at, label]),
  };
  return { kinds, light };
}

function blockRow(entry) {
  const { who, what, particulars, time, isFolded, body, calls } = view(entry, false);
  return { who, what, particulars, time, isFolded, body, calls };
}

/** The whole file. */
export async function exported(session) {
  load(session);
  const [script, style] = await Promise.all([asset("app.js"), asset("app.css")]);
  const replies = pathTo(session, session.leaf).filter((at) => session.entries[at].kind === "assistant");
  const requests = replies.slice(-10).map((at) => answers.request(session, new URLSearchParams({ at: String(at) })));
  const contexts = answers.facts(session).lanes.map(({ leaf }) => answers.context(session, new URLSearchParams({ at: String(leaf) })));
  const index = { format: 1, session: { ...answers.facts(session), canEdit: false }, marks: marks(session), contexts: { shown: contexts.length, branches: contexts.length }, requests: { shown: requests.length, replies: replies.length }, blockRows: BLOCK_ROWS, ...lightOf(session), order: treeRows(session, "all").map(({ at }) => at) };
  const blocks = [];
  for (let from = 0; from < session.entries.length; from += BLOCK_ROWS) blocks.push(pack(`pitree-rows-${blocks.length}`, session.entries.slice(from, from + BLOCK_ROWS).map(blockRow)));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'">
<title>Session</title>
<style>${style}</style>
</head>
<body>
<pt-app><p class="first-load">Loading…</p></pt-app>
${pack("pitree-index", index)}
${blocks.join("\n")}
${pack("pitree-requests", requests)}
${pack("pitree-contexts", contexts)}
<script type="module">${script}</script>
</body>
</html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await exported(sessions[Number(process.argv[2] ?? 0)]));
