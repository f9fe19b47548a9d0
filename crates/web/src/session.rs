//! What a page needs to know of a session before it shows any of it.

use std::path::Path;

use pitree_export::harmless::{clean_beginning, clean_line};
use pitree_export::numbers;
use pitree_format::{EntryKind, Object, Value};

use pitree_session::paths;

use crate::answer::{Answer, Json, Problem, list};
use crate::family;
use crate::key::{Name, RunStep};
use crate::marks;
use crate::opened::OpenSession;
use crate::problems;
use crate::rows::Window;
use crate::sessions::describe;
use crate::snapshot::Snapshot;
use crate::state::App;

/// The length of a title.
const TITLE_CHARS: usize = 200;

/// The head of a session.
pub(crate) fn head(app: &App, name: &Name) -> Answer {
    if !name.runs.is_empty() {
        return head_of_run(app, name);
    }
    let snapshot = app.snapshots.get(&app.store);
    let at = snapshot.place(name.session)?;
    let now = app.environment.now_ms();
    app.with_session(name, |opened| {
        let row = describe(app, &snapshot, at, now);
        let path = shown_path(app, &snapshot.sessions[at].path);
        let object = row
            .with("path", path)
            .with("facts", facts(&snapshot, at))
            .with("family", family::near(app, &snapshot, name, opened)?)
            .with("canEdit", app.gate.allows_edits());
        Ok(Json::of(with_shape(object, opened)?))
    })
}

/// What only the file tells: its version, its entries, its branches.
fn with_shape(object: Object, opened: &OpenSession) -> Result<Object, Problem> {
    let session = &opened.session;
    let version = session.source_version().number();
    Ok(object
        .with("problems", problems::of(session)?)
        .with("version", version)
        .with("entries", session.len())
        .with("leaf", session.leaf().map(|leaf| leaf.index()))
        .with("lanes", opened.lanes.described(session, &Window::new(None, None)))
        .with("laneCount", opened.lanes.len()))
}

/// The head of the record of a sub-agent, which is in no list.
fn head_of_run(app: &App, name: &Name) -> Answer {
    let (sender, step) = name.sender().unwrap_or_else(|| {
        let step = RunStep { at: 0, number: 0 };
        (name.clone(), step)
    });
    let snapshot = app.snapshots.get(&app.store);
    let runs = app.with_session(&sender, |opened| opened.runs(&app.trust()))?;
    let run = runs.iter().find(|run| (run.at, run.number) == (step.at, step.number));
    let title = run.map_or_else(|| "Sub-agent".to_owned(), |run| run.title.clone());
    app.with_session(name, |opened| {
        let session = &opened.session;
        let spend = session.spend()?;
        let times = || session.entries().filter_map(|entry| entry.time());
        let messages = session.entries().filter(|entry| entry.kind() == EntryKind::Message);
        let cwd = session.header().cwd.as_ref().map(|cwd| cwd.to_text().into_owned());
        let cost = spend.known_cost();
        let object = Object::new()
            .with("key", name.to_string())
            .with("id", clean_line(&session.id()).into_owned())
            .with("title", clean_beginning(&title, TITLE_CHARS))
            .with("name", Value::Null)
            .with("cwd", clean_line(&cwd.unwrap_or_default()).into_owned())
            .with("created", times().min())
            .with("modified", times().max())
            .with("messages", messages.count())
            .with("tokens", spend.tokens())
            .with("cost", cost)
            .with("parentKey", sender.to_string())
            .with("isSubagent", true)
            .with("isLive", false)
            .with("path", shown_path(app, &opened.source))
            .with("facts", Vec::<Value>::new())
            .with("family", family::near(app, &snapshot, name, opened)?);
        Ok(Json::of(with_shape(object, opened)?))
    })
}

/// Branches that the head did not have room for.
pub(crate) fn lanes(opened: &OpenSession, window: &Window) -> Answer {
    let lanes = opened.lanes.described(&opened.session, window);
    let object = Object::new().with("total", opened.lanes.len()).with("from", window.from);
    Ok(Json::of(object.with("lanes", lanes)))
}

/// The marks of a session, which at first take a look at all of it.
pub(crate) fn marks(opened: &mut OpenSession) -> Answer {
    let failed = opened.failed()?;
    let marks = marks::with_failed(opened, &failed);
    Ok(Json::of(Object::new().with("marks", marks::described(marks))))
}

/// The path as people know it.
fn shown_path(app: &App, path: &Path) -> String {
    clean_line(&paths::display(path, &app.environment)).into_owned()
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
        let on = if facts.branches > 1 { " on all branches" } else { "" };
        list_of.push(("Model", format!("{name}, {replies}{on}")));
    }
    list(list_of, |(name, value)| Value::from(vec![name.into(), value.into()]))
}
