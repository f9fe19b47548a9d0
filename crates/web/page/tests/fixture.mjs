// A page of its own for each test. It notes errors on the console and requests that leave the machine.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const AXE = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const LOCAL = /^(?:http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]|data:|blob:|file:|about:)/;

let chosen;

export class Fixture {
  constructor(context, page, base, isMock) {
    Object.assign(this, { context, page, isMock, base: base.replace(/\?.*$/, ""), first: base, problems: [] });
    page.on("console", (message) => message.type() === "error" && this.problems.push(message.text()));
    page.on("pageerror", (error) => this.problems.push(error.message));
    context.on("request", (request) => LOCAL.test(request.url()) || this.problems.push(`asked for ${request.url()}`));
  }

  static async open(browser, base, isMock, options) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const fixture = new Fixture(context, page, base, isMock);
    // The token in the first address becomes a cookie.
    if (!isMock) await page.goto(base);
    return fixture;
  }

  async close() {
    await this.context.close();
  }

  async go(hash) {
    await this.page.goto(this.base + hash);
    await this.page.waitForSelector("main");
  }

  async api(path) {
    const response = await this.context.request.get(`${this.base}api/${path}`);
    return response.json();
  }

  /** The session with the most branches among the newest ones; looked for once. */
  async branched() {
    chosen ??= this.mostForks();
    return this.api(`sessions/${await chosen}`);
  }

  async mostForks() {
    const { rows } = await this.api("sessions?limit=20");
    const all = await Promise.all(rows.filter((row) => row.messages < 2000).map(async ({ key }) => {
      const { marks } = await this.api(`sessions/${key}/marks`);
      return { key, forks: marks.filter(({ kind }) => kind === "branch").length };
    }));
    return all.reduce((best, each) => (each.forks > best.forks ? each : best)).key;
  }

  async openConversation(facts, query = "") {
    await this.go(`#/session/${facts.key}${query}`);
    await this.rows();
  }

  async rows() {
    await this.page.waitForSelector(".slot article:not(.is-empty)");
  }

  /** The entry at the cursor. */
  cursor() {
    return this.page.locator(".slot article.is-cursor").getAttribute("data-at").then(Number);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  hash() {
    return this.page.evaluate(() => location.hash);
  }

  /** What axe finds that is serious. */
  async axe() {
    await this.page.evaluate(`{ const exports = undefined, module = undefined, define = undefined; ${AXE} }`);
    const found = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 140)} ${node.failureSummary?.split("\n")[1] ?? ""}`).join(" | ")}`), []);
  }

  assertQuiet() {
    assert.deepEqual(this.problems, []);
  }
}
