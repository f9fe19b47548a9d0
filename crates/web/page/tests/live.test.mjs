// Following a session that grows. These change the mock's data, so they run after the others.

import assert from "node:assert/strict";

const test = (name, run, more = { mockOnly: true }) => ({ name, run, ...more });
const grow = (t) => t.context.request.post(`${t.base}dev/grow`);

export default [
  test("live: at the end, new rows are followed", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.press("G");
    // Rows that are measured late move the end: it is reached when it stays.
    const isAtEnd = () => { const s = document.querySelector(".scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight < 60; };
    await t.page.waitForFunction(isAtEnd);
    await t.page.waitForTimeout(500);
    await t.page.waitForFunction(isAtEnd);
    await grow(t);
    await t.page.waitForFunction((leaf) => [...document.querySelectorAll(".slot article:not(.is-empty)")].some((each) => Number(each.dataset.at) > leaf), facts.leaf);
    assert.equal(await t.page.locator(".new-rows").count(), 0);
    assert.match(await t.page.locator("#announcer").textContent(), /new entr/);
  }),
  test("live: elsewhere nothing jumps, and a button tells", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.press("j", "j");
    await t.page.waitForTimeout(200);
    const before = await t.page.evaluate(() => [document.querySelector(".scroller").scrollTop, document.activeElement.dataset.at]);
    await grow(t);
    await t.page.waitForSelector(".new-rows");
    assert.deepEqual(await t.page.evaluate(() => [document.querySelector(".scroller").scrollTop, document.activeElement.dataset.at]), before);
    await t.page.locator(".new-rows").click();
    await t.page.waitForFunction((leaf) => [...document.querySelectorAll(".slot article:not(.is-empty)")].some((each) => Number(each.dataset.at) > leaf), facts.leaf);
  }),
  test("live: the list follows and keeps its place and focus", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    await t.press("j", "j", "j", "j");
    await t.page.waitForFunction(() => document.activeElement?.closest(".session.is-active") === document.querySelectorAll(".session")[3]);
    const before = await t.page.evaluate(() => [document.querySelector(".list-scroller").scrollTop, document.activeElement.closest(".session").dataset.key]);
    const { key, messages } = (await t.api("sessions?limit=200")).rows.reduce((first, row) => (row.modified > first.modified ? row : first));
    await grow(t);
    const shown = (key) => document.querySelector(`.session[data-key="${key}"] .number`)?.title;
    await t.page.waitForFunction(([key, messages]) => document.querySelector(`.session[data-key="${key}"] .number`)?.title !== `${messages.toLocaleString("en-US")} messages`, [key, messages]);
    assert.notEqual(await t.page.evaluate(shown, key), undefined);
    assert.deepEqual(await t.page.evaluate(() => [document.querySelector(".list-scroller").scrollTop, document.activeElement.closest(".session")?.dataset.key]), before);
  }),
  test("labels: set and shown", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    t.page.on("dialog", (dialog) => dialog.accept("from a test"));
    await t.press("j", "l");
    await t.page.waitForFunction(() => document.querySelector(".slot article.is-cursor .chip.is-label")?.textContent === "from a test");
  }),
  test("delete: asks, names the forks, and the list follows", async (t) => {
    await t.go("#/?flat=1");
    await t.page.waitForSelector(".session");
    const { rows, total } = await t.api("sessions?limit=200");
    const parents = new Set(rows.map(({ parentKey }) => parentKey));
    const victim = rows.findLast(({ key, depth }) => depth === 0 && (parents.has(key) || !t.isMock));
    await t.openConversation(victim);
    const choose = async () => {
      await t.press("Control+k");
      await t.page.keyboard.type("delete this");
      await t.page.locator(".choice", { hasText: "Delete this session" }).click();
      await t.page.waitForSelector("dialog.question[open]");
    };
    await choose();
    await t.axe();
    if (t.isMock) assert.ok((await t.page.locator(".question .forks li").count()) > 0);
    // Enter, pressed by habit, deletes nothing.
    await t.press("Enter");
    await t.page.waitForFunction(() => !document.querySelector("dialog[open]"));
    assert.equal((await t.api("sessions?limit=1")).total, total);
    await choose();
    await t.page.getByRole("button", { name: "Delete", exact: true }).click();
    await t.page.waitForSelector(".session");
    await t.page.waitForFunction(async (key) => (await (await fetch("api/sessions?limit=200")).json()).rows.every((row) => row.key !== key), victim.key);
    assert.equal(await t.page.locator(`.session[data-key="${victim.key}"]`).count(), 0);
  }, {}),
  test("delete: from the list; a session in use is refused", async (t) => {
    await t.go("#/");
    const live = t.page.locator(".session.is-live").first();
    await live.hover();
    await live.locator(".row-delete").click();
    await t.page.waitForSelector("dialog.question[open] .notice.is-bad");
    assert.ok(await t.page.getByRole("button", { name: "Delete", exact: true }).isDisabled());
    await t.press("Escape");
    await t.page.waitForFunction(() => !document.querySelector("dialog[open]"));
  }),
  test("name: changed from the palette, and shown", async (t) => {
    const { rows } = await t.api("sessions?limit=12");
    await t.openConversation(rows.at(-1));
    t.page.on("dialog", (dialog) => dialog.accept("Another name"));
    await t.press("Control+k");
    await t.page.keyboard.type("rename this");
    await t.page.locator(".choice", { hasText: "Rename this session" }).click();
    await t.page.waitForFunction(() => document.querySelector("h1")?.textContent === "Another name");
  }),
];
