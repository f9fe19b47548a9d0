// The same jobs done by the real Pi. One request per line on standard input, one answer per line.
// With arguments after the module it does one job and ends: `context FILE`, `tree FILE` or `list`.

import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const { SessionManager } = await import(pathToFileURL(process.argv[2]).href);

const now = () => Number(process.hrtime.bigint()) / 1e6;

function timed(job) {
  const start = now();
  const made = job();
  return [made, now() - start];
}

// Walks without recursion: a session of 50,000 entries is about as deep.
function countLeaves(roots) {
  const stack = [...roots];
  let leaves = 0;
  while (stack.length > 0) {
    const node = stack.pop();
    if (node.children.length === 0) leaves += 1;
    for (const child of node.children) stack.push(child);
  }
  return leaves;
}

function open({ file }) {
  globalThis.gc?.();
  const [[manager, roots], openAndTree] = timed(() => {
    const manager = SessionManager.open(file);
    return [manager, manager.getTree()];
  });
  const [, tree] = timed(() => manager.getTree());
  const [context, contextTime] = timed(() => manager.buildSessionContext());
  return [openAndTree, tree, contextTime, manager.getEntries().length, countLeaves(roots),
    context.messages.length];
}

function appendMany(manager, message, count) {
  const messages = Array.from({ length: count }, () => structuredClone(message));
  const [, took] = timed(() => {
    for (const message of messages) manager.appendMessage(message);
  });
  return took;
}

function appendNew({ folder, count, message }) {
  globalThis.gc?.();
  const manager = SessionManager.create("/srv/project", folder);
  manager.appendMessage({ role: "user", content: "go", timestamp: 1790000000000 });
  // Pi creates the file with the first answer.
  manager.appendMessage({ role: "assistant", content: [], timestamp: 1790000000000 });
  const took = appendMany(manager, message, count);
  fs.rmSync(manager.getSessionFile());
  return [took];
}

function appendToCopy({ file, copy, count, message }) {
  globalThis.gc?.();
  fs.copyFileSync(file, copy);
  const manager = SessionManager.open(copy, path.dirname(copy));
  appendMany(manager, message, 10);
  const took = appendMany(manager, message, count);
  fs.rmSync(copy);
  return [took];
}

const jobs = { open, appendNew, appendToCopy };

async function once(job, file) {
  if (job === "list") {
    process.stdout.write(`${(await SessionManager.listAll()).length}\n`);
    return;
  }
  const manager = SessionManager.open(file);
  if (job === "tree") {
    process.stdout.write(`${manager.getTree().length}\n`);
  } else {
    process.stdout.write(`${JSON.stringify(manager.buildSessionContext())}\n`);
  }
}

if (process.argv[3]) {
  await once(process.argv[3], process.argv[4]);
} else {
  let pending = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    pending += chunk;
    const lines = pending.split("\n");
    pending = lines.pop();
    for (const line of lines) {
      const request = JSON.parse(line);
      fs.writeSync(1, `${jobs[request.job](request).join(" ")}\n`);
    }
  });
}
