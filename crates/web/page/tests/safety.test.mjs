// Text stays text, whatever it says; the sources hold nothing that could make markup of it.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";

import { HOSTILE } from "../dev/texts.mjs";

const test = (name, run, more = {}) => ({ name, run, ...more });
const mockOnly = { mockOnly: true };
const FORBIDDEN = [/\.innerHTML/, /outerHTML/, /insertAdjacentHTML/, /unsafeHTML/, /unsafeSVG/, /unsafeStatic/, /\beval\(/, /new Function/, /document\.write/, /srcdoc/, /DOMParser/];

async function untouched(t) {
  assert.equal(await t.page.evaluate(() => window.__hit), undefined);
  const foreign = await t.page.evaluate(() => [...document.querySelectorAll("iframe, object, embed, base, form, main script, pt-app script, pt-app style, pt-app link, [onclick], [onerror], [onload], math, a[href^='javascript' i], img:not([src^='data:'])")].map((each) => each.outerHTML.slice(0, 120)));
  assert.deepEqual(foreign, []);
}

export default [
  test("hostile text stays text in the list and the search", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    assert.ok((await t.page.locator(".list-scroller").textContent()).includes(HOSTILE[0]));
    await untouched(t);
    await t.go(`#/?q=${encodeURIComponent("<script>")}`);
    await t.page.waitForSelector(".session mark");
    await untouched(t);
  }, mockOnly),
  test("hostile text stays text in each view of a session", async (t) => {
    const { rows } = await t.api("sessions?limit=10");
    const { key } = rows.find((row) => row.name === HOSTILE[0]);
    await t.openConversation({ key });
    let text = "";
    for (let n = 0; n < HOSTILE.length + 4; n += 1) {
      // Rows that have come into view are there when they are loaded.
      await t.page.waitForFunction(() => document.querySelector(".slot article") && !document.querySelector(".slot article.is-empty"));
      text += await t.page.locator(".scroller").textContent();
      await untouched(t);
      await t.press("PageDown");
    }
    for (const payload of HOSTILE) assert.ok(text.includes(payload.replaceAll("\u0000", "\u0000")) || text.includes(payload.slice(0, 14)), payload);
    for (const tab of ["lanes", "tree", "family", "context", "request"]) {
      await t.go(`#/session/${key}/${tab}`);
      await t.page.waitForSelector(".lane-cell, svg.canvas a, .context-chart, .is-request");
      await untouched(t);
    }
  }, mockOnly),
  test("hostile addresses do no harm", async (t) => {
    for (const hash of ["#/session/%3Cimg%20src=x%20onerror=window.__hit=1%3E", "#/?q=%3Cscript%3Ewindow.__hit=2%3C/script%3E&in=%22%3E%3Cimg%20src=x%3E", "#<img src=x onerror=window.__hit=3>", "#/spend?by=constructor", "#/session/..%2f..%2fstats/lanes?e=-1&leaf=99999999"]) {
      await t.go(hash);
      await t.page.waitForTimeout(150);
      await untouched(t);
    }
    t.problems = t.problems.filter((text) => !/40[04]/.test(text));
  }),
  test("a session that is not there is an error that people can read", async (t) => {
    await t.go("#/session/0123456789abcdef");
    await t.page.waitForFunction(() => /cannot be shown/.test(document.querySelector("main h1")?.textContent ?? ""));
    await t.page.getByRole("link", { name: "All sessions" }).click();
    await t.page.waitForSelector(".session");
    t.problems = t.problems.filter((text) => !/404/.test(text));
  }),
  test("a filter that nothing passes says so", async (t) => {
    const { rows } = await t.api("sessions?limit=20");
    for (const { key } of rows) {
      const { total } = await t.api(`sessions/${key}/path?filter=labeled`);
      if (total > 0) continue;
      await t.go(`#/session/${key}?filter=labeled`);
      await t.page.waitForFunction(() => /passes the filter/.test(document.querySelector(".scroller .empty")?.textContent ?? ""));
      return;
    }
  }),
  test("the sources make no markup from text, and the bundle only Lit's own", async () => {
    const folder = new URL("../src/", import.meta.url);
    for (const name of await readdir(folder, { recursive: true })) {
      if (!name.endsWith(".ts")) continue;
      const text = await readFile(new URL(name, folder), "utf8");
      for (const word of FORBIDDEN) assert.ok(!word.test(text), `${name}: ${word}`);
      assert.ok(text.split("\n").length <= 400, `${name} is too long`);
    }
    const bundle = await readFile(new URL("../../assets/app.js", import.meta.url), "utf8");
    assert.equal(bundle.split(".innerHTML").length - 1, 1, "Lit sets one template");
    for (const word of FORBIDDEN.slice(1)) assert.ok(!word.test(bundle), `${word}`);
    assert.ok(!/https?:\/\/(?!www\.w3\.org)/.test(bundle.replaceAll(/\/\*[\s\S]*?\*\/|lit\.dev\S*/g, "").replaceAll(/https?:\\?\/\\?\/\|/g, "")), "no address");
  }),
];
