// Builds crates/web/assets from the sources. `node build.mjs --check` fails if what is committed there is
// something else.

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";

import esbuild from "esbuild";

const ASSETS = fileURLToPath(new URL("../assets/", import.meta.url));
const HERE = fileURLToPath(new URL("./", import.meta.url));

/** Short, but with lines that a person and a diff can still read. */
const OPTIONS = {
  absWorkingDir: HERE, entryPoints: { app: "src/main.ts" }, bundle: true, format: "esm", target: ["es2022", "chrome117", "firefox115", "safari17"],
  minify: true, lineLimit: 160, charset: "ascii", legalComments: "inline", outdir: ASSETS, write: false, logLevel: "warning",
};

async function build() {
  const [bundle, style, page, icon] = await Promise.all([
    esbuild.build(OPTIONS),
    esbuild.build({ ...OPTIONS, entryPoints: { app: "src/style/app.css" } }),
    readFile(`${HERE}src/page.html`), readFile(`${HERE}src/icon.svg`),
  ]);
  const files = [["app.js", bundle.outputFiles[0].contents], ["app.css", style.outputFiles[0].contents], ["page.html", page], ["icon.svg", icon]];
  const script = bundle.outputFiles[0].text;
  // An exported page holds the script between two tags.
  if (/<\/script|<!--/i.test(script)) throw new Error("app.js must not contain `</script` or `<!--`");
  return files.map(([name, contents]) => ({ path: ASSETS + name, name, contents: Buffer.from(contents) }));
}

async function check(files) {
  const stale = [];
  for (const { path, name, contents } of files) {
    const committed = await readFile(path).catch(() => Buffer.alloc(0));
    if (!committed.equals(contents)) stale.push(name);
  }
  if (stale.length === 0) return;
  process.stderr.write(`not what the sources build: ${stale.join(", ")} (run \`npm run build\`)\n`);
  process.exitCode = 1;
}

async function write(files) {
  for (const { path, name, contents } of files) {
    await writeFile(path, contents);
    process.stdout.write(`${name} ${(contents.length / 1024).toFixed(1)} KiB\n`);
  }
}

const files = await build();
await (process.argv.includes("--check") ? check(files) : write(files));
