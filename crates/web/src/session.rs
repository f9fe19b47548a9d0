//! What a page needs to know of a session before it shows any of it.

use std::path::Path;

use pitree_export::harmless::clean_line;
use pitree_export::numbers;
use pitree_format::migrate::SourceVersion;
use pitree_format::{Object, Value};

use crate::answer::{Answer, Json, list};
use crate::key::Key;
use crate::opened::OpenSession;
use crate::sessions::describe;
use crate::snapshot::Snapshot;
use crate::state::App;

/// A family has no more members than this on a page.
const MOST_FAMILY: usize = 500;

/// The head of a session.
pub(crate) fn head(app: &App, key: Key) -> Answer {
    let snapshot = app.snapshots.get(&app.store);
    let at = snapshot.place(key)?;
    let now = app.environment.now_ms();
    app.with_session(key, |opened| {
        let session = &opened.session;
        let row = describe(&snapshot, at, now);
        let path = shown_path(app, &snapshot.sessions[at].path);
        let version = match session.source_version() {
            SourceVersion::V1 => 1,
            SourceVersion::V2 => 2,
            _ => 3,
        };
        let object = row
            .with("path", path)
            .with("version", version)
            .with("entries", session.len())
            .with("leaf", session.leaf().map(|leaf| leaf.index()))
            .with("facts", facts(&snapshot, at))
            .with("lanes", opened.lanes.described(session))
            .with("laneCount", opened.lanes.len())
            .with("family", family(&snapshot, at))
            .with("canEdit", app.gate.allows_edits());
        Ok(Json::of(object))
    })
}

/// The marks of a session, which take a look at all of it.
pub(crate) fn marks(opened: &mut OpenSession) -> Answer {
    let marks = opened.marks(crate::marks::find)?;
    Ok(Json::of(Object::new().with("marks", crate::marks::described(marks.iter().cloned()))))
}

/// The path as people know it.
fn shown_path(app: &App, path: &Path) -> String {
    let home = app.environment.home();
    let text = match path.strip_prefix(home) {
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    };
    clean_line(&text).into_owned()
}

/// What the top of the page says.
fn facts(snapshot: &Snapshot, at: usize) -> Value {
    let facts = &snapshot.sessions[at];
    let spend = match (facts.spend.count, facts.spend.unknown_costs) {
        (0, _) => "nothing recorded".to_owned(),
        (count, unknown) if count == unknown => "not recorded".to_owned(),
        (_, 0) => numbers::dollars(facts.spend.cost),
        (_, unknown) => format!("{} and {unknown} unrecorded", numbers::dollars(facts.spend.cost)),
    };
    let mut list_of: Vec<(&str, String)> = vec![
        ("Directory", clean_line(&facts.cwd).into_owned()),
        ("Messages", facts.message_count.to_string()),
        ("Branches", facts.branches.to_string()),
        ("Compactions", facts.compactions.to_string()),
        ("Errors", facts.errors.to_string()),
        ("Sub-agents", facts.subagents.to_string()),
        ("Tokens", numbers::in_short(facts.spend.tokens)),
        ("Cost", spend),
    ];
    if facts.damaged_lines > 0 {
        list_of.push(("Damaged lines", facts.damaged_lines.to_string()));
    }
    for model in &facts.models {
        let name = clean_line(&model.model);
        let replies = numbers::count(model.answers, "reply", "replies");
        list_of.push(("Model", format!("{name}, {replies}")));
    }
    list(list_of, |(name, value)| Value::from(vec![name.into(), value.into()]))
}

/// The forks of the same beginning, and where they come from.
fn family(snapshot: &Snapshot, at: usize) -> Value {
    let root = |at| {
        let above = std::iter::successors(Some(at), |at: &usize| snapshot.parents[*at]);
        above.take(snapshot.sessions.len()).last()
    };
    let own = root(at);
    let members = (0..snapshot.sessions.len()).filter(|member| root(*member) == own);
    list(members.take(MOST_FAMILY), |member| {
        let row = describe(snapshot, member, i64::MAX);
        let keep = ["key", "title", "parentKey", "modified", "messages", "cost"];
        let kept = keep.iter().fold(Object::new(), |kept, name| {
            kept.with(name, row.get(name).cloned().unwrap_or(Value::Null))
        });
        kept.with("isSelf", member == at).into()
    })
}
