//! What is kept between runs never shows, but for the time it saves.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pitree_extract::{ExtractOptions, FormatName, FormatOptions, run};
use pitree_session::MAX_LINE_BYTES;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Progress;
use serde_json::json;

use crate::runs::common::{
    Store, entry_text, environment, options, rubbish, session_text, sources,
};

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
    let bare = Arc::new(pitree_extract::Unguarded);
    store.run(&ExtractOptions { guard: bare, ..cached(&store) });
    assert!(!store.root().join("cache").exists());
}

fn bytes_of(store: &Store) -> u64 {
    fn below(path: &std::path::Path) -> u64 {
        let entries = fs_err::read_dir(path).into_iter().flatten().flatten();
        let bytes = entries.map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => below(&entry.path()),
            // What has two names counts once for each.
            Ok(metadata) => metadata.len() / metadata.nlink().max(1),
            Err(_) => 0,
        });
        bytes.sum()
    }
    below(&store.root().join("cache"))
}

/// Looks at the cache whenever a session is done.
struct Measuring(PathBuf, AtomicU64);

impl Progress for Measuring {
    fn step(&self, _: usize, _: usize) {
        let store = |path: &std::path::Path| -> u64 {
            let folders = fs_err::read_dir(path).into_iter().flatten().flatten();
            let folders = folders.filter(|entry| entry.file_name().len() == 2);
            let files = folders.flat_map(|it| fs_err::read_dir(it.path()).into_iter().flatten());
            files.flatten().filter_map(|it| Some(it.metadata().ok()?.len())).sum()
        };
        self.1.fetch_max(store(&self.0), Ordering::Relaxed);
    }
}

#[test]
fn the_cache_never_has_more_bytes_than_its_limit() {
    let store = Store::random(30);
    let sessions = store.run(&cached(&store)).sessions;
    let (whole, first) = (bytes_of(&store), store.written());
    let limit = whole / 3;
    let measuring = || Arc::new(Measuring(store.root().join("cache"), 0.into()));
    let limited = |measuring: &Arc<Measuring>| ExtractOptions {
        cache_limit: limit,
        progress: Some(measuring.clone()),
        jobs: 1,
        ..cached(&store)
    };
    // What larger runs have left is trimmed too, and what is left is used.
    let seen = measuring();
    let cached = store.run(&limited(&seen)).cached;
    assert!(cached > 0 && cached < sessions, "{cached} of {sessions}");
    assert!(store.written() == first && bytes_of(&store) <= limit);
    assert!((1..=limit).contains(&seen.1.load(Ordering::Relaxed)));
    // Other options give other spools, which take the place of those that nobody uses.
    let seen = measuring();
    let quality = pitree_extract::Quality { tool_limit: Some(5), ..Default::default() };
    let other = ExtractOptions { quality, ..limited(&seen) };
    assert_eq!(store.run(&other).cached, 0);
    let written = store.written();
    assert!(bytes_of(&store) <= limit && seen.1.load(Ordering::Relaxed) <= limit);
    assert!(store.run(&other).cached > 0, "the newest ones are kept");
    assert!(store.written() == written && bytes_of(&store) <= limit);
    assert_eq!(rubbish(store.root()), [""; 0]);
    // Nothing fits: the data set is the same.
    store.run(&ExtractOptions { cache_limit: 0, ..other });
    assert!(store.written() == written && bytes_of(&store) == 0);
}

#[test]
fn runs_do_not_remove_what_others_read() {
    let store = Store::random(20);
    store.run(&cached(&store));
    let first = store.written();
    std::thread::scope(|scope| {
        for number in 0..6 {
            let store = &store;
            let first = &first;
            scope.spawn(move || {
                for _ in 0..3 {
                    let cache_limit = if number % 2 == 0 { 0 } else { 1 << 30 };
                    let options = ExtractOptions { cache_limit, ..cached(store) };
                    let form = FormatName::Chat.prepare(&options.form);
                    let out = store.root().join(format!("out{number}"));
                    run(&sources(store.root()), &*form, &options, &out, &environment()).unwrap();
                    assert!(crate::runs::common::written(&out) == *first);
                }
            });
        }
    });
}

/// A session that names the file of a sub-agent, which holds what the parent does not.
fn parent(file: &std::path::Path) -> String {
    let inline = json!([{"role": "user", "content": "Look"}]);
    let details = json!({"mode": "single", "results": [
        {"agent": "worker", "task": "Look", "sessionFile": file, "messages": inline}]});
    let result = json!({"type": "message", "id": "a3", "parentId": "a2",
        "timestamp": "2026-11-15T06:53:16.000Z", "message": {"role": "toolResult",
        "toolCallId": "c1", "toolName": "subagent", "content": "done", "details": details}});
    let text = session_text("p1", &[("a1", "user", "Go"), ("a2", "assistant", "I send one.")]);
    let call = r#"{"type":"toolCall","id":"c1","name":"subagent","arguments":{}},{"type":"text""#;
    format!(
        "{}{result}\n{}",
        text.replace(r#"{"type":"text","text":"I send"#, &format!("{call},\"text\":\"I send")),
        entry_text("a4", "\"a3\"", "assistant", "It is done.")
    )
}

#[test]
fn a_file_that_was_looked_for_in_vain_is_looked_for_again() {
    let store = Store::empty();
    let agents = store.root().join("agents");
    fs_err::create_dir(&agents).unwrap();
    let file = agents.join("worker.jsonl");
    store.write("parent.jsonl", parent(&file).as_bytes());
    let location = Location { path: agents, layout: Layout::Flat, origin: Origin::SessionDirFlag };
    let form = FormatOptions { locations: vec![location], ..FormatOptions::default() };
    let options = ExtractOptions { form, ..cached(&store) };
    let extract = || {
        let form = FormatName::LoraForge.prepare(&options.form);
        let report = run(&sources(store.root()), &*form, &options, &store.out(), &environment());
        let line = store.lines("data.jsonl")[0].to_string();
        (report.unwrap().cached, line)
    };
    let said = |word| session_text("w1", &[("b1", "user", "Look"), ("b2", "assistant", word)]);
    let mut states = vec![None, Some(said("A quokka.")), Some(said("A wombat."))];
    // There, but nothing that can be used; and a link, which is not followed.
    states.extend([Some("no record\n".to_owned()), Some("none either\n".to_owned()), None]);
    for (number, state) in states.iter().enumerate() {
        match state {
            Some(text) => fs_err::write(&file, text).unwrap(),
            None => drop(fs_err::remove_file(&file)),
        }
        let (cached, line) = extract();
        assert_eq!(cached, 0, "state {number}");
        for (word, holds) in [("quokka", number == 1), ("wombat", number == 2)] {
            assert_eq!(line.contains(word), holds, "state {number}: {line}");
        }
        assert_eq!(extract(), (1, line), "state {number}, once more");
    }
    let elsewhere = store.root().join("elsewhere.jsonl");
    fs_err::write(&elsewhere, said("A quokka.")).unwrap();
    fs_err::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert!(!extract().1.contains("quokka"));
}

/// Reads half a gigabyte several times, so it is one of the long tests.
#[test]
fn a_session_with_a_line_that_is_too_long_is_kept_too() {
    if !pitree_testkit::is_long_run("a_session_with_a_line_that_is_too_long_is_kept_too") {
        return;
    }
    let store = Store::empty();
    let text = session_text("s1", &[("a1", "user", "hello"), ("a2", "assistant", "hi")]);
    let path = store.write("long.jsonl", text.as_bytes());
    let file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    // A hole takes no room on the disk.
    file.set_len(text.len() as u64 + MAX_LINE_BYTES + 10).unwrap();
    let report = store.run(&cached(&store));
    assert_eq!((report.sessions, report.cached), (1, 0));
    assert_eq!(store.run(&cached(&store)).cached, 1);
}
