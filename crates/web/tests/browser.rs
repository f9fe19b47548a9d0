//! The page in a real browser: with invented data, and with sessions that this server serves.
//!
//! The tests themselves are written in JavaScript, in `page/tests`; what they need is installed by
//! `cargo xtask page`.

use std::path::Path;

use pitree_testkit::{page, page_script, said_by, working_session};
use pitree_web::WebOptions;

use crate::common::{BRANCHED, Served, into_folder};
use crate::long::long_session;

/// Runs the tests of the page; `url` is what they look at instead of invented data.
fn run(page: &Path, url: Option<&str>) {
    let mut command = page_script(page, "tests/run.mjs");
    command.env_remove("PITREE_WEB_URL").envs(url.map(|url| ("PITREE_WEB_URL", url)));
    let said = said_by(&mut command);
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
    let long = long_session(pitree_testkit::seed(), 100_000);
    files.push(("long.jsonl", &long));
    // What the page deletes goes to a folder of this test.
    let trash = tempfile::tempdir().unwrap();
    let options = WebOptions::new().allow_edit(true).trash(into_folder(trash.path()));
    let served = Served::with(&files, &options);
    crate::family::add_sender(&served);
    served.settle(16);
    run(&page, Some(&format!("http://{}/?token={}", served.address, served.token)));
}
