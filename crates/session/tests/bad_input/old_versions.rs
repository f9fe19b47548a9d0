//! Versions 1 and 2 with damage in them: read, forked, and rewritten by the first append.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use pitree_format::migrate::SourceVersion;
use pitree_session::{
    OldVersion, OpenOptions, Session, SessionError, UndoOptions, WriteOptions, undo_last,
};

use crate::bad_input::common::{
    Snapshot, TestFolder, ask_everything, header_with, ids, lines, said, spoken, user,
};

/// A message of version 1: no id, no parent.
fn old_message(text: &str) -> String {
    format!(
        r#"{{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{{"role":"user","content":"{text}","timestamp":1}}}}"#
    )
}

fn values(session: &Session) -> usize {
    session.entries().filter(|entry| entry.value().is_ok()).count()
}

#[test]
fn lines_that_are_no_entries_stay_when_an_old_file_is_rewritten() {
    let place = TestFolder::new();
    let odd = ["not json", "null", "42", "{\"torn\":", "", "\0\0"];
    for version in ["", r#""version":1"#, r#""version":2"#] {
        let mut text = lines(&[header_with(version), old_message("one")]);
        text += &lines(&odd);
        text += &lines(&[old_message("two"), header_with(version), old_message("three")]);
        let path = place.file(&text);
        let mut session = place.open_migrating(&path).unwrap();
        let before = spoken(&session);
        ask_everything(&session).unwrap();
        session.append_message(said("four")).unwrap();
        let after = fs_err::read_to_string(&path).unwrap();
        let kept: Vec<_> = after.split('\n').skip(2).take(odd.len()).collect();
        assert_eq!(kept, odd);
        let fresh = place.open(&path).unwrap();
        assert_eq!(fresh.source_version(), SourceVersion::Current);
        assert_eq!(ids(&fresh), ids(&session));
        assert_eq!(spoken(&fresh).len(), before.len() + 1);
        ask_everything(&fresh).unwrap();
    }
}

#[test]
fn an_append_migrates_only_if_it_may_and_says_so() {
    let place = TestFolder::new();
    for (version, number) in [("", 1), (r#""version":2"#, 2)] {
        let text = lines(&[header_with(version), user("a1", "", "one"), user("a2", "a1", "two")]);
        let path = place.file(&text);
        let before = Snapshot::of(&path);
        let mut session = place.open(&path).unwrap();
        assert!(session.needs_migration());
        let parent = session.leaf_id().unwrap().to_owned();
        let error = session.append_message(said("no")).unwrap_err();
        assert!(
            matches!(error, SessionError::NeedsMigration { version, .. } if version == number),
            "{error}"
        );
        assert_eq!(Snapshot::of(&path), before, "refusing wrote something");
        assert_eq!((session.len(), session.take_migration()), (2, None));

        session.set_old_version(OldVersion::Migrate);
        let appended = session.append_message(said("yes")).unwrap();
        let rewrite = session.take_migration().expect("the append says that it migrated");
        assert_eq!(fs_err::read_to_string(&rewrite.backup).unwrap(), text);
        assert_eq!(session.leaf_id(), Some(&*appended.id));
        assert_eq!(session.entry(&appended.id).unwrap().parent_id(), Some(&*parent));
        assert!(!session.needs_migration() && session.take_migration().is_none());
        session.append_message(said("more")).unwrap();
        assert_eq!(session.take_migration(), None);
        assert_eq!(ids(&place.open(&path).unwrap()), ids(&session));
    }
}

#[test]
fn an_old_file_with_crlf_and_without_a_last_line_feed_is_rewritten_whole() {
    let place = TestFolder::new();
    for version in ["", r#""version":2"#] {
        let text = lines(&[header_with(version), old_message("one"), old_message("two")]);
        let path = place.file(text.replace('\n', "\r\n").trim_end());
        let mut session = place.open_migrating(&path).unwrap();
        session.append_message(said("three")).unwrap();
        let fresh = place.open(&path).unwrap();
        assert_eq!(fresh.len(), 3);
        assert_eq!(ids(&fresh), ids(&session));
        let options = UndoOptions { force: true, ..UndoOptions::default() };
        undo_last(&path, &options, &place.environment).unwrap();
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text.replace('\n', "\r\n").trim_end());
    }
}

#[test]
fn an_old_file_that_another_writer_grew_is_not_rewritten() {
    let place = TestFolder::new();
    for version in ["", r#""version":2"#] {
        let text = lines(&[header_with(version), user("a1", "", "one"), user("a2", "a1", "two")]);
        let path = place.file(&text);
        let mut session = place.open_migrating(&path).unwrap();
        let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(lines(&[user("b1", "a2", "theirs")]).as_bytes()).unwrap();
        // It is never rewritten under a live writer; who opens it again may append.
        let before = Snapshot::of(&path);
        session.append_message(said("ours")).unwrap_err();
        assert_eq!(Snapshot::of(&path), before);
        let mut fresh = place.open_migrating(&path).unwrap();
        fresh.append_message(said("again")).unwrap();
        assert_eq!(fresh.len(), 4);
        assert!(fs_err::read_to_string(&path).unwrap().contains("theirs"));
    }
}

#[test]
fn sixty_thousand_damaged_lines_do_not_slow_a_migration_down() {
    let place = TestFolder::new();
    let text = lines(&[header_with(""), old_message("one")]) + &"x\n".repeat(60_000);
    let mut session = place.open_migrating(&place.file(&text)).unwrap();
    let start = Instant::now();
    session.append_message(said("two")).unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn compactions_among_thousands_of_odd_lines_are_read_in_a_moment() {
    let place = TestFolder::new();
    let compaction = r#"{"type":"compaction","timestamp":"2025-11-20T10:00:04.000Z","summary":"s","firstKeptEntryIndex":9999,"tokensBefore":1}"#;
    let text = lines(&[&header_with(""), &*old_message("one")])
        + &"42\n".repeat(10_000)
        + &lines(&vec![compaction; 5_000]);
    let session = place.session(&text);
    let start = Instant::now();
    assert_eq!(values(&session), 5_001);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn undoing_names_the_lines_that_it_would_lose_and_keeps_them_if_forced() {
    let place = TestFolder::new();
    let text = lines(&[header_with(""), old_message("one")]);
    let path = place.file(&text);
    let mut session = place.open_migrating(&path).unwrap();
    let with_migration = session.append_message(said("two")).unwrap().id;
    let later = session.append_session_info("later").unwrap().id;
    let before = Snapshot::of(&path);
    let polite = UndoOptions::default();
    let error = undo_last(&path, &polite, &place.environment).unwrap_err();
    let SessionError::AppendedSince { lines, .. } = &error else { panic!("{error}") };
    let expected =
        [format!("line 3: message {with_migration}"), format!("line 4: session_info {later}")];
    assert_eq!(lines[..], expected);
    assert_eq!(Snapshot::of(&path), before);

    let forced = UndoOptions { force: true, ..polite.clone() };
    let undone = undo_last(&path, &forced, &place.environment).unwrap();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
    let kept = place.open(&undone.kept.unwrap()).unwrap();
    assert_eq!((kept.len(), kept.leaf_id()), (3, Some(&*later)));
    undo_last(&path, &forced, &place.environment).unwrap_err();
}

#[test]
fn undoing_waits_for_the_lock_no_longer_than_it_may() {
    let place = TestFolder::new();
    let path = place.file(lines(&[header_with(""), old_message("one")]));
    place.open(&path).unwrap().migrate().unwrap();
    let other = fs_err::File::open(&path).unwrap().into_parts().0;
    other.lock().unwrap();
    let before = Snapshot::of(&path);
    let options = UndoOptions { lock_wait: Duration::ZERO, ..UndoOptions::default() };
    let error = undo_last(&path, &options, &place.environment).unwrap_err();
    assert!(matches!(error, SessionError::Locked { .. }), "{error}");
    assert_eq!(Snapshot::of(&path), before);
    let writing = WriteOptions::new().lock_wait(Duration::ZERO);
    let mut session = OpenOptions::new().writing(writing).open(&path, &place.environment).unwrap();
    let error = session.append_message(said("no")).unwrap_err();
    assert!(matches!(error, SessionError::Locked { .. }), "{error}");
    other.unlock().unwrap();
    undo_last(&path, &options, &place.environment).unwrap();
}

/// The note of a rewrite is JSON, and a path need not be text.
#[test]
fn a_rewrite_below_a_name_that_is_not_utf_8_can_be_undone() {
    let place = TestFolder::new();
    let folder = place.root().join(OsStr::from_bytes(b"odd \xff\xfe"));
    fs_err::create_dir(&folder).unwrap();
    let path = folder.join("s.jsonl");
    let text = lines(&[header_with(r#""version":2"#), old_message("one")]);
    fs_err::write(&path, &text).unwrap();
    place.open(&path).unwrap().migrate().unwrap();
    assert_ne!(fs_err::read_to_string(&path).unwrap(), text);
    let undone = undo_last(&path, &UndoOptions::default(), &place.environment).unwrap();
    assert_eq!(undone.rewrite.path, path.canonicalize().unwrap());
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
}

#[test]
fn of_two_rewrites_in_one_moment_the_last_one_is_undone() {
    let place = TestFolder::new();
    let text = |said: &str| lines(&[header_with(""), old_message(said)]);
    for said in ["one", "two", "three"] {
        let path = place.file(text(said));
        place.open(&path).unwrap().migrate().unwrap().unwrap();
    }
    let path = place.root().join("sessions/s.jsonl");
    undo_last(&path, &UndoOptions::default(), &place.environment).unwrap();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text("three"));
}
