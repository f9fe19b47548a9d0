// Whether the page says the same as the command: node tests/same.mjs PITREE FOLDER
// Serves a copy of all session files below FOLDER, looks at each one in the browser, and compares what is there with
// `pitree tree`, `context` and `cost` of the same file: entries, branches, labels, context, spend.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
const root = await mkdtemp(join(tmpdir(), "pitree-same-"));
const differences = [];
const skipped = [];
const seen = { sessions: 0, entries: 0, branches: 0, labels: 0 };

/** Each file in a folder of its own, so that each can be asked for alone. */
async function copies() {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jsonl")).sort();
  const files = [];
  for (const [number, name] of names.entries()) {
    const own = join(root, String(number).padStart(4, "0"));
    await mkdir(own);
    const file = join(own, basename(name));
    await copyFile(join(folder, name), file);
    files.push({ name, own, file });
  }
  return files;
}

const printed = (args) => execFileSync(program, [...args, "--no-index", "--no-pager", "--color", "never"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd().split("\n");
function asked(args) {
  try {
    return JSON.parse(execFileSync(program, [...args, "--json", "--no-index"], { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] }));
  } catch (error) {
    // Where there is nothing to tell, the command says so and fails.
    if (!error.stdout) throw error;
    return JSON.parse(error.stdout);
  }
}


async function serve() {
  const server = spawn(program, ["serve", "--sessions-root", root, "--no-index", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface(server.stdout)) return { server, url: JSON.parse(line).url };
  throw new Error("the server did not start");
}

/** What the page shows of a session. */
async function shown(page, base, key) {
  await page.goto(`${base}#/session/${key}`);
  await page.waitForFunction((key) => document.querySelector("pt-session")?.model?.key === key && document.querySelector("pt-session .facts"), key);
  await page.evaluate(() => {
    window.__rows = undefined;
    window.print = () => {
      // A result that is shown with its call has no row of its own.
      const rows = [...document.querySelectorAll(".is-printed > [data-at]")];
      window.__rows = rows.map((row) => ({ at: Number(row.dataset.at), label: row.querySelector(".chip.is-label")?.textContent ?? null }));
    };
  });
  const isEmpty = await page.evaluate(() => document.querySelector("pt-session").model.path.length === 0);
  let rows = [];
  if (!isEmpty) {
    await page.waitForSelector(".slot article:not(.is-empty)");
    await page.keyboard.press("Control+p");
    await page.waitForFunction(() => window.__rows !== undefined);
    rows = await page.evaluate(() => window.__rows);
    await page.waitForSelector(".tree-row[aria-setsize]", { state: "attached" }).catch(() => undefined);
  }
  const head = await page.evaluate(() => ({
    facts: [...document.querySelectorAll(".session-head .facts > span")].map((each) => ({ text: each.textContent, title: each.title })),
    treeRows: Number(document.querySelector(".tree-row")?.getAttribute("aria-setsize") ?? 0),
  }));
  const all = [];
  for (let total = 1; all.length < total;) {
    const part = await page.evaluate((address) => fetch(address).then((answer) => answer.json()), `api/sessions/${key}/tree?filter=all&from=${all.length}`);
    all.push(...part.rows);
    ({ total } = part);
  }
  await page.goto(`${base}#/session/${key}/lanes`);
  await page.waitForFunction((key) => document.querySelector("pt-lanes")?.model.key === key && (document.querySelector("pt-lanes").model.facts.lanes.length === 0 || document.querySelector(".lane-head")), key);
  const lanes = await page.locator(".lane-head").count();
  await page.goto(`${base}#/session/${key}/context`);
  await page.waitForSelector("pt-context .figures b");
  const context = await page.locator("pt-context .figures b").first().textContent();
  return { rows, all, lanes, context, ...head };
}

const short = (value) => (value < 1000 ? String(Math.round(value)) : new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(value).toLowerCase());
/** On a page a text is on one line, and what controls or reorders it is replaced. */
const harmless = (text) => (text ?? null)?.replace(/[\n\r\t]/g, " ").replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu, "\ufffd").trim() ?? null;
const count = (value) => new Intl.NumberFormat("en-US").format(value);

function compare({ name, own, file }, page) {
  const same = (what, here, there) => {
    try {
      assert.deepEqual(here, there);
    } catch {
      differences.push(`${name}: ${what}: page ${JSON.stringify(here)?.slice(0, 300)}, command ${JSON.stringify(there)?.slice(0, 300)}`);
    }
  };
  const tree = asked(["tree", file]).rows;
  const label = (row) => harmless(row.label);
  const isActive = (row) => row.active;
  same("entries in the order of the tree", page.all.map(({ id }) => id), tree.map(({ id }) => id));
  same("labels in the tree", page.all.map(label), tree.map(label));
  same("the active path in the tree", page.all.filter(isActive).map(({ id }) => id), tree.filter(isActive).map(({ id }) => id));
  const ids = new Map(page.all.map(({ at, id }) => [at, id]));
  same("entries of the conversation", page.rows.map(({ at }) => ids.get(at)).sort(), tree.filter(isActive).map(({ id }) => id).sort());
  // A label of an entry that is shown with another one stands in the tree alone.
  const labeled = new Map(tree.filter((row) => row.label).map((row) => [row.id, label(row)]));
  for (const row of page.rows) if (row.label !== null) same("a label in the conversation", harmless(row.label), labeled.get(ids.get(row.at)));
  const parents = new Set(tree.map(({ parentId }) => parentId));
  const ends = tree.filter(({ id }) => !parents.has(id)).length;
  const active = tree.filter(isActive).at(-1);
  const lanes = ends + (active && parents.has(active.id) ? 1 : 0);
  same("branches", page.lanes, Math.min(40, lanes));
  if (page.rows.length > 0) same("rows of the usual tree", page.treeRows, printed(["tree", file, "--print", "--filter", "default"]).length);
  const context = asked(["context", file]);
  same("the context", page.context, short(context.estimatedContextTokens));
  const { total } = asked(["cost", "--session-dir", own]);
  const tokens = page.facts.find(({ text }) => text.endsWith(" tokens"));
  // Some providers count parts of tokens.
  same("tokens spent", tokens?.title.replace(/\.\d+$/, ""), count(Math.floor(total.tokens.total)));
  const cost = total.count > total.unknownCosts ? total.cost : null;
  const dollars = page.facts.find(({ title }) => title === "Recorded cost")?.text;
  same("what it cost", dollars, cost === null ? "–" : cost === 0 ? "$0" : cost < 0.01 ? "<$0.01" : cost.toLocaleString("en-US", { style: "currency", currency: "USD" }));
  seen.sessions += 1;
  seen.entries += tree.length;
  seen.branches += lanes;
  seen.labels += labeled.size;
}

/** All spending, by model: what the page draws, and what the command says. */
async function compareSpend(page, base) {
  for (const by of ["model", "project"]) {
    await page.goto(`${base}#/spend?by=${by}`);
    await page.waitForFunction((by) => document.querySelector("pt-spend")?.facts?.by === by && document.querySelector("pt-spend .figures"), by);
    const facts = await page.evaluate(() => document.querySelector("pt-spend").facts);
    const there = asked(["cost", "--by", by, "--sessions-root", root]);
    const rows = (all) => all.map(({ key, cost, count, tokens }) => ({ key: key ?? null, cost, count, tokens: tokens.total }));
    try {
      assert.deepEqual(rows(facts.rows), rows(there.rows));
      assert.deepEqual([facts.total.cost, facts.total.tokens], [there.total.cost, there.total.tokens]);
      assert.ok((await page.locator("pt-spend .figures").textContent()).includes(count(there.total.count)));
    } catch (error) {
      differences.push(`spend by ${by}: ${String(error.message).slice(0, 600)}`);
    }
  }
}

const files = await copies();
const { server, url } = await serve();
const browser = await chromium.launch({ executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on("pageerror", (error) => differences.push(`the page failed: ${error.message}`));
  await page.goto(url);
  const [base] = url.split("?");
  const rows = [];
  for (let total = 1; rows.length < total;) {
    const part = await page.evaluate((from) => fetch(`api/sessions?offset=${from}`).then((answer) => answer.json()), rows.length);
    rows.push(...part.rows);
    ({ total } = part);
  }
  const keys = new Map();
  for (const { key } of rows) keys.set(await page.evaluate((key) => fetch(`api/sessions/${key}`).then((answer) => answer.json()).then(({ path }) => path), key), key);
  for (const each of files) {
    const key = [...keys].find(([path]) => path.endsWith(each.file.slice(root.length)))?.[1];
    if (key === undefined) skipped.push(each.name);
    else await Promise.resolve(shown(page, base, key)).then((page) => compare(each, page)).catch((error) => differences.push(`${each.name}: ${error.message}`));
  }
  await compareSpend(page, base);
} finally {
  await browser.close();
  server.kill("SIGINT");
  await rm(root, { recursive: true });
}
for (const line of differences) process.stdout.write(`${line}\n`);
for (const name of skipped) process.stdout.write(`not a session: ${name}\n`);
process.stdout.write(`the page and the command: ${seen.sessions} sessions, ${seen.entries} entries, ${seen.branches} branches, ${seen.labels} labels, ${differences.length} differences\n`);
process.exitCode = differences.length > 0 || seen.sessions === 0 ? 1 : 0;
