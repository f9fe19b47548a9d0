//! The oracle: the real Pi from npm, which judges our answers in the conformance tests.
//!
//! Layout under `<target>/oracle`:
//!
//! - `node_modules/node/bin/node`: Node 22, which Pi needs and the system may not have;
//! - `package/dist/bundle/index.js`: the Pi that we answer like;
//! - `legacy/node_modules/@earendil-works/pi-coding-agent/dist/index.js`: an old Pi, the reader of
//!   the old format versions;
//! - `installed`: the versions, written last. Without it, or with others in it, all is redone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, Workspace};

const PACKAGE: &str = "@earendil-works/pi-coding-agent";
const PI: &str = "1.5.0";
const LEGACY_PI: &str = "0.74.2";
const NODE: &str = "22";

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
const NPM_FLAGS: [&str; 3] = ["--no-audit", "--no-fund", "--loglevel=error"];
const STAMP: &str = "installed";

/// Installs the oracle unless it is there, and returns its folder.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("oracle");
    fs_err::create_dir_all(&workspace.target)?;
    // Two commands at once must not install into the same folder; closing the file unlocks it.
    let lock = fs_err::File::create(workspace.target.join("oracle.lock"))?;
    lock.lock()?;
    if is_installed(&folder) {
        return Ok(folder);
    }
    ensure!(
        process::is_installed(NPM),
        "npm was not found, and the real Pi comes from npm: install Node.js 20 or newer, which \
         brings npm along, and run this again"
    );
    println!("installing Pi {PI}, Pi {LEGACY_PI} and Node {NODE} into {}", folder.display());
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    install_node(&folder)?;
    install_pi(&folder)?;
    install_legacy(&folder)?;
    fs_err::write(folder.join(STAMP), stamp())?;
    Ok(folder)
}

/// Whether all three parts of the right versions are there, whole.
fn is_installed(folder: &Path) -> bool {
    fs_err::read_to_string(folder.join(STAMP)).is_ok_and(|text| text == stamp())
        && node_works(folder)
}

fn stamp() -> String {
    format!("node {NODE}\npi {PI}\nlegacy {LEGACY_PI}\n")
}

/// Node as an npm package. Its set-up script fetches the binary; some versions of npm hold such
/// scripts back, and then we start it ourselves.
fn install_node(folder: &Path) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    npm(folder, &["init", "-y"])?;
    npm(folder, &["install", &format!("node@{NODE}")])?;
    if node_works(folder) {
        return Ok(());
    }
    let mut set_up = Command::new("node");
    set_up.arg("installArchSpecificPackage").current_dir(folder.join("node_modules/node"));
    process::run(&mut set_up)?;
    ensure!(
        node_works(folder),
        "{} does not run or is not Node {NODE}; npm may have no build of it for this machine",
        node(folder).display()
    );
    Ok(())
}

/// The package itself, unpacked: its bundle needs no other package.
fn install_pi(folder: &Path) -> Result<()> {
    npm(folder, &["pack", &format!("{PACKAGE}@{PI}")])?;
    let archive = format!("{}-{PI}.tgz", PACKAGE.trim_start_matches('@').replace('/', "-"));
    process::run(Command::new("tar").args(["-xzf", &archive]).current_dir(folder))?;
    fs_err::remove_file(folder.join(archive))?;
    answers(folder, folder, "./package/dist/bundle/index.js")
}

/// The old Pi with its dependencies, in a folder of its own.
fn install_legacy(folder: &Path) -> Result<()> {
    let legacy = folder.join("legacy");
    fs_err::create_dir_all(&legacy)?;
    npm(&legacy, &["init", "-y"])?;
    npm(&legacy, &["install", &format!("{PACKAGE}@{LEGACY_PI}")])?;
    answers(folder, &legacy, PACKAGE)
}

fn node(folder: &Path) -> PathBuf {
    folder.join("node_modules/node/bin").join(if cfg!(windows) { "node.exe" } else { "node" })
}

fn node_works(folder: &Path) -> bool {
    let version = Command::new(node(folder)).arg("--version").output();
    version.is_ok_and(|output| output.stdout.starts_with(format!("v{NODE}.").as_bytes()))
}

/// Asks a module of Pi for the session version that it writes, to see that it loads at all.
fn answers(folder: &Path, within: &Path, module: &str) -> Result<()> {
    let script = format!("import('{module}').then(m => console.log(m.CURRENT_SESSION_VERSION))");
    let mut ask = Command::new(node(folder));
    ask.args(["-e", &script]).current_dir(within);
    let answer = process::capture(&mut ask).context("the installed Pi does not run")?;
    if answer.trim() != "3" {
        bail!("{module} answers `{}` for the session version instead of 3", answer.trim());
    }
    Ok(())
}

/// Runs npm without its chatter; what it prints is shown only when it fails.
fn npm(within: &Path, args: &[&str]) -> Result<()> {
    let mut command = Command::new(NPM);
    command.args(args).args(NPM_FLAGS).current_dir(within);
    println!("$ {}", process::show(&command));
    process::capture(&mut command).map(drop)
}
