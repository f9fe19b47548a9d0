//! The test command: every check and every test, in order, up to the first that fails.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use crate::binaries::{self, Variables};
use crate::process::{self, Workspace};
use crate::progress::Progress;
use crate::{book, consumers, hygiene, layers, oracle, page, sizes, tools};

/// How the suite is run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// The long tests too.
    pub(crate) full: bool,
    /// A skipped test fails the run.
    pub(crate) strict: bool,
    /// Goes on where an earlier run of the same commit was cut off.
    pub(crate) resume: bool,
}

/// What the steps have in common.
struct Suite<'a> {
    workspace: &'a Workspace,
    options: Options,
    /// Seed of the random tests; without one they use their own fixed seed.
    seed: Option<OsString>,
    progress: Progress,
}

type Step = (&'static str, fn(&mut Suite<'_>) -> Result<()>);

/// The crates that must be fit to be published.
const PUBLISHED: &[&str] = &[
    "pitree-format",
    "pitree-session",
    "pitree-redact",
    "pitree-store",
    "pitree-host",
    "pitree-export",
    "pitree-sample",
    "pitree-extract",
    "pitree-rpc",
    "pitree-tui",
    "pitree-web",
    "pitree",
];

/// The features of the store that its users may leave out; it must build with each of them alone.
const STORE_FEATURES: &[&str] = &["", "search", "trash", "watch"];

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
    ("packages", |suite| suite.packages()),
    ("oracle", |suite| oracle::install(suite.workspace).map(drop)),
    ("consumers", |suite| consumers::install(suite.workspace).map(drop)),
    ("page", |suite| page::check(suite.workspace)),
    ("tests", |suite| suite.tests()),
    ("conformance", |suite| suite.alone("conformance")),
    ("kills", |suite| suite.alone("kills")),
    ("demo", |suite| suite.demo()),
    ("docs", |suite| suite.docs()),
    ("book", |suite| suite.book()),
    ("skipped tests", |suite| suite.skipped()),
];

/// How a step ended.
enum StepResult {
    Passed(Duration),
    Failed(Duration),
    /// It passed in the run that this one resumes.
    Before,
}

/// Runs all steps and prints a table of them. `false` if one failed.
pub(crate) fn test(workspace: &Workspace, options: Options) -> Result<bool> {
    fs_err::create_dir_all(&workspace.target)?;
    let mut suite = Suite::new(workspace, options)?;
    if let Some(seed) = &suite.seed {
        println!("PITREE_SEED={}", seed.display());
    }
    let results = std::thread::scope(|scope| {
        let mut results = Vec::new();
        for number in 0..STEPS.len() {
            let result = suite.step(number)?;
            let failed = matches!(result, StepResult::Failed(_));
            results.push(result);
            if failed {
                break;
            }
            if number == 0 {
                // The tools are there now: the rest is fetched while the compiler works.
                scope.spawn(|| fetch(workspace));
            }
        }
        anyhow::Ok(results)
    })?;
    suite.show_told();
    Ok(summary(&suite, &results))
}

/// Installs what later steps need. A failure is theirs to tell: they try again.
fn fetch(workspace: &Workspace) {
    drop(oracle::install(workspace));
    drop(consumers::install(workspace));
    drop(page::install(workspace));
}

/// The table of all steps, and as the last line the count of those that ran.
fn summary(suite: &Suite<'_>, results: &[StepResult]) -> bool {
    println!("\n{:<16}{:>10}  result", "step", "time");
    let mut total = Duration::ZERO;
    for (number, (name, _)) in STEPS.iter().enumerate() {
        let (time, result) = match results.get(number) {
            Some(StepResult::Passed(time)) => (Some(*time), "passed"),
            Some(StepResult::Failed(time)) => (Some(*time), "FAILED"),
            Some(StepResult::Before) => (None, "passed before"),
            None => (None, "not run"),
        };
        total += time.unwrap_or_default();
        println!("{name:<16}{:>10}  {result}", time.map_or_else(|| "-".to_owned(), seconds));
    }
    println!("{:<16}{:>10}", "total", seconds(total));
    let failed = results.iter().filter(|result| matches!(result, StepResult::Failed(_))).count();
    if failed > 0 {
        if let Some(seed) = &suite.seed {
            println!("\nTo repeat the same random tests: PITREE_SEED={}", seed.display());
        }
        println!("\nTo go on from here on the same commit: add --resume");
    }
    println!("\n{} passed, {failed} failed", results.len() - failed);
    failed == 0
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// The seed that was asked for. A full run draws one unless it was given one or resumes a run.
fn seed(workspace: &Workspace, options: Options) -> Result<Option<OsString>> {
    let given = std::env::var_os("PITREE_SEED").filter(|seed| !seed.is_empty());
    match given {
        Some(seed) if seed != "random" => return Ok(Some(seed)),
        None if !options.full => return Ok(None),
        _ => {}
    }
    if options.resume
        && let Some(run) = Progress::noted_run(workspace)
        && let Some((_, seed)) = run.split_once(SEED)
    {
        return Ok(Some(seed.into()));
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanoseconds = now.context("the clock is before 1970")?.as_nanos();
    Ok(Some((nanoseconds % 1_000_000_000_000).to_string().into()))
}

/// Stands before the seed in the notes about a run.
const SEED: &str = "seed ";

impl<'a> Suite<'a> {
    fn new(workspace: &'a Workspace, options: Options) -> Result<Self> {
        let seed = seed(workspace, options)?;
        let kind = if options.full { "full" } else { "usual" };
        let run = match &seed {
            Some(seed) => format!("{kind} {SEED}{}", seed.display()),
            None => kind.to_owned(),
        };
        let progress = if options.resume {
            Progress::resume(workspace, &run)?
        } else {
            Progress::begin(workspace, &run)?
        };
        let suite = Self { workspace, options, seed, progress };
        if !options.resume {
            fs_err::write(suite.told(), "")?;
        }
        Ok(suite)
    }

    /// Runs a step, unless it has passed in the run that this one resumes.
    fn step(&mut self, number: usize) -> Result<StepResult> {
        let (name, step) = STEPS[number];
        if self.progress.has_passed(name) {
            return Ok(StepResult::Before);
        }
        println!("\n=== {name} ({} of {}) ===", number + 1, STEPS.len());
        let start = Instant::now();
        let result = step(self);
        let time = start.elapsed();
        if let Err(error) = result {
            println!("=== {name}: FAILED in {} ===\n{error:#}", seconds(time));
            return Ok(StepResult::Failed(time));
        }
        println!("=== {name}: passed in {} ===", seconds(time));
        self.progress.pass(name)?;
        Ok(StepResult::Passed(time))
    }

    fn cargo(&self, args: &[&str]) -> Result<()> {
        process::run(&mut self.workspace.cargo(args))
    }

    /// What is published can be packaged, and is built from its packages in a full run. The store
    /// can be had without its optional parts, and the command without the page in the browser.
    fn packages(&self) -> Result<()> {
        let mut args = vec!["package", "--offline", "--allow-dirty", "--quiet"];
        if !self.options.full {
            args.push("--no-verify");
        }
        args.extend(PUBLISHED.iter().flat_map(|name| ["-p", name]));
        self.cargo(&args)?;
        let store = ["check", "-p", "pitree-store", "--no-default-features", "--features"];
        let mut features = STORE_FEATURES.iter();
        features.try_for_each(|feature| self.cargo(&[&store[..], &[feature]].concat()))?;
        self.cargo(&["check", "-p", "pitree", "--no-default-features"])
    }

    /// All that the tests read from the environment.
    fn variables(&self) -> Result<Variables> {
        let target = &self.workspace.target;
        let mut variables = vec![
            ("PITREE_ORACLE", oracle::install(self.workspace)?.into_os_string()),
            ("PITREE_CONSUMERS", target.join("consumers").into_os_string()),
            ("PITREE_HARBOR", target.join("harbor").into_os_string()),
            ("PITREE_MOTO", target.join("moto").into_os_string()),
            ("PITREE_AZURITE", target.join("azurite").into_os_string()),
            ("PITREE_PAGE", page::install(self.workspace)?.into_os_string()),
            ("PITREE_TOLD", self.told().into_os_string()),
        ];
        if self.options.full {
            variables.push(("PITREE_FULL", "1".into()));
        }
        if let Some(seed) = &self.seed {
            variables.push(("PITREE_SEED", seed.clone()));
        }
        Ok(variables)
    }

    fn cargo_test(&self, args: &[&str]) -> Result<Command> {
        let mut command = self.workspace.cargo(&["test"]);
        binaries::set_variables(command.args(args), &self.variables()?);
        Ok(command)
    }

    /// The file to which tests write what is to be seen even if they pass.
    fn told(&self) -> PathBuf {
        self.workspace.target.join("told-by-tests.txt")
    }

    /// What could not be tested on this machine.
    fn skips(&self) -> Vec<String> {
        let told = fs_err::read_to_string(self.told()).unwrap_or_default();
        told.lines().filter(|line| line.starts_with("skipped")).map(str::to_owned).collect()
    }

    /// With `--strict` nothing may be skipped.
    fn skipped(&self) -> Result<()> {
        let skips = self.skips();
        ensure!(
            !self.options.strict || skips.is_empty(),
            "{} tests skipped something, and --strict allows none",
            skips.len()
        );
        Ok(())
    }

    /// Shows what tests have told: what they counted, and which of them were skipped.
    fn show_told(&self) {
        let told = fs_err::read_to_string(self.told()).unwrap_or_default();
        let counted: Vec<&str> = told.lines().filter(|line| !line.starts_with("skipped")).collect();
        if !counted.is_empty() {
            println!("\n{}", counted.join("\n"));
        }
        let skips = self.skips();
        println!("\n{} tests skipped something", skips.len());
        skips.iter().for_each(|line| println!("  {line}"));
    }

    /// Unit, property, integration and documentation tests, without the two long ones.
    fn tests(&mut self) -> Result<()> {
        let mut variables = self.variables()?;
        variables.push(("PITREE_SKIP_CONFORMANCE", "1".into()));
        variables.push(("PITREE_SKIP_KILLS", "1".into()));
        binaries::run(self.workspace, &variables, &mut self.progress)?;
        process::run(&mut self.cargo_test(&["--workspace", "--doc"])?)
    }

    /// One long test binary of the engine, with what it prints. Of the whole workspace, so that
    /// Cargo takes the one that is already built.
    fn alone(&self, binary: &str) -> Result<()> {
        let args = ["--workspace", "--test", binary, "--", "--nocapture"];
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

    /// The pages as a book; only in a full run, since its builder takes minutes to install.
    fn book(&self) -> Result<()> {
        if self.options.full {
            return book::build(self.workspace).map(drop);
        }
        println!("the book is built with --full, or by `cargo xtask docs`");
        Ok(())
    }

    fn docs(&self) -> Result<()> {
        let mut command = self.workspace.cargo(&["doc", "--workspace", "--no-deps"]);
        process::run(command.env("RUSTDOCFLAGS", "-D warnings"))
    }
}
