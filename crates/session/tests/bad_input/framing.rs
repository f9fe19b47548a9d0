//! Where lines begin and end, and where the header is.

use pitree_session::OpenOptions;

use crate::bad_input::common::{
    Snapshot, TestFolder, ask_everything, codes, header, ids, line_of, lines, said, sound, spoken,
    user,
};

#[test]
fn an_empty_file_is_named_and_left_alone() {
    let place = TestFolder::new();
    assert!(place.refusal("").ends_with("s.jsonl is empty"));
    let path = place.root().join("sessions/s.jsonl");
    let before = Snapshot::of(&path);
    // Opened as a new session it stays empty until somebody speaks.
    let options = OpenOptions::new().create(true);
    let mut session = options.open(&path, &place.environment).unwrap();
    assert_eq!(Snapshot::of(&path), before);
    session.append_message(said("first")).unwrap();
    let fresh = place.open(&path).unwrap();
    assert_eq!((fresh.len(), fresh.id()), (1, session.id()));
}

#[test]
fn a_file_without_a_header_is_refused_and_read_only_when_lenient() {
    let place = TestFolder::new();
    let text = lines(&[user("a1", "", "one"), user("a2", "a1", "two")]);
    let error = place.refusal(&text);
    assert!(error.contains("the first line is not a session header"), "{error}");
    assert!(error.contains("a Pi session without its header"), "{error}");
    let path = place.file(&text);
    let mut session = place.open_lenient(&path);
    assert_eq!(ids(&session), ["a1", "a2"]);
    ask_everything(&session).unwrap();
    assert_eq!(codes(&session.findings().unwrap()), [("not-a-session", 0)]);
    session.append_message(said("no")).unwrap_err();
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_header_may_come_after_blank_and_malformed_lines() {
    let place = TestFolder::new();
    for (before, line) in [("\n", 2), ("\n \t\n", 3), ("{\"type\":\"sess\n", 2), ("\0\0\n", 2)] {
        let session = place.session(format!("{before}{}", sound()));
        assert_eq!(ids(&session), ["a1", "a2", "a3"]);
        assert_eq!(line_of(&session, "late-header"), Some(line), "{before:?}");
        assert_eq!(session.at(0).unwrap().line(), line + 1);
    }
}

#[test]
fn what_is_said_about_a_late_header_names_its_line() {
    let place = TestFolder::new();
    let text = format!("\n{}", sound().replace(r#""version":3"#, r#""version":4"#));
    assert_eq!(line_of(&place.session(text), "unknown-version"), Some(2));
}

#[test]
fn falsy_lines_before_the_header_are_passed_over_and_others_are_not() {
    let place = TestFolder::new();
    for falsy in ["null", "0", "false", "\"\"", "-0", "0e5"] {
        let session = place.session(format!("{falsy}\n{}", sound()));
        assert_eq!(session.len(), 3, "{falsy}");
        assert_eq!(line_of(&session, "falsy-line"), Some(1));
    }
    for other in ["42", "true", "[]", "\"text\"", "{}"] {
        assert!(place.refusal(format!("{other}\n{}", sound())).contains("line 1"), "{other}");
    }
}

#[test]
fn of_two_headers_the_first_counts_and_neither_is_an_entry() {
    let place = TestFolder::new();
    let second = header().replace("01a1ddfb", "ffffffff");
    let session =
        place.session(lines(&[header(), user("a1", "", "one"), second, user("a2", "a1", "two")]));
    assert_eq!(session.id(), crate::bad_input::common::SESSION_ID);
    assert_eq!(ids(&session), ["a1", "a2"]);
    assert_eq!(codes(&session.findings().unwrap()), [("second-header", 3)]);
}

#[test]
fn a_torn_last_line_is_kept_and_the_next_append_begins_a_new_line() {
    let place = TestFolder::new();
    let text = sound();
    let torn = &text[..text.len() - 40];
    let mut session = place.session(torn);
    assert_eq!(session.leaf_id(), Some("a2"));
    assert_eq!(line_of(&session, "malformed-line"), Some(4));
    assert_eq!(line_of(&session, "no-final-newline"), Some(4));
    let id = session.append_message(said("next")).unwrap().id;
    let path = session.path().unwrap();
    let after = fs_err::read_to_string(path).unwrap();
    assert!(after.starts_with(&format!("{torn}\n{{")));
    let fresh = place.open(path).unwrap();
    assert_eq!(ids(&fresh), ["a1", "a2", &id]);
    assert_eq!(fresh.entry(&id).unwrap().line(), session.entry(&id).unwrap().line());
}

#[test]
fn a_whole_last_line_without_its_line_feed_counts() {
    let place = TestFolder::new();
    let mut session = place.session(sound().trim_end());
    assert_eq!(session.leaf_id(), Some("a3"));
    let id = session.append_message(said("next")).unwrap().id;
    let after = fs_err::read_to_string(session.path().unwrap()).unwrap();
    assert!(after.starts_with(&sound()));
    let fresh = place.open(session.path().unwrap()).unwrap();
    assert_eq!(ids(&fresh), ["a1", "a2", "a3", &id]);
}

#[test]
fn glued_lines_are_one_damaged_line_with_the_place_where_they_meet() {
    let place = TestFolder::new();
    let (one, two) = (user("a1", "", "one"), user("a2", "a1", "two"));
    let text = format!("{}\n{one}{two}\n{}\n", header(), user("a3", "a2", "three"));
    let session = place.session(text);
    assert_eq!(ids(&session), ["a3"]);
    let findings = session.findings().unwrap();
    let glued = findings.iter().find(|finding| finding.code == "malformed-line").unwrap();
    assert_eq!(glued.line, 2);
    assert!(glued.text.contains(&format!("byte {}", one.len())), "{}", glued.text);
    assert_eq!(line_of(&session, "orphan"), Some(3));
}

#[test]
fn runs_of_nul_bytes_damage_only_their_own_line() {
    let place = TestFolder::new();
    let nul = "\0".repeat(100_000);
    let text = format!("{}{nul}\n{}\n", sound(), user("a4", "a3", "four"));
    let session = place.session(text);
    assert_eq!(ids(&session), ["a1", "a2", "a3", "a4"]);
    assert_eq!(codes(&session.findings().unwrap()), [("malformed-line", 5)]);
    let session = place.session(sound() + &nul);
    assert_eq!(session.len(), 3);
    assert_eq!(line_of(&session, "malformed-line"), Some(5));
    let error = place.refusal(&nul);
    assert!(error.contains("it contains no JSON"), "{error}");
}

#[test]
fn a_byte_order_mark_is_refused_as_pi_refuses_it() {
    let place = TestFolder::new();
    let unmarked = place.session(sound());
    let text = format!("\u{feff}{}", sound());
    let error = place.refusal(&text);
    assert!(error.contains("byte order mark, so Pi cannot read the header on line 1"), "{error}");
    let session = place.open_lenient(&place.root().join("sessions/s.jsonl"));
    assert_eq!(ids(&session), ["a1", "a2", "a3"]);
    // What it says of itself is known all the same.
    assert_eq!((session.id(), session.cwd()), (unmarked.id(), unmarked.cwd()));
    assert_eq!((session.text_start(), session.is_headerless()), (3, false));
    assert_eq!(codes(&session.findings().unwrap()), [("not-a-session", 0)]);
    let error = place.refusal(format!("\u{feff}{}\n", header()));
    assert!(error.contains("byte order mark"), "{error}");
    // Pi passes over such a line, and takes the header that follows.
    assert_eq!(place.session(format!("\u{feff}{}\n{}", header(), sound())).len(), 3);
}

#[test]
fn crlf_is_read_and_new_lines_end_with_lf() {
    let place = TestFolder::new();
    let text = sound().replace('\n', "\r\n");
    let mut session = place.session(&text);
    assert_eq!(spoken(&session), ["one", "two", "three"]);
    assert_eq!(codes(&session.findings().unwrap()), [("crlf", 0)]);
    session.append_message(said("four")).unwrap();
    let after = fs_err::read_to_string(session.path().unwrap()).unwrap();
    let new = after.strip_prefix(&text).unwrap();
    assert!(new.ends_with("}\n") && !new.contains('\r'));
    assert_eq!(place.open(session.path().unwrap()).unwrap().len(), 4);
}

#[test]
fn a_lone_carriage_return_ends_no_line() {
    let place = TestFolder::new();
    let text = sound().replace('\n', "\r");
    assert!(place.refusal(&text).contains("it contains no JSON"));
    // Between the members of a line it is white space.
    let spaced = sound().replace(",\"parentId\"", ",\r\"parentId\"");
    let session = place.session(spaced);
    assert_eq!(session.len(), 3);
    assert!(session.findings().unwrap().is_empty());
}

#[test]
fn unicode_line_separators_end_no_line() {
    let place = TestFolder::new();
    let text = "a\u{2028}b\u{2029}c\u{85}d";
    let session = place.session(lines(&[header(), user("a1", "", text)]));
    assert_eq!(spoken(&session), [text]);
    assert!(session.findings().unwrap().is_empty());
}

#[test]
fn invalid_utf8_is_read_as_node_reads_it_and_its_bytes_stay() {
    let place = TestFolder::new();
    let line = user("a1", "", "MARK");
    let (start, end) = line.split_once("MARK").unwrap();
    // Bytes, and how many replacement characters Node makes of them.
    let cases: [(&[u8], usize); 6] = [
        (b"\xff", 1),
        (b"\xc3", 1),
        (b"\xed\xa0\x80", 3),
        (b"\xf0\x9f\x98", 1),
        (b"\xc0\xaf", 2),
        (b"\xf4\x90\x80\x80", 4),
    ];
    for (bad, count) in cases {
        let entry = [start.as_bytes(), bad, end.as_bytes()].concat();
        let bytes = [header().as_bytes(), b"\n", &entry, b"\n"].concat();
        let mut session = place.session(&bytes);
        assert_eq!(spoken(&session), [&*"\u{fffd}".repeat(count)], "{bad:x?}");
        assert_eq!(*session.at(0).unwrap().raw().unwrap(), entry);
        session.append_message(said("more")).unwrap();
        assert!(fs_err::read(session.path().unwrap()).unwrap().starts_with(&bytes));
    }
}

#[test]
fn blank_lines_count_as_lines_and_nothing_else() {
    let place = TestFolder::new();
    let text = sound().replace('\n', "\n\n \n");
    let session = place.session(text);
    let places: Vec<u64> = session.entries().map(|entry| entry.line()).collect();
    assert_eq!(places, [4, 7, 10]);
    assert!(session.findings().unwrap().is_empty());
}
