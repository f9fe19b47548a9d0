// Runs the browser tests: node tests/run.mjs [WORD of the names to run].
// Against the mock, or against a server: PITREE_WEB_URL=http://127.0.0.1:PORT/?token=… node tests/run.mjs

import process from "node:process";

import { chromium } from "playwright-core";

import { server } from "../dev/mock.mjs";
import { Fixture } from "./fixture.mjs";
import branches from "./branches.test.mjs";
import contract from "./contract.test.mjs";
import file from "./file.test.mjs";
import lists from "./lists.test.mjs";
import live from "./live.test.mjs";
import reading from "./reading.test.mjs";
import safety from "./safety.test.mjs";
import views from "./views.test.mjs";

const LANES = 2;
/** The tests that change the mock's data come last, alone. */
const together = [...contract, ...lists, ...reading, ...branches, ...safety, ...file, ...views];
const alone = live;

async function listen() {
  if (process.env.PITREE_WEB_URL) return process.env.PITREE_WEB_URL;
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${server.address().port}/`;
}

const base = await listen();
const browser = await chromium.launch({
  executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync"],
});
const isMock = !process.env.PITREE_WEB_URL;
const wanted = (test) => (isMock ? !test.realOnly : !test.mockOnly) && (!process.argv[2] || test.name.includes(process.argv[2]));
const failures = [];

async function runOne(test) {
  const started = Date.now();
  const fixture = await Fixture.open(browser, base, isMock, test.options ?? {});
  try {
    await test.run(fixture);
    fixture.assertQuiet();
    process.stdout.write(`ok   ${test.name} (${Date.now() - started} ms)\n`);
  } catch (error) {
    process.stdout.write(`FAIL ${test.name}\n     ${String(error.stack ?? error).split("\n").slice(0, 6).join("\n     ")}\n`);
    failures.push(test.name);
  } finally {
    await fixture.close();
  }
}

async function runQueue(queue) {
  for (let test = queue.shift(); test; test = queue.shift()) await runOne(test);
}

const started = Date.now();
const queue = together.filter(wanted);
const total = queue.length + alone.filter(wanted).length;
await Promise.all(Array.from({ length: LANES }, () => runQueue(queue)));
await runQueue(alone.filter(wanted));
await browser.close();
server.close();
server.closeAllConnections();
process.stdout.write(`${total - failures.length} of ${total} passed in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
process.exitCode = failures.length > 0 ? 1 : 0;
