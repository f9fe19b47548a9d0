// Asks the real Pi for the colors of its theme `system`, one answer for each terminal.
// `args` are the folder of Pi's chunks and the terminals.

const { readFileSync, readdirSync } = await import("node:fs");
const { join } = await import("node:path");

const [chunks, terminals] = args;
let themes;
for (const file of readdirSync(chunks)) {
  if (!readFileSync(join(chunks, file), "utf8").includes("function setTerminalColors(")) continue;
  themes = await import(join(chunks, file));
  if (themes.setTerminalColors) break;
}
const answers = JSON.parse(terminals).map((terminal) => {
  themes.setTerminalColors(terminal);
  const system = themes.getThemeByName("system");
  const hex = ({ r, g, b }) => [r, g, b].map(Math.round);
  const colors = Object.entries(system.concreteColors).map(([token, color]) => [token, hex(color)]);
  return Object.fromEntries(colors);
});
console.log(JSON.stringify(answers));
