//! `pitree restore`: sessions come back out of the trash.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use pitree_export::numbers::age;
use pitree_format::js::date::format_iso;
use pitree_format::{Object, Value};
use pitree_session::paths;
use pitree_store::delete::{Restoration, RestoreError, TrashContents, TrashedSession};
use pitree_store::{FileStamp, ShortIds, read_facts};

use super::delete::part_name;
use super::list::{most_of_a_title, title};
use crate::columns::{Cell, row};
use crate::error::{CommandError, Exit, Result};
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::clean_line;
use crate::unreadable::{remark_unreadable, unreadable_value};
use crate::zone;

#[derive(Args, Debug)]
pub(crate) struct RestoreArgs {
    /// Trashed sessions: ids, unique id prefixes, or the paths they had; without any, the sessions
    /// in the trash are listed
    #[arg(value_name = "FILE|ID")]
    sessions: Vec<OsString>,
}

pub(crate) fn run(args: &RestoreArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let folders: Vec<PathBuf> = workspace.locations.iter().map(|it| it.path.clone()).collect();
    let contents = TrashContents::read(&workspace.environment, &folders);
    let contents = contents.map_err(|error| to_command_error(&error))?;
    if args.sessions.is_empty() {
        return list(&contents, workspace, output);
    }
    // All are found before the first one comes back.
    let mut chosen: Vec<&TrashedSession> = Vec::new();
    for typed in &args.sessions {
        let found = find(typed, &contents, workspace, output)?;
        if !chosen.iter().any(|one| one.path == found.path) {
            chosen.push(found);
        }
    }
    let paths: Vec<&Path> = chosen.iter().map(|session| session.path.as_path()).collect();
    let change = workspace.changing_all(&paths);
    let (mut all, mut failed) = (Restoration::default(), Vec::new());
    for session in &chosen {
        match session.restore() {
            Ok(one) => {
                all.restored.extend(one.restored);
                all.kept.extend(one.kept);
            }
            Err(error) => failed.push((session.trashed.clone(), error)),
        }
    }
    drop(change);
    // The first one is the error that the command ends with.
    let mut failed = failed.into_iter();
    let first = failed.next();
    all.kept.extend(failed);
    print(&all, workspace, output)?;
    match first {
        Some((_, error)) => {
            output.flush()?;
            Err(to_command_error(&error))
        }
        None => Ok(Exit::Ok),
    }
}

/// The session that the user means. Of one that was deleted more than once it is the last.
fn find<'t>(
    typed: &OsStr,
    contents: &'t TrashContents,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<&'t TrashedSession> {
    let path = paths::resolve(Path::new(typed), &workspace.environment);
    // An id is plain text, and has no slash.
    let id = typed.to_str().filter(|typed| !typed.is_empty() && !typed.contains('/'));
    let is_meant = |session: &&TrashedSession| {
        session.path == path || id.is_some_and(|id| session.id.starts_with(id))
    };
    let mut found: Vec<&TrashedSession> = contents.sessions.iter().filter(is_meant).collect();
    let is_named = |session: &TrashedSession| id.is_some_and(|id| session.id == id);
    if found.iter().any(|session| is_named(session)) {
        // It may begin another id.
        found.retain(|session| is_named(session));
    }
    let typed = typed.to_string_lossy();
    let Some(first) = found.first() else {
        remark_unreadable(&contents.unreadable, workspace, output)?;
        let message = format!("No session in the trash matches `{}`", clean_line(&typed));
        let hint = "`pitree restore` lists the sessions in the trash".to_owned();
        return Err(CommandError::Nothing { message, hint: Some(hint) });
    };
    if found.iter().any(|other| other.path != first.path) {
        let candidates = rows(&found, workspace, output);
        let same_id = found.iter().all(|other| other.id == first.id);
        let (prefix, count) = (typed.into_owned(), found.len());
        return Err(CommandError::AmbiguousSession { prefix, count, candidates, same_id });
    }
    if found.len() > 1 {
        let id = clean_line(&first.id);
        output.remark(&format!("{id} was deleted {} times; this is the last one", found.len()))?;
    }
    Ok(first)
}

fn list(contents: &TrashContents, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let zone = zone::local();
    if output.json {
        let sessions = contents.sessions.iter().map(|session| -> Value {
            let deleted = session.deleted_local_ms.map(|ms| format_iso(zone.from_local(ms)));
            Object::new()
                .with("id", session.id.as_str())
                .with("path", text(&session.path))
                .with("trashed", text(&session.trashed))
                .with("deleted", deleted)
                .into()
        });
        let sessions: Vec<Value> = sessions.collect();
        let unreadable = unreadable_value(&contents.unreadable);
        let value = Object::new().with("trashed", sessions).with("unreadable", unreadable);
        output.value(&value.into())?;
    } else {
        let all: Vec<&TrashedSession> = contents.sessions.iter().collect();
        rows(&all, workspace, output).iter().try_for_each(|row| output.line(row))?;
        remark_unreadable(&contents.unreadable, workspace, output)?;
    }
    match (contents.sessions.is_empty(), contents.unreadable.is_empty()) {
        (false, _) => Ok(Exit::Ok),
        (true, false) => Ok(Exit::BadData),
        (true, true) => {
            output.remark("the trash is empty; permanently deleted sessions cannot be restored")?;
            Ok(Exit::Nothing)
        }
    }
}

/// A line for each session: its id, when it was deleted, its title and where it was.
fn rows(sessions: &[&TrashedSession], workspace: &Workspace, output: &Output) -> Vec<String> {
    let ids = ShortIds::new(sessions.iter().map(|session| session.id.clone()));
    let (width, zone) = (ids.width(), zone::local());
    let row_of = |session: &&TrashedSession| {
        let facts = FileStamp::of(&session.trashed)
            .and_then(|stamp| read_facts(&session.trashed, stamp).ok());
        let most = most_of_a_title(output);
        let title = facts.as_ref().map(|facts| title(facts, most)).unwrap_or_default();
        let deleted = session.deleted_local_ms.map(|ms| zone.from_local(ms));
        let age = deleted.map_or("?".to_owned(), |ms| age(ms, workspace.environment.now_ms()));
        let cells = vec![
            Cell::fixed(format!("{:<width$}", clean_line(ids.short(&session.id)))),
            Cell::fixed(format!("{age:>4}")),
            Cell::cut(title, 1, 8),
            Cell::path(clean_line(&workspace.display(&session.path)), 2, 12).style(Style::Dim),
        ];
        row(cells, output)
    };
    sessions.iter().map(row_of).collect()
}

fn print(all: &Restoration, workspace: &Workspace, output: &mut Output) -> Result<()> {
    if output.json {
        let files = all.restored.iter().map(|(path, part)| -> Value {
            Object::new().with("path", text(path)).with("what", part_name(*part)).into()
        });
        let kept = all.kept.iter().map(|(path, error)| -> Value {
            Object::new().with("path", text(path)).with("reason", error.to_string()).into()
        });
        let (files, kept): (Vec<Value>, Vec<Value>) = (files.collect(), kept.collect());
        return output.value(&Object::new().with("restored", files).with("kept", kept).into());
    }
    for (path, _) in &all.restored {
        let word = output.paint(Style::Dim, "restored");
        output.line(&format!("{word} {}", clean_line(&workspace.display(path))))?;
    }
    for (path, error) in &all.kept {
        output.remark(&format!("still in the trash: {}: {error}", workspace.display(path)))?;
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn to_command_error(error: &RestoreError) -> CommandError {
    let message = error.to_string();
    let hint = match error {
        RestoreError::Taken { .. } => "it stays in the trash; move the other file away first",
        RestoreError::NoList => "use the trash of your desktop to put it back",
        _ => "it stays in the trash; the trash of your desktop may still put it back",
    };
    CommandError::Refused { message, hint: Some(hint.to_owned()) }
}
