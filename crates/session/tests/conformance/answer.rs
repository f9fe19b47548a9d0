//! What pitree says about a session, in the shape of the oracle's answer.

use pitree_format::{Object, Value};
use pitree_session::context::{Context, current_system_message, estimate_tokens, to_llm};
use pitree_session::{Environment, Session, SessionError};

/// An environment that is the same in every run.
pub(crate) fn environment() -> Environment {
    Environment::new("/home/u", "/home/u/p", || 1_770_000_000_000, |bytes| bytes.fill(7))
}

/// The parts of an answer, each of which can be compared on its own.
pub(crate) const PARTS: [&str; 8] =
    ["header", "entries", "leafId", "labels", "name", "branches", "tree", "contexts"];

/// A part by itself, so that planted faults can replace one.
pub(crate) fn part(session: &Session, name: &str, at: &[usize]) -> Result<Value, SessionError> {
    Ok(match name {
        "header" => session.header_value().clone(),
        "entries" => {
            let values: Result<Vec<Value>, _> =
                session.entries().map(|entry| entry.value()).collect();
            values?.into()
        }
        "leafId" => session.leaf_id().into(),
        "labels" => labels(session)?,
        "name" => session.name()?.into(),
        "branches" => branches(session),
        "tree" => tree(session)?,
        "contexts" => {
            let leaf = session.leaf().map(|leaf| leaf.index());
            let places = std::iter::once(leaf).chain(at.iter().map(|at| Some(*at)));
            let contexts: Result<Vec<Value>, _> =
                places.map(|at| context_facts(session, at, &session.context_at(at)?)).collect();
            contexts?.into()
        }
        other => panic!("no part {other}"),
    })
}

fn labels(session: &Session) -> Result<Value, SessionError> {
    let mut first_seen = Vec::new();
    for entry in session.entries() {
        if entry.kind() == pitree_format::EntryKind::Label
            && let Some(target) = entry.value()?.get_string("targetId")
        {
            first_seen.push(target.to_string());
        }
    }
    let mut members = Vec::new();
    for target in first_seen {
        if let Some(label) = session.label(&target)? {
            members.push((target.into(), label.into()));
        }
    }
    Ok(Object::from_members(members).into())
}

fn branches(session: &Session) -> Value {
    let mut members = Vec::new();
    for entry in session.entries() {
        let ids: Vec<Value> =
            session.path_to(entry.index()).iter().map(|entry| entry.id().into()).collect();
        members.push((entry.id().into(), ids.into()));
    }
    Object::from_members(members).into()
}

fn tree(session: &Session) -> Result<Value, SessionError> {
    let labels = session.labels()?;
    let tree = session.tree();
    let rows = tree.walk().map(|step| {
        let id = session.at(step.entry).map(|entry| entry.id()).unwrap_or_default();
        let label = labels.get(id);
        let row: Vec<Value> = vec![
            id.into(),
            step.depth.into(),
            label.map(|label| label.text.clone()).into(),
            label.and_then(|label| label.timestamp.clone()).into(),
        ];
        Value::from(row)
    });
    Ok(rows.collect::<Vec<_>>().into())
}

/// One context in the oracle's shape.
pub(crate) fn context_facts(
    session: &Session,
    at: Option<usize>,
    context: &Context,
) -> Result<Value, SessionError> {
    let id = |at: usize| session.at(at).map(|entry| Value::from(entry.id()));
    let entries = session.context_entries_at(at)?;
    let tokens: Vec<Value> =
        context.messages.iter().map(|message| estimate_tokens(message).into()).collect();
    Ok(Object::new()
        .with("at", at.and_then(id))
        .with("context", context.to_value())
        .with("llm", to_llm(&context.messages))
        .with("entries", entries.iter().map(|e| Value::from(e.id())).collect::<Vec<_>>())
        .with("system", current_system_message(&context.messages).map(Value::Object))
        .with("tokens", tokens)
        .into())
}
