//! Without redaction most sessions are known by the marks of their replies only. What is written is
//! the same as if all keys had been worked out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::{
    Context, Dedupe, ExtractOptions, FormatName, Guard, Paths, Quality, ReplyCounts, Selection,
    Source, Unguarded, Unit, run,
};
use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};

use super::common::{Store, environment, options, sources};
use super::counts::Forest;

/// Hides nothing, but does not say so: all keys are worked out at once.
struct HidesNothing;

impl Guard for HidesNothing {
    fn fingerprint(&self) -> Option<[u8; 32]> {
        Some([0; 32])
    }
}

/// What a run gives: the data, and what became of all replies.
fn outcome(
    store: &Store,
    sources: &[Source],
    name: FormatName,
    options: &ExtractOptions,
) -> (BTreeMap<PathBuf, Vec<u8>>, ReplyCounts) {
    let form = name.prepare(&options.form);
    let report = run(sources, &*form, options, &store.out(), &environment()).unwrap();
    let data = report.files.into_iter().map(|file| {
        let bytes = fs_err::read(store.out().join(&file)).unwrap();
        (file, bytes)
    });
    (data.collect(), report.replies)
}

/// Compares the two ways; gives how many replies are copies.
fn compare(
    store: &Store,
    sources: &[Source],
    name: FormatName,
    selection: Selection,
    quality: &Quality,
) -> u64 {
    let mut options = ExtractOptions { quality: quality.clone(), ..options(store.root()) };
    options.form.samples.selection = selection;
    options.guard = Arc::new(HidesNothing);
    let (by_keys, replies) = outcome(store, sources, name, &options);
    options.guard = Arc::new(Unguarded);
    let (by_marks, marked) = outcome(store, sources, name, &options);
    let told = format!("{name} {selection:?} {quality:?}");
    assert_eq!(marked, replies, "{told}");
    assert!(by_marks == by_keys, "{told}: other data");
    replies.copies
}

fn compare_all(store: &Store, sources: &[Source]) -> u64 {
    let mut copies = 0;
    for unit in [Unit::Path, Unit::Turn, Unit::Request] {
        for (paths, dedupe, cap) in [
            (Paths::Active, Dedupe::Exact, None),
            (Paths::All, Dedupe::Off, None),
            (Paths::All, Dedupe::Drop, Some(2)),
        ] {
            let selection = Selection { paths, context: Context::AsSent, unit };
            let quality = Quality { dedupe, cap, ..Quality::default() };
            copies += compare(store, sources, FormatName::Chat, selection, &quality);
        }
    }
    for name in [FormatName::Preference, FormatName::HfTraces] {
        copies += compare(store, sources, name, Selection::default(), &Quality::default());
    }
    copies
}

#[test]
fn marks_find_what_keys_find() {
    let forest = Forest::grow(11);
    let mut sources = sources(forest.store.root());
    assert!(compare_all(&forest.store, &sources) > 100, "copies");
    // The same, if the headers of some forks tell what they are.
    for source in &mut sources {
        let about = Arc::make_mut(&mut source.about);
        if let Some(number) = about.session_id.strip_prefix('f') {
            about.parent_session_id = Some(format!("s{number}"));
        }
    }
    assert!(compare_all(&forest.store, &sources) > 100, "copies");
}

/// Sessions of all versions and their copies: cut off, and written by another program. Headers
/// do not tell that they are copies.
#[test]
fn marks_find_copies_of_all_kinds() {
    let store = Store::random(12);
    for (at, source) in sources(store.root()).iter().enumerate() {
        let bytes = fs_err::read(&source.path).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let part = lines[..lines.len() - lines.len() / 3].concat();
        store.write(&format!("{at:03}-part.jsonl"), &with_id(&part, "part", at));
        let other: Vec<u8> = lines.iter().flat_map(|line| rewritten(line)).collect();
        store.write(&format!("{at:03}-other.jsonl"), &with_id(&other, "other", at));
    }
    let copies = compare_all(&store, &sources(store.root()));
    assert!(copies > 100, "{copies} copies");
}

/// A session with an id of its own.
fn with_id(session: &[u8], name: &str, number: usize) -> Vec<u8> {
    let end = session.iter().position(|byte| *byte == b'\n').unwrap();
    let Ok(Value::Object(mut header)) = parse(&session[..end]) else { return session.to_vec() };
    header.set("id", format!("{name}-{number}").as_str().into());
    [stringify(&header.into()).as_bytes(), &session[end..]].concat()
}

/// A line as another program may write it: members in another order, and `null` where there is
/// nothing.
fn rewritten(line: &[u8]) -> Vec<u8> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let Ok(Value::Object(mut entry)) = parse(text) else { return line.to_vec() };
    if let Some(Value::Object(message)) = entry.get("message") {
        let mut members = message.clone().into_members();
        members.push(("somethingElse".into(), Value::Null));
        members.reverse();
        entry.set("message", Object::from_members(members).into());
    }
    [stringify(&entry.into()).as_bytes(), b"\n"].concat()
}
