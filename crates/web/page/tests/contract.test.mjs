// What the page reads of the answers: the mock and the server send the same members, of the same types.

import assert from "node:assert/strict";

const test = (name, run, more = {}) => ({ name, run, ...more });

const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** Each member that the page reads, with its types; what an answer has besides is nobody's business. */
function check(what, value, members) {
  for (const [name, types] of Object.entries(members)) {
    const type = typeOf(value[name]);
    assert.ok(types.split(" ").includes(type), `${what}.${name} is ${type}, not ${types}`);
  }
}

const TEXT = "string null";
const ROW = {
  key: "string", id: "string", title: "string", firstMessage: TEXT, name: TEXT, cwd: "string", created: "number null", modified: "number", messages: "number",
  model: TEXT, tokens: "number", cost: "number null", parentKey: TEXT, isSubagent: "boolean", isLive: "boolean", activity: "array",
};
const LANE = { leaf: "number", isActive: "boolean", from: "number null", length: "number", title: TEXT, summary: TEXT, lastTime: "number null" };

export default [
  test("answers: lists and hits", async (t) => {
    const page = await t.api("sessions?limit=5");
    check("list", page, { total: "number", offset: "number", isGuess: "boolean", canEdit: "boolean", words: "array", rows: "array" });
    page.rows.forEach((row) => check("row", row, ROW));
    const word = /[a-z]{4,}/i.exec(page.rows[0].title)[0];
    const found = await t.api(`sessions?q=${word}&limit=5`);
    assert.deepEqual(found.words.map((each) => each.toLowerCase()), [word.toLowerCase()]);
    const { hit, why } = found.rows.find(({ hit }) => hit);
    check("hit", hit, { id: "string", line: "number", snippet: "object" });
    check("snippet", hit.snippet, { text: "string", marks: "array" });
    check("why", why[0], { term: "string", in: "string", whole: "boolean" });
  }),
  test("answers: a session, its tree, its rows", async (t) => {
    const facts = await t.branched();
    check("session", facts, {
      key: "string", id: "string", title: "string", name: TEXT, cwd: "string", path: "string", created: "number null", modified: "number null", version: "number",
      entries: "number", leaf: "number", isLive: "boolean", parentKey: TEXT, family: "array", facts: "array", lanes: "array", laneCount: "number", cost: "number null",
      tokens: "number", canEdit: "boolean",
    });
    facts.lanes.forEach((lane) => check("lane", lane, LANE));
    const of = `sessions/${facts.key}`;
    const tree = await t.api(`${of}/tree?filter=all&count=100`);
    const branches = { at: "number", id: "string", depth: "number", kind: "string", role: TEXT, text: "string", label: TEXT, active: "boolean", isLeaf: "boolean", isError: "boolean", children: "number" };
    tree.rows.forEach((row) => check("tree", row, branches));
    assert.ok(tree.rows.every(({ kind, role }) => (kind === "message") === (role !== null)));
    const { rows } = await t.api(`${of}/rows?filter=all`);
    rows.forEach((row) => check("row", row, { at: "number", id: "string", kind: "string", who: "string", summary: "string", body: "array" }));
    const failed = new Set(tree.rows.filter(({ isError }) => isError).map(({ at }) => at));
    const shown = new Set(tree.rows.map(({ at }) => at));
    for (const row of rows) if (shown.has(row.at)) assert.equal(failed.has(row.at), Boolean(row.isError), `entry ${row.at}`);
    const { marks } = await t.api(`${of}/marks`);
    marks.forEach((mark) => check("mark", mark, { at: "number", kind: "string" }));
  }),
  test("answers: what is found, contexts, requests", async (t) => {
    const facts = await t.branched();
    const of = `sessions/${facts.key}`;
    const found = await t.api(`${of}/find?q=the`);
    check("found", found, { total: "number", isAll: "boolean", words: "array", hits: "array" });
    found.hits.forEach(({ at, snippet }) => check("find", { at, ...snippet }, { at: "number", text: "string", marks: "array" }));
    const context = await t.api(`${of}/context`);
    check("context", context, { total: "number", window: "number null", parts: "array", turns: "array", replies: "number", compactions: "number", largest: "array" });
    const { rows } = await t.api(`${of}/rows?filter=all`);
    const request = await t.api(`${of}/request?at=${rows.findLast(({ kind }) => kind === "assistant").at}`);
    check("request", request, { at: "number", model: TEXT, total: "number", from: "number", shown: "number", shared: "number", body: "array", previous: "number null", difference: "array null", cacheBreak: "object null" });
  }),
];
