//! The other tools, installed from the registries into the target folder.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::corpus::target_folder;

const FAST_RESUME: &str = "fast-resume==2.14.0";
const AGENTSVIEW: &str = "agentsview==0.46.1";
const ORJSON: &str = "orjson==3.13.0";
const CCUSAGE: &str = "ccusage@20.0.24";

fn folder(name: &str) -> Result<PathBuf> {
    Ok(target_folder()?.join("bench-peers").join(name))
}

/// fast-resume in a virtual environment of its own.
pub(crate) fn fast_resume() -> Result<PathBuf> {
    let program = in_environment("fast-resume", FAST_RESUME, "fr")?;
    run(Command::new(&program).arg("--version"))?;
    Ok(program)
}

/// agentsview in a virtual environment of its own.
pub(crate) fn agentsview() -> Result<PathBuf> {
    let program = in_environment("agentsview", AGENTSVIEW, "agentsview")?;
    run(Command::new(&program).arg("--help"))?;
    Ok(program)
}

/// A Python that has orjson, in a virtual environment of its own.
pub(crate) fn python_with_orjson() -> Result<PathBuf> {
    let program = in_environment("orjson", ORJSON, "python")?;
    run(Command::new(&program).args(["-c", "import orjson"]))?;
    Ok(program)
}

/// A program of a virtual environment that has a package.
fn in_environment(name: &str, package: &str, program: &str) -> Result<PathBuf> {
    let folder = folder(name)?;
    let program = folder.join("bin").join(program);
    if !program.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", package]))?;
    }
    Ok(program)
}

/// The native program of ccusage, without the Node script that starts it.
pub(crate) fn ccusage() -> Result<PathBuf> {
    let folder = folder("ccusage")?;
    if find_ccusage(&folder).is_none() {
        run(Command::new("npm")
            .args(["install", "--silent", "--prefix"])
            .arg(&folder)
            .arg(CCUSAGE))?;
    }
    let program = find_ccusage(&folder).context("it has no native program for this machine")?;
    // It is not always packed as a program.
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    run(Command::new(&program).arg("--version"))?;
    Ok(program)
}

fn find_ccusage(folder: &Path) -> Option<PathBuf> {
    let packages = fs_err::read_dir(folder.join("node_modules/@ccusage")).ok()?;
    let mut programs = packages.flatten().map(|package| package.path().join("bin/ccusage"));
    programs.find(|program| program.exists())
}

/// ripgrep, from Debian if it is not there.
pub(crate) fn ripgrep() -> Result<PathBuf> {
    let is_there = || run(Command::new("rg").arg("--version"));
    if is_there().is_err() {
        run(Command::new("apt-get").args(["install", "--yes", "--quiet", "ripgrep"]))?;
        is_there()?;
    }
    Ok("rg".into())
}

fn run(command: &mut Command) -> Result<()> {
    command.stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().last().unwrap_or_default();
    ensure!(output.status.success(), "{command:?} failed: {last}");
    Ok(())
}
