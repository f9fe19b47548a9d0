// The exported page: one file, no server.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { exported } from "../dev/tofile.mjs";
import { sessions } from "../dev/store.mjs";

const test = (name, run) => ({ name, run, mockOnly: true });

/** Uses a session as one file. */
export async function withFile(session, use) {
  const folder = await mkdtemp(join(tmpdir(), "pitree-page-"));
  try {
    const path = join(folder, "session.html");
    await writeFile(path, await exported(session));
    await use(pathToFileURL(path).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export default [
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
