//! The page in a real browser: with invented data, and with sessions that this server serves.
//!
//! The tests themselves are written in JavaScript, in `page/tests`; what they need is installed by
//! `cargo xtask page`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use pitree_testkit::{skip, working_session};

use crate::common::{BRANCHED, Served};

const CHROMIUM: &str = "/usr/bin/chromium";

/// The sources of the page with their packages; `None`, after a word about it, where these or the
/// browser are missing.
pub(crate) fn page(test: &str) -> Option<PathBuf> {
    let given = std::env::var_os("PITREE_PAGE").filter(|folder| !folder.is_empty());
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
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

/// Runs the tests of the page; `url` is what they look at instead of invented data.
fn run(page: &Path, url: Option<&str>) {
    let mut command = script(page, "tests/run.mjs");
    command.env_remove("PITREE_WEB_URL").envs(url.map(|url| ("PITREE_WEB_URL", url)));
    let said = said_by(&mut command);
    assert!(said.lines().filter(|line| line.starts_with("ok ")).count() > 5, "{said}");
}

/// A script among the tests of the page.
pub(crate) fn script(page: &Path, script: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(script).current_dir(page).stdin(Stdio::null());
    command.env("PITREE_CHROMIUM", CHROMIUM);
    command
}

/// Runs a script that must succeed, and returns what it says.
pub(crate) fn said_by(command: &mut Command) -> String {
    let _alone = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    said
}

#[test]
fn the_page_with_invented_data() {
    let Some(page) = page("the_page_with_invented_data") else { return };
    run(&page, None);
}

#[test]
fn the_page_with_real_sessions() {
    let Some(page) = page("the_page_with_real_sessions") else { return };
    let made: Vec<(String, Vec<u8>)> =
        (0..12).map(|seed| (format!("s{seed}.jsonl"), working_session(seed).bytes)).collect();
    let mut files: Vec<(&str, &[u8])> =
        made.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    files.push(("branched.jsonl", BRANCHED.as_bytes()));
    let served = Served::new(&files);
    run(&page, Some(&format!("http://{}/?token={}", served.address, served.token)));
}
