//! The page in a real browser: its tests are scripts among its sources.

use std::io::{BufRead, BufReader, Write};
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

/// The same for a script that needs something done meanwhile: it writes `ask WHAT`, and gets the
/// line that `answer` makes of that.
pub fn said_with_answers(command: &mut Command, mut answer: impl FnMut(&str) -> String) -> String {
    let _alone = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = started.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut answers = child.stdin.take();
    let mut said = String::new();
    for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let line = line.unwrap_or_default();
        match (line.strip_prefix("ask "), &mut answers) {
            // A script that has ended takes no answer; its status says so.
            (Some(what), Some(answers)) => drop(writeln!(answers, "{}", answer(what))),
            _ => said += &format!("{line}\n"),
        }
    }
    let status = child.wait();
    assert!(status.is_ok_and(|status| status.success()), "{command:?}\n{said}");
    said
}
