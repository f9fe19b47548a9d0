// Reading a session: keys, folding, finding, links, long sessions, print.

import assert from "node:assert/strict";

import { load, sessions } from "../dev/store.mjs";

const test = (name, run, more = {}) => ({ name, run, ...more });
const mockOnly = { mockOnly: true };

async function long(t) {
  const { rows } = await t.api("sessions?sort=messages&limit=1");
  return rows[0];
}

export default [
  test("the conversation does not wait for its tree or its map", async (t) => {
    const facts = await t.branched();
    const order = [];
    t.page.on("request", (request) => order.push(`asked ${/sessions\/\w+\/(\w+)/.exec(request.url())?.[1]}`));
    t.page.on("requestfinished", (request) => order.push(`has ${/sessions\/\w+\/(\w+)/.exec(request.url())?.[1]}`));
    await t.openConversation(facts);
    await t.page.waitForSelector(".tree-row");
    const rows = order.indexOf("has rows");
    assert.ok(rows >= 0 && rows < order.indexOf("asked tree"), order.join(", "));
    assert.ok(!order.slice(0, order.indexOf("asked rows")).includes("asked marks"), order.join(", "));
  }),
  test("keys: move, first, last, user messages", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    const first = await t.cursor();
    await t.press("j", "j");
    const second = await t.cursor();
    assert.ok(second > first);
    await t.press("k");
    assert.ok((await t.cursor()) < second);
    await t.press("G");
    await t.page.waitForFunction((leaf) => [...document.querySelectorAll(".slot article")].some((each) => Number(each.dataset.at) >= leaf - 3), facts.leaf);
    const last = await t.cursor();
    assert.ok(last > second);
    await t.press("[");
    await t.page.waitForFunction(() => document.querySelector(".slot article.is-cursor")?.classList.contains("is-user"));
    assert.ok((await t.cursor()) < last);
    await t.press("g");
    await t.page.waitForFunction((at) => Number(document.querySelector(".slot article.is-cursor")?.dataset.at) === at, first);
    assert.ok(await t.page.evaluate(() => document.activeElement.matches(".slot article.is-cursor")), "the focus is on the cursor");
    await t.axe();
  }),
  test("keys: the next error opens its result", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.press("}");
    await t.page.waitForSelector(".slot article.is-cursor.is-failed, .slot article.is-cursor .is-failed[open]");
  }),
  test("fold: one message, all messages", async (t) => {
    await t.openConversation(await t.branched());
    await t.press("j", "o");
    await t.page.waitForSelector(".slot article.is-cursor.is-folded");
    await t.press("o");
    await t.page.waitForSelector(".slot article.is-cursor:not(.is-folded)");
    await t.press("O");
    await t.page.waitForFunction(() => [...document.querySelectorAll(".slot article")].every((each) => each.classList.contains("is-folded")));
  }),
  test("thinking is folded, a call has its result", async (t) => {
    await t.openConversation(await t.branched());
    assert.equal(await t.page.locator(".thinking[open]").count(), 0);
    const call = t.page.locator(".call").first();
    await t.page.waitForSelector(".call .outcome");
    await call.locator("summary").first().click();
    await call.locator(".result").waitFor();
    assert.equal(await t.page.locator(".slot article.is-tool").count(), 0, "no result stands alone");
  }),
  test("a change and an error open themselves; each line of a change is a line", async (t) => {
    await t.openConversation(await t.branched());
    await t.page.waitForSelector(".call[open] .result .diff-add");
    await t.press("}");
    await t.page.waitForSelector(".call.is-failed[open]");
    const lines = await t.page.evaluate(() => {
      const block = document.querySelector(".call .result .diff-add").closest("pre");
      return [...block.querySelectorAll(".diff-add, .diff-del")].map((line) => line.getBoundingClientRect()).map(({ left, top, height }) => ({ left, top, height }));
    });
    assert.ok(lines.length > 1, "a change has several lines");
    for (const [n, line] of lines.entries()) {
      assert.equal(line.left, lines[0].left);
      if (n > 0) assert.ok(line.top >= lines[n - 1].top + lines[n - 1].height - 1, JSON.stringify(lines));
    }
  }, mockOnly),
  test("details: the command that resumes the session", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.page.locator(".more-facts > summary").click();
    const command = await t.page.locator(".more-facts dd", { has: t.page.getByRole("button", { name: "Copy" }) }).locator("code").textContent();
    assert.equal(command, `cd ${facts.cwd} && pi --session ${facts.id}`);
    await t.page.locator(".more-facts").getByRole("button", { name: "Copy" }).click();
    await t.page.waitForFunction(() => document.querySelector(".toast")?.textContent === "Command copied");
    await t.axe();
  }, mockOnly),
  test("deep link: an entry of the current branch does not switch the branch", async (t) => {
    const facts = await t.branched();
    const { rows } = await t.api(`sessions/${facts.key}/rows?leaf=${facts.leaf}&from=0&count=20&filter=user`);
    await t.go("#/");
    // Each address is told to the page twice, once while the session is being opened.
    await t.page.evaluate((hash) => {
      location.hash = hash;
      window.dispatchEvent(new Event("route"));
    }, `#/session/${facts.key}?e=${rows.at(-1).at}`);
    await t.rows();
    await t.page.waitForFunction((at) => Number(document.querySelector(".slot article.is-cursor")?.dataset.at) === at, rows.at(-1).at);
    assert.ok(!(await t.hash()).includes("leaf="), await t.hash());
    assert.ok(!(await t.page.locator(".toast").textContent()).includes("another branch"));
  }),
  test("find: count, next, previous, marked in the text", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.press("/");
    const { rows } = await t.api(`sessions/${facts.key}/rows?leaf=${facts.leaf}&from=0&count=50&filter=user`);
    const word = /[a-z]{3,}/.exec(rows.map(({ summary }) => summary).join(" "))[0];
    await t.page.keyboard.type(word);
    const found = (await t.api(`sessions/${facts.key}/find?q=${word}`)).total;
    // While it was typed, its beginning may have been looked for.
    await t.page.waitForFunction((total) => document.querySelector(".find-count")?.textContent.replace(/\D*of\D*/, "/").replace(/,/g, "").endsWith(`/${total}`), found);
    await t.page.waitForFunction(() => CSS.highlights.get("find")?.size > 0);
    const first = await t.page.locator(".find-count").textContent();
    await t.press("Enter");
    await t.page.waitForFunction((before) => document.querySelector(".find-count").textContent !== before, first);
    await t.press("Shift+Enter");
    await t.page.waitForFunction((before) => document.querySelector(".find-count").textContent === before, first);
    await t.press("Escape");
    await t.page.waitForFunction(() => !CSS.highlights.get("find"));
    assert.ok(!(await t.hash()).includes("find="));
  }),
  test("find: what is typed while an answer is on its way stays", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    const held = [];
    await t.page.route(/\/find\?/, (route) => (held.length < 1 ? held.push(route) : route.continue()));
    await t.press("/");
    await t.page.keyboard.type("fore");
    for (let n = 0; n < 100 && held.length === 0; n += 1) await t.page.waitForTimeout(20);
    await t.page.keyboard.type("c");
    await held[0].continue();
    await t.page.waitForTimeout(100);
    await t.page.keyboard.type("ast");
    await t.page.waitForFunction(() => location.hash.includes("find=forecast"));
    assert.equal(await t.page.getByLabel("Find in this session").inputValue(), "forecast");
  }),
  test("find: more matches than are counted", async (t) => {
    const { key } = await long(t);
    await t.openConversation({ key }, "?find=the");
    await t.page.waitForFunction(() => /^[\d,]+ of 2,000\+$/.test(document.querySelector(".find-count")?.textContent ?? ""));
    assert.match(await t.page.locator("#announcer").textContent(), /2,000/);
  }),
  test("a hit in a result opens it, and the back button returns", async (t) => {
    const facts = await t.branched();
    await t.go("#/?q=cache");
    await t.page.waitForSelector(".session mark");
    await t.page.locator(`[data-key="${facts.key}"] a.title, .session a.title`).first().click();
    await t.rows();
    await t.page.waitForFunction(() => CSS.highlights.get("find")?.size > 0);
    await t.page.goBack();
    await t.page.waitForSelector(".session mark");
    assert.match(await t.hash(), /q=cache/);
  }),
  test("deep link: the entry is on the screen and at the cursor", async (t) => {
    const facts = await t.branched();
    const path = await t.api(`sessions/${facts.key}/rows?leaf=${facts.leaf}&from=0&count=200&filter=all`);
    const row = path.rows.filter(({ kind }) => kind === "user").at(-1) ?? path.rows.at(-1);
    await t.openConversation(facts, `?e=${row.at}`);
    await t.page.waitForFunction((at) => {
      const box = document.querySelector(`article[data-at="${at}"].is-cursor`)?.getBoundingClientRect();
      return box && box.top > 0 && box.top < innerHeight;
    }, row.at);
  }),
  test("a long text is cut, and the rest can be had", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.press("G", "[");
    await t.page.getByRole("button", { name: /Show the rest/ }).click();
    await t.page.waitForFunction(() => document.querySelector(".scroller").textContent.includes("This is the rest."));
  }, mockOnly),
  test("deep link: by the id of an entry", async (t) => {
    const facts = await t.branched();
    const { rows } = await t.api(`sessions/${facts.key}/rows?leaf=${facts.leaf}&from=0&count=200&filter=all`);
    const row = rows.findLast(({ kind }) => kind === "user");
    await t.openConversation(facts, `?e=${row.id}x`);
    await t.go("#/");
    await t.openConversation(facts, `?e=${row.id}`);
    await t.page.waitForFunction((at) => Number(document.querySelector("article.is-cursor")?.dataset.at) === at, row.at);
    t.problems = t.problems.filter((text) => !/404/.test(text));
  }),
  test("a folded call says what its tool said, and not the details below that", async (t) => {
    const session = sessions[0];
    const result = load(session).entries.find(({ kind, text }) => kind === "toolResult" && !text.startsWith("@@"));
    const known = result.text;
    Object.assign(result, { text: "3/3 succeeded", details: { mode: "parallel" } });
    try {
      await t.openConversation({ key: session.key }, `?e=${result.at}`);
      await t.page.waitForFunction((at) => document.querySelector(`.call[data-result-at="${at}"] .outcome`), result.at);
      assert.equal(await t.page.locator(`.call[data-result-at="${result.at}"] > summary .outcome`).textContent(), "ok 3/3 succeeded");
    } finally {
      Object.assign(result, { text: known, details: undefined });
    }
  }, mockOnly),
  test("a damaged file says so above its conversation, with the command that says all", async (t) => {
    const session = sessions[0];
    session.problems = [
      { line: 12, text: "the line is not valid JSON", advice: "the line stays in the file" },
      { line: 13, text: "3 entries before line 12 are no longer on the current branch", advice: "they are not sent to the model" },
    ];
    try {
      await t.openConversation({ key: session.key });
      const notice = t.page.locator(".damage");
      assert.match(await notice.textContent(), /This session file is damaged: line 12: the line is not valid JSON; the line stays in the file\./);
      assert.match(await notice.locator("details").textContent(), /1 more problem.*3 entries before line 12/);
      assert.match(await notice.locator("code").textContent(), /^pitree check ~\/\.pi\/agent\/sessions\/[\w-]+\.jsonl$/);
      await t.axe();
    } finally {
      delete session.problems;
    }
    await t.go("#/");
    await t.openConversation({ key: sessions[3].key });
    assert.equal(await t.page.locator(".damage").count(), 0);
  }, mockOnly),
  test("find: on arrival it says how many there are, not that none was reached", async (t) => {
    const facts = await t.branched();
    const { hits } = await t.api(`sessions/${facts.key}/find?q=the`);
    const other = facts.leaf === hits.at(-1).at ? 0 : facts.leaf;
    await t.openConversation(facts, `?find=the&e=${other}`);
    await t.page.waitForFunction(() => /^[\d,+]+ (of [\d,+]+|match(es)?)$/.test(document.querySelector(".find-count")?.textContent ?? ""));
    assert.doesNotMatch(await t.page.locator(".find-count").textContent(), /^0 of/);
  }),
  test("until its script runs, the page says that it is loading", async (t) => {
    await t.page.route("**/app.js", () => undefined);
    await t.page.goto(t.base, { waitUntil: "commit" });
    await t.page.getByText("Loading…").waitFor();
    await t.page.unroute("**/app.js");
    await t.page.goto("about:blank");
    await t.go("#/");
    await t.page.waitForSelector(".session");
    assert.equal(await t.page.locator(".first-load").count(), 0);
  }),
  test("an id of digits alone is an id", async (t) => {
    const session = sessions[0];
    const { key, leaf } = await t.api(`sessions/${session.key}`);
    const entry = session.entries.find(({ kind, text }) => kind === "user" && /weather|days/i.test(text));
    const known = entry.id;
    entry.id = "00622715";
    try {
      await t.go(`#/?q=${/weather|days/i.exec(entry.text)[0]}`);
      await t.page.locator(`[data-key="${key}"] a.title`).click();
      await t.page.waitForFunction((at) => Number(document.querySelector("article.is-cursor")?.dataset.at) === at, entry.at);
      assert.match(await t.hash(), /[?&]id=00622715/);
      await t.press("j");
      await t.page.waitForFunction(() => /[?&]e=\d+/.test(location.hash) && !/[?&]id=/.test(location.hash));
      await t.go("#/");
      await t.openConversation({ key }, `?leaf=${leaf}&e=${leaf}`);
      await t.page.evaluate((hash) => (location.hash = hash), `#/session/${key}?leaf=${leaf}&id=00622715`);
      await t.page.waitForFunction((at) => Number(document.querySelector("article.is-cursor")?.dataset.at) === at, entry.at);
    } finally {
      entry.id = known;
    }
  }, mockOnly),
  test("copy a message, its code, a link", async (t) => {
    await t.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await t.openConversation(await t.branched());
    const clipboard = () => t.page.evaluate(() => navigator.clipboard.readText());
    await t.press("j", "y");
    await t.page.waitForSelector(".toast.is-shown");
    assert.ok((await clipboard()).length > 0);
    await t.page.evaluate(() => navigator.clipboard.writeText(""));
    const block = t.page.locator(".body .block").first();
    if (await block.isVisible()) {
      await block.hover();
      await block.locator(".copy-block").click();
      await t.page.waitForFunction(() => /Block/.test(document.querySelector(".toast").textContent));
      assert.equal(await clipboard(), await block.locator("pre").textContent());
    }
    await t.press("L");
    await t.page.waitForFunction(() => /Link/.test(document.querySelector(".toast").textContent));
    const link = await clipboard();
    const at = await t.cursor();
    await t.page.goto("about:blank");
    await t.page.goto(link);
    await t.rows();
    await t.page.waitForFunction((wanted) => Number(document.querySelector("article.is-cursor")?.dataset.at) === wanted, at);
  }),
  test("filters: only the user's messages, then all", async (t) => {
    await t.openConversation(await t.branched());
    await t.page.getByLabel("Filter").selectOption("user");
    await t.page.waitForFunction(() => [...document.querySelectorAll(".slot article")].length > 0 && [...document.querySelectorAll(".slot article")].every((each) => each.classList.contains("is-user")));
    assert.match(await t.hash(), /filter=user/);
    await t.page.goBack();
    await t.page.waitForSelector(".slot article.is-assistant");
  }),
  test("tree: beside, by keys, a click shows the entry, on another branch too", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.page.waitForSelector(".tree-row");
    await t.press("t");
    assert.ok(await t.page.evaluate(() => document.activeElement.matches(".tree-scroller")));
    await t.press("j", "j", "Enter");
    await t.page.waitForFunction(() => /e=\d+/.test(location.hash));
    await t.press("t", "t", "End");
    const other = t.page.locator(".tree-row.is-abandoned").first();
    await other.scrollIntoViewIfNeeded();
    const at = Number(await other.getAttribute("data-at"));
    await other.click();
    await t.page.waitForFunction((wanted) => document.querySelector(".slot article.is-cursor, .call[data-result-at]") && location.hash.includes(`e=${wanted}`), at);
    assert.match(await t.hash(), /leaf=\d+/);
    await t.page.waitForSelector(".toolbar .chip");
    await t.page.goBack();
    await t.page.waitForFunction(() => !location.hash.includes("leaf="));
  }),
  test("100,000 entries: quick to the end, to the middle, few elements", async (t) => {
    const { key } = await long(t);
    await t.openConversation({ key });
    await t.press("G");
    await t.page.waitForFunction(() => [...document.querySelectorAll(".slot article:not(.is-empty)")].some((each) => Number(each.dataset.at) > 99_900));
    const box = await t.page.locator("pt-minimap").boundingBox();
    await t.page.mouse.click(box.x + 20, box.y + box.height / 2);
    await t.page.waitForFunction(() => [...document.querySelectorAll(".slot article:not(.is-empty)")].some((each) => Math.abs(Number(each.dataset.at) - 50_000) < 2000));
    assert.ok((await t.page.evaluate(() => document.querySelectorAll("*").length)) < 2500);
    await t.press("g");
    await t.page.waitForFunction(() => document.querySelector(".scroller").scrollTop === 0);
  }),
  test("100,000 entries: the map by keys, the tree follows", async (t) => {
    const { key } = await long(t);
    await t.openConversation({ key }, "?e=60000");
    await t.page.waitForFunction(() => document.querySelector(".tree-row.is-here"));
    await t.page.locator(".map").focus();
    await t.press("End");
    await t.page.waitForFunction(() => Number(document.querySelector(".map").getAttribute("aria-valuenow")) > 90_000);
    await t.press("Home");
    await t.page.waitForFunction(() => Number(document.querySelector(".map").getAttribute("aria-valuenow")) < 10);
  }),
  test("rows above that change their height do not move what is read", async (t) => {
    const { key } = await long(t);
    await t.openConversation({ key }, "?e=50003");
    await t.page.waitForTimeout(400);
    const top = () => t.page.evaluate(() => document.querySelector("article.is-cursor").getBoundingClientRect().top);
    const before = await top();
    await t.page.waitForTimeout(500);
    assert.ok(Math.abs((await top()) - before) < 2);
  }),
  test("sub-agent: opened in place", async (t) => {
    const { rows } = await t.api("sessions?limit=50");
    const all = await Promise.all(rows.filter(({ messages }) => messages < 2000).map(({ key }) => t.api(`sessions/${key}`)));
    const facts = all.find(({ key, family }) => family.some((each) => each.subagentOf === key && each.at !== null));
    const members = facts.family.filter((each) => each.subagentOf === facts.key);
    await t.openConversation(facts, `?e=${members[0].at}`);
    await t.page.waitForFunction((count) => document.querySelectorAll("pt-subagent").length >= count, members.length);
    for (let n = 0; n < members.length; n += 1) {
      await t.page.locator("pt-subagent > details > summary").nth(n).click();
      await t.page.locator("pt-subagent").nth(n).locator("article .body, .notice.is-bad").first().waitFor();
    }
    assert.ok((await t.page.locator("pt-subagent article .body").count()) > 0);
    await t.axe();
    await t.page.locator("pt-subagent").first().getByRole("link", { name: "Open this session" }).click();
    await t.page.waitForFunction((key) => location.hash.includes(key), members[0].key);
    await t.rows();
    t.problems = t.problems.filter((text) => !/404/.test(text));
  }),
  test("print: of a very long branch a part, and the paper says which", async (t) => {
    const { key } = await long(t);
    await t.openConversation({ key }, "?e=50000");
    await t.page.evaluate(() => { window.print = () => { window.printed = [...document.querySelectorAll(".is-printed article")].length; window.said = document.querySelector(".is-printed .notice")?.textContent; }; });
    await t.press("Control+k");
    await t.page.keyboard.type("print from this");
    await t.page.locator(".choice", { hasText: "Print from this message on" }).click();
    await t.page.waitForFunction(() => window.printed > 1000);
    assert.match(await t.page.evaluate(() => window.said), /^Entries (49|50),\d+ to 5[23],\d+ of \d+,\d+ on this branch/);
    await t.rows();
  }),
  test("print: what is folded is on the paper, and folded again afterwards", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.page.waitForSelector(".call .outcome");
    const open = () => t.page.locator("pt-conversation details[open]").count();
    // Short changes and errors are open by themselves.
    const before = await open();
    assert.ok(await t.page.locator(".call[data-result-at]:not([open])").count() > 0);
    await t.page.evaluate(() => {
      window.print = () => {
        // The texts of all outputs and of all reasoning, and those of them that are drawn.
        const inside = [...document.querySelectorAll(".is-printed .result > *, .is-printed .thinking > :not(summary)")];
        const texts = inside.filter((each) => each.textContent.trim() !== "");
        window.folded = texts.length;
        window.drawn = texts.filter((each) => each.checkVisibility() && each.getBoundingClientRect().height > 0).length;
        window.long = document.querySelectorAll(".is-printed .is-folded").length;
      };
    });
    await t.press("Control+p");
    await t.page.waitForFunction(() => window.folded > 0);
    assert.equal(await t.page.evaluate(() => window.drawn), await t.page.evaluate(() => window.folded));
    assert.equal(await t.page.evaluate(() => window.long), 0);
    await t.rows();
    await t.page.waitForFunction((before) => document.querySelectorAll("pt-conversation details[open]").length === before, before);
    // Printing by the browser's menu, which tells of it and waits for nothing.
    await t.page.emulateMedia({ media: "print" });
    const shown = () => t.page.locator(".call[data-result-at]:not(:has(.diff-add)):not(.is-failed) .result").first().evaluate((each) => each.checkVisibility());
    await t.page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.ok(await shown());
    // The style alone opens them too, and only on paper.
    await t.page.evaluate(() => { for (const each of document.querySelectorAll(".is-printed details")) each.open = false; });
    assert.ok(await shown(), "by style");
    await t.page.emulateMedia({ media: "screen" });
    assert.ok(!(await shown()), "on the screen");
    await t.page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await t.rows();
    assert.equal(await open(), 0);
  }),
  test("print: every row of the branch is on the paper", async (t) => {
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.page.evaluate(() => { window.print = () => { window.printed = [...document.querySelectorAll(".is-printed article")].length; window.text = document.body.innerText; }; });
    await t.press("Control+p");
    await t.page.waitForFunction(() => window.printed > 0);
    const { rows } = await t.api(`sessions/${facts.key}/rows?leaf=${facts.leaf}&from=0&count=200&filter=all`);
    const merged = new Set(rows.flatMap((row) => (row.calls ?? []).map(({ resultAt }) => resultAt)));
    assert.equal(await t.page.evaluate(() => window.printed), rows.filter(({ at }) => !merged.has(at)).length);
    await t.page.emulateMedia({ media: "print" });
    assert.equal(await t.page.locator(".bar-top").isVisible(), false);
    const pdf = await t.page.pdf();
    assert.ok(pdf.length > 1000);
    await t.page.emulateMedia({ media: "screen" });
    await t.rows();
  }),
];
