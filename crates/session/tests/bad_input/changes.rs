//! Files that change while they are open.

use std::io::Write;
use std::path::Path;

use pitree_session::{AppendOutcome, OpenOptions, SessionError};

use crate::bad_input::common::{
    TestFolder, ask_everything, header_with, ids, lines, names_below, path_ids, said, sound,
    spoken, user, walks_end,
};

fn grow(path: &Path, text: &str) {
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_deleted_file_is_there_again_whole_after_an_append() {
    let place = TestFolder::new();
    for appended_before in [false, true] {
        let mut session = place.session(sound());
        let path = session.path().unwrap().to_owned();
        if appended_before {
            session.append_message(said("before")).unwrap();
        }
        let old = fs_err::read(&path).unwrap();
        fs_err::remove_file(&path).unwrap();
        ask_everything(&session).unwrap();
        assert_eq!(session.append_message(said("after")).unwrap().outcome, AppendOutcome::Written);
        let new = fs_err::read(&path).unwrap();
        assert!(new.starts_with(&old));
        let fresh = place.open(&path).unwrap();
        assert_eq!(ids(&fresh), ids(&session));
        assert!(fresh.findings().unwrap().is_empty());
        session.append_message(said("and on")).unwrap();
        assert_eq!(place.open(&path).unwrap().len(), session.len());
    }
}

#[test]
fn a_file_deleted_with_its_folder_is_there_again() {
    let place = TestFolder::new();
    for forks in [None, Some(place.root().join("forks"))] {
        let path = place.file(sound());
        let options = forks.iter().fold(OpenOptions::new(), |o, forks| o.directory(forks.clone()));
        let mut session = options.open(&path, &place.environment).unwrap();
        fs_err::remove_dir_all(path.parent().unwrap()).unwrap();
        session.append_message(said("after")).unwrap();
        assert_eq!(place.open(&path).unwrap().len(), 4);
    }
}

#[test]
fn an_append_to_a_truncated_file_is_refused_and_writes_nothing() {
    let place = TestFolder::new();
    for keep in [0, 10, sound().len() - 1] {
        let mut session = place.session(sound());
        let path = session.path().unwrap().to_owned();
        fs_err::OpenOptions::new().write(true).open(&path).unwrap().set_len(keep as u64).unwrap();
        let error = session.append_message(said("no")).unwrap_err();
        assert!(matches!(error, SessionError::Changed { .. }), "{error}");
        assert_eq!(fs_err::read(&path).unwrap(), sound().as_bytes()[..keep]);
        assert_eq!((session.len(), session.leaf_id()), (3, Some("a3")));
        // What is gone cannot be read, and that is said.
        if keep < sound().len() - 1 {
            assert!(matches!(session.context(), Err(SessionError::Changed { .. })));
        }
    }
}

#[test]
fn a_truncated_old_file_is_not_migrated() {
    let place = TestFolder::new();
    let entries = [user("a1", "", "one"), user("a2", "a1", "two"), user("a3", "a2", "three")];
    for version in ["", r#""version":2"#] {
        let text = lines(&[header_with(version)]) + &lines(&entries);
        for keep in [text.len() - 20, header_with(version).len() + 1] {
            let path = place.file(&text);
            let mut session = place.open_migrating(&path).unwrap();
            let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(keep as u64).unwrap();
            let error = session.append_message(said("no")).unwrap_err();
            assert!(matches!(error, SessionError::Changed { .. }), "{error}");
            assert_eq!(
                fs_err::read_to_string(&path).unwrap(),
                text[..keep],
                "version {version:?} cut to {keep} bytes was rewritten"
            );
        }
    }
}

#[test]
fn an_append_to_a_file_written_anew_in_place_is_refused() {
    let place = TestFolder::new();
    let mut session = place.session(sound());
    let path = session.path().unwrap().to_owned();
    let other = sound().replace("three", "THREE") + &user("z4", "a3", "four") + "\n";
    fs_err::write(&path, &other).unwrap();
    let error = session.append_message(said("no")).unwrap_err();
    assert!(matches!(error, SessionError::Changed { .. }), "{error}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), other);
}

#[test]
fn an_append_to_a_file_written_anew_with_the_same_length_is_refused() {
    let place = TestFolder::new();
    let mut session = place.session(sound());
    let path = session.path().unwrap().to_owned();
    let other = sound().replace("a3", "z3").replace("three", "THREE");
    fs_err::write(&path, &other).unwrap();
    assert!(session.append_message(said("no")).is_err(), "its parent a3 is not in the file");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), other);
}

#[test]
fn an_append_after_a_rename_over_the_file_goes_to_the_new_file() {
    let place = TestFolder::new();
    for appended_before in [false, true] {
        let mut session = place.session(sound());
        let path = session.path().unwrap().to_owned();
        if appended_before {
            session.append_message(said("before")).unwrap();
        }
        let text = fs_err::read_to_string(&path).unwrap() + &user("other", "a1", "other") + "\n";
        let aside = path.with_extension("tmp");
        fs_err::write(&aside, &text).unwrap();
        fs_err::rename(&aside, &path).unwrap();
        let leaf = session.leaf_id().unwrap().to_owned();
        let id = session.append_message(said("after")).unwrap().id;
        assert!(fs_err::read_to_string(&path).unwrap().starts_with(&text));
        assert!(session.entry("other").is_some());
        assert_eq!(session.entry(&id).unwrap().parent_id(), Some(&*leaf));
        ask_everything(&session).unwrap();
        assert_eq!(ids(&place.open(&path).unwrap()), ids(&session));
    }
}

#[test]
fn an_append_to_a_renamed_file_without_the_leaf_is_refused() {
    let place = TestFolder::new();
    let mut session = place.session(sound());
    let path = session.path().unwrap().to_owned();
    let aside = path.with_extension("tmp");
    fs_err::write(&aside, sound().replace("a3", "z3")).unwrap();
    fs_err::rename(&aside, &path).unwrap();
    let error = session.append_message(said("no")).unwrap_err();
    assert!(matches!(error, SessionError::Changed { .. }), "{error}");
    assert_eq!(place.open(&path).unwrap().len(), 3);
}

#[test]
fn a_file_replaced_by_a_folder_or_a_fifo_is_an_error() {
    let place = TestFolder::new();
    let mut session = place.session(sound());
    let path = session.path().unwrap().to_owned();
    fs_err::remove_file(&path).unwrap();
    fs_err::create_dir(&path).unwrap();
    session.append_message(said("no")).unwrap_err();
    fs_err::remove_dir(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    session.append_message(said("no")).unwrap_err();
    assert_eq!(session.len(), 3);
    assert_eq!(names_below(path.parent().unwrap()), [path]);
}

#[test]
fn an_append_to_a_file_that_another_writer_grew_keeps_both() {
    let place = TestFolder::new();
    let mut session = place.session(sound());
    let path = session.path().unwrap().to_owned();
    let other = user("b1", "a3", "theirs") + "\nnot json\n" + &user("b2", "b1", "more") + "\n";
    grow(&path, &other);
    let id = session.append_message(said("ours")).unwrap().id;
    let after = fs_err::read_to_string(&path).unwrap();
    assert!(after.starts_with(&(sound() + &other)));
    assert_eq!(ids(&session), ["a1", "a2", "a3", "b1", "b2", &id]);
    assert_eq!(path_ids(&session, &id), ["a1", "a2", "a3", &id]);
    assert_eq!(path_ids(&session, "b2"), ["a1", "a2", "a3", "b1", "b2"]);
    ask_everything(&session).unwrap();
    let fresh = place.open(&path).unwrap();
    assert_eq!(ids(&fresh), ids(&session));
    let places = |session: &pitree_session::Session| -> Vec<u64> {
        session.entries().map(|entry| entry.line()).collect()
    };
    assert_eq!(places(&fresh), places(&session));
    assert_eq!(fresh.findings().unwrap(), session.findings().unwrap());
}

#[test]
fn an_append_after_another_writers_unfinished_line_begins_a_new_one() {
    let place = TestFolder::new();
    let theirs = user("b1", "a3", "theirs");
    for unfinished in [&theirs[..30], &theirs[..]] {
        let mut session = place.session(sound());
        let path = session.path().unwrap().to_owned();
        grow(&path, unfinished);
        let id = session.append_message(said("ours")).unwrap().id;
        let after = fs_err::read_to_string(&path).unwrap();
        assert!(after.starts_with(&format!("{}{unfinished}\n{{", sound())), "{after}");
        let fresh = place.open(&path).unwrap();
        assert_eq!(ids(&fresh), ids(&session));
        assert_eq!(fresh.leaf_id(), Some(&*id));
        assert_eq!(fresh.findings().unwrap(), session.findings().unwrap());
    }
}

#[test]
fn a_line_that_was_unfinished_when_opening_may_be_finished_later() {
    let place = TestFolder::new();
    let theirs = user("b1", "a3", "theirs") + "\n";
    let mut session = place.session(sound() + &theirs[..30]);
    let path = session.path().unwrap().to_owned();
    assert_eq!(session.len(), 3);
    grow(&path, &theirs[30..]);
    let id = session.append_message(said("ours")).unwrap().id;
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(&(sound() + &theirs)));
    assert_eq!(ids(&session), ["a1", "a2", "a3", "b1", &id]);
    assert_eq!(path_ids(&session, &id), ["a1", "a2", "a3", &id]);
}

#[test]
fn what_another_writer_adds_cannot_close_a_circle() {
    let place = TestFolder::new();
    let cases: [&[(&str, &str)]; 4] = [
        &[("x", "y"), ("y", "x")],
        &[("x", "x")],
        &[("a1", "a3")],
        &[("b1", "a3"), ("a2", "b1"), ("b2", "a2")],
    ];
    for links in cases {
        let mut session = place.session(sound());
        let path = session.path().unwrap().to_owned();
        let added: Vec<_> = links.iter().map(|(id, parent)| user(id, parent, "x")).collect();
        grow(&path, &lines(&added));
        session.append_message(said("ours")).unwrap();
        assert!(walks_end(&session), "{links:?}");
        ask_everything(&session).unwrap();
    }
}

#[test]
fn what_another_writer_adds_is_read_as_opening_the_file_reads_it() {
    let place = TestFolder::new();
    let orphan = sound() + &user("c1", "later", "waits for its parent") + "\n";
    let no_id = user("b", "a3", "x").replace(r#""id":"b","#, "");
    let cases = [
        lines(&[user("later", "a1", "the parent comes later")]),
        lines(&[user("a2", "a1", "the same id again")]),
        lines(&[no_id]),
    ];
    for added in cases {
        let mut session = place.session(&orphan);
        let path = session.path().unwrap().to_owned();
        grow(&path, &added);
        session.append_message(said("ours")).unwrap();
        let fresh = place.open(&path).unwrap();
        let links = |session: &pitree_session::Session| -> Vec<Option<u64>> {
            session.entries().map(|entry| entry.parent().map(|parent| parent.line())).collect()
        };
        assert_eq!(ids(&session), ids(&fresh), "{added}");
        assert_eq!(links(&session), links(&fresh), "{added}");
        let codes = |session: &pitree_session::Session| {
            crate::bad_input::common::codes(&session.findings().unwrap())
        };
        assert_eq!(codes(&session), codes(&fresh), "{added}");
        assert_eq!(spoken(&session), spoken(&fresh));
    }
}
