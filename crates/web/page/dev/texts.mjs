// What the invented sessions are about.

export const PROJECTS = [
  "/home/dana/code/weather-cli", "/home/dana/code/ledger", "/home/dana/code/parser-lab",
  "/home/dana/code/site", "/home/dana/work/billing-api", "/home/dana/work/ingest",
  "/home/dana/notes", "/srv/build/runner",
];

export const MODELS = ["claude-sonnet-4-5", "claude-opus-4-6", "gpt-5.1-codex", "deepseek-v4-pro", "local/qwen-coder"];

export const ASKS = [
  "The forecast command shows only today. Show five days.",
  "Why does the parser drop the last token of a file without a newline?",
  "Write tests for the cache, and cover what happens at midnight UTC.",
  "Move the retry logic into one place and keep the public API.",
  "The import takes 40 seconds on the large file. Find out where the time goes.",
  "Read the migration notes and tell me what breaks when we upgrade.",
  "Add a --json option to the report command.",
  "The deploy failed at step 3. Look at the log and fix the cause.",
  "Rename the setting everywhere and leave the old name as an alias.",
  "Explain how the lock file is read, then simplify it.",
];

export const REPLIES = [
  "I'll read the code first, then change one thing at a time.",
  "The cause is a comparison of local time with UTC. Fixed, and there is a test for it.",
  "Done. The command now prints five days, one line a day.",
  "Two places decide the same thing, so they drift apart. I put the rule in one function.",
  "The time goes into parsing dates: 31 of 40 seconds. A small cache brings it down to 4.",
  "All tests pass. One of them only passed by accident before; I made it stricter.",
  "That option exists already under another name, so I made it an alias.",
];

export const COMMANDS = ["cargo test -p weather", "rg -n 'retry' src", "ls -la crates", "git diff --stat", "npm run build", "python -m pytest -q"];
export const FILES = ["src/main.rs", "src/cache.rs", "README.md", "src/parse/token.rs", "Cargo.toml", "tests/cache.rs"];

/** Texts that come to life where somebody forgets that text is text. */
export const HOSTILE = [
  "<script>window.__hit=1</script>", "<img src=x onerror=window.__hit=2>", "<svg onload=window.__hit=3>",
  "<iframe src=javascript:parent.__hit=4>", "\"><script>window.__hit=5</script>", "'-window.__hit=6-'",
  "javascript:window.__hit=7", "<a href=\"javascript:window.__hit=8\">x</a>", "${window.__hit=9}", "{{constructor.constructor('window.__hit=10')()}}",
  "<style>body{display:none}</style>", "<link rel=stylesheet href=//evil.test/x.css>", "<base href=//evil.test/>", "<meta http-equiv=refresh content='0;url=//evil.test'>",
  "<form action=//evil.test><button>x</button></form>", "</title><script>window.__hit=11</script>", "<details open ontoggle=window.__hit=12>", "<math><mtext></p><img src=x onerror=window.__hit=13>",
  "--></script><script>window.__hit=14</script>", "\u202egnirts\u202c <b>bold</b> \u0000\u001b[31mred",
];

export const NEWS = "Use **one** file, good for ten minutes.";
