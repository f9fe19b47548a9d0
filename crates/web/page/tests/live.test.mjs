// Following a session that grows. These change the mock's data, so they run after the others.

import assert from "node:assert/strict";

const test = (name, run, more = { mockOnly: true }) => ({ name, run, ...more });
const post = (t, what) => t.context.request.post(`${t.base}dev/${what}`);
const grow = (t) => post(t, "grow");

/** Where the reader is: what is scrolled, what has the focus, and what is unfolded. */
const place = (t) => t.page.evaluate(() => [document.querySelector(".scroller").scrollTop, document.activeElement.dataset.at, document.querySelectorAll(".slot details[open]").length]);

/** Opens the first session at its beginning, unfolds something, and grows it unseen. */
async function readElsewhere(t) {
  const facts = await t.branched();
  await t.openConversation(facts);
  await t.press("j", "j");
  await t.page.waitForSelector(".slot .call .outcome");
  const open = (await place(t))[2];
  await t.page.locator(".slot .call:not([open]) > summary").first().click();
  await t.page.waitForTimeout(300);
  const before = await place(t);
  assert.equal(before[2], open + 1);
  await post(t, "grow?quiet");
  return before;
}

/** The new rows are there, and nothing has jumped. */
async function staysThere(t, before) {
  await t.page.waitForSelector(".new-rows");
  await t.page.waitForTimeout(500);
  assert.deepEqual(await place(t), before);
}

export default [
  test("live: a server that was started again has another address, and the page says so once", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    let asked = 0;
    await t.page.route("**/api/**", (route) => {
      asked += 1;
      return route.fulfill({ status: 401, json: { error: "Open the address that `pitree serve` printed: it has a token" } });
    });
    await t.page.request.post(`${t.base}dev/drop`);
    await t.page.waitForSelector(".ended");
    assert.match(await t.page.locator(".ended").textContent(), /started again, so the address of this page has changed/);
    const before = asked;
    await t.page.waitForTimeout(6000);
    assert.equal(asked, before, "it does not go on asking");
    t.problems = t.problems.filter((text) => !/401/.test(text));
  }),
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
    // It is followed to the very end, so that the next one is followed, too.
    await t.page.waitForTimeout(500);
    assert.ok(await t.page.evaluate(() => { const s = document.querySelector(".scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight < 2; }));
    await t.page.mouse.move(600, 400);
    await t.page.mouse.wheel(0, -300);
    await t.page.waitForFunction(() => { const s = document.querySelector(".scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight > 100; });
    await grow(t);
    await t.page.waitForSelector(".new-rows");
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
  test("live: after news were lost, everything is read again and nothing jumps", async (t) => {
    const before = await readElsewhere(t);
    await post(t, "lag");
    await staysThere(t, before);
    for (const [hash, ready, asked] of [["#/", ".session", /api\/sessions\?/], ["#/spend", ".bar, .standing", /api\/spend/], ["#/stats", ".card", /api\/stats/]]) {
      await t.go(hash);
      await t.page.waitForSelector(ready);
      const again = t.page.waitForRequest(asked);
      await post(t, "lag");
      await again;
    }
  }),
  test("live: after the connection was lost, too", async (t) => {
    const before = await readElsewhere(t);
    await post(t, "drop");
    await staysThere(t, before);
  }),
  test("live: after the machine slept, too", async (t) => {
    await t.page.clock.install();
    const before = await readElsewhere(t);
    const opened = t.page.waitForRequest(/api\/events/);
    await t.page.clock.fastForward("08:00:00");
    await opened;
    await staysThere(t, before);
  }),
  test("live: a connection that the browser gave up is opened again", async (t) => {
    let isAway = true;
    await t.page.route(/api\/events/, (route) => (isAway ? route.fulfill({ status: 502 }) : route.continue()));
    await t.page.clock.install();
    await readElsewhere(t);
    isAway = false;
    const opened = t.page.waitForRequest(/api\/events/);
    await t.page.clock.fastForward(6000);
    await opened;
    await t.page.waitForSelector(".new-rows");
    t.problems = t.problems.filter((text) => !/502/.test(text));
  }),
  test("live: what could not be shown is shown when the server is back", async (t) => {
    const { key } = await t.branched();
    await t.page.route(new RegExp(`sessions/${key}$`), (route) => route.abort());
    await t.go(`#/session/${key}`);
    await t.page.waitForFunction(() => /cannot be shown/.test(document.querySelector("main h1")?.textContent ?? ""));
    await t.page.unroute(new RegExp(`sessions/${key}$`));
    await post(t, "drop");
    await t.rows();
    t.problems = t.problems.filter((text) => !/ERR_FAILED/.test(text));
  }),
  test("live: a branch that is opened while news are read stays open", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    const other = facts.lanes.find(({ isActive }) => !isActive).leaf;
    let release;
    const held = new Promise((resolve) => (release = resolve));
    let asked;
    const isAsked = new Promise((resolve) => (asked = resolve));
    await t.page.route(/\/path\?/, async (route) => {
      if (!route.request().url().includes(`leaf=${other}&`)) {
        asked();
        await held;
      }
      await route.continue();
    });
    await grow(t);
    await isAsked;
    await t.page.evaluate(([key, leaf]) => (location.hash = `#/session/${key}?leaf=${leaf}`), [facts.key, other]);
    await t.page.waitForFunction((leaf) => document.querySelector("pt-session").model.leaf === leaf, other);
    release();
    await t.page.waitForResponse(/\/path\?/);
    await t.page.waitForTimeout(300);
    await t.page.unrouteAll({ behavior: "wait" });
    assert.equal(await t.page.evaluate(() => document.querySelector("pt-session").model.leaf), other);
    await t.page.waitForSelector(".toolbar .chip");
  }),
  test("live: the mark goes when nothing more is written", async (t) => {
    await t.page.clock.install();
    await t.go("#/");
    const row = t.page.locator(".session.is-live").first();
    const key = await row.getAttribute("data-key");
    await row.locator(".live").waitFor();
    await t.page.clock.fastForward(50_000);
    await t.page.waitForTimeout(200);
    assert.equal(await t.page.locator(`.session[data-key="${key}"] .live`).count(), 1);
    await t.page.clock.fastForward(11_000);
    await t.page.waitForFunction(() => !document.querySelector(".session .live, .session.is-live"));
    await t.openConversation({ key });
    await t.page.waitForSelector(".title-line .live");
    await t.page.clock.fastForward(61_000);
    await t.page.waitForFunction(() => !document.querySelector(".title-line .live"));
  }, {}),
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
