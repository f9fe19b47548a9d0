// Every view in light, in dark and on a phone: axe finds nothing serious, and nothing is wider than the window.

import assert from "node:assert/strict";

import { sessions } from "../dev/store.mjs";
import { withFile } from "./file.test.mjs";

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "light" },
};
const SESSION = { "": ".slot article:not(.is-empty)", "/lanes": ".lane-cell.is-user", "/tree": "svg.canvas a", "/family": ".family-box", "/context": "pt-context .figures", "/request": ".is-request .body" };
const OTHER = { "#/": ".session", "#/?q=the": ".list-count", "#/spend": "pt-spend .bar, pt-spend .standing", "#/spend?by=model": "pt-spend .bar", "#/stats": "pt-stats .card" };
const FILE = ["", "lanes", "tree", "context"];

async function check(t, address, ready) {
  await t.page.goto(address);
  await t.page.waitForSelector(ready, { state: "attached" });
  try {
    await t.axe();
  } catch (error) {
    throw new Error(`${address}: ${error.message}`);
  }
  assert.ok(await t.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${address} is wider than the window`);
}

const served = Object.entries(LOOKS).map(([name, options]) => ({
  name: `axe: every view, ${name}`, options, realOnly: true,
  async run(t) {
    const { key } = await t.branched();
    for (const [hash, ready] of Object.entries(OTHER)) await check(t, t.base + hash, ready);
    for (const [tab, ready] of Object.entries(SESSION)) await check(t, `${t.base}#/session/${key}${tab}`, ready);
  },
}));

const files = Object.entries(LOOKS).map(([name, options]) => ({
  name: `axe: the file, ${name}`, options, mockOnly: true,
  run: (t) => withFile(sessions[0], async (address) => {
    for (const tab of FILE) await check(t, `${address}#/session/file/${tab}`, SESSION[tab && `/${tab}`]);
  }),
}));

export default [...served, ...files];
