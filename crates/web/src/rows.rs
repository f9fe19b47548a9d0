//! The conversation, in windows of rows.

use std::collections::HashMap;

use pitree_export::nodes::{ViewOptions, call_of, entry_view};
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::TreeFilter;

use crate::answer::{Answer, Json, Problem, list};
use crate::opened::OpenSession;

/// A request gets no more rows than this.
const MOST_ROWS: usize = 200;

/// So many rows below a call its result is looked for.
const NEAR: usize = 200;

/// A part of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) from: usize,
    pub(crate) count: usize,
}

impl Window {
    pub(crate) fn new(from: Option<usize>, count: Option<usize>) -> Self {
        Self { from: from.unwrap_or(0), count: count.unwrap_or(MOST_ROWS).min(MOST_ROWS) }
    }

    /// All of a list.
    pub(crate) const ALL: Self = Self { from: 0, count: usize::MAX };

    /// What of a list is in it.
    pub(crate) fn of<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        let rest = list.get(self.from..).unwrap_or_default();
        &rest[..self.count.min(rest.len())]
    }
}

/// A window of a branch; a brief one says what each entry is, and not all that is in it.
pub(crate) fn window(
    opened: &mut OpenSession,
    leaf: Option<usize>,
    filter: TreeFilter,
    window: &Window,
    is_brief: bool,
) -> Answer {
    let leaf = opened.leaf_or(leaf)?;
    let path = opened.path(leaf, filter)?;
    let mut rows = Vec::new();
    let options = ViewOptions::new().body(!is_brief);
    for (place, at) in window.of(&path).iter().enumerate() {
        let below = path.get(window.from + place + 1..).unwrap_or_default();
        rows.push(row_with(opened, *at, below, &options)?);
    }
    let object = Object::new().with("from", window.from).with("total", path.len());
    Ok(Json::of(object.with("leaf", leaf).with("rows", list(rows, Value::from))))
}

/// One entry, whole.
pub(crate) fn one(opened: &OpenSession, at: usize) -> Answer {
    let entry = opened.entry(at)?;
    let call = call_of(&opened.session, entry, None)?;
    let mut options = ViewOptions::new().most_bytes(usize::MAX);
    options.call = call.as_ref();
    let view = entry_view(&opened.session, entry, &options)?;
    Ok(Json::of(view.to_json()))
}

/// Where an entry is that is known by its place, its line or its id, and a leaf whose branch has it.
pub(crate) fn locate(
    opened: &OpenSession,
    at: Option<usize>,
    line: Option<u64>,
    id: Option<&str>,
) -> Answer {
    let session = &opened.session;
    let by_line = |line: u64| {
        let place = |entry: pitree_session::EntryRef<'_>| entry.line();
        let lines: Vec<u64> = session.entries().map(place).collect();
        lines.binary_search(&line).ok()
    };
    let by_id = |id: &str| session.entry(id).map(|entry| entry.index());
    let there = at.filter(|at| session.at(*at).is_some());
    let at = there.or_else(|| line.and_then(by_line)).or_else(|| id.and_then(by_id));
    let at = at.ok_or_else(|| Problem::not_found("This entry is not in the session"))?;
    let active = session.leaf().map(|leaf| leaf.index()).filter(|_| opened.is_on_path(at));
    // The newest branch that has it.
    let newest = || session.end_below(at).map_or(at, |end| end.index());
    let leaf = active.unwrap_or_else(newest);
    Ok(Json::of(Object::new().with("at", at).with("leaf", leaf)))
}

/// The entries of a branch, as runs of places that follow each other.
pub(crate) fn path(opened: &mut OpenSession, leaf: Option<usize>, filter: TreeFilter) -> Answer {
    let leaf = opened.leaf_or(leaf)?;
    let path = opened.path(leaf, filter)?;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &at in &*path {
        match runs.last_mut() {
            Some((from, count)) if *from + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    let runs = list(runs, |(from, count)| Value::from(vec![from.into(), count.into()]));
    Ok(Json::of(Object::new().with("leaf", leaf).with("total", path.len()).with("runs", runs)))
}

/// An entry as it is shown, with the places of the results of its calls among the rows below it. One
/// without its body has neither.
pub(crate) fn row_with(
    opened: &OpenSession,
    at: usize,
    below: &[usize],
    options: &ViewOptions<'_>,
) -> Result<Object, Problem> {
    let entry = opened.entry(at)?;
    let call = call_of(&opened.session, entry, None)?;
    let mut options = *options;
    options.call = call.as_ref();
    let view = entry_view(&opened.session, entry, &options)?;
    let Value::Object(object) = view.to_json() else { return Ok(Object::new()) };
    let parent = entry.parent().map(|parent| parent.index());
    let mut object = object.with("parent", parent).with("line", entry.line() as f64);
    if !options.body {
        object.remove("body");
        object.remove("calls");
        return Ok(object);
    }
    if let Some(Value::Array(calls)) = object.get_mut("calls") {
        let results = if calls.is_empty() { HashMap::new() } else { results(opened, below)? };
        for call in calls.iter_mut().filter_map(Value::as_object_mut) {
            let id = call.get("id").and_then(Value::as_string);
            let result = id.and_then(|id| results.get(id)).copied();
            call.set("resultAt", result.into());
        }
    }
    Ok(object)
}

/// The rows of the results of a reply, by the ids of their calls. They follow it, before anybody says
/// anything else.
fn results(opened: &OpenSession, below: &[usize]) -> Result<HashMap<JsString, usize>, Problem> {
    let mut results = HashMap::new();
    for at in below.iter().take(NEAR) {
        let entry = opened.entry(*at)?;
        if entry.is_message(Role::Assistant) || entry.is_message(Role::User) {
            break;
        }
        if entry.is_message(Role::ToolResult)
            && let Some(message) = entry.message()?
            && let Some(id) = message.get_string("toolCallId")
        {
            results.entry(id.clone()).or_insert(*at);
        }
    }
    Ok(results)
}
