//! Lines whose values are out of the ordinary.

use pitree_format::draft::Draft;
use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_session::{EntryRef, ForkOptions, Session};

use crate::bad_input::common::{
    TestFolder, ask_everything, codes, header_with, ids, line_of, lines, said, sound, spoken, user,
};

fn custom(id: &str, parent: &str, data: &str) -> String {
    format!(
        r#"{{"type":"custom","customType":"state","data":{data},"id":"{id}","parentId":"{parent}","timestamp":"2026-11-15T06:53:16.000Z"}}"#
    )
}

fn raw(entry: EntryRef<'_>) -> String {
    String::from_utf8(entry.raw().unwrap().into_owned()).unwrap()
}

/// Forks in both ways; `check` looks at the entry of this id in the file of each fork.
fn in_forks(place: &TestFolder, session: &Session, id: &str, check: impl Fn(EntryRef<'_>)) {
    let options = ForkOptions::default();
    let branch = session.create_branched_session(id, &options).unwrap();
    let folder = place.root().join("forks");
    let (path, environment) = (session.path().unwrap(), &place.environment);
    let whole = Session::fork_from(path, "/elsewhere", folder, &options, environment).unwrap();
    for fork in [branch, whole] {
        let fresh = place.open(fork.path().unwrap()).unwrap();
        check(fresh.require(id).unwrap());
    }
}

#[test]
fn lone_surrogates_survive_forks_and_the_context() {
    let place = TestFolder::new();
    let text = r"\ud83d and \udc00 and \uD83D\uDE00 and \udc00\ud83d";
    let line = user("a4", "a3", text);
    let session = place.session(sound() + &line + "\n");
    let message = session.context().unwrap().messages.pop().unwrap();
    let printed = stringify(message.get("content").unwrap());
    assert_eq!(printed, format!("\"{}\"", text.replace(r"\uD83D\uDE00", "😀")));
    in_forks(&place, &session, "a4", |entry| assert_eq!(raw(entry), line));
}

#[test]
fn lone_surrogates_survive_an_append() {
    let place = TestFolder::new();
    let mut session = place.session(sound());
    let id = session.append_message(said(r"half \ud83d of one")).unwrap().id;
    assert!(raw(session.entry(&id).unwrap()).contains(r#""half \ud83d of one""#));
}
#[test]
fn numbers_beyond_a_double_are_read_as_in_javascript_and_their_text_stays() {
    let place = TestFolder::new();
    let line = custom("a4", "a3", r#"{"big":1e400,"small":-1e400,"tiny":1e-400,"zero":-0}"#);
    let session = place.session(sound() + &line + "\n");
    let value = session.require("a4").unwrap().value().unwrap();
    let data = value.get("data").unwrap();
    assert_eq!(data.get_number("big"), Some(f64::INFINITY));
    assert_eq!(data.get_number("small"), Some(f64::NEG_INFINITY));
    assert_eq!(data.get_number("tiny"), Some(0.0));
    assert!(data.get_number("zero").unwrap().is_sign_negative());
    assert!(session.findings().unwrap().is_empty());
    in_forks(&place, &session, "a4", |entry| assert_eq!(raw(entry), line));
}

#[test]
fn forks_of_version_1_keep_what_printing_anew_would_change() {
    let place = TestFolder::new();
    let line = r#"{"type":"custom","customType":"n","data":[1e400, 1.0, 12345678901234567890],"timestamp":"2025-11-20T10:00:01.000Z"}"#;
    let said = r#"{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}"#;
    let session = place.session(lines(&[&header_with(""), said, line]));
    let id = session.leaf_id().unwrap().to_owned();
    let data = "[1e400, 1.0, 12345678901234567890]";
    in_forks(&place, &session, &id, |entry| {
        assert!(raw(entry).contains(data), "{}", raw(entry));
    });
}

#[test]
fn a_value_10_000_and_1_000_000_levels_deep_is_an_entry_like_any_other() {
    let place = TestFolder::new();
    for (open, close, depth) in [("[", "]", 1_000_000), (r#"{"a":"#, "}", 10_000)] {
        let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        let line = custom("a4", "a3", &deep);
        let mut session = place.session(sound() + &line + "\n");
        ask_everything(&session).unwrap();
        assert!(session.findings().unwrap().is_empty());
        let value = session.require("a4").unwrap().value().unwrap();
        assert_eq!(stringify(&value), line);
        in_forks(&place, &session, "a4", |entry| assert_eq!(raw(entry), line));
        // A message as deep as that, with a child.
        let message = Draft::Message(parse(deep_message(&deep).as_bytes()).unwrap());
        session.append_all_unchecked(&[message]).unwrap();
        session.append_message(said("after")).unwrap();
        ask_everything(&place.open(session.path().unwrap()).unwrap()).unwrap();
    }
}

fn deep_message(deep: &str) -> String {
    format!(r#"{{"role":"user","content":{deep},"timestamp":1}}"#)
}

#[test]
fn a_million_brackets_that_never_close_are_a_damaged_line() {
    let place = TestFolder::new();
    for text in ["[".repeat(1_000_000), "{\"a\":".repeat(1_000_000), "[{\"a\":".repeat(500_000)] {
        let session = place.session(sound() + &text + "\n" + &user("a4", "a3", "x") + "\n");
        assert_eq!(session.len(), 4);
        assert_eq!(codes(&session.findings().unwrap()), [("malformed-line", 5)]);
    }
}

#[test]
fn lines_that_are_no_objects_are_no_entries_and_stay() {
    let place = TestFolder::new();
    let odd = ["null", "0", "false", "\"\"", "42", "\"text\"", "[1]", "true", "[]"];
    let mut session = place.session(sound() + &lines(&odd) + &lines(&[user("a4", "a3", "x")]));
    assert_eq!(ids(&session), ["a1", "a2", "a3", "a4"]);
    let expected: Vec<_> =
        (5..14).map(|line| (if line < 9 { "falsy-line" } else { "not-an-object" }, line)).collect();
    assert_eq!(codes(&session.findings().unwrap()), expected);
    let before = fs_err::read(session.path().unwrap()).unwrap();
    session.append_message(said("more")).unwrap();
    assert!(fs_err::read(session.path().unwrap()).unwrap().starts_with(&before));
}

#[test]
fn unknown_versions_are_read_as_version_3_and_named() {
    let place = TestFolder::new();
    for version in ["4", "\"3\"", "99", "3.5", "\"new\"", "[]", "1e999"] {
        let text = sound().replace(r#""version":3"#, &format!(r#""version":{version}"#));
        let mut session = place.session(&text);
        assert_eq!(spoken(&session), ["one", "two", "three"], "{version}");
        assert_eq!(codes(&session.findings().unwrap()), [("unknown-version", 1)], "{version}");
        // An append does not touch the header.
        session.append_message(said("four")).unwrap();
        assert!(fs_err::read_to_string(session.path().unwrap()).unwrap().starts_with(&text));
    }
}

#[test]
fn repeated_and_strange_member_names_have_the_meaning_of_javascript() {
    let place = TestFolder::new();
    let line = user("no", "a3", "x")
        .replace(r#""id":"no""#, r#""id":"no","\u0069d":"a4","__proto__":{"id":"no"}"#)
        .replace(r#""role":"user""#, r#""role":"assistant","role":"user""#);
    let session = place.session(sound() + &line + "\n");
    assert_eq!(session.leaf_id(), Some("a4"));
    assert_eq!(session.leaf().unwrap().role(), pitree_format::Role::User);
    in_forks(&place, &session, "a4", |entry| assert_eq!(raw(entry), line));
}

#[test]
fn messages_without_content_count_as_empty() {
    let place = TestFolder::new();
    let contents = ["null", "7", "{}", "true", "[null,7,{}]", r#"[{"type":null}]"#];
    let roles = ["user", "assistant", "toolResult", "system", "custom", "bashExecution", "x"];
    for content in contents {
        for role in roles {
            let line = user("a4", "a3", "x")
                .replace(r#""content":"x""#, &format!(r#""content":{content}"#))
                .replace(r#""role":"user""#, &format!(r#""role":"{role}""#));
            ask_everything(&place.session(sound() + &line + "\n")).unwrap();
        }
    }
    let line = user("a4", "a3", "x").replace(r#""content":"x","#, "");
    let session = place.session(sound() + &line + "\n");
    assert_eq!(line_of(&session, "no-content"), Some(5));
    assert_eq!(session.context().unwrap().messages.len(), 4);
    // Pi's list takes a message without the member, and gives up at one whose content is `null`.
    let null = user("a4", "a3", "x").replace(r#""content":"x""#, r#""content":null"#);
    for (line, is_listed) in [(line, true), (null, false)] {
        let findings = place.session(sound() + &line + "\n").findings().unwrap();
        let advice = findings.iter().find(|found| found.code == "no-content").unwrap().advice;
        assert_eq!(!advice.contains("out of its list"), is_listed, "{advice}");
    }
}

#[test]
fn a_value_of_any_depth_can_be_appended_and_read_back() {
    let place = TestFolder::new();
    let deep = (0..200_000).fold(Value::Null, |value, _| Value::from(vec![value]));
    let mut session = place.session(sound());
    let message = Object::new().with("role", "user").with("content", "hi").with("deep", deep);
    session.append_message(message).unwrap();
    let fresh = place.open(session.path().unwrap()).unwrap();
    for session in [session, fresh] {
        ask_everything(&session).unwrap();
        let message = session.leaf().unwrap().message().unwrap().unwrap();
        assert_eq!(stringify(message.get("deep").unwrap()).len(), 400_004);
    }
}
