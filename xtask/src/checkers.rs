//! Programs from PyPI that check our output independently.
//!
//! Each is installed once, into a virtual environment below the target folder. One that cannot be
//! had never fails the suite: the test that needs it prints that it is skipped.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, Workspace};

/// A scanner for secrets that shares no code with ours.
const KINGFISHER: &str = "kingfisher-bin==2.14.0";

/// The scanner for secrets, installed if need be; `None` if it cannot be had.
pub(crate) fn kingfisher(workspace: &Workspace) -> Option<PathBuf> {
    match install(workspace, KINGFISHER, "kingfisher") {
        Ok(program) => Some(program),
        Err(error) => {
            println!("kingfisher is missing, its check is skipped: {error:#}");
            None
        }
    }
}

fn install(workspace: &Workspace, package: &str, program: &str) -> Result<PathBuf> {
    let folder = workspace.target.join("checkers").join(package.replace("==", "-"));
    let program = folder.join("bin").join(program);
    let works = || process::capture(Command::new(&program).arg("--version"));
    if works().is_err() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        process::run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", package]))?;
        works().context("it was installed and does not run")?;
    }
    Ok(program)
}
