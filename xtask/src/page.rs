//! The page of `pitree serve`: what it is built and tested with, and whether what is committed is what
//! its sources build.
//!
//! The packages lie in `<target>/page`, with exactly the versions of the lock file. The file `installed`
//! there holds the lock file and is written last. A link makes them the `node_modules` of the sources.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::process::{self, Workspace};

/// The sources of the page.
const SOURCES: &str = "crates/web/page";

const STAMP: &str = "installed";

/// Ways in which text could become markup; the sources have none of them.
const NEVER: [&str; 6] =
    ["innerHTML", "outerHTML", "insertAdjacentHTML", "unsafeHTML", "document.write", "eval("];

/// Installs the packages unless they are there, and returns the folder of the sources.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf> {
    let sources = workspace.root.join(SOURCES);
    let folder = workspace.target.join("page");
    fs_err::create_dir_all(&folder)?;
    // Two commands at once must not install into the same folder; closing the file unlocks it.
    let lock = fs_err::File::create(workspace.target.join("page.lock"))?;
    lock.lock()?;
    let wanted = fs_err::read_to_string(sources.join("package-lock.json"))?;
    if fs_err::read_to_string(folder.join(STAMP)).is_ok_and(|there| there == wanted) {
        return link(&sources, &folder);
    }
    ensure!(process::is_installed("npm"), "npm was not found: install Node.js 20 or newer");
    for name in ["package.json", "package-lock.json", ".npmrc"] {
        fs_err::copy(sources.join(name), folder.join(name))?;
    }
    println!("installing the packages of {SOURCES} into {}", folder.display());
    let args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(workspace.command("npm", &args).current_dir(&folder))?;
    fs_err::write(folder.join(STAMP), wanted)?;
    link(&sources, &folder)
}

/// Makes the packages those of the sources, unless somebody has installed his own there.
fn link(sources: &Path, folder: &Path) -> Result<PathBuf> {
    let (link, packages) = (sources.join("node_modules"), folder.join("node_modules"));
    let is_link = link.symlink_metadata().is_ok_and(|there| there.is_symlink());
    if is_link && fs_err::read_link(&link)? != packages {
        fs_err::remove_file(&link)?;
    }
    if link.symlink_metadata().is_err() {
        fs_err::os::unix::fs::symlink(&packages, &link)?;
    }
    Ok(sources.to_owned())
}

/// The types are right, the committed files are what the sources build, and no text can become markup.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let sources = install(workspace)?;
    let node = |args: &[&str]| {
        let mut command = workspace.command("node", args);
        process::run(command.current_dir(&sources))
    };
    node(&["node_modules/typescript/bin/tsc", "--noEmit"])?;
    node(&["build.mjs", "--check"])?;
    let found = find_never(&sources.join("src"))?;
    ensure!(found.is_empty(), "text could become markup:\n  {}", found.join("\n  "));
    println!("page: types and assets are right");
    Ok(())
}

/// Where the sources below a folder use what they never should.
fn find_never(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in fs_err::read_dir(folder)? {
        let path = file?.path();
        if path.is_dir() {
            found.append(&mut find_never(&path)?);
            continue;
        }
        let text = fs_err::read_to_string(&path).with_context(|| path.display().to_string())?;
        for (number, line) in text.lines().enumerate() {
            if NEVER.iter().any(|never| line.contains(never)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    Ok(found)
}
