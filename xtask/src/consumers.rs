//! The consumers of training data: Python packages that must take what `pitree extract` writes.
//!
//! They lie in a virtual environment, `<target>/consumers`, with exactly the packages of
//! `crates/extract/tests/consumers/requirements.txt`. Its file `installed` holds that list and is
//! written last: without it, or with another list in it, all is redone.
//!
//! Where they cannot be installed, nothing fails: the tests that need them say that they are
//! skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, Workspace};
use crate::tools;

const REQUIREMENTS: &str = "crates/extract/tests/consumers/requirements.txt";
const PYTHON: &str = "python3";
const STAMP: &str = "installed";

/// Installs the consumers unless they are there. `None`, after a word about it, where that is not
/// possible.
pub(crate) fn install(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let folder = workspace.target.join("consumers");
    fs_err::create_dir_all(&workspace.target)?;
    // Two commands at once must not install into the same folder; closing the file unlocks it.
    let lock = fs_err::File::create(workspace.target.join("consumers.lock"))?;
    lock.lock()?;
    let requirements = fs_err::read_to_string(workspace.root.join(REQUIREMENTS))?;
    let stamp = fs_err::read_to_string(folder.join(STAMP));
    if stamp.is_ok_and(|installed| installed == requirements) {
        return Ok(Some(folder));
    }
    match set_up(workspace, &folder) {
        Ok(()) => {
            fs_err::write(folder.join(STAMP), requirements)?;
            Ok(Some(folder))
        }
        Err(error) => {
            println!("the consumers are not installed, their tests are skipped: {error:#}");
            Ok(None)
        }
    }
}

fn set_up(workspace: &Workspace, folder: &Path) -> Result<()> {
    println!("installing the packages of {REQUIREMENTS} into {}", folder.display());
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    // Debian has the part of Python that makes environments in a package of its own.
    make_environment(folder).or_else(|error| {
        tools::apt_get_as_root(workspace, &["python3-venv"]);
        make_environment(folder).map_err(|_| error)
    })?;
    let pip = folder.join("bin/pip");
    let mut command = workspace.command(&pip.to_string_lossy(), &["install", "--quiet"]);
    command.args(["--disable-pip-version-check", "--no-warn-conflicts"]);
    command.args(["--no-deps", "--requirement", REQUIREMENTS]);
    println!("$ {}", process::show(&command));
    process::capture(&mut command).context("the packages need Python 3.11 or newer").map(drop)
}

fn make_environment(folder: &Path) -> Result<()> {
    let mut command = Command::new(PYTHON);
    command.args(["-m", "venv"]).arg(folder);
    println!("$ {}", process::show(&command));
    process::capture(&mut command).map(drop)
}
