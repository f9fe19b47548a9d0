//! What is kept between runs never shows, but for the time it saves.

use std::path::PathBuf;

use pitree_extract::ExtractOptions;

use crate::common::{Store, entry_text, options, rubbish};

fn cached(store: &Store) -> ExtractOptions {
    ExtractOptions { cache: Some(store.root().join("cache")), ..options(store.root()) }
}

fn spools(store: &Store) -> Vec<PathBuf> {
    let folders = fs_err::read_dir(store.root().join("cache")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs_err::read_dir(folder).unwrap());
    files.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn any_number_of_threads_with_or_without_a_cache_gives_the_same_bytes() {
    let store = Store::random(60);
    let report = store.run(&ExtractOptions { jobs: 1, ..options(store.root()) });
    assert!(report.samples > 30, "{report:?}");
    let first = store.written();
    assert_eq!(first.len(), 6, "{:?}", first.keys());
    let again = |options: &ExtractOptions, what: &str| {
        let report = store.run(options);
        assert!(store.written() == first, "{what}");
        report.cached
    };
    assert_eq!(again(&options(store.root()), "two threads"), 0);
    assert_eq!(again(&cached(&store), "an empty cache"), 0);
    assert_eq!(again(&cached(&store), "a full cache"), report.sessions);
    assert_eq!(rubbish(store.root()), [""; 0]);
}

#[test]
fn only_what_changed_is_worked_on_again() {
    let store = Store::random(30);
    let sessions = store.run(&cached(&store)).sessions;
    let path = store.write("new.jsonl", &pitree_testkit::working_session(1000).bytes);
    let report = store.run(&cached(&store));
    assert_eq!((report.sessions, report.cached), (sessions + 1, sessions));
    let mut bytes = fs_err::read(&path).unwrap();
    bytes.extend_from_slice(entry_text("ffff0001", "null", "user", "more").as_bytes());
    fs_err::write(&path, bytes).unwrap();
    assert_eq!(store.run(&cached(&store)).cached, sessions);
    let other = ExtractOptions {
        quality: pitree_extract::Quality { tool_limit: Some(5), ..Default::default() },
        ..cached(&store)
    };
    assert_eq!(store.run(&other).cached, 0, "another option");
    let with_cache = store.written();
    store.run(&ExtractOptions { cache: None, ..other });
    assert!(store.written() == with_cache);
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let store = Store::random(12);
    store.run(&cached(&store));
    let first = store.written();
    for (at, path) in spools(&store).into_iter().enumerate() {
        let mut bytes = fs_err::read(&path).unwrap();
        let middle = bytes.len() / 3;
        match at % 3 {
            0 => bytes[middle] ^= 1,
            1 => bytes.truncate(middle),
            _ => bytes.clear(),
        }
        fs_err::write(&path, bytes).unwrap();
    }
    assert_eq!(store.run(&cached(&store)).cached, 0);
    assert!(store.written() == first);
    assert!(store.run(&cached(&store)).cached > 0);
}

#[test]
fn nothing_is_kept_of_what_is_not_redacted() {
    let store = Store::random(6);
    let bare = std::sync::Arc::new(pitree_extract::Unguarded);
    store.run(&ExtractOptions { guard: bare, ..cached(&store) });
    assert!(!store.root().join("cache").exists());
}
