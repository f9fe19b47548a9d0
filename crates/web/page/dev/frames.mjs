// How long frames take while 100,000 entries scroll: node dev/frames.mjs. The mock must run on port 7788.

import process from "node:process";

import { chromium } from "playwright-core";

const BASE = process.env.PITREE_WEB_URL ?? "http://127.0.0.1:7788/";
const FRAMES = 90;
const { rows } = await (await fetch(`${BASE}api/sessions?limit=1&sort=messages`)).json();
const browser = await chromium.launch({ executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });

const say = (text) => process.stdout.write(`${text}\n`);
const shows = (from) => page.waitForFunction((at) => [...document.querySelectorAll(".slot article:not(.is-empty)")].some((each) => Number(each.dataset.at) >= at && Number(each.dataset.at) <= at + 100), from);

async function timed(name, action) {
  const started = Date.now();
  await action();
  say(`${name}: ${Date.now() - started} ms`);
}

async function scroll(name, pixels) {
  const times = await page.evaluate(async ([step, frames]) => {
    const scroller = document.querySelector(".scroller");
    const found = [];
    let last = performance.now();
    for (let n = 0; n < frames; n += 1) {
      scroller.scrollTop += step;
      await new Promise((next) => requestAnimationFrame(next));
      found.push(performance.now() - last);
      last = performance.now();
    }
    return found.sort((a, b) => a - b);
  }, [pixels, FRAMES]);
  const at = (share) => times[Math.floor(share * (FRAMES - 1))].toFixed(1);
  say(`${name}: median ${at(0.5)} ms, 95% ${at(0.95)} ms, longest ${at(1)} ms, ${await page.evaluate(() => document.querySelectorAll("*").length)} elements`);
}

await timed("first rows", async () => {
  await page.goto(`${BASE}#/session/${rows[0].key}`);
  await shows(0);
});
await page.waitForTimeout(2000);
await scroll("120 pixels a frame", 120);
await scroll("2,000 pixels a frame", 2000);
await page.evaluate(() => (document.querySelector(".scroller").scrollTop = 3_000_000));
await page.waitForTimeout(600);
await scroll("in the middle, down", 120);
await scroll("in the middle, up", -120);
await timed("to the end", async () => {
  await page.keyboard.press("G");
  await shows(99_900);
});
await timed("to the beginning", async () => {
  await page.keyboard.press("g");
  await shows(0);
});
await browser.close();
