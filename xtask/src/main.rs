//! Set-up and checks of the workspace, started with `cargo xtask <command>`.
//!
//! One module per command. The commands of the test suite (`layers`, `sizes`, `hygiene`, `page`,
//! `oracle`, `consumers`) can be run alone, and `test` runs them all in order.

// A command for developers: its output is what it is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod azurite;
mod binaries;
mod book;
mod consumers;
mod files;
mod functions;
mod hygiene;
mod layers;
mod oracle;
mod orphans;
mod page;
mod process;
mod progress;
mod rings;
mod sizes;
mod suite;
mod tools;

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process::Workspace;

const HELP: &str = "\
Usage: cargo xtask <command>

  test             every check and every test, in order
    --full         run the long tests too, with a new seed
    --strict       fail if a test was skipped
    --resume       go on where a run of the same commit was cut off
  oracle           install the real Pi, the judge of the conformance tests, in the target folder
  consumers        install the Python packages that read training data, in the target folder
  page             check the types of the web page and that its built files are up to date
  layers           fail if a crate depends on one that it may not use, modules form a ring, or a
                   file belongs to no module
  sizes            fail if a file or a function is too long
  hygiene          fail if a tracked file holds machine paths, registry addresses or unfinished code
  docs             build README and docs as a book with search, in the target folder
  bench [args]     run the benchmarks against the real Pi
  fuzz [minutes]   fuzz each target for so many minutes (5 if not given); needs cargo-fuzz
  help             this text

Environment:
  CARGO_TARGET_DIR   the target folder, the place of the oracle and the consumers (default: ./target)
  PITREE_SEED        seed of the random tests: a number, or `random` to draw and print one
";

/// The fuzz targets under `fuzz/`.
const FUZZ_TARGETS: [&str; 7] = ["frames", "line", "open", "query", "redaction", "seen", "spool"];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one command. `Ok(false)` is a failure that is already on the screen.
fn dispatch(args: &[String]) -> Result<bool> {
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", args),
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match (command, rest.as_slice()) {
        ("help" | "--help" | "-h", _) => {
            print!("{HELP}");
            Ok(true)
        }
        ("test", options) => suite::test(&Workspace::find()?, test_options(options)?),
        ("oracle", []) => {
            println!("{}", oracle::install(&Workspace::find()?)?.display());
            Ok(true)
        }
        ("consumers", []) => {
            let folder = consumers::install(&Workspace::find()?)?;
            if let Some(folder) = &folder {
                println!("{}", folder.display());
            }
            Ok(folder.is_some())
        }
        ("layers", []) => layers::check(&Workspace::find()?).map(|()| true),
        ("sizes", []) => sizes::check(&Workspace::find()?).map(|()| true),
        ("hygiene", []) => hygiene::check(&Workspace::find()?).map(|()| true),
        ("page", []) => page::check(&Workspace::find()?).map(|()| true),
        ("docs", []) => {
            println!("{}", book::build(&Workspace::find()?)?.join("index.html").display());
            Ok(true)
        }
        ("bench", args) => bench(&Workspace::find()?, args).map(|()| true),
        ("fuzz", []) => fuzz(&Workspace::find()?, 5).map(|()| true),
        ("fuzz", [minutes]) => {
            let minutes = minutes.parse().context("`fuzz` takes a whole number of minutes")?;
            fuzz(&Workspace::find()?, minutes).map(|()| true)
        }
        _ => bail!("cannot run `{}`; `cargo xtask help` lists the commands", args.join(" ")),
    }
}

fn test_options(args: &[&str]) -> Result<suite::Options> {
    let mut options = suite::Options::default();
    for arg in args {
        match *arg {
            "--full" => options.full = true,
            "--strict" => options.strict = true,
            "--resume" => options.resume = true,
            _ => bail!("`test` does not take `{arg}`; it takes --full, --strict and --resume"),
        }
    }
    Ok(options)
}

/// Builds with the profile of released binaries and measures against the real Pi.
fn bench(workspace: &Workspace, args: &[&str]) -> Result<()> {
    let oracle = oracle::install(workspace)?;
    if args.first() == Some(&"web") {
        page::install(workspace)?;
    }
    let mut cargo = workspace.cargo(&["run", "--profile", "dist", "-p", "pitree-bench", "--"]);
    process::run(cargo.args(args).env("PITREE_ORACLE", oracle))
}

/// Runs every fuzz target for the given time, without a sanitizer (stable Rust is enough so).
fn fuzz(workspace: &Workspace, minutes: u32) -> Result<()> {
    let there = Command::new("cargo").args(["fuzz", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        bail!("cargo-fuzz is missing; install it with `cargo install cargo-fuzz --locked`");
    }
    process::run(&mut workspace.cargo(&[
        "run",
        "-p",
        "pitree-bench",
        "--",
        "seeds",
        "fuzz/corpus",
    ]))?;
    let limit = format!("-max_total_time={}", u64::from(minutes) * 60);
    for target in FUZZ_TARGETS {
        process::run(&mut workspace.cargo(&["fuzz", "run", "-s", "none", target, "--", &limit]))?;
    }
    Ok(())
}
