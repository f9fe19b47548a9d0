// Presses keys in the real Pi's tree navigator and writes what it shows after each.
// `pi` are Pi's exports; `args` are the folder of its chunks, a file with the cases, and a folder
// for copies and the answers.

const { readFileSync, readdirSync, writeFileSync } = await import("node:fs");
const { join } = await import("node:path");

const [chunks, plan, scratch] = args;
const { now, home, cases } = JSON.parse(readFileSync(plan, "utf8"));
process.env.TZ = "Asia/Kathmandu";
process.env.HOME = home;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    given.length > 0 ? super(...given) : super(now);
  }
};

// Keys are given by the names of what they do, so that no key table stands between.
for (const file of readdirSync(chunks)) {
  if (!readFileSync(join(chunks, file), "utf8").includes("setKeybindings")) continue;
  const { setKeybindings } = await import(join(chunks, file));
  setKeybindings?.({ matches: (data, name) => data === name, getKeys: () => [] });
}
pi.initTheme();
for (const name of ["fg", "bg"]) pi.Theme.prototype[name] = (_colour, text) => text;
for (const name of ["bold", "italic"]) pi.Theme.prototype[name] = (text) => text;

function state(component) {
  const list = component.getTreeList();
  const page = list.maxVisibleLines;
  list.maxVisibleLines = 1e9;
  const lines = list.render(1e9);
  list.maxVisibleLines = page;
  const narrow = list.render(24);
  return { lines: lines.slice(0, -1), status: lines.at(-1), selected: list.selectedIndex, narrow };
}

function run({ file, rows, actions }) {
  const copy = join(scratch, "session.jsonl");
  writeFileSync(copy, readFileSync(file));
  const manager = pi.SessionManager.open(copy);
  const nothing = () => {};
  const component = new pi.TreeSelectorComponent(
    manager.getTree(), manager.getLeafId(), rows, nothing, nothing, nothing,
  );
  const states = [state(component)];
  for (const action of actions) {
    component.handleInput(action);
    states.push(state(component));
  }
  return states;
}

const answers = cases.map((one) => {
  try {
    return run(one);
  } catch (error) {
    return String(error?.stack ?? error);
  }
});
writeFileSync(join(scratch, "answers"), answers.map((answer) => JSON.stringify(answer)).join("\n"));
// Pi's components may have left a timer behind.
process.exit(0);
