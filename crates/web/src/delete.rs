//! Deleting a session: to the trash, as `pitree delete` does it, after a look at what would go.

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use pitree_format::{Object, Value};
use pitree_store::delete::{DeleteError, Deletion, Disposal, Family, SessionPart};
use pitree_store::shared_index::Announcement;

use crate::answer::{Answer, Json, Problem, list};
use crate::key::Key;
use crate::sessions::title;
use crate::snapshot::Snapshot;
use crate::state::App;

/// So many forks are named.
const MOST_NAMED: usize = 200;

/// What would go with a session, so that the page can ask.
pub(crate) fn preview(app: &App, key: Key) -> Answer {
    allowed(app)?;
    let snapshot = app.snapshots.get(&app.store);
    let path = &snapshot.sessions[snapshot.place(key)?].path;
    let family = family(app, path);
    let forks: Vec<usize> = family
        .sessions
        .iter()
        .filter(|member| *member != path)
        .filter_map(|member| snapshot.place_of(member))
        .collect();
    // Why it would be refused, which the user should know before saying yes.
    let refused = alone(path).plans(&app.environment, false).err();
    let object = Object::new()
        .with("title", title(&snapshot.sessions[snapshot.place(key)?]))
        .with("forkCount", forks.len())
        .with("forks", list(forks.into_iter().take(MOST_NAMED), |at| named(&snapshot, at)))
        .with("records", family.records.len())
        .with("refused", refused.map(|error| error.to_string()));
    Ok(Json::of(object))
}

/// Deletes a session; with its forks and the records of their sub-agents if `family` is true.
pub(crate) fn delete(app: &App, key: Key, body: &Object) -> Answer {
    let snapshot = app.snapshots.get(&app.store);
    let path = &snapshot.sessions[snapshot.place(key)?].path;
    let is_family = body.get("family").is_some_and(Value::is_truthy);
    let family = if is_family { family(app, path) } else { alone(path) };
    let plans = family.plans(&app.environment, false).map_err(|error| refused(&error))?;
    let paths: Vec<&Path> = family.sessions.iter().map(PathBuf::as_path).collect();
    let change = Announcement::changing(app.store.locations(), &paths, &app.environment);
    let deletion = family.delete(&plans, &app.trash, false);
    drop(change);
    app.snapshots.expire();
    done(deletion)
}

fn done(deletion: Deletion) -> Answer {
    let count = |part| deletion.gone.iter().filter(|file| file.part == part).count();
    let object = Object::new()
        .with("sessions", count(SessionPart::Session))
        .with("records", count(SessionPart::Record))
        // Only the desktop's trash is one that `pitree restore` knows.
        .with("canRestore", deletion.gone.iter().any(|file| file.to == Disposal::DesktopTrash));
    match deletion.kept.into_iter().next() {
        Some((_, error)) => Err(refused(&error)),
        None => Ok(Json::of(object)),
    }
}

fn alone(path: &Path) -> Family {
    Family { sessions: vec![path.to_owned()], ..Family::default() }
}

fn family(app: &App, path: &Path) -> Family {
    let temporary = app.environment.var("TMPDIR").unwrap_or("/tmp");
    app.store.family(&[path.to_owned()], Some(Path::new(temporary)))
}

fn named(snapshot: &Snapshot, at: usize) -> Value {
    let key = snapshot.key(at).to_string();
    Object::new().with("key", key).with("title", title(&snapshot.sessions[at])).into()
}

fn allowed(app: &App) -> Result<(), Problem> {
    let message = "The page is read-only; start `pitree serve --allow-edit` to make changes";
    let forbidden = || Problem::new(StatusCode::FORBIDDEN, message);
    app.gate.allows_edits().then_some(()).ok_or_else(forbidden)
}

fn refused(error: &DeleteError) -> Problem {
    let hint = match error {
        DeleteError::InUse { .. } => "; close it first, or wait a minute",
        DeleteError::NoTrash { .. } => "; nothing was deleted",
        _ => "",
    };
    Problem::new(StatusCode::CONFLICT, format!("{error}{hint}"))
}
