//! Benchmarks against the real Pi, and the gate on instruction counts.
//!
//! `session` times pitree and Pi 1.5.0 on the same files in the same run and prints ratios.
//! `store` does so with whole processes on a store of many sessions, and with other peers.
//! `extract` makes training data of that store, against a Python extractor.
//! `python` times the Python package against the command, and against plain Python.
//! `reduce` decides on millions of samples that are made up.
//! `rpc` asks both over their protocol.
//! `tree` times the keys of the tree navigator.
//! `view` is the part of it that is about a large session.
//! `web` times the page in a browser.
//! `redact` times redaction.
//! `ranking` counts how often pitree and fast-resume have the right session first.
//! `screens` times how soon the interface shows something.
//! `instructions` counts instead of timing, so its answer does not depend on what else the
//! machine does; `gate` fails when a count is too high.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

mod child;
mod corpus;
mod engine;
mod extract;
mod generate;
mod instructions;
mod many;
mod peers;
mod pi;
mod process;
mod pty;
mod python;
mod ranking;
mod redact;
mod reduce;
mod rounds;
mod rpc;
mod screens;
mod seeds;
mod session;
mod store;
mod table;
mod text;
mod timing;
mod tree;
mod usage;
mod web;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
Usage: pitree-bench COMMAND

Commands:
  session [ROUNDS]    time pitree against the real Pi (7 rounds if not given)
  store [ROUNDS]      time pitree against Pi, ripgrep, fast-resume and ccusage on a store of 1 GB
                      (3 rounds if not given)
  extract [ROUNDS]    time `pitree extract` against a Python extractor on that store (3 rounds if
                      not given)
  python [ROUNDS]     time the Python package against the command and against plain Python (3 rounds
                      if not given; `cargo xtask bench python` builds the package for it)
  rpc [ROUNDS]        time the protocol of pitree against that of the real Pi (5 rounds if not given)
  tree [ROUNDS]       time the tree navigator on trees of 100,000 entries (5 rounds if not given)
  screens [ROUNDS]    time the first rows and the keys of the picker on 10,000 sessions, of the tree
                      of 100,000 entries and of the view of a large session (5 rounds if not given)
  view [ROUNDS]       only the view of a large session (5 rounds if not given)
  web [ROUNDS]        time the page in a browser on 100,000 entries, and beside the pages of Pi and
                      agentsview (3 rounds if not given)
  reduce [COUNT...]   decide on so many samples that are made up (1 and 10 million if not given)
  redact [FILE...]    time redaction, on these session files or on one that is made up
  ranking             count how often pitree and fast-resume have the right session first
  instructions        count instructions for each byte, with valgrind
  gate                the same, and fail when a count is above its limit
  corpus              make the session files and say what is in them
  seeds DIR           write seeds for the fuzz targets `line` and `open` below DIR

Environment:
  CARGO_TARGET_DIR    the target folder, in which the session files are kept
  PITREE_PYTHON       a Python that has the package `pitree`, for `python`
  PITREE_PROGRAM      the command to measure, instead of one that is built for it
  PITREE_ORACLE       the folder of the real Pi (default: target/oracle)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A benchmark that takes a number of rounds.
type InRounds = fn(usize) -> Result<()>;

/// The benchmarks in rounds, with how many rounds they have unless the user says so.
const IN_ROUNDS: [(&str, InRounds, usize); 9] = [
    ("session", session::run, 7),
    ("store", store::run, 3),
    ("extract", extract::run, 3),
    ("python", python::run, 3),
    ("tree", tree::run, 5),
    ("rpc", rpc::run, 5),
    ("screens", screens::run, 5),
    ("view", screens::view, 5),
    ("web", web::run, 3),
];

/// Whether all went well: `false` when a limit is broken.
fn run(args: &[&str]) -> Result<bool> {
    let in_rounds = IN_ROUNDS.iter().find(|(name, ..)| args.first() == Some(name));
    match (in_rounds, args) {
        (Some((_, run, usual)), [_]) => return run(*usual).map(|()| true),
        (Some((_, run, _)), [_, rounds]) => {
            return run(rounds.parse().context("ROUNDS is a whole number")?).map(|()| true);
        }
        _ => {}
    }
    match args {
        ["redact", files @ ..] => redact::run(files).map(|()| true),
        ["reduce", counts @ ..] => reduce::run(counts).map(|()| true),
        ["reduce-child", count, folder] => reduce::child(count, folder.as_ref()).map(|()| true),
        ["ranking"] => ranking::report().map(|()| true),
        ["instructions"] => instructions::report(false),
        ["gate"] => instructions::report(true),
        ["corpus"] => corpus::describe().map(|()| true),
        ["seeds", folder] => seeds::write(folder.as_ref()).map(|()| true),
        ["child", job, path] => child::run(job, path.as_ref()).map(|()| true),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        _ => bail!("cannot run `{}`; `pitree-bench help` lists the commands", args.join(" ")),
    }
}
