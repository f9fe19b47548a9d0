// The pictures of the page in the documentation: npm run pictures -- PITREE FOLDER [NAME…]
//
// PITREE is the built command. It serves invented sessions with fixed dates to a browser with a fixed clock, so a
// picture changes only if the page does. PITREE_ASSETS=../assets takes script and style from there instead of from
// the command, to look at a change without building it.

import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

import { writeSample } from "./sample.mjs";

const [program, folder, ...only] = process.argv.slice(2);
const NOW = Date.UTC(2026, 2, 6, 16, 20);
const WIDE = { width: 1280, height: 800 };
const LOW = { width: 1280, height: 640 };
const PHONE = { width: 390, height: 780 };

/** Name, address, size, light or dark, and what must be there before the picture is taken. */
const PICTURES = [
  ["sessions", "#/", WIDE, "light", ".thread"],
  ["search", "#/?q=cache", WIDE, "light", ".session .hit mark"],
  ["session", "#/session/KEY?e=TESTS", WIDE, "light", ".diff, .call"],
  ["session-dark", "#/session/KEY?e=TESTS", WIDE, "dark", ".diff, .call"],
  ["subagents", "#/session/KEY?e=AGENTS", WIDE, "light", "pt-subagent .row"],
  ["lanes", "#/session/KEY/lanes", LOW, "light", "a.lane-cell"],
  ["graph", "#/session/KEY/tree", LOW, "dark", ".branch-line"],
  ["family", "#/session/KEY/family", LOW, "light", ".family-start"],
  ["context", "#/session/KEY/context", WIDE, "light", ".readout"],
  ["requests", "#/session/KEY/request?e=REPLY", WIDE, "light", ".is-request .card"],
  ["spend", "#/spend", LOW, "light", ".card svg, .card .bar"],
  ["stats", "#/stats", WIDE, "dark", ".masonry .bar"],
  ["phone", "#/session/KEY?e=TESTS", PHONE, "light", ".row .call"],
  ["phone-list", "#/?q=cache", PHONE, "dark", ".session .hit mark"],
  ["export", "FILE?e=BEGIN", WIDE, "dark", ".row .call"],
];

/** What the command is run with: nothing of this machine. */
const surroundings = (home) => ({ HOME: home, PATH: process.env.PATH, TZ: "UTC", LANG: "C.UTF-8" });

/** The fonts that most readers have are not free; these are the closest ones that can be installed. */
async function fonts(home) {
  const prefer = (family, ...names) => `<alias binding="same"><family>${family}</family><prefer>${names.map((name) => `<family>${name}</family>`).join("")}</prefer></alias>`;
  const file = join(home, "fonts.conf");
  await writeFile(file, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>/usr/share/fonts</dir><cachedir>${home}/fonts</cachedir>
    ${prefer("system-ui", "Inter", "DejaVu Sans")}${prefer("ui-monospace", "JetBrains Mono", "DejaVu Sans Mono")}${prefer("sans-serif", "Inter", "DejaVu Sans")}${prefer("monospace", "JetBrains Mono", "DejaVu Sans Mono")}</fontconfig>`);
  return file;
}

/** Starts the server; its address has the token. */
async function serve(home) {
  const server = spawn(program, ["serve", "--json", "--no-index"], { cwd: home, env: surroundings(home), stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(server.stdout)) return { server, url: JSON.parse(line).url };
  throw new Error("the server did not start");
}

/** The page with the script and style of this folder. */
async function useAssets(page, assets) {
  for (const [name, type] of [["app.js", "text/javascript"], ["app.css", "text/css"]]) {
    const body = await readFile(join(assets, name), "utf8");
    await page.route(`**/${name}`, (route) => route.fulfill({ body, contentType: type }));
  }
}

/** A picture as soon as two in a row are the same: nothing is loading or moving any more. */
async function still(page) {
  await page.evaluate(() => document.fonts.ready);
  let last = await page.screenshot({ animations: "disabled", caret: "hide" });
  for (let tries = 0; tries < 60; tries += 1) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.waitForLoadState("networkidle");
    const next = await page.screenshot({ animations: "disabled", caret: "hide" });
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error("the page does not come to rest");
}

/** Whether somebody sees a difference: a smaller palette, or the rounding of a renderer, is none. */
function differs(page, old, picture) {
  return page.evaluate(async ([a, b]) => {
    const pixels = async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height).data;
    };
    const [before, after] = [await pixels(a), await pixels(b)];
    let far = 0;
    for (let at = 0; at < after.length; at += 1) far += Math.abs(after[at] - before[at]) > 48 ? 1 : 0;
    return before.length !== after.length || far > 60;
  }, [old, picture].map((bytes) => bytes.toString("base64")));
}

async function take(browser, sample, [name, address, viewport, colorScheme, ready]) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", timezoneId: "UTC", locale: "en-US", hasTouch: viewport === PHONE, deviceScaleFactor: viewport === PHONE ? 2 : 1 });
  try {
    const page = await context.newPage();
    page.on("pageerror", (error) => process.stdout.write(`${name}: ${error.message}\n`));
    await page.clock.setFixedTime(NOW);
    if (process.env.PITREE_ASSETS) await useAssets(page, process.env.PITREE_ASSETS);
    const filled = sample.places.reduce((text, [place, at]) => text.replace(place, at), address);
    if (filled.startsWith("FILE")) await page.goto(`file://${sample.exported}#/session/0${filled.slice(4)}`);
    else {
      await page.goto(sample.url);
      await page.goto(sample.url.split("?")[0] + filled.replace("KEY", sample.key ?? (sample.key = await keyOf(page, sample))));
    }
    if (name === "subagents") await page.locator("pt-subagent summary").first().click();
    await page.locator(ready).first().waitFor();
    const picture = await still(page);
    const path = join(folder, `page-${name}.png`);
    const old = await readFile(path).catch(() => null);
    if (old === null || (await differs(page, old, picture))) {
      await writeFile(path, picture);
      process.stdout.write(`${path}\n`);
    }
  } finally {
    await context.close();
  }
}

async function keyOf(page, { name }) {
  const { rows } = await page.evaluate(() => fetch("api/sessions?limit=100").then((answer) => answer.json()));
  return rows.find((row) => row.name === name).key;
}

const home = await mkdtemp(`${tmpdir()}/pitree-pictures-`);
let server = null;
let browser = null;
try {
  const written = await writeSample(home, NOW);
  await mkdir(folder, { recursive: true });
  const exported = resolve(home, "weather.html");
  execFileSync(program, ["export", written.file, "-o", exported], { cwd: home, env: surroundings(home), stdio: "ignore" });
  const served = await serve(home);
  server = served.server;
  browser = await chromium.launch({ executablePath: process.env.PITREE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", "--disable-lcd-text", "--disable-partial-raster", "--disable-font-subpixel-positioning", "--hide-scrollbars"], env: { ...surroundings(home), FONTCONFIG_FILE: await fonts(home) } });
  const sample = { ...written, exported, url: served.url, places: Object.entries(written.places).map(([place, at]) => [place.toUpperCase(), at]) };
  for (const picture of PICTURES) if (only.length === 0 || only.includes(picture[0])) await take(browser, sample, picture);
} finally {
  await browser?.close();
  server?.kill();
  await rm(home, { recursive: true });
}
