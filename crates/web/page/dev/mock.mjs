// A server with the API of `pitree serve` and invented data, to work on the page without building Rust.
// node dev/mock.mjs [--port N]. For the tests of live following, POST /dev/grow adds a turn to the first session,
// /dev/grow?quiet without news of it; /dev/lag sends the news that some were lost, and /dev/drop ends the connections.

import { readFile } from "node:fs/promises";
import http from "node:http";
import { fileURLToPath } from "node:url";

import * as answers from "./answers.mjs";
import { byKey, grow, load, remove, sessions } from "./store.mjs";

const ASSETS = new URL("../../assets/", import.meta.url);
const TYPES = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", html: "text/html; charset=utf-8", svg: "image/svg+xml" };

/** What the real server sends, and trusted types besides: they make the browser refuse markup from text. */
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
  "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
};

const listeners = new Set();

function tell(event) {
  for (const response of listeners) response.write(`data: ${JSON.stringify(event)}\n\n`);
}

function sessionAnswer(session, what, query) {
  switch (what) {
    case undefined: return answers.facts(session);
    case "marks": return answers.markList(session);
    case "locate": return answers.locate(session, query);
    case "lanes": return answers.laneList(session, query);
    case "family": return answers.family(session);
    case "deletion": return answers.deletion(session);
    case "entry": return answers.entry(session, Number(query.get("at")));
    case "path": return answers.path(session, query);
    case "rows": return answers.rows(session, query);
    case "tree": return answers.tree(session, query);
    case "find": return answers.find(session, query);
    case "context": return answers.context(session, query);
    case "request": return answers.request(session, query);
    default: return null;
  }
}

function apiAnswer(parts, query) {
  if (parts[0] === "sessions" && parts.length === 1) return answers.list(query);
  if (parts[0] === "sessions" && byKey.has(parts[1])) return sessionAnswer(byKey.get(parts[1]), parts[2], query);
  if (parts[0] === "projects") return answers.projects();
  if (parts[0] === "spend") return answers.spend(query);
  if (parts[0] === "stats") return answers.stats();
  return null;
}

async function change(request, parts) {
  let text = "";
  for await (const chunk of request) text += chunk;
  const session = byKey.get(parts[1]);
  if (request.headers["x-pitree"] !== "1" || !session) return null;
  const body = JSON.parse(text || "{}");
  if (parts[2] === "name") session.name = body.name || null;
  if (parts[2] === "label") load(session).entries[body.at].label = body.label || null;
  if (parts[2] === "goto") load(session).leaf = body.at;
  const deleted = parts[2] === "delete" ? remove(session, body.family === true) : {};
  tell({ changed: [session.key], list: true });
  return deleted;
}

async function asset(response, name) {
  try {
    const bytes = await readFile(new URL(name, ASSETS));
    response.writeHead(200, { ...HEADERS, "Content-Type": TYPES[name.split(".").at(-1)] ?? "application/octet-stream" });
    response.end(bytes);
  } catch {
    response.writeHead(404, HEADERS).end();
  }
}

function events(request, response) {
  response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
  response.write("retry: 200\n\n");
  listeners.add(response);
  request.on("close", () => listeners.delete(response));
}

function json(response, value) {
  response.writeHead(value === null ? 404 : (value.status ?? 200), { ...HEADERS, "Content-Type": "application/json" });
  response.end(JSON.stringify(value ?? { error: "This session is not there any more" }));
}

/** What the tests of live following ask for. */
function control(what, query) {
  switch (what) {
    case "grow":
      grow(sessions[0]);
      if (!query.has("quiet")) tell({ changed: [sessions[0].key], list: true });
      return { entries: sessions[0].entries.length };
    // What the server says to a page that was too slow for its news.
    case "lag":
      tell({ all: true });
      return {};
    case "drop":
      for (const response of listeners) response.end();
      return {};
    default: return null;
  }
}

export const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const parts = url.pathname.split("/").filter(Boolean);
  if (parts.length === 0) return asset(response, "page.html");
  if (parts[0] === "assets" && parts.length === 2) return asset(response, parts[1]);
  if (parts[0] === "dev") return json(response, control(parts[1], url.searchParams));
  if (url.pathname === "/api/events") return events(request, response);
  if (parts[0] !== "api") return json(response, null);
  return json(response, request.method === "POST" ? await change(request, parts.slice(1)) : apiAnswer(parts.slice(1), url.searchParams));
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.indexOf("--port");
  const port = named < 0 ? 7788 : Number(process.argv[named + 1]);
  server.listen(port, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${port}/\n`));
}
