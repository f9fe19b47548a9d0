//! `pitree`: the sessions of the Pi coding agent from the command line.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(pitree::run(std::env::args_os().collect()))
}
