//! The test command: every check and every test, in order, up to the first that fails.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use crate::process::{self, Workspace};
use crate::{consumers, hygiene, layers, oracle, sizes, tools};

/// What the steps have in common.
struct Suite<'a> {
    workspace: &'a Workspace,
    full: bool,
    /// Seed of the random tests; without one they use their own fixed seed.
    seed: Option<OsString>,
}

type Step = (&'static str, fn(&Suite<'_>) -> Result<()>);

/// The steps, the quick ones first.
const STEPS: &[Step] = &[
    ("system tools", |suite| tools::install(suite.workspace)),
    ("format", |suite| suite.cargo(&["fmt", "--all", "--check"])),
    ("clippy", |suite| {
        suite.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
    }),
    ("layers", |suite| layers::check(suite.workspace)),
    ("sizes", |suite| sizes::check(suite.workspace)),
    ("hygiene", |suite| hygiene::check(suite.workspace)),
    ("oracle", |suite| oracle::install(suite.workspace).map(drop)),
    ("consumers", |suite| consumers::install(suite.workspace).map(drop)),
    ("tests", |suite| suite.tests()),
    ("conformance", |suite| suite.alone("conformance")),
    ("kills", |suite| suite.alone("kills")),
    ("demo", |suite| suite.demo()),
    ("docs", |suite| suite.docs()),
];

/// Runs all steps and prints a table of them. `false` if one failed.
pub(crate) fn test(workspace: &Workspace, full: bool) -> Result<bool> {
    let suite = Suite { workspace, full, seed: seed(full)? };
    if let Some(seed) = &suite.seed {
        println!("PITREE_SEED={}", seed.display());
    }
    suite.forget_told()?;
    let mut results = Vec::new();
    for (number, (name, step)) in STEPS.iter().enumerate() {
        println!("\n=== {name} ({} of {}) ===", number + 1, STEPS.len());
        let start = Instant::now();
        let result = step(&suite);
        let time = start.elapsed();
        match &result {
            Ok(()) => println!("=== {name}: passed in {} ===", seconds(time)),
            Err(error) => println!("=== {name}: FAILED in {} ===\n{error:#}", seconds(time)),
        }
        results.push((time, result.is_ok()));
        if result.is_err() {
            break;
        }
    }
    suite.show_told();
    Ok(summary(&suite, &results))
}

/// The table of all steps, and as the last line the count of those that ran.
fn summary(suite: &Suite<'_>, results: &[(Duration, bool)]) -> bool {
    println!("\n{:<16}{:>10}  result", "step", "time");
    for (number, (name, _)) in STEPS.iter().enumerate() {
        let (time, result) = match results.get(number) {
            Some((time, true)) => (seconds(*time), "passed"),
            Some((time, false)) => (seconds(*time), "FAILED"),
            None => ("-".to_owned(), "not run"),
        };
        println!("{name:<16}{time:>10}  {result}");
    }
    let total = results.iter().map(|(time, _)| *time).sum();
    println!("{:<16}{:>10}", "total", seconds(total));
    let passed = results.iter().filter(|(_, passed)| *passed).count();
    let failed = results.len() - passed;
    if let Some(seed) = suite.seed.as_ref().filter(|_| failed > 0) {
        println!("\nthe same random tests again: PITREE_SEED={}", seed.display());
    }
    println!("\n{passed} passed, {failed} failed");
    failed == 0
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// The seed that was asked for. A full run draws one unless it was given one.
fn seed(full: bool) -> Result<Option<OsString>> {
    let given = std::env::var_os("PITREE_SEED").filter(|seed| !seed.is_empty());
    match given {
        Some(seed) if seed != "random" => Ok(Some(seed)),
        None if !full => Ok(None),
        _ => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let nanoseconds = now.context("the clock is before 1970")?.as_nanos();
            Ok(Some((nanoseconds % 1_000_000_000_000).to_string().into()))
        }
    }
}

impl Suite<'_> {
    fn cargo(&self, args: &[&str]) -> Result<()> {
        process::run(&mut self.workspace.cargo(args))
    }

    /// A test run with all that the tests read from the environment.
    fn cargo_test(&self, args: &[&str]) -> Result<Command> {
        let mut command = self.workspace.cargo(&["test"]);
        command.args(args).env("PITREE_ORACLE", oracle::install(self.workspace)?);
        command.env("PITREE_CONSUMERS", self.workspace.target.join("consumers"));
        command.env("PITREE_HARBOR", self.workspace.target.join("harbor"));
        command.env("PITREE_TOLD", self.told());
        if self.full {
            command.env("PITREE_FULL", "1");
        }
        if let Some(seed) = &self.seed {
            command.env("PITREE_SEED", seed);
        }
        Ok(command)
    }

    /// The file to which tests write what is to be seen even if they pass.
    fn told(&self) -> PathBuf {
        self.workspace.target.join("told-by-tests.txt")
    }

    fn forget_told(&self) -> Result<()> {
        fs_err::create_dir_all(&self.workspace.target)?;
        Ok(fs_err::write(self.told(), "")?)
    }

    /// Shows what tests have told: what they counted, and which of them were skipped.
    fn show_told(&self) {
        let told = fs_err::read_to_string(self.told()).unwrap_or_default();
        let (skipped, counted): (Vec<&str>, Vec<&str>) =
            told.lines().partition(|line| line.starts_with("skipped"));
        if !counted.is_empty() {
            println!("\n{}", counted.join("\n"));
        }
        println!("\n{} tests skipped something", skipped.len());
        skipped.iter().for_each(|line| println!("  {line}"));
    }

    /// Unit, property, integration and documentation tests, without the two long ones.
    fn tests(&self) -> Result<()> {
        let mut command = self.cargo_test(&["--workspace"])?;
        process::run(command.env("PITREE_SKIP_CONFORMANCE", "1").env("PITREE_SKIP_KILLS", "1"))
    }

    /// One long test binary of the engine, optimised, with what it prints.
    fn alone(&self, binary: &str) -> Result<()> {
        let args = ["-p", "pitree-session", "--release", "--test", binary, "--", "--nocapture"];
        process::run(&mut self.cargo_test(&args)?)
    }

    /// The first command of the README: it must end well and show something.
    fn demo(&self) -> Result<()> {
        let mut command = self.workspace.cargo(&["run", "--release", "--", "demo"]);
        println!("$ {}", process::show(&command));
        let output = process::capture(&mut command)?;
        print!("{output}");
        ensure!(!output.trim().is_empty(), "the demo printed nothing");
        Ok(())
    }

    fn docs(&self) -> Result<()> {
        let mut command = self.workspace.cargo(&["doc", "--workspace", "--no-deps"]);
        process::run(command.env("RUSTDOCFLAGS", "-D warnings"))
    }
}
