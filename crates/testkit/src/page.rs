//! The page in a real browser: its tests are scripts among its sources.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::skip;

const CHROMIUM: &str = "/usr/bin/chromium";

/// The sources of the page with their packages; `None`, after a word about it, where these or the
/// browser are missing.
pub fn page(test: &str) -> Option<PathBuf> {
    let given = std::env::var_os("PITREE_PAGE").filter(|folder| !folder.is_empty());
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/page");
    let page = given.map_or_else(usual, PathBuf::from);
    if !page.join("node_modules/playwright-core").is_dir() {
        skip(test, "the packages of the page are not installed (cargo xtask page)");
        return None;
    }
    if !Path::new(CHROMIUM).is_file() {
        skip(test, "there is no Chromium");
        return None;
    }
    Some(page)
}

/// One browser at a time is enough for the machine.
static BROWSER: Mutex<()> = Mutex::new(());

/// A script among the tests of the page.
pub fn page_script(page: &Path, script: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(script).current_dir(page).stdin(Stdio::null());
    command.env("PITREE_CHROMIUM", CHROMIUM);
    command
}

/// Runs a script that must succeed, and returns what it says.
pub fn said_by(command: &mut Command) -> String {
    let _alone = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    said
}
