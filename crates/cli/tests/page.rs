//! The page of `pitree serve` says what the other commands say.

use pitree_testkit::{page, page_script, said_by, session, tell, working_session};

use crate::common::Sandbox;

/// Sessions of all shapes, in the browser and beside `tree`, `context` and `cost`.
#[test]
fn the_page_shows_what_the_commands_print() {
    let Some(page) = page("the_page_shows_what_the_commands_print") else { return };
    let sandbox = Sandbox::new();
    let first = pitree_testkit::seed();
    let number = if pitree_testkit::is_full() { 60 } else { 8 };
    for seed in first..first + number {
        let made = if seed % 2 == 0 { session(seed) } else { working_session(seed) };
        let path = sandbox.path(&format!("project/{seed}.jsonl"));
        fs_err::write(path, made.bytes).unwrap();
    }
    let mut script = page_script(&page, "tests/same.mjs");
    let program = env!("CARGO_BIN_EXE_pitree");
    let said = said_by(script.arg(program).arg(sandbox.project()).env("HOME", sandbox.home()));
    tell(said.lines().last().unwrap_or_default());
}
