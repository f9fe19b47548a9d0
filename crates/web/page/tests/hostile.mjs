// Looks at hostile sessions on the page of a server and in exported files: node tests/hostile.mjs PLAN.json
// The plan is written by the test of the server (crates/web/tests/hostile.rs): which sessions there are, and which
// marker each payload carries at each place. Each marker must be seen, and nothing else may come of it.

import { readFile } from "node:fs/promises";
import process from "node:process";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { audit } from "./audit.mjs";

const plan = JSON.parse(await readFile(process.argv[2], "utf8"));
const [base] = plan.url.split("?");
const TABS = { lanes: ".lane-cell:not(.is-empty)", tree: "svg.canvas a", family: ".family-box", context: "pt-context .figures", request: ".is-request .body" };
const problems = [];
let seen = 0;

/** Not shown anywhere: what only programs read, and the data of images that are none. */
const NEVER = ["api", "attachmentid", "attachmentmime", "callid", "imagedata", "replyprovider", "resultimage", "signature", "svgdata"];
/** What each page leaves out. The page shows a result with its call; without a script, a call with its result and its change. */
const UNSEEN = {
  page: new Set([...NEVER, "entryid", "resultname"]),
  plain: new Set([...NEVER, "callname", "oldtext", "newtext"]),
  list: new Set(["file", "id", "parent", "timestamp"]),
  head: new Set(["file", "id", "parent", "timestamp", "listmodel"]),
};

const browser = await chromium.launch({
  executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync"],
});

/** A page that notes whatever it should not do. `mayAsk` says which requests it may send. */
async function watched(mayAsk) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const note = (what) => problems.push(`${page.url().slice(0, 120)}: ${what}`);
  page.on("dialog", (dialog) => {
    note(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => message.type() === "error" && note(`console: ${message.text()}`));
  page.on("pageerror", (error) => note(`error: ${error.message}`));
  page.on("popup", (popup) => note(`opened ${popup.url()}`));
  page.on("download", (download) => note(`download ${download.url()}`));
  context.on("request", (request) => mayAsk(request.url()) || note(`asked for ${request.url()}`));
  const look = async (isPlain = false) => {
    const { wrong, text } = await page.evaluate(`(${audit})(${isPlain})`);
    wrong.forEach(note);
    return text;
  };
  return { context, page, note, look };
}

/** The whole conversation at once, as it goes to a printer. */
async function conversation({ page, note }) {
  await page.waitForSelector(".slot article:not(.is-empty)");
  await page.evaluate(`window.__printed = undefined; window.print = () => { window.__printed = (${audit})(false); }`);
  await page.locator(".slot article").first().focus();
  await page.keyboard.press("Control+p");
  await page.waitForFunction(() => window.__printed !== undefined);
  const { wrong, text } = await page.evaluate(() => window.__printed);
  wrong.forEach(note);
  return text;
}

/** Every marker must be in the text. The browser may show letters in capitals. */
function check(kind, session, text) {
  const where = `${kind} ${session.id}`;
  const { places } = session;
  const isSeen = ({ field }) => !UNSEEN[kind].has(field);
  const all = text.toLowerCase();
  const missing = places.filter((place) => isSeen(place) && !all.includes(place.marker));
  seen += places.filter(isSeen).length - missing.length;
  for (const { field, payload } of missing) problems.push(`${where}: ${field} is not shown: ${JSON.stringify(payload)}`);
}

async function everySession(context) {
  const all = [];
  for (let total = 1; all.length < total;) {
    const page = await (await context.request.get(`${base}api/sessions?offset=${all.length}`)).json();
    all.push(...page.rows);
    total = page.total;
  }
  return all;
}

async function lookAtServer() {
  const watch = await watched((url) => url.startsWith("data:image/") || (url.startsWith(base) && /^(?:\?token=[0-9a-f]+|assets\/app\.(?:js|css)|assets\/icon\.svg|api\/[\w/]+(?:\?.*)?)?$/.test(url.slice(base.length))));
  const { page, look, context } = watch;
  await page.goto(plan.url);
  const rows = await everySession(context);
  const keyOf = (session) => rows.find((row) => row.id === session.id)?.key ?? rows.find((row) => JSON.stringify(row).includes(session.places[0]?.marker))?.key;
  for (const session of plan.conversations) {
    const key = keyOf(session);
    await page.goto(`${base}#/session/${key}`);
    check("page", session, await conversation(watch));
    for (const [tab, ready] of Object.entries(TABS)) {
      await page.goto(`${base}#/session/${key}/${tab}`);
      await page.waitForSelector(ready, { state: "attached" });
      await look();
    }
    await lookAtRequests(watch);
  }
  await lookAtList(watch);
  for (const session of plan.headers) {
    await page.goto(`${base}#/session/${keyOf(session)}`);
    await page.waitForSelector(".slot article:not(.is-empty)");
    check("head", session, await look());
  }
  for (const view of ["spend?by=model", "spend?by=project", "stats"]) {
    await page.goto(`${base}#/${view}`);
    await page.waitForTimeout(300);
    await look();
  }
  await lookAtSearches(watch);
  await context.close();
}

/** The request of the first and of the last reply: what was sent, as text. */
async function lookAtRequests({ page, look }) {
  for (const link of ["Previous", "Next"]) {
    const other = page.getByRole("link", { name: link });
    if ((await other.count()) === 0) continue;
    await other.first().click();
    await page.waitForSelector(".is-request .body");
    await look();
  }
}

async function lookAtList({ page, look }) {
  await page.setViewportSize({ width: 1280, height: 3000 });
  await page.goto(`${base}#/`);
  await page.waitForSelector(".session");
  let text = "";
  for (let top = 0; ; top += 2500) {
    const end = await page.evaluate((to) => {
      const scroller = document.querySelector(".list-scroller");
      scroller.scrollTop = to;
      return scroller.scrollHeight;
    }, top);
    await page.waitForTimeout(250);
    text += await look();
    if (top + 3000 >= end) break;
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const session of plan.headers) check("list", session, text);
}

/** The payloads as what somebody types, and as addresses. */
async function lookAtSearches(watch) {
  const { page, look } = watch;
  for (const { places } of plan.headers) {
    const typed = encodeURIComponent(places[0].payload.replace(/[\u0000-\u001f]|%M%/g, ""));
    await page.goto(`${base}#/?q=%22${typed}`);
    await page.waitForFunction(() => !document.querySelector(".list-count")?.textContent.startsWith("-"));
    await look();
  }
}

async function lookAtFiles() {
  for (const session of plan.conversations) {
    for (const [kind, path] of Object.entries(session.files)) {
      const address = pathToFileURL(path).href;
      const watch = await watched((url) => url.split("#")[0] === address || url.startsWith("data:image/"));
      await watch.page.goto(address);
      if (kind === "plain") check("plain", session, await watch.look(true));
      else {
        check("page", session, await conversation(watch));
        for (const tab of ["lanes", "tree", "context"]) {
          await watch.page.goto(`${address}#/session/file/${tab}`);
          await watch.page.waitForSelector(TABS[tab], { state: "attached" });
          await watch.look();
        }
      }
      await watch.context.close();
    }
  }
}

/** What the audit would say of a page on which something came to life. */
async function checkTheAudit() {
  const page = await browser.newPage();
  await page.setContent(`<main><p class="body"><a href="javascript:1">x</a><img src=x onerror="window.__hit=1"><b style="position:fixed">\u202ey</b><iframe></iframe><style>*{color:red}</style></p></main>`);
  const said = (await page.evaluate(`(${audit})(false)`)).wrong.join("\n");
  for (const what of ["link:", "event handler:", "image:", "style:", "fixed:", "element:", "character U+202e", "a script ran"]) if (!said.includes(what)) problems.push(`the audit does not see: ${what} ${said}`);
  await page.close();
}

const started = Date.now();
await checkTheAudit();
await Promise.all([lookAtServer(), lookAtFiles()].map((looks) => looks.catch((error) => problems.push(String(error.stack)))));
await browser.close();
const list = [...new Set(problems)];
process.stdout.write(list.map((each) => `${each}\n`).join(""));
const payloads = plan.headers.length;
process.stdout.write(`hostile content: ${payloads} payloads, ${seen} markers seen, ${list.length} problems, ${((Date.now() - started) / 1000).toFixed(0)} s\n`);
process.exitCode = list.length > 0 ? 1 : 0;
