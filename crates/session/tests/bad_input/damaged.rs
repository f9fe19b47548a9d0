//! Every damaged file of the test kit: everything can be asked, nothing changes, and the damage
//! is named with its line.

use pitree_session::{OpenOptions, SessionError};
use pitree_testkit::{DamagedFile, damaged_files};

use crate::bad_input::common::{Snapshot, TestFolder, ask_everything, codes};

#[test]
fn everything_can_be_asked_of_every_damaged_file_and_it_stays_as_it_is() {
    let place = TestFolder::new();
    for file in damaged_files() {
        let path = place.file(&file.bytes);
        let before = Snapshot::of(&path);
        for threads in [1, 2] {
            let options = OpenOptions::new().lenient(true).threads(threads);
            match options.open(&path, &place.environment) {
                Ok(session) => {
                    ask_everything(&session).expect(file.name);
                    assert_eq!(session.len(), file.judged_entries(), "{}", file.name);
                }
                Err(SessionError::Empty { .. }) => assert!(file.bytes.is_empty()),
                Err(error) => panic!("{}: {error}", file.name),
            }
            let _ = place.open(&path);
        }
        assert_eq!(Snapshot::of(&path), before, "{}", file.name);
    }
}

#[test]
fn the_findings_name_the_damage_and_its_line() {
    let place = TestFolder::new();
    let mut wrong = Vec::new();
    for file in damaged_files() {
        if file.bytes.is_empty() {
            continue;
        }
        let path = place.file(&file.bytes);
        let found = codes(&place.open_lenient(&path).findings().unwrap());
        match expected(&file) {
            Some(expected) if expected == found => {}
            expected => wrong.push(format!("{}: {found:?}, not {expected:?}", file.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What must be found in a file; `None` for one that this list does not know yet.
fn expected(file: &DamagedFile) -> Option<Vec<(&'static str, u64)>> {
    framing(file.name)
        .or_else(|| links(file.name))
        .or_else(|| values(file.name))
        .or_else(|| headers(file.name))
        .or_else(|| foreign(file.name))
}

const REFUSED: (&str, u64) = ("not-a-session", 0);

fn framing(name: &str) -> Option<Vec<(&'static str, u64)>> {
    Some(match name {
        "header only" | "invalid UTF-8" => vec![],
        "only line feeds" | "no header" => vec![REFUSED],
        "header over 1 MiB" => vec![("long-header", 1)],
        "header after a blank line" => vec![("late-header", 2)],
        "header after a malformed line" => vec![("malformed-line", 1), ("late-header", 2)],
        "header after an entry" => vec![REFUSED, ("late-header", 2)],
        "two headers" => vec![("second-header", 3)],
        "torn last line" => vec![("malformed-line", 4), ("no-final-newline", 4)],
        "no last line feed" => vec![("no-final-newline", 4)],
        "glued lines" => vec![("malformed-line", 2), ("orphan", 3)],
        // A carriage return at the very end is no line end either.
        "lone CR as separator" | "only NUL bytes" => {
            vec![REFUSED, ("malformed-line", 1), ("no-final-newline", 1)]
        }
        "CRLF" => vec![("crlf", 0)],
        "byte order mark" => vec![REFUSED],
        "NUL run at the end" => vec![("malformed-line", 3), ("no-final-newline", 3)],
        "NUL run between lines" => vec![("malformed-line", 3), ("orphan", 4), ("cut-off", 4)],
        "NUL run as a line" => vec![("malformed-line", 3)],
        _ => return None,
    })
}

fn links(name: &str) -> Option<Vec<(&'static str, u64)>> {
    Some(match name {
        "parent later in the file" | "missing parentId" => vec![],
        "missing id" => vec![("missing-id", 3), ("orphan", 4), ("cut-off", 4)],
        "missing id in the last line" => vec![("missing-id", 3)],
        "duplicate ids" => vec![("cycle", 4), ("several-roots", 4), ("duplicate-id", 5)],
        "duplicate ids of siblings" => vec![("duplicate-id", 5)],
        "self-parent" => vec![("self-parent", 5), ("several-roots", 5)],
        "cycle of three" => vec![("cycle", 2)],
        "cycle beside a sound path" => vec![("cycle", 2), ("several-roots", 5)],
        "orphan parents" => vec![("orphan", 5), ("cut-off", 5)],
        "several roots" => vec![("several-roots", 3)],
        "parentId not a string" => vec![("invalid-parent", 5), ("several-roots", 5)],
        "empty id" | "id not a string" => vec![("missing-id", 5)],
        _ => return None,
    })
}

fn values(name: &str) -> Option<Vec<(&'static str, u64)>> {
    Some(match name {
        // Out of the ordinary, but read as it was meant.
        "U+2028 inside text" | "lone surrogates" | "number 1e400" | "number -0"
        | "10,000 levels deep" | "repeated keys" | "number-like keys" | "__proto__ key" => vec![],
        "non-object lines" => {
            let falsy = (3..7).map(|line| ("falsy-line", line));
            let others = (7..12).map(|line| ("not-an-object", line));
            let empty = ["missing-id", "no-parent", "several-roots", "unknown-type"];
            falsy.chain(others).chain(empty.map(|code| (code, 12))).collect()
        }
        "non-object last line" => vec![("not-an-object", 5)],
        "null before the header" => vec![("falsy-line", 1), ("late-header", 2)],
        "number before the header" => vec![REFUSED, ("not-an-object", 1), ("late-header", 2)],
        "null content" => vec![
            ("no-content", 2),
            ("several-roots", 3),
            ("no-content", 3),
            ("unknown-to-port", 5),
            ("unknown-to-port", 7),
        ],
        "message missing" => vec![("unknown-role", 5)],
        "no type" => vec![("unknown-type", 5)],
        _ => return None,
    })
}

fn headers(name: &str) -> Option<Vec<(&'static str, u64)>> {
    Some(match name {
        "version 4" | "version \"3\"" | "version is a word" => vec![("unknown-version", 1)],
        "version null" | "version 2.5" => vec![("old-version", 1)],
        "header id not a string" | "header id missing" => vec![REFUSED],
        "header id empty"
        | "header without cwd"
        | "header cwd not a string"
        | "header date invalid" => vec![],
        _ => return None,
    })
}

fn foreign(name: &str) -> Option<Vec<(&'static str, u64)>> {
    Some(match name {
        "event stream of JSON mode" => {
            [REFUSED].into_iter().chain((2..6).map(|line| ("unknown-type", line))).collect()
        }
        "store with kind headers" => vec![REFUSED, ("unknown-type", 1), ("several-roots", 2)],
        "OpenClaw style" => vec![],
        "title slot before the header" => vec![
            REFUSED,
            ("missing-id", 1),
            ("unknown-type", 1),
            ("late-header", 2),
            ("several-roots", 3),
        ],
        "entry that stores the leaf" => vec![("unknown-type", 5)],
        "version 1" => vec![("old-version", 1)],
        "version 1 with a non-object line" => {
            vec![("old-version", 1), ("not-an-object", 8)]
        }
        "version 2" => vec![("old-version", 1)],
        "Rust port" => vec![("header-leaf", 1), ("variant", 1), ("lost-image", 3)],
        "one JSON array" => vec![REFUSED, ("not-an-object", 1)],
        "not JSON at all" => vec![REFUSED, ("malformed-line", 1), ("malformed-line", 3)],
        _ => return None,
    })
}
