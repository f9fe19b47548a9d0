//! Version 1 and 2 files: migrated in memory here, on disk by Pi, with the same outcome.

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_session::Session;
use pitree_testkit::{GeneratedSession, PiVersion, session_v1, session_v2};

use crate::answer::{PARTS, environment, part};
use crate::compare::difference;
use crate::reading::{Bench, places};
use crate::{Plan, ready};

/// Replaces every entry id by its ordinal: Pi makes up random ids when it migrates.
fn numbered(answer: &Value, entries: &Value) -> Value {
    let ids: Vec<String> = entries
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| entry.get_string("id").map(ToString::to_string))
        .collect();
    let ordinal = |text: &str| {
        ids.iter().position(|id| id == text).map_or_else(|| text.to_owned(), |at| format!("#{at}"))
    };
    fn walk(value: &Value, ordinal: &impl Fn(&str) -> String) -> Value {
        match value {
            Value::String(text) => match text.as_str() {
                Some(plain) => ordinal(plain).into(),
                None => value.clone(),
            },
            Value::Array(items) => {
                items.iter().map(|item| walk(item, ordinal)).collect::<Vec<_>>().into()
            }
            Value::Object(object) => {
                let mut members: Vec<_> = object
                    .iter()
                    .map(|(name, value)| (ordinal(&name.to_text()).into(), walk(value, ordinal)))
                    .collect();
                if members
                    .iter()
                    .any(|(name, _): &(pitree_format::JsString, _)| name.to_text().starts_with('#'))
                {
                    members.sort_by_key(|(name, _)| name.clone());
                }
                Object::from_members(members).into()
            }
            other => other.clone(),
        }
    }
    walk(answer, &ordinal)
}

/// What differs from Pi's answer, by part.
pub(crate) fn differences_in(
    bench: &mut Bench,
    bytes: &[u8],
    seed: u64,
) -> Vec<(&'static str, String)> {
    let path = bench.folder.path().join("ours.jsonl");
    fs_err::write(&path, bytes).unwrap();
    let session = Session::open(&path, &environment()).expect("an old file opens");
    assert_eq!(fs_err::read(&path).unwrap(), bytes, "reading changed the file");
    let at = places(&session, seed);
    let ordinals: Vec<Value> = at.iter().map(|&at| at.into()).collect();
    let (_, theirs) = bench.ask(bytes, &ordinals);
    assert_eq!(theirs.get("ok"), Some(&Value::Bool(true)), "{}", stringify(&theirs));
    let our_entries = part(&session, "entries", &at).unwrap();
    let their_entries = theirs.get("entries").unwrap();
    let mut found = Vec::new();
    for name in PARTS {
        // The oracle leaves out the branch of every entry where there are too many entries.
        if name == "branches" && theirs.get(name) == Some(&Value::Null) {
            continue;
        }
        let ours = numbered(&part(&session, name, &at).unwrap(), &our_entries);
        let theirs = numbered(theirs.get(name).unwrap(), their_entries);
        if let Some(difference) = difference(&ours, &theirs) {
            found.push((name, difference));
        }
    }
    found
}

fn equal_to_current(name: &str, cases: u64, make: impl Fn(u64) -> GeneratedSession) {
    let mut bench = Bench::new(PiVersion::Current);
    let plan = Plan::new(cases, cases * 10);
    for seed in plan.seeds() {
        let case = make(seed);
        let found = differences_in(&mut bench, &case.bytes, seed);
        assert!(
            found.is_empty(),
            "seed {seed}: {found:?}\n{}",
            String::from_utf8_lossy(&case.bytes)
        );
    }
    println!("conformance (d): {} {name} files equal to Pi 1.5.0", plan.cases);
}

#[test]
fn version_1_files_read_as_by_pi() {
    if ready("version_1_files_read_as_by_pi") {
        equal_to_current("version 1", 200, session_v1);
    }
}

#[test]
fn version_2_files_read_as_by_pi() {
    if ready("version_2_files_read_as_by_pi") {
        equal_to_current("version 2", 200, session_v2);
    }
}

/// Where Pi 0.74.2 answers otherwise than 1.5.0, 1.5.0 is followed; the kinds of difference are
/// printed and are no others than those known.
#[test]
fn differences_to_pi_0_74_are_the_known_ones() {
    if !ready("differences_to_pi_0_74_are_the_known_ones") {
        return;
    }
    let mut bench = Bench::new(PiVersion::Legacy);
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    let plan = Plan::new(100, 1000);
    for seed in plan.seeds() {
        for case in [session_v1(seed), session_v2(seed)] {
            for (name, found) in differences_in(&mut bench, &case.bytes, seed) {
                // Contexts differ where 1.5.0 repairs missing content, drops system messages of
                // the kept range and applies edits; 0.74.2 knows none of these.
                assert_eq!(
                    name,
                    "contexts",
                    "seed {seed}: {found}\n{}",
                    String::from_utf8_lossy(&case.bytes)
                );
                let member = found.split(':').next().unwrap_or_default();
                let kind: String = member.chars().filter(|c| !c.is_ascii_digit()).collect();
                *counts.entry(kind).or_default() += 1;
            }
        }
    }
    println!(
        "conformance (d): {} old files read by Pi 0.74.2 too; it differs in {counts:?}",
        plan.cases * 2
    );
}

#[test]
fn numbering_replaces_ids_everywhere() {
    let entries = parse(br#"[{"id":"a"},{"id":"b"}]"#).unwrap();
    let answer = parse(br#"{"x":["b","c"],"a":1}"#).unwrap();
    assert_eq!(stringify(&numbered(&answer, &entries)), r##"{"#0":1,"x":["#1","c"]}"##);
}
