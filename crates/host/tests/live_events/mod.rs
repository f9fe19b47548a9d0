//! The same commands on the real Pi and on a live session: equal answers, equal events with equal
//! payloads in the same order, equal sessions.
//!
//! Pi sends `session_start` twice where a session takes the place of another, and no longer sends
//! `session_switch` and `session_fork`; these differences are documented and evened out. Opening a
//! file that stands before its first message, or that names no thinking level, makes Pi write to
//! it; such steps are left out.

mod automatic;
mod normal;
mod ours;
mod script;
mod theirs;

use pitree_testkit::has_pi;
use serde_json::Value;
use tempfile::TempDir;

use normal::Normal;
use ours::Ours;
use script::{Step, steps};
use theirs::Theirs;

/// What one step led to, on either side.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) answer: Value,
    pub(crate) events: Vec<Value>,
    pub(crate) entries: Value,
}

/// One of the two that are compared.
pub(crate) trait Side {
    /// Does a step and says what came of it.
    fn run(&mut self, step: &Step) -> Seen;
    /// Ends the session and returns the last events.
    fn end(self) -> Vec<Value>;
}

/// A folder with a session in it, the same for both sides.
pub(crate) fn world() -> TempDir {
    let root = tempfile::Builder::new().prefix("pitree-live-").tempdir().unwrap();
    for folder in ["agent", "project", "sessions"] {
        fs_err::create_dir(root.path().join(folder)).unwrap();
    }
    let project = root.path().join("project");
    let text = script::SESSION.replace("PROJECT", &project.to_string_lossy());
    fs_err::write(root.path().join("sessions/first.jsonl"), text).unwrap();
    fs_err::write(root.path().join("sessions/broken.jsonl"), "no session\n").unwrap();
    let settings = r#"{"compaction":{"keepRecentTokens":12,"reserveTokens":100}}"#;
    fs_err::write(root.path().join("agent/settings.json"), settings).unwrap();
    root
}

fn compare(steps: &[Step], what: &str) {
    let (ours_root, theirs_root) = (world(), world());
    let mut ours = Ours::open(ours_root.path());
    let mut theirs = Theirs::open(theirs_root.path());
    let mut ours_normal = Normal::new(&[ours_root.path()]);
    let mut theirs_normal = Normal::new(&[theirs_root.path()]);
    for (at, step) in steps.iter().enumerate() {
        if ours.is_changed_by_opening(step) {
            continue;
        }
        let (mine, pis) = (ours.run(step), theirs.run(step));
        let told = |part: &str| format!("{what}, step {at}, {step:?}: {part}");
        assert_eq!(
            ours_normal.of(&mine.answer),
            theirs_normal.of(&pis.answer),
            "{}",
            told("answer")
        );
        let mine_events: Vec<_> = mine.events.iter().map(|event| ours_normal.of(event)).collect();
        let pis_events: Vec<_> = pis.events.iter().map(|event| theirs_normal.of(event)).collect();
        assert_eq!(mine_events, pis_events, "{}", told("events"));
        assert_eq!(
            ours_normal.of(&mine.entries),
            theirs_normal.of(&pis.entries),
            "{}",
            told("entries")
        );
    }
    let mine: Vec<_> = ours.end().iter().map(|event| ours_normal.of(event)).collect();
    let pis: Vec<_> = theirs.end().iter().map(|event| theirs_normal.of(event)).collect();
    assert_eq!(mine, pis, "{what}: the end");
}

#[test]
fn every_operation_is_heard_as_in_pi() {
    if has_pi("every_operation_is_heard_as_in_pi") {
        compare(&script::tour(), "tour");
    }
}

#[test]
fn random_operations_are_heard_as_in_pi() {
    if !has_pi("random_operations_are_heard_as_in_pi") {
        return;
    }
    let is_full = pitree_testkit::is_full();
    let seed = pitree_testkit::seed();
    for case in 0..if is_full { 40 } else { 4 } {
        let seed: u64 = seed * 1_000_003 + case;
        compare(&steps(seed, 40), &format!("seed {seed}"));
    }
}
