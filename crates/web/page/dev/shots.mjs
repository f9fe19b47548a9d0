// Pictures of the views, to look at: node dev/shots.mjs FOLDER [NAME…]. The mock must run on port 7788.

import { mkdir } from "node:fs/promises";

import { chromium } from "playwright-core";

const BASE = process.env.PITREE_WEB_URL ?? "http://127.0.0.1:7788/";
const [folder = "shots", ...only] = process.argv.slice(2);
const KEY = process.env.KEY ?? (await (await fetch(`${BASE}api/sessions?limit=1`)).json()).rows[0].key;
const WIDE = { width: 1400, height: 900 };
const PHONE = { width: 390, height: 844 };

const SHOTS = [
  ["list", "#/", WIDE], ["search", "#/?q=cache", WIDE], ["session", `#/session/${KEY}?e=40`, WIDE], ["find", `#/session/${KEY}?find=cache`, WIDE], ["lanes", `#/session/${KEY}/lanes`, WIDE],
  ["graph", `#/session/${KEY}/tree`, WIDE], ["family", `#/session/${KEY}/family`, WIDE], ["context", `#/session/${KEY}/context`, WIDE], ["request", `#/session/${KEY}/request`, WIDE],
  ["spend", "#/spend", WIDE], ["models", "#/spend?by=model", WIDE], ["stats", "#/stats", WIDE],
  ["phone-list", "#/", PHONE], ["phone-session", `#/session/${KEY}?e=40`, PHONE], ["phone-spend", "#/spend", PHONE],
];

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const scheme of ["light", "dark"]) {
  for (const [name, hash, viewport] of SHOTS) {
    const full = `${name}-${scheme}`;
    if (only.length > 0 && !only.includes(full)) continue;
    const page = await browser.newPage({ viewport, colorScheme: scheme });
    page.on("console", (message) => message.type() === "error" && process.stdout.write(`${full}: ${message.text()}\n`));
    page.on("pageerror", (error) => process.stdout.write(`${full}: ${error.message}\n`));
    await page.goto(BASE + hash);
    await page.waitForTimeout(Number(process.env.WAIT ?? 700));
    await page.screenshot({ path: `${folder}/${full}.png` });
    await page.close();
  }
}
await browser.close();
