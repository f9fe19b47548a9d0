//! The page in a real browser: with invented data, and with sessions that this server serves.
//!
//! The tests themselves are written in JavaScript, in `page/tests`; what they need is installed by
//! `cargo xtask page`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use pitree_testkit::{skip, working_session};
use pitree_web::WebOptions;

use crate::common::{BRANCHED, Served, into_folder};

const CHROMIUM: &str = "/usr/bin/chromium";

/// The sources of the page with their packages; `None`, after a word about it, where these or the
/// browser are missing.
fn page(test: &str) -> Option<PathBuf> {
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
    let _alone = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut command = Command::new("node");
    command.arg("tests/run.mjs").current_dir(page).stdin(Stdio::null());
    command.env("PITREE_CHROMIUM", CHROMIUM).env_remove("PITREE_WEB_URL");
    command.envs(url.map(|url| ("PITREE_WEB_URL", url)));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    assert!(said.lines().filter(|line| line.starts_with("ok ")).count() > 5, "{said}");
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
    // What the page deletes goes to a folder of this test.
    let trash = tempfile::tempdir().unwrap();
    let options = WebOptions::new().allow_edit(true).trash(into_folder(trash.path()));
    let served = Served::with(&files, &options);
    crate::family::add_sender(&served);
    served.settle(15);
    run(&page, Some(&format!("http://{}/?token={}", served.address, served.token)));
}
