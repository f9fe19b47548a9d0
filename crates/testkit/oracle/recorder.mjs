// The real Pi in its own `main`, with an extension that writes every session event down and
// answers as a file says. Arguments: the module of Pi, then Pi's own.
import { appendFileSync, readFileSync } from "node:fs";

const EVENTS = [
  "session_start",
  "session_before_switch",
  "session_before_fork",
  "session_before_tree",
  "session_tree",
  "session_before_compact",
  "session_compact",
  "session_compact_failed",
  "session_info_changed",
  "session_shutdown",
];
const { RECORDER_EVENTS: record, RECORDER_ANSWERS: answers } = process.env;

// Sets and abort signals are not JSON.
const plain = (key, value) =>
  value instanceof Set ? [...value] : value instanceof AbortSignal ? undefined : value;
const write = (value) => appendFileSync(record, `${JSON.stringify(value, plain)}\n`);

let compactions = 0;
function answer(event) {
  const given = JSON.parse(readFileSync(answers, "utf8"))[event.type];
  if (given?.compaction) {
    given.compaction.firstKeptEntryId = event.preparation.firstKeptEntryId;
    // Pi looks a compaction up by its summary, so each one has its own.
    given.compaction.summary += ` ${++compactions}`;
  }
  return given;
}

function recorder(pi) {
  for (const name of EVENTS) {
    pi.on(name, (event) => {
      write(event);
      return answer(event);
    });
  }
  // Pi's protocol cannot move in the tree, but a command of an extension can.
  pi.registerCommand("goto", {
    description: "move in the tree",
    handler: async (line, context) => {
      const { target, options } = JSON.parse(line);
      try {
        write({ type: "moved", ...(await context.navigateTree(target, options)) });
      } catch (error) {
        write({ type: "moved", error: error.message });
      }
    },
  });
}

const [module, ...rest] = process.argv.slice(2);
process.argv.splice(2, 1);
const { main } = await import(module);
await main(rest, { extensionFactories: [recorder] });
