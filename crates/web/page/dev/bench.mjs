// How quick a page with one long session is: node dev/bench.mjs KIND ADDRESS, prints JSON in milliseconds.
// KIND is `serve` (the address that `pitree serve` printed), `file` (an exported page) or `other` (any page: how soon
// it has loaded, shows text and draws). Used by `cargo xtask bench web`.

import process from "node:process";

import { chromium } from "playwright-core";

const [kind, address] = process.argv.slice(2);
const FRAMES = 180;
const NOWHERE = "xqzjkvw";
const COMMON = "e";
const ROW = ".slot article:not(.is-empty)";
const found = {};

const browser = await chromium.launch({ executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(300_000);

async function timed(name, action) {
  const started = performance.now();
  await action();
  found[name] = performance.now() - started;
}

/** Waits until rows are shown at the top or at the bottom of what can be scrolled. */
const showsEnd = (isTop) => page.waitForFunction((isTop) => {
  const scroller = document.querySelector(".scroller");
  const left = isTop ? scroller.scrollTop : scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
  const { top, bottom } = scroller.getBoundingClientRect();
  const isSeen = (row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom;
  return left < 2 && [...document.querySelectorAll(".slot article:not(.is-empty)")].some(isSeen);
}, isTop);

async function frames(step) {
  const times = await page.evaluate(async ([step, frames]) => {
    const scroller = document.querySelector(".scroller");
    const found = [];
    let last = await new Promise((next) => requestAnimationFrame(next));
    for (let n = 0; n < frames; n += 1) {
      scroller.scrollTop += step;
      const now = await new Promise((next) => requestAnimationFrame(next));
      found.push(now - last);
      last = now;
    }
    return found.sort((a, b) => a - b);
  }, [step, FRAMES]);
  return times[Math.floor(0.95 * (FRAMES - 1))];
}

async function find(name, word, says) {
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await timed(name, async () => {
    await page.keyboard.type(word);
    await page.waitForFunction((says) => new RegExp(says).test(document.querySelector(".find-count")?.textContent ?? ""), says);
  });
  await page.keyboard.press("Escape");
}

async function read() {
  await timed("end", async () => {
    await page.keyboard.press("G");
    await showsEnd(false);
  });
  await page.waitForTimeout(500);
  await timed("beginning", async () => {
    await page.keyboard.press("g");
    await showsEnd(true);
  });
  await page.waitForTimeout(1500);
  found.frame = await frames(120);
  found.fastFrame = await frames(2000);
  await find("find", COMMON, "^1 of|^\\d+ of");
  await find("findNothing", NOWHERE, "no match");
}

if (kind === "serve") {
  const [base] = address.split("?");
  await page.goto(address);
  await page.waitForSelector(".session");
  const key = await page.getAttribute(".session", "data-key");
  const open = async () => {
    await page.goto("about:blank");
    await page.goto(`${base}#/session/${key}`, { waitUntil: "commit" });
    await page.waitForSelector(ROW);
  };
  await timed("first", open);
  await page.waitForTimeout(3000);
  await timed("again", open);
  await page.waitForTimeout(1000);
  await read();
} else if (kind === "file") {
  await timed("first", async () => {
    await page.goto(address, { waitUntil: "commit" });
    await page.waitForSelector(ROW);
  });
  await timed("tree", () => page.waitForSelector(".tree-row .tree-text"));
  found.usable = found.first + found.tree;
  await page.waitForTimeout(1000);
  await read();
} else {
  await timed("first", async () => {
    await page.goto(address, { waitUntil: "commit" });
    // Each of the others marks what somebody said in its own way.
    await page.waitForFunction(() => document.querySelector(".message-body, .user-message, .assistant-message")?.innerText);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
  });
  found.elements = await page.evaluate(() => document.querySelectorAll("*").length);
}
await browser.close();
process.stdout.write(`${JSON.stringify(found)}\n`);
