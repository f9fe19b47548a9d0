// What Pi would send to a chat-completions endpoint for the replies of a session.

import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

// The provider is loaded when it is needed, so no other module exports it.
async function provider(entryModule) {
  const chunks = path.join(path.dirname(entryModule), "chunks");
  const file = fs.readdirSync(chunks).find((name) => /^openai-completions-\w+\.js$/.test(name));
  return import(pathToFileURL(path.join(chunks, file)).href);
}

// The body of the request; the request itself is stopped before it leaves.
async function body(stream, model, messages, cacheRetention) {
  let sent = null;
  const onPayload = (payload) => {
    sent = JSON.parse(JSON.stringify(payload));
    throw new Error("not to be sent");
  };
  const answer = stream(model, { messages }, { apiKey: "none", onPayload, cacheRetention });
  const { errorMessage } = await answer.result();
  return sent ?? { throws: errorMessage };
}

export async function requests({ pi, entryModule, scratch }, request, endlessIds) {
  const { stream } = await provider(entryModule);
  const copy = path.join(scratch, "session.jsonl");
  fs.copyFileSync(request.path, copy);
  const entries = pi.SessionManager.open(copy).getEntries();
  const endless = endlessIds(entries);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const bodies = [];
  for (const { id, model } of request.replies) {
    const parent = byId.get(id)?.parentId;
    const isKnown = parent === null || (byId.has(parent) && !endless.has(parent));
    if (!isKnown) {
      bodies.push({ throws: "no such place" });
      continue;
    }
    try {
      const messages = pi.convertToLlm(pi.buildSessionContext(entries, parent).messages);
      bodies.push(await body(stream, model, messages, request.cacheRetention));
    } catch (error) {
      bodies.push({ throws: String(error?.message ?? error) });
    }
  }
  return { ok: true, bodies };
}
