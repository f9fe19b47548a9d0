//! Where branches end.

use pitree_session::{Environment, Session};
use proptest::prelude::*;

/// A session in which each entry names its parent by place; one that is not there makes a root.
fn session(parents: &[usize]) -> Session {
    let mut text = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-02-03T22:52:06.000Z\",\"cwd\":\"/p\"}\n",
    );
    for (at, parent) in parents.iter().enumerate() {
        text.push_str(&format!(
            "{{\"type\":\"custom\",\"customType\":\"x\",\"id\":\"e{at}\",\"parentId\":\"e{parent}\"}}\n"
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs_err::write(&path, text).unwrap();
    Session::open(&path, &Environment::new("/", "/", || 0, |_| {})).unwrap()
}

proptest! {
    #![proptest_config(pitree_testkit::properties(256))]

    /// Of the entries whose paths have it, a branch ends with the last one in the file, wherever
    /// their parents stand there.
    #[test]
    fn a_branch_ends_with_its_last_entry_in_the_file(
        parents in prop::collection::vec(0_usize..24, 1..20),
    ) {
        let session = session(&parents);
        for entry in session.entries() {
            let has_it = |end: &pitree_session::EntryRef<'_>| {
                session.path_to(end.index()).iter().any(|it| it.index() == entry.index())
            };
            let expected = session.entries().rev().find(has_it).map(|end| end.index());
            prop_assert_eq!(session.end_below(entry).map(|end| end.index()), expected);
        }
        prop_assert!(session.end_below(parents.len()).is_none());
        let leaf = session.leaf().unwrap().index();
        for entry in session.active_path() {
            prop_assert_eq!(session.end_below(entry).map(|end| end.index()), Some(leaf));
        }
    }
}
