//! The Azure server of the tests of object stores: a package from npm in `<target>/azurite`, with
//! exactly the versions of its lock file. The file `installed` there holds the lock file and is
//! written last.
//!
//! Where it cannot be installed, nothing fails: the tests that need it say that they are skipped.

use anyhow::{Result, ensure};

use crate::process::{self, Workspace};

/// What is installed.
const SOURCES: &str = "crates/extract/tests/consumers/azurite";

const STAMP: &str = "installed";

/// Installs it unless it is there; where that fails, a word about it is enough.
pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    let sources = workspace.root.join(SOURCES);
    let folder = workspace.target.join("azurite");
    let wanted = fs_err::read_to_string(sources.join("package-lock.json"))?;
    if fs_err::read_to_string(folder.join(STAMP)).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    let set_up = || {
        ensure!(process::is_installed("npm"), "npm was not found");
        fs_err::create_dir_all(&folder)?;
        for name in ["package.json", "package-lock.json", ".npmrc"] {
            fs_err::copy(sources.join(name), folder.join(name))?;
        }
        println!("installing the package of {SOURCES} into {}", folder.display());
        let args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        process::run(workspace.command("npm", &args).current_dir(&folder))?;
        fs_err::write(folder.join(STAMP), &wanted)?;
        Ok(())
    };
    if let Err(error) = set_up() {
        println!("azurite cannot be installed, its tests are skipped: {error:#}");
    }
    Ok(())
}
