// What the sessions of the pictures are about: projects, first messages, and what tools answer.

const CODE = "/home/dana/code";
const WORK = "/home/dana/work";

/** Project, name (or null), first message, model, days before the pictures. */
export const STORIES = [
  [`${WORK}/billing-api`, "Invoice rounding", "Invoices in yen have two decimals. Find every place that assumes cents.", "gpt-5.1-codex", 0.12],
  [`${CODE}/parser-lab`, null, "Why does the parser drop the last token of a file without a newline?", "claude-sonnet-4-5", 0.9],
  [`${CODE}/site`, "Dark mode", "The code blocks are unreadable in dark mode. Fix the colors, keep the contrast above 4.5.", "claude-opus-4-6", 1.2],
  [`${WORK}/ingest`, "Slow import", "The import takes 40 seconds on the large file. Find out where the time goes.", "claude-opus-4-6", 1.9],
  [`${WORK}/billing-api`, null, "The deploy failed at step 3. Look at the log and fix the cause.", "claude-sonnet-4-5", 2.6],
  [`${CODE}/ledger`, "Undo for the ledger", "Add an undo command. It must never lose a booking.", "claude-opus-4-6", 3.4],
  [`${CODE}/parser-lab`, "Error messages", "Error messages name a byte offset. Show line and column, and underline the place.", "gpt-5.1-codex", 4.1],
  [`${CODE}/site`, null, "Write a short post about the release, from the changelog. No superlatives.", "claude-sonnet-4-5", 5.2],
  [`${WORK}/ingest`, "Retry in one place", "Move the retry logic into one place and keep the public API.", "claude-opus-4-6", 6.3],
  [`${CODE}/ledger`, null, "Explain how the lock file is read, then simplify it.", "gpt-5.1-codex", 8.1],
  [`${WORK}/billing-api`, "Upgrade to 4.0", "Read the migration notes and tell me what breaks when we upgrade.", "claude-opus-4-6", 9.4],
  [`${CODE}/parser-lab`, "Cache of tokens", "Cache the tokens of files that did not change. Measure before and after.", "claude-opus-4-6", 11.2],
  [`${CODE}/site`, "Images", "The images are 4 MB a page. Bring that below 500 KB without visible loss.", "claude-sonnet-4-5", 13.5],
  [`${CODE}/ledger`, null, "Add a --json option to the report command.", "claude-sonnet-4-5", 14.3],
  [`${WORK}/ingest`, null, "One test fails at midnight and only in CI. Find out why.", "gpt-5.1-codex", 16.1],
  [`${CODE}/weather-cli`, "First steps", "Start a command-line tool that prints today's weather.", "claude-sonnet-4-5", 18.4],
  [`${WORK}/billing-api`, "Webhooks twice", "Some webhooks are handled twice. Make it idempotent.", "claude-opus-4-6", 20.6],
  [`${CODE}/ledger`, "Import of bank files", "Read CAMT.053 files of three banks. Samples are in tests/bank.", "claude-opus-4-6", 22.5],
  [`${CODE}/site`, null, "Rename the setting everywhere and leave the old name as an alias.", "gpt-5.1-codex", 25.2],
  [`${WORK}/ingest`, "Backpressure", "Memory grows while the database is slow. Bound the queue.", "claude-sonnet-4-5", 27.3],
];

export const FOLLOW_UPS = [
  "Good. Now write a test that fails without the change.", "Is there another place with the same mistake?", "Keep the public names. Only the inside should change.",
  "Run everything once more, please.", "Write the changelog line.", "That is too much. What is the smallest change that works?", "What happens on Windows?",
];

export const FILES = ["src/client.rs", "src/report.rs", "src/rows.rs", "src/date.rs", "src/config.rs", "tests/report.rs", "src/server/routes.rs"];

export const REPLIES = [
  "The cause is a comparison of local time with UTC. I changed the comparison, and a test covers it.",
  "Two places decided the same thing and drifted apart. The rule is now in one function, `limit_for`.",
  "31 of the 40 seconds go into parsing dates. A small cache brings the import down to **4.1 s**.",
  "All tests pass. One of them had passed only by accident, so I made it stricter.",
  "That option exists under another name, so I made the new one an alias and documented both.",
  "Done:\n\n- the queue holds at most 512 rows\n- a slow database now slows the reader, not the machine\n- a test fills the queue and checks the order",
];

export const THOUGHTS = ["Read first, then change one thing at a time.", "The log names the step. The step reads a file that the image does not have.", "Both callers want the same rule. One function is enough."];

export const SOURCE = `use std::time::{Duration, SystemTime};

/// The answers of the last request, in one file.
pub struct Cache {
    path: PathBuf,
    keep: Duration,
}

impl Cache {
    pub fn is_fresh(&self, made: SystemTime) -> bool {
        made.elapsed().is_ok_and(|age| age < self.keep)
    }
}
`;

export const FORECAST = `use crate::day::Day;

/// Prints the forecast.
pub fn show(days: &[Day]) {
    println!("{}", days[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_a_day() {
        assert_eq!(Day::sample().to_string(), "Mon  14°  6°");
    }
}
`;

const TEST = "\u001b[1mrunning 4 tests\u001b[0m\ntest cache::is_kept_for_ten_minutes ... \u001b[32mok\u001b[0m\ntest cache::survives_a_restart ... \u001b[32mok\u001b[0m\n";
export const TESTS_FAILED = `${TEST}test cache::at_midnight ... \u001b[31mFAILED\u001b[0m\ntest cache::without_a_network ... \u001b[32mok\u001b[0m\n\nthread 'cache::at_midnight' panicked at tests/cache.rs:31:5:\nassertion failed: cache.is_fresh(made)\n\ntest result: \u001b[31mFAILED\u001b[0m. 3 passed; 1 failed; finished in 0.12s`;
export const TESTS_PASSED = `${TEST}test cache::at_midnight ... \u001b[32mok\u001b[0m\ntest cache::without_a_network ... \u001b[32mok\u001b[0m\n\ntest result: \u001b[32mok\u001b[0m. 4 passed; 0 failed; finished in 0.09s`;

/** Calls of tools with what came back; true is an error. */
export const CALLS = [
  ["bash", { command: "cargo test" }, TESTS_PASSED], ["bash", { command: "cargo test" }, TESTS_FAILED, true],
  ["bash", { command: "rg -n retry src" }, "src/client.rs:41:    let mut retry = Retry::new(3);\nsrc/client.rs:58:        retry.wait();\nsrc/upload.rs:17:    for attempt in 0..3 { // retry"],
  ["bash", { command: "git diff --stat" }, " src/client.rs | 24 ++++++++++--------\n src/retry.rs  | 38 ++++++++++++++++++++++++++\n src/upload.rs |  9 +++----\n 3 files changed, 57 insertions(+), 14 deletions(-)"],
  ["bash", { command: "ls -la src" }, "total 44\n-rw-r--r-- 1 dana dana 4211 Mar  2 09:14 client.rs\n-rw-r--r-- 1 dana dana 1893 Mar  2 09:14 lib.rs\n-rw-r--r-- 1 dana dana  980 Mar  2 09:15 retry.rs\n-rw-r--r-- 1 dana dana 2764 Mar  2 09:14 upload.rs"],
  ["bash", { command: "npm run build" }, "> build\n> vite build\n\ndist/index.html    0.9 kB\ndist/app.js      142.1 kB\nbuilt in 1.84s"],
  ["read", { path: "src/cache.rs" }, SOURCE], ["read", { path: "src/forecast.rs" }, FORECAST], ["read", { path: "README.md" }, "# Ledger\n\nBooks what you tell it, and nothing else.\n\n## Install\n\n```sh\ncargo install ledger\n```\n"],
  ["read", { path: "src/lib.rs" }, `${SOURCE}\n${FORECAST}`], ["bash", { command: "hyperfine ./import" }, "Time (mean ± σ):     40.312 s ±  0.871 s\nRange (min … max):   39.402 s … 41.770 s    10 runs"],
];

const parameters = (names) => ({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names.slice(0, 1) });
export const TOOLS = [
  { name: "read", description: "Read the contents of a file. Images are sent as attachments. Output is truncated to 2000 lines.", parameters: parameters(["path", "offset", "limit"]) },
  { name: "bash", description: "Execute a bash command in the current working directory. Returns stdout and stderr.", parameters: parameters(["command", "timeout"]) },
  { name: "edit", description: "Edit a file by replacing exact text. Each oldText must be unique in the file.", parameters: parameters(["path", "edits"]) },
  { name: "write", description: "Write content to a file. Creates the file if it does not exist.", parameters: parameters(["path", "content"]) },
  { name: "subagent", description: "Delegate a task to an agent with a context of its own.", parameters: parameters(["agent", "task"]) },
];

export const SECTIONS = {
  preamble: "You are an expert coding assistant. You help users with coding tasks by reading files, executing commands, editing code, and writing new files.",
  tools: `Available tools:\n${TOOLS.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}`,
  rules: "Guidelines:\n- Read files before you edit them\n- Be concise\n- Show file paths clearly\n\n# AGENTS.md\n\nRun `cargo test` before you say that something works. No new dependencies without asking. One change per commit.\n".concat("Comments say why, not what. Public items have documentation. Errors name the file.\n".repeat(12)),
};
