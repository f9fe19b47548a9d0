//! Files that look like sessions and are none: refused, named, and readable all the same.

use pitree_testkit::run_in_pi;

use crate::bad_input::common::{
    Snapshot, TestFolder, ask_everything, codes, header, lines, said, sound, user,
};

const STREAM_EVENT: &str = r#"{"type":"agent_start"}"#;
const KIND_HEADER: &str = r#"{"v":4,"kind":"header","id":"0197","storageVersion":1,"createdAt":1794725595000,"cwd":"/work"}"#;
const TITLE_SLOT: &str = r#"{"type":"title","v":1,"title":"A title","pad":"      "}"#;
const FOREIGN: &str = r#"{"type":"message","message":{"role":"user","content":"hi"}}"#;
const SEQUENCED: &str = r#"{"type":"prompt","seq":1,"text":"hi"}"#;

/// The look-alikes, and what their errors call them.
fn cases() -> [(String, &'static str); 7] {
    [
        (lines(&[&header(), STREAM_EVENT]), "an event stream of `pi --mode json`"),
        (lines(&[STREAM_EVENT]), "an event stream of `pi --mode json`"),
        (lines(&[KIND_HEADER]), "a store of pi-agent-core (version 4)"),
        (format!("{TITLE_SLOT}\n{}", sound()), "an oh-my-pi session (title line before"),
        (lines(&[FOREIGN, FOREIGN]), "another program's message log"),
        (lines(&[user("a1", "", "x")]), "a Pi session without its header"),
        (lines(&[&header(), SEQUENCED]), "an event log of another agent harness"),
    ]
}

/// Whether `check` says that Pi opens the file: a sound header is all that Pi asks for.
fn pi_opens(text: &str) -> bool {
    text.starts_with(&header())
}

#[test]
fn pi_opens_what_check_says_that_it_opens() {
    if !pitree_testkit::has_pi("the look-alikes") {
        return;
    }
    let place = TestFolder::new();
    for (text, name) in cases() {
        let path = place.file(&text);
        let script = "try { pi.SessionManager.open(args[0]); process.stdout.write('opens'); } \
                      catch { process.stdout.write('refuses'); }";
        let answer = run_in_pi(script, &[path.to_str().unwrap()]).unwrap();
        assert_eq!(answer, if pi_opens(&text) { "opens" } else { "refuses" }, "{name}");
    }
}

#[test]
fn look_alikes_are_refused_by_name_and_nothing_is_written() {
    let place = TestFolder::new();
    for (text, name) in cases() {
        let path = place.file(&text);
        let before = Snapshot::of(&path);
        let error = place.open(&path).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(error.hint().is_some());
        let mut session = place.open_lenient(&path);
        ask_everything(&session).unwrap();
        let findings = session.findings().unwrap();
        let found = findings.iter().find(|finding| finding.code == "not-a-session").unwrap();
        assert!(found.text.contains(name), "{}", found.text);
        assert_eq!(found.refused_by.pi, !pi_opens(&text), "{}", found.text);
        session.append_message(said("no")).unwrap_err();
        assert!(session.migrate().unwrap().is_none());
        assert_eq!(Snapshot::of(&path), before);
    }
}

#[test]
fn what_is_nothing_we_know_is_refused_with_the_line() {
    let place = TestFolder::new();
    let no_id = header().replace("\"id\"", "\"di\"");
    let number_id = no_id.replace("\"di\":", "\"id\":7,\"di\":");
    for (text, reason) in [
        ("# Notes\n\n- a list\n".to_owned(), "it contains no JSON"),
        ("\n\n".to_owned(), "it contains no JSON"),
        (format!("[{}]\n", header()), "line 1 is not a header"),
        (format!("{no_id}\n"), "the header in line 1 has no string id"),
        (format!("{number_id}\n"), "the header in line 1 has no string id"),
        ("{}\n".to_owned(), "the first line is not a session header"),
    ] {
        let error = place.refusal(text);
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn what_pi_opens_is_opened() {
    let place = TestFolder::new();
    // A store of pi-agent-core 0.74 to 0.83 keeps its leaf as an entry.
    let leaf = r#"{"type":"leaf","id":"l1","parentId":"a3","timestamp":"2026-11-15T06:53:19.000Z","targetId":"a1"}"#;
    let session = place.session(sound() + &lines(&[leaf]));
    assert_eq!(codes(&session.findings().unwrap()), [("unknown-type", 5)]);
    assert_eq!(session.leaf_id(), Some("l1"));
    assert_eq!(session.context().unwrap().messages.len(), 3);
    // An id that Pi would not make, and an empty one.
    for id in ["agent:main:main", ""] {
        let text = sound().replace(crate::bad_input::common::SESSION_ID, id);
        assert_eq!(place.session(text).id(), id);
    }
}

/// On a terminal `pitree tree` opens a screen without ids.
#[test]
fn the_hint_for_a_wrong_entry_names_what_prints_the_ids() {
    let place = TestFolder::new();
    let session = place.session(lines(&[&header(), &user("a0000001", "", "hi")]));
    let error = session.require("zz").unwrap_err();
    assert!(error.hint().unwrap().contains(" --print` shows the ids"), "{error}");
}
