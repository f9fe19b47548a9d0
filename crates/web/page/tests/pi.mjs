// Whether the page follows the real Pi: node tests/pi.mjs PITREE FOLDER ID
// Serves the sessions below FOLDER. Whenever this prints `ask append`, whoever started it has Pi append a message to
// the session ID, and answers with a line that holds the text.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const [program, folder, id] = process.argv.slice(2);
const server = spawn(program, ["serve", "--sessions-root", folder, "--no-index", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
const answers = createInterface(process.stdin)[Symbol.asyncIterator]();
const browser = await chromium.launch({ executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

async function append() {
  process.stdout.write("ask append\n");
  const { value } = await answers.next();
  return value;
}

async function url() {
  for await (const line of createInterface(server.stdout)) return JSON.parse(line).url;
  throw new Error("the server did not start");
}

const reader = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
reader.setDefaultTimeout(30_000);
const loads = [];

async function open(address) {
  const page = await reader.newPage();
  page.on("pageerror", (error) => assert.fail(error.message));
  page.on("load", () => loads.push(page.url()));
  await page.goto(address);
  return page;
}

const firstRow = (page) => page.evaluate(() => document.querySelector(".slot[data-index='0'] .session")?.dataset.key);
const hasText = (page, text) => page.waitForFunction((text) => [...document.querySelectorAll(".slot article")].some((each) => each.textContent.includes(text)), text);

try {
  const address = await url();
  const [base] = address.split("?");
  const list = await open(address);
  const { rows } = await (await reader.request.get(`${base}api/sessions`)).json();
  const { key } = rows.find((row) => row.id === id);
  await list.waitForSelector(`.session[data-key="${key}"]`);
  assert.notEqual(await firstRow(list), key, "it is not the newest yet");
  assert.equal(await list.locator(`.session[data-key="${key}"] .live`).count(), 0, "it is not in use yet");

  const page = await open(`${base}#/session/${key}`);
  await page.waitForSelector(".slot article:not(.is-empty)");
  for (const key of ["j", "j", "j"]) await page.keyboard.press(key);
  await page.waitForTimeout(500);
  const place = () => page.evaluate(() => [document.querySelector(".scroller").scrollTop, document.activeElement.dataset.at]);
  const before = await place();
  const loadsBefore = loads.length;

  const first = await append();

  await page.waitForFunction(() => /^1 new entry/.test(document.querySelector(".new-rows")?.textContent ?? ""));
  await page.waitForFunction(() => /1 new entry/.test(document.querySelector("#announcer").textContent));
  await page.waitForTimeout(500);
  assert.deepEqual(await place(), before, "the reader stays where he was");
  await page.waitForSelector(".title-line .live");
  await list.waitForFunction((key) => document.querySelector(".slot[data-index='0'] .session.is-live .live")?.closest(".session").dataset.key === key, key);
  await page.locator(".new-rows").click();
  await hasText(page, first);

  // At the end, what is appended is shown at once.
  const isAtEnd = () => { const s = document.querySelector(".scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight < 60; };
  await page.waitForFunction(isAtEnd);
  await page.waitForTimeout(500);
  await page.waitForFunction(isAtEnd);
  const second = await append();
  assert.notEqual(second, first);
  await hasText(page, second);
  await page.waitForFunction(isAtEnd);
  assert.equal(await page.locator(".new-rows").count(), 0);
  assert.equal(loads.length, loadsBefore, "nothing was loaded again as a whole");
  process.stdout.write("the page follows the real Pi: 2 messages\n");
} finally {
  await browser.close();
  server.kill("SIGINT");
}
process.exit();
