// Lanes, graphs, context and requests.

import assert from "node:assert/strict";

import { sessions } from "../dev/store.mjs";

const test = (name, run, more = {}) => ({ name, run, ...more });
const mockOnly = { mockOnly: true };

export default [
  test("lanes: side by side, what they share is muted, a click switches", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/lanes`);
    await t.page.waitForFunction((lanes) => document.querySelectorAll(".lane-head").length === lanes, Math.min(40, facts.lanes.length));
    await t.page.waitForSelector(".lane-cell.is-shared");
    assert.equal(await t.page.locator(".lane-head.is-active").count(), 1);
    await t.axe();
    await t.page.locator(".lane-head:not(.is-active) h2 a").first().click();
    await t.rows();
    assert.match(await t.hash(), /leaf=\d+/);
    await t.page.waitForSelector(".toolbar .chip");
    await t.page.goBack();
    await t.page.waitForSelector(".lane-head");
  }),
  test("lanes: a click on a cell shows the entry", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/lanes`);
    const cell = t.page.locator("a.lane-cell:not(.is-shared)").nth(3);
    await cell.click();
    await t.rows();
    assert.match(await t.hash(), /e=\d+/);
  }),
  test("lanes and graph: more than fit are a click away", async (t) => {
    const { rows } = await t.api("sessions?limit=100");
    const { key } = rows.find(({ title }) => title === "Many tries");
    await t.go(`#/session/${key}/lanes`);
    await t.page.waitForFunction(() => document.querySelectorAll(".lane-head").length === 40);
    assert.match(await t.page.locator(".more-lanes").textContent(), /40 branches of 30\d/);
    await t.axe();
    await t.page.getByRole("button", { name: "Show 40 more" }).click();
    await t.page.waitForFunction(() => document.querySelectorAll(".lane-head").length === 80);
    await t.go(`#/session/${key}/tree`);
    for (const [shown, next] of [[120, "Show 120 more"], [240, /Show 6\d more/], [301, null]]) {
      await t.page.waitForFunction((shown) => document.querySelectorAll(".branch-line").length >= shown, Math.min(shown, 300));
      if (next) await t.page.getByRole("button", { name: next }).click();
    }
    assert.equal(await t.page.locator(".more-lanes").count(), 0);
    // An entry on a branch that the facts do not name is found all the same.
    await t.openConversation({ key }, "?e=9");
    await t.page.waitForFunction(() => document.querySelector("article.is-cursor"));
  }, { mockOnly: true }),
  test("lanes: 100,000 entries", async (t) => {
    const { rows } = await t.api("sessions?sort=messages&limit=1");
    await t.go(`#/session/${rows[0].key}/lanes`);
    await t.page.waitForSelector(".lane-cell.is-user");
    await t.page.locator(".lane-head button").nth(1).click();
    await t.page.waitForSelector(".lane-cell.is-fork");
    assert.ok((await t.page.evaluate(() => document.querySelectorAll("*").length)) < 9000);
  }),
  test("tree graph: drawn, zooms, pans, leads to entries", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/tree`);
    await t.page.waitForFunction((lanes) => document.querySelectorAll(".branch-line").length === lanes, facts.lanes.length);
    const place = () => t.page.locator("svg.canvas > g").getAttribute("transform");
    const before = await place();
    await t.page.getByRole("button", { name: "Zoom in" }).click();
    const zoomed = await place();
    assert.notEqual(zoomed, before);
    await t.press("ArrowRight");
    assert.notEqual(await place(), zoomed);
    await t.page.locator("svg.canvas").hover();
    await t.page.mouse.wheel(0, -200);
    await t.press("0");
    await t.axe();
    await t.page.locator(".branch-line:not(.is-active) a").first().focus();
    await t.press("Enter");
    await t.rows();
    assert.match(await t.hash(), /leaf=\d+/);
  }),
  test("tree graph: in words", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/tree`);
    await t.page.locator(".in-words summary").click();
    await t.page.waitForFunction((lanes) => document.querySelectorAll(".in-words li").length === lanes, facts.lanes.length);
  }),
  test("family graph: a click opens the fork", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/family`);
    await t.page.waitForFunction((members) => document.querySelectorAll(".family-box").length === members, facts.family.length);
    await t.axe();
    if (facts.family.length < 2) return;
    await t.page.locator(".family-start").first().click();
    await t.rows();
    assert.match(await t.hash(), /e=\d+/);
    await t.page.goBack();
    await t.page.locator(".family-box:not(.is-self)").first().click();
    await t.page.waitForFunction((key) => location.hash.startsWith("#/session/") && !location.hash.includes(key), facts.key);
    await t.rows();
  }),
  test("where a fork begins has one number in lanes, graph and words", async (t) => {
    const facts = await t.branched();
    const lane = facts.lanes.find((each) => !each.isActive && each.from !== null);
    const { rows } = await t.api(`sessions/${facts.key}/rows?leaf=${lane.leaf}&from=0&count=200&filter=all`);
    const last = rows[rows.findIndex(({ at }) => at === lane.from) - 1].at;
    const name = `after entry ${(last + 1).toLocaleString("en-US")})`;
    await t.go(`#/session/${facts.key}/lanes`);
    await t.page.getByRole("button", { name: `Go to the fork (${name}` }).first().waitFor();
    await t.go(`#/session/${facts.key}/tree`);
    await t.page.waitForFunction((text) => document.querySelector("pt-graph ul")?.textContent.includes(text), `forked ${name}`);
  }),
  test("a fork of the family begins after an entry as people count", async (t) => {
    await t.go(`#/session/${sessions[3].key}/family`);
    await t.page.waitForFunction((text) => document.querySelector("pt-family")?.textContent.includes(text), `after entry ${sessions[3].parentAt + 1}`);
  }, mockOnly),
  test("context: chart by keys, largest things lead to entries", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/context`);
    await t.page.waitForSelector(".context-chart rect", { state: "attached" });
    const { window: size } = await t.api(`sessions/${facts.key}/context`);
    // Of a model whose window nobody told, nothing is claimed.
    const text = await t.page.locator(".page-pad").textContent();
    assert.equal(text.includes("window is not known"), size === null, text);
    assert.equal(/\d+%of the model/.test(text), size !== null, text);
    await t.axe();
    await t.page.locator(".context-chart").focus();
    const before = await t.page.locator(".context-chart").getAttribute("aria-valuetext");
    await t.press("Home");
    await t.page.waitForFunction((text) => document.querySelector(".context-chart").getAttribute("aria-valuetext") !== text, before);
    const now = await t.page.locator("a.bar").allTextContents();
    await t.press("Enter");
    await t.page.getByRole("heading", { name: "Largest entries: Reply 1" }).waitFor();
    assert.notDeepEqual(await t.page.locator("a.bar").allTextContents(), now);
    await t.page.getByRole("button", { name: "Back to now" }).click();
    await t.page.getByRole("heading", { name: "Largest entries", exact: true }).waitFor();
    await t.page.locator("a.bar").first().click();
    await t.rows();
    assert.match(await t.hash(), /e=\d+/);
    await t.page.goBack();
    await t.page.waitForSelector(".context-chart");
  }),
  test("requests: body, difference, previous and next", async (t) => {
    const facts = await t.branched();
    await t.go(`#/session/${facts.key}/request`);
    await t.page.waitForSelector(".is-request .body");
    if (t.isMock) assert.match(await t.page.locator(".notice.is-bad").textContent(), /broke after a context edit: Message 2 \(tool\) changed \(messages\[2\]\.content\)\s*def load\(\): return \{\}None/);
    await t.axe();
    const before = await t.hash();
    await t.page.getByRole("link", { name: "Previous" }).click();
    await t.page.waitForFunction((hash) => location.hash !== hash, before);
    await t.page.waitForSelector(".is-request .body");
    await t.page.getByRole("link", { name: "Next" }).click();
    await t.page.waitForSelector(".is-request .body");
  }),
  test("requests: of a long one a window, and the others by a click", async (t) => {
    const { rows } = await t.api("sessions?sort=messages&limit=1");
    await t.go(`#/session/${rows[0].key}/request`);
    await t.page.waitForSelector(".is-request .window");
    assert.match(await t.page.locator(".window").textContent(), /Messages [\d,]+ to [\d,]+ of [\d,]+/);
    await t.page.getByRole("button", { name: "First" }).click();
    await t.page.waitForFunction(() => /Messages 0 to 399 of/.test(document.querySelector(".window").textContent));
    await t.page.getByRole("button", { name: "Later" }).click();
    await t.page.waitForFunction(() => /Messages 400 to 799 of/.test(document.querySelector(".window").textContent));
    await t.axe();
  }, { mockOnly: true }),
  test("tabs by number keys, q goes back", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.press("2");
    await t.page.waitForSelector(".lane-head");
    await t.press("3");
    await t.page.waitForSelector("svg.canvas");
    await t.press("q");
    await t.rows();
  }),
];
