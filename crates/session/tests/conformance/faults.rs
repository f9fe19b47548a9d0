//! The suite must be able to fail: each planted fault turns it red.

use pitree_format::{EntryKind, Role, Value};
use pitree_session::{Session, SessionError};
use pitree_testkit::{PiVersion, session};

use crate::answer::{context_facts, environment, part};
use crate::compare::difference;
use crate::reading::Bench;
use crate::{Plan, ready};

/// A wrong way to answer one part of the question.
struct Fault {
    name: &'static str,
    part: &'static str,
    answer: fn(&Session) -> Result<Value, SessionError>,
}

const FAULTS: [Fault; 6] = [
    Fault {
        name: "the newest label of the branch instead of the file",
        part: "labels",
        answer: labels_by_branch,
    },
    Fault {
        name: "the kept range begins one entry late",
        part: "contexts",
        answer: kept_off_by_one,
    },
    Fault {
        name: "system messages stay in the compacted range",
        part: "contexts",
        answer: system_messages_kept,
    },
    Fault {
        name: "children in file order instead of by time",
        part: "tree",
        answer: tree_in_file_order,
    },
    Fault { name: "context edits ignored", part: "contexts", answer: edits_ignored },
    Fault {
        name: "the name of the branch instead of the file",
        part: "name",
        answer: name_by_branch,
    },
];

#[test]
fn planted_faults_turn_the_suite_red() {
    if !ready("planted_faults_turn_the_suite_red") {
        return;
    }
    let mut bench = Bench::new(PiVersion::Current);
    let mut caught = [0; FAULTS.len()];
    for seed in Plan::new(200, 200).seeds() {
        let case = session(seed);
        let (path, theirs) = bench.ask(&case.bytes, &[]);
        let Ok(session) = Session::open(&path, &environment()) else { continue };
        for (fault, caught) in FAULTS.iter().zip(&mut caught) {
            let right = part(&session, fault.part, &[]).unwrap();
            let their_part = theirs.get(fault.part).unwrap();
            assert_eq!(difference(&right, their_part), None, "seed {seed}: red without a fault");
            let wrong = (fault.answer)(&session).unwrap();
            *caught += usize::from(difference(&wrong, their_part).is_some());
        }
    }
    for (fault, caught) in FAULTS.iter().zip(caught) {
        println!("planted fault: {}: caught in {caught} of 200 cases", fault.name);
        assert!(caught > 0, "the suite does not notice: {}", fault.name);
    }
}

fn labels_by_branch(session: &Session) -> Result<Value, SessionError> {
    let mut members: Vec<(pitree_format::JsString, Value)> = Vec::new();
    for entry in session.active_path() {
        let value = entry.value()?;
        if entry.kind() == EntryKind::Label
            && let Some(target) = value.get_string("targetId")
        {
            members.retain(|(name, _)| name != target);
            if let Some(label) = value.get_string("label").filter(|label| !label.is_empty()) {
                members.push((target.clone(), label.clone().into()));
            }
        }
    }
    Ok(pitree_format::Object::from_members(members).into())
}

fn name_by_branch(session: &Session) -> Result<Value, SessionError> {
    let path = session.active_path();
    let last = path.iter().rfind(|entry| entry.kind() == EntryKind::SessionInfo);
    let Some(entry) = last else { return Ok(Value::Null) };
    let name = entry.value()?.get_string("name").map(pitree_format::JsString::trim);
    Ok(name.filter(|name| !name.is_empty()).into())
}

/// The context facts at the leaf with other messages.
fn with_messages(session: &Session, messages: Vec<Value>) -> Result<Value, SessionError> {
    let leaf = session.leaf().map(|leaf| leaf.index());
    let mut context = session.context()?;
    context.messages = messages;
    Ok(vec![context_facts(session, leaf, &context)?].into())
}

fn kept_off_by_one(session: &Session) -> Result<Value, SessionError> {
    let projection = session.projection()?;
    let compacted =
        projection.entries.first().is_some_and(|first| first.entry.kind() == EntryKind::Compaction);
    let messages = projection
        .entries
        .iter()
        .enumerate()
        .filter(|(at, _)| !compacted || *at != 1)
        .flat_map(|(_, projected)| projected.messages.clone());
    with_messages(session, messages.collect())
}

fn system_messages_kept(session: &Session) -> Result<Value, SessionError> {
    let projection = session.projection()?;
    let entries = &projection.entries;
    let mut messages: Vec<Value> = projection.messages().cloned().collect();
    if let [first, second, ..] = &entries[..]
        && first.entry.kind() == EntryKind::Compaction
        && second.entry.index() < first.entry.index()
    {
        let path = session.path_to(first.entry.index());
        let kept = path.iter().skip_while(|entry| entry.index() != second.entry.index());
        for (at, entry) in kept.filter(|entry| entry.is_message(Role::System)).enumerate() {
            messages.insert(first.messages.len() + at, entry.message()?.unwrap_or(Value::Null));
        }
    }
    with_messages(session, messages)
}

fn edits_ignored(session: &Session) -> Result<Value, SessionError> {
    let mut messages = Vec::new();
    for projected in session.projection()?.entries {
        match projected.entry.message()? {
            Some(message) => messages.push(message),
            None => messages.extend(projected.messages),
        }
    }
    with_messages(session, messages)
}

fn tree_in_file_order(session: &Session) -> Result<Value, SessionError> {
    let labels = session.labels()?;
    let mut rows = Vec::new();
    let mut stack: Vec<_> = session.roots().into_iter().map(|e| (e, 0)).rev().collect();
    while let Some((entry, depth)) = stack.pop() {
        let label = labels.get(entry.id());
        let row: Vec<Value> = vec![
            entry.id().into(),
            Value::Number(f64::from(depth)),
            label.map(|label| label.text.clone()).into(),
            label.and_then(|label| label.timestamp.clone()).into(),
        ];
        rows.push(Value::from(row));
        let children = session.children(entry);
        stack.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
    }
    Ok(rows.into())
}
