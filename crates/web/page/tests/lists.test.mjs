// The list of sessions, the palette, spend and stats.

import assert from "node:assert/strict";

import { sessions } from "../dev/store.mjs";

const test = (name, run, more = {}) => ({ name, run, ...more });
const mockOnly = { mockOnly: true };

export default [
  test("list: a name is not cut for the message after it", async (t) => {
    const session = sessions[0];
    const known = session.firstMessage;
    session.firstMessage = "a long first message ".repeat(40);
    try {
      await t.go("#/");
      const title = t.page.locator(`[data-key="${session.key}"] a.title`);
      await title.waitFor();
      assert.equal(await title.evaluate((each) => each.scrollWidth - each.clientWidth), 0);
      assert.equal(await t.page.locator(`[data-key="${session.key}"] .first-message`).count(), 1);
    } finally {
      session.firstMessage = known;
    }
  }, mockOnly),
  test("spend: the chart has an axis of dollars", async (t) => {
    await t.go("#/spend");
    await t.page.waitForSelector(".standing .column");
    const amounts = await t.page.locator(".standing-frame .chart-axis span").allTextContents();
    assert.ok(amounts.length >= 2 && amounts.every((text) => /^\$[\d.,]+$/.test(text)), amounts.join(" "));
  }),
  test("list: rows lead to sessions", async (t) => {
    await t.go("#/");
    const title = t.page.locator(".session a.title").first();
    const text = await title.textContent();
    await title.click();
    await t.rows();
    assert.equal((await t.page.locator("h1").textContent()).slice(0, 20), text.slice(0, 20));
    await t.page.goBack();
    await t.page.waitForSelector(".session");
    await t.axe();
  }),
  test("list: families are threads that fold", async (t) => {
    await t.go("#/");
    const fold = t.page.locator(".session .fold").first();
    await t.page.waitForFunction(() => document.querySelector(".list-count")?.textContent && document.querySelector(".session .thread"));
    const length = () => t.page.locator(".slot[role=listitem]").first().getAttribute("aria-setsize").then(Number);
    const before = await length();
    await fold.click();
    assert.equal(await fold.getAttribute("aria-expanded"), "false");
    assert.ok((await length()) < before);
    await t.page.getByRole("button", { name: "Threads" }).click();
    await t.page.waitForFunction(() => document.querySelectorAll(".thread").length === 0);
    assert.match(await t.hash(), /flat=1/);
  }),
  test("search: as you type, hits marked, and why", async (t) => {
    await t.go("#/");
    await t.press("/");
    await t.page.keyboard.type("cache");
    await t.page.waitForSelector(".session mark");
    assert.match(await t.hash(), /q=cache/);
    assert.match(await t.page.locator(".why").first().textContent(), /cache in the/);
    assert.match(await t.page.locator("#announcer").textContent(), /sessions?$/);
    await t.axe();
    await t.press("Enter");
    await t.rows();
    assert.match(await t.hash(), /session\/.*find=cache/i);
  }),
  test("list: the project filter has all projects, and the number of their sessions", async (t) => {
    const { projects } = await t.api("projects");
    assert.ok(projects.length > 1);
    const last = projects.at(-1);
    await t.go(`#/?project=${encodeURIComponent(last.cwd)}`);
    await t.page.waitForFunction((expected) => document.querySelector(".list-count")?.textContent.startsWith(`${expected} `), last.sessions);
    await t.page.waitForFunction((expected) => document.querySelectorAll(".filters select")[0].options.length === expected, projects.length + 1);
    assert.equal(await t.page.getByLabel("Project").inputValue(), last.cwd);
    const first = projects[0];
    await t.page.getByLabel("Project").selectOption(first.cwd);
    await t.page.waitForFunction((expected) => document.querySelector(".list-count")?.textContent.startsWith(`${expected} `), first.sessions);
  }),
  test("list: the line of activity is drawn as counted", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session .spark path");
    const { rows } = await t.api("sessions?limit=100");
    const drawn = await t.page.locator(".session").evaluateAll((all) => all.map((each) => [each.dataset.key, each.querySelector(".spark path")?.getAttribute("d") ?? ""]));
    let seen = 0;
    for (const [key, path] of drawn) {
      // A thread shows members that the list has further below.
      const activity = rows.find((row) => row.key === key)?.activity;
      if (!activity) continue;
      const most = Math.max(...activity);
      const bars = [...path.matchAll(/M(\d+) 16v-([\d.]+)/g)].map(([, x, height]) => [(Number(x) - 1) / 3, Number(height)]);
      assert.deepEqual(bars.map(([bucket]) => bucket), activity.flatMap((value, bucket) => (value > 0 ? [bucket] : [])));
      for (const [bucket, height] of bars) assert.ok(Math.abs(height - Math.max(1.5, (activity[bucket] / most) * 15)) < 0.01, `${key}: ${path}`);
      seen += bars.length;
    }
    assert.ok(seen > 5);
  }),
  test("search: nothing found is said", async (t) => {
    await t.go("#/?q=zzzzqqqqxxxx");
    await t.page.waitForFunction(() => document.querySelector(".empty")?.textContent === "Nothing matched.");
    assert.equal(await t.page.locator(".session, .notice").count(), 0);
  }),
  test("search: sorted by relevance unless another order is chosen", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    const options = () => t.page.getByLabel("Sort by").locator("option").allTextContents();
    assert.ok(!(await options()).includes("Relevance"));
    const { rows } = await t.api("sessions?limit=1");
    const word = /[a-z]{4,}/i.exec(rows[0].title)[0];
    await t.go(`#/?q=${word}`);
    await t.page.waitForSelector(".session mark");
    assert.equal((await options())[0], "Relevance");
    await t.page.getByLabel("Sort by").selectOption({ label: "Recent" });
    await t.page.waitForFunction(() => location.hash.includes("sort=recent"));
    const recent = await t.api(`sessions?q=${word}&sort=recent`);
    const times = recent.rows.map(({ modified }) => modified);
    assert.deepEqual(times, times.toSorted((a, b) => b - a));
    await t.page.waitForFunction((key) => document.querySelector(".session")?.dataset.key === key, recent.rows[0].key);
  }),
  test("search: a phrase is marked whole, and a filter is not", async (t) => {
    const { rows } = await t.api("sessions?limit=50");
    const phrase = rows.map(({ title }) => /[a-z]+ [a-z]+/i.exec(title)?.[0]).find(Boolean);
    await t.go(`#/?q=${encodeURIComponent(`"${phrase}" role:user`)}`);
    await t.page.waitForSelector(".session mark");
    const marked = await t.page.locator(".session a.title mark").allTextContents();
    assert.ok(marked.length > 0 && marked.every((text) => text.toLowerCase() === phrase.toLowerCase()), `${phrase}: ${marked}`);
  }, { realOnly: true }),
  test("filters and sort are in the address", async (t) => {
    await t.go("#/?sort=cost");
    await t.page.waitForSelector(".session");
    const costs = (await t.api("sessions?sort=cost&limit=3")).rows.map(({ key }) => key);
    assert.equal(await t.page.locator(".session").first().getAttribute("data-key"), costs[0]);
    await t.page.getByLabel("Sort by").selectOption("messages");
    await t.page.waitForFunction(() => location.hash.includes("sort=messages"));
    await t.page.goBack();
    await t.page.waitForFunction(() => location.hash.includes("sort=cost"));
  }),
  test("list: keys only", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    await t.press("j", "j", "j");
    await t.page.waitForFunction(() => document.activeElement?.matches("a.title") && document.activeElement.closest(".session.is-active") === document.querySelectorAll(".session")[2]);
    const key = await t.page.evaluate(() => document.activeElement.closest(".session").dataset.key);
    await t.press("Enter");
    await t.rows();
    assert.match(await t.hash(), new RegExp(key));
    await t.press("q");
    await t.page.waitForSelector(".session");
  }),
  test("palette: sessions, views and commands; the focus comes back", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    await t.page.locator(".search input").focus();
    await t.press("Control+k");
    await t.page.waitForSelector("#choices .choice");
    await t.axe();
    await t.press("Escape");
    assert.ok(await t.page.evaluate(() => document.activeElement.matches(".search input")));
    await t.press("Control+k");
    await t.page.keyboard.type("spend");
    await t.page.waitForFunction(() => [...document.querySelectorAll(".choice")].some((each) => each.textContent.includes("Spend")));
    await t.page.locator(".choice", { hasText: "Spend" }).last().click();
    await t.page.waitForSelector("pt-spend .bar, pt-spend .standing");
  }),
  test("help lists every key", async (t) => {
    await t.go("#/");
    await t.press("?");
    const text = await t.page.locator("dialog.help").textContent();
    for (const word of ["next error", "copy the message", "next match", "find in this session", "sessions, views and commands"]) assert.ok(text.includes(word), word);
    await t.axe();
    await t.press("Escape");
    assert.equal(await t.page.locator("dialog[open]").count(), 0);
  }),
  test("spend: a bar leads to its sessions", async (t) => {
    await t.go("#/spend?by=model");
    const bar = t.page.locator("a.bar").first();
    await bar.waitFor();
    const sessions = Number(/(\d+) session/.exec(await bar.textContent())[1]);
    await t.axe();
    await bar.click();
    await t.page.waitForFunction((expected) => document.querySelector(".list-count")?.textContent.startsWith(`${expected} `), sessions);
    await t.page.goBack();
    await t.page.waitForSelector("a.bar");
  }),
  test("spend: by day, week, project, role, family, in tokens", async (t) => {
    await t.go("#/spend");
    await t.page.waitForSelector(".standing a");
    for (const by of ["Week", "Project", "Role", "Family"]) {
      await t.page.getByRole("link", { name: by, exact: true }).click();
      await t.page.waitForSelector(".bar");
    }
    await t.page.getByRole("link", { name: "Tokens" }).click();
    await t.page.waitForFunction(() => /tokens/.test(document.querySelector(".bar-value")?.textContent ?? ""));
  }),
  test("spend: times are in the address, and kept by the bars", async (t) => {
    await t.go("#/spend?by=model");
    await t.page.waitForSelector("a.bar");
    const figure = () => t.page.locator(".figures b").nth(2).textContent();
    const before = await figure();
    const { rows } = await t.api("spend?by=day");
    const day = rows.at(-1).key;
    await t.page.getByLabel("Since").fill(day);
    await t.press("Enter");
    await t.page.waitForFunction((day) => location.hash.includes(`since=${day}`), day);
    if (rows.length > 1) await t.page.waitForFunction((text) => document.querySelectorAll(".figures b")[2]?.textContent !== text, before);
    await t.axe();
    const bar = t.page.locator("a.bar").first();
    const sessions = Number(/(\d+) session/.exec(await bar.textContent())[1]);
    await bar.click();
    await t.page.waitForFunction((expected) => document.querySelector(".list-count")?.textContent.startsWith(`${expected} `), sessions);
    assert.match(await t.page.locator(".filters .chip").textContent(), new RegExp(`since ${day}`));
    await t.go("#/spend?since=soon");
    await t.page.waitForSelector(".notice.is-bad");
    t.problems = t.problems.filter((text) => !/400/.test(text));
  }),
  test("stats: figures lead to what they count", async (t) => {
    await t.go("#/stats");
    await t.page.waitForSelector(".card .bar");
    const card = t.page.locator(".card", { hasText: "Tools" }).first();
    await card.locator("a.bar").first().click();
    await t.page.waitForFunction(() => /q=tool/.test(location.hash));
    await t.page.goBack();
    await t.page.locator(".figures a").first().click();
    await t.page.waitForSelector(".session");
    if (t.isMock) return;
    // Every search that a figure leads to is one that the server understands, and finds something.
    await t.go("#/stats");
    await t.page.waitForSelector(".card .bar");
    const links = await t.page.locator("a[href*='q=']").evaluateAll((all) => all.map((each) => new URLSearchParams(each.getAttribute("href").split("?")[1]).get("q")));
    assert.ok(links.length > 3);
    for (const q of new Set(links)) {
      const page = await t.api(`sessions?q=${encodeURIComponent(q)}`);
      assert.ok(page.total > 0 && !page.isGuess, `${q}: ${JSON.stringify(page).slice(0, 200)}`);
    }
  }),
  test("stats: figures and bars", async (t) => {
    await t.go("#/stats");
    await t.page.waitForSelector(".card .bar");
    assert.ok((await t.page.locator(".card").count()) >= 6);
    await t.axe();
  }),
  test("phone: the list and a session fit 390 pixels", async (t) => {
    const fits = () => t.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".bar-top, .toolbar, .session-head, .list-head, .session")].every((each) => each.scrollWidth <= innerWidth));
    await t.go("#/");
    await t.page.waitForSelector(".session");
    assert.ok(await fits(), "list");
    const facts = await t.branched();
    await t.openConversation(facts);
    assert.ok(await fits(), "session");
    assert.equal(await t.page.locator("pt-tree").count(), 0);
    await t.page.getByRole("button", { name: "Tree", exact: true }).click();
    await t.page.waitForSelector(".tree-row");
    await t.axe();
    await t.go("#/spend");
    await t.page.waitForSelector(".bar");
    assert.ok(await fits(), "spend");
  }, { options: { viewport: { width: 390, height: 844 }, hasTouch: true } }),
  test("dark: contrast holds, the switch works and is remembered", async (t) => {
    await t.go("#/");
    await t.page.waitForSelector(".session");
    const color = () => t.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await color();
    await t.axe();
    await t.page.getByRole("button", { name: /Auto/ }).click();
    assert.notEqual(await color(), dark);
    await t.page.reload();
    await t.page.waitForSelector(".session");
    assert.notEqual(await color(), dark);
    await t.page.getByRole("button", { name: /Light/ }).click();
    const facts = await t.branched();
    await t.openConversation(facts);
    await t.axe();
  }, { options: { colorScheme: "dark" } }),
];
