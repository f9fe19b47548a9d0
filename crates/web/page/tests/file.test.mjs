// The exported page: one file, no server.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { jsonl } from "../dev/answers.mjs";
import { exported } from "../dev/tofile.mjs";
import { sessions } from "../dev/store.mjs";

const test = (name, run) => ({ name, run, mockOnly: true });

/** Uses a session as one file. */
export async function withFile(session, use, options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "pitree-page-"));
  try {
    const path = join(folder, "session.html");
    await writeFile(path, await exported(session, options));
    await use(pathToFileURL(path).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** From now on a block is unpacked only after `unpackMore(n)` has let so many more through. */
const HOLD_BLOCKS = () => {
  const Real = window.DecompressionStream;
  const waiting = [];
  let free = Infinity;
  window.unpacked = 0;
  window.holdBlocks = () => (free = 0);
  window.unpackMore = (count) => {
    free += count;
    while (free > 0 && waiting.length > 0) {
      free -= 1;
      waiting.shift()();
    }
  };
  window.DecompressionStream = function (format) {
    window.unpacked += 1;
    const real = new Real(format);
    const gate = free > 0 ? Promise.resolve() : new Promise((go) => waiting.push(go));
    if (free > 0) free -= 1;
    const held = new TransformStream({ transform: async (chunk, out) => (await gate, out.enqueue(chunk)) });
    return { writable: held.writable, readable: held.readable.pipeThrough(real) };
  };
};

export default [
  test("file: a search shows its first match while it goes on, and ends when another begins", (t) => withFile(sessions[0], async (address) => {
    await t.page.addInitScript(HOLD_BLOCKS);
    await t.page.goto(address);
    await t.rows();
    await t.page.waitForSelector(".tree-row");
    const says = (expression) => t.page.waitForFunction((source) => new RegExp(source).test(document.querySelector(".find-count")?.textContent ?? ""), expression);
    await t.page.evaluate(() => window.holdBlocks());
    await t.press("/");
    await t.page.keyboard.type("weather");
    // What the first rows need is unpacked already.
    for (let n = 0; n < 8 && !/ of /.test(await t.page.locator(".find-count").textContent()); n += 1) {
      await t.page.evaluate(() => window.unpackMore(1));
      await t.page.waitForTimeout(150);
    }
    await says("^1 of \\d+\\+$");
    await t.page.waitForSelector("article.is-cursor.is-hit");
    await t.page.evaluate(() => window.unpackMore(1000));
    await says("^1 of \\d+$");
    assert.match(await t.page.locator("#announcer").textContent(), /Match 1|\d+ match/);
    // What is typed next ends the search before it: it unpacks no more than the block that it waits for.
    await t.page.evaluate(() => {
      window.unpackMore(-Infinity);
      window.holdBlocks();
      window.unpacked = 0;
    });
    await t.press("Control+a");
    await t.page.keyboard.type("sqlite");
    await t.page.waitForFunction(() => window.unpacked > 0);
    await t.press("Control+a");
    await t.page.keyboard.type("xqzjkvw");
    await t.page.waitForFunction(() => window.unpacked > 1);
    await t.page.evaluate(() => window.unpackMore(1000));
    await says("^no match$");
    const [unpacked, blocks] = await t.page.evaluate(() => [window.unpacked, document.querySelectorAll("[id^=pitree-rows-]").length]);
    assert.ok(unpacked <= blocks + 1, `${unpacked} of ${blocks}`);
  }, { blockRows: 8 })),
  test("file: the session is saved as JSONL, byte for byte", (t) => withFile(sessions[0], async (address) => {
    await t.page.goto(address);
    await t.rows();
    const [download] = await Promise.all([t.page.waitForEvent("download"), t.page.getByRole("button", { name: "JSONL" }).click()]);
    assert.equal(download.suggestedFilename(), `${sessions[0].id}.jsonl`);
    assert.equal(await readFile(await download.path(), "utf8"), jsonl(sessions[0]));
  })),
  test("file: one that was cut off says that the session in it is not whole", (t) => withFile(sessions[0], async (address) => {
    const path = new URL(address);
    const html = await readFile(path, "utf8");
    await writeFile(path, html.slice(0, html.indexOf('id="pitree-lines-3"')));
    await t.page.goto(address);
    await t.rows();
    await t.page.getByRole("button", { name: "JSONL" }).click();
    await t.page.waitForFunction(() => /part of this file is missing/.test(document.querySelector(".toast.is-shown")?.textContent ?? ""));
  })),
  test("file: reads itself, finds, shows lanes and graph", (t) => withFile(sessions[0], async (address) => {
    await t.page.goto(address);
    await t.rows();
    await t.page.waitForSelector(".tree-row");
    await t.press("/");
    await t.page.keyboard.type("sqlite");
    await t.page.waitForFunction(() => /1 of \d/.test(document.querySelector(".find-count")?.textContent ?? ""));
    await t.press("Escape", "2");
    await t.page.waitForSelector(".lane-cell.is-user");
    await t.press("3");
    await t.page.waitForSelector(".branch-line");
    await t.press("5");
    await t.page.waitForSelector(".context-chart rect");
    await t.page.locator(".context-chart").focus();
    await t.press("Home", "Enter");
    await t.page.waitForFunction(() => /not in this file. It has the context at the end/.test(document.querySelector("pt-context .notice")?.textContent ?? ""));
    const other = await t.page.evaluate(() => document.querySelectorAll("pt-context .figures").length);
    assert.equal(other, 1, "what is there stays");
    await t.page.evaluate(() => (location.hash = "#/session/file/request"));
    await t.page.waitForSelector(".is-request .body");
    assert.match(await t.page.locator("pt-request").textContent(), /requests behind the last 10 of \d+ replies/);
    for (let n = 0; n < 10; n += 1) await t.page.getByRole("link", { name: "Previous" }).click();
    await t.page.waitForFunction(() => /not in this file/.test(document.querySelector("pt-request .notice")?.textContent ?? ""));
    assert.equal(await t.page.getByRole("link", { name: "Spend" }).count(), 0);
    await t.axe();
  })),
  test("file: the tree is that of the server, with a line where a branch begins", (t) => withFile(sessions[0], async (address) => {
    const rows = () => t.page.$$eval(".tree-row[data-at]", (rows) => rows.map((row) => [row.dataset.at, row.style.getPropertyValue("--depth"), row.classList.contains("begins"), row.textContent]));
    await t.go(`#/session/${sessions[0].key}`);
    await t.page.waitForSelector(".tree-row[data-at]");
    const served = await rows();
    await t.page.goto(address);
    await t.page.waitForSelector(".tree-row[data-at]");
    const own = await rows();
    // One of them has room for another row.
    const seen = Math.min(own.length, served.length);
    assert.ok(seen > 20);
    assert.deepEqual(own.slice(0, seen), served.slice(0, seen));
    assert.ok(served.some(([, , begins]) => begins), "a branch begins");
  })),
  test("file: a link to an entry by its id", (t) => withFile(sessions[0], async (address) => {
    const entry = sessions[0].entries.findLast(({ kind, at }) => kind === "user" && at > 40);
    await t.page.goto(`${address}#${entry.id}`);
    await t.page.waitForFunction((at) => Number(document.querySelector("article.is-cursor")?.dataset.at) === at, entry.at);
  })),
];
