//! `pitree restore`: sessions come back out of the trash.

use std::path::Path;

use clap::Args;
use pitree_export::numbers::age;
use pitree_format::{Object, Value};
use pitree_session::paths;
use pitree_store::delete::{RestoreError, Restored, TrashedSession};
use pitree_store::{FileStamp, ShortIds, read_facts};

use super::delete::part_name;
use super::list::{most_of_a_title, title};
use crate::columns::{Cell, row};
use crate::error::{CommandError, Exit, Result};
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct RestoreArgs {
    /// Trashed sessions: ids, unique id prefixes, or the paths they had; without any, the sessions
    /// in the trash are listed
    #[arg(value_name = "FILE|ID")]
    sessions: Vec<String>,
}

pub(crate) fn run(args: &RestoreArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let trashed = TrashedSession::all().map_err(|error| to_command_error(&error))?;
    if args.sessions.is_empty() {
        return list(&trashed, workspace, output);
    }
    // All are found before the first one comes back.
    let mut chosen: Vec<&TrashedSession> = Vec::new();
    for typed in &args.sessions {
        let found = find(typed, &trashed, workspace, output)?;
        if !chosen.iter().any(|one| one.path == found.path) {
            chosen.push(found);
        }
    }
    let paths: Vec<&Path> = chosen.iter().map(|session| session.path.as_path()).collect();
    let change = workspace.changing_all(&paths);
    let (mut restored, mut failed) = (Vec::new(), None);
    for session in &chosen {
        match session.restore() {
            Ok(files) => restored.extend(files),
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    drop(change);
    print(&restored, workspace, output)?;
    match failed {
        Some(error) => {
            output.flush()?;
            Err(to_command_error(&error))
        }
        None => Ok(Exit::Ok),
    }
}

/// The session that the user means. Of one that was deleted more than once it is the last.
fn find<'t>(
    typed: &str,
    trashed: &'t [TrashedSession],
    workspace: &Workspace,
    output: &mut Output,
) -> Result<&'t TrashedSession> {
    let path = paths::resolve(Path::new(typed), &workspace.environment);
    let is_meant = |session: &&TrashedSession| match typed.contains('/') || session.path == path {
        true => session.path == path,
        false => !typed.is_empty() && session.id.starts_with(typed),
    };
    let found: Vec<&TrashedSession> = trashed.iter().filter(is_meant).collect();
    let Some(first) = found.first() else {
        let message = format!("No session in the trash matches `{}`", clean_line(typed));
        let hint = "`pitree restore` lists the sessions in the trash".to_owned();
        return Err(CommandError::Nothing { message, hint: Some(hint) });
    };
    if found.iter().any(|other| other.path != first.path) {
        let candidates = rows(&found, workspace, output);
        let same_id = found.iter().all(|other| other.id == first.id);
        let (prefix, count) = (typed.to_owned(), found.len());
        return Err(CommandError::AmbiguousSession { prefix, count, candidates, same_id });
    }
    if found.len() > 1 {
        let id = clean_line(&first.id);
        output.remark(&format!("{id} was deleted {} times; this is the last one", found.len()))?;
    }
    Ok(first)
}

fn list(trashed: &[TrashedSession], workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if output.json {
        let sessions = trashed.iter().map(|session| -> Value {
            Object::new()
                .with("id", session.id.as_str())
                .with("path", text(&session.path))
                .with("trashed", text(&session.trashed))
                .with("deletedMs", (session.deleted * 1000) as f64)
                .into()
        });
        let sessions: Vec<Value> = sessions.collect();
        output.value(&Object::new().with("trashed", sessions).into())?;
    } else {
        let all: Vec<&TrashedSession> = trashed.iter().collect();
        rows(&all, workspace, output).iter().try_for_each(|row| output.line(row))?;
    }
    if trashed.is_empty() {
        output.remark("the trash has no sessions; what was deleted for good cannot come back")?;
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Ok)
}

/// A line for each session: its id, when it was deleted, its title and where it was.
fn rows(sessions: &[&TrashedSession], workspace: &Workspace, output: &Output) -> Vec<String> {
    let ids = ShortIds::new(sessions.iter().map(|session| session.id.clone()));
    let width = ids.width();
    let row_of = |session: &&TrashedSession| {
        let facts = FileStamp::of(&session.trashed)
            .and_then(|stamp| read_facts(&session.trashed, stamp).ok());
        let most = most_of_a_title(output);
        let title = facts.as_ref().map(|facts| title(facts, most)).unwrap_or_default();
        let age = age(session.deleted * 1000, workspace.environment.now_ms());
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

fn print(restored: &[Restored], workspace: &Workspace, output: &mut Output) -> Result<()> {
    if output.json {
        let files = restored.iter().map(|file| -> Value {
            let what = part_name(file.part);
            Object::new().with("path", text(&file.path)).with("what", what).into()
        });
        let files: Vec<Value> = files.collect();
        return output.value(&Object::new().with("restored", files).into());
    }
    for file in restored {
        let word = output.paint(Style::Dim, "restored");
        output.line(&format!("{word} {}", clean_line(&workspace.display(&file.path))))?;
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
        _ => "the trash of your desktop may still put it back",
    };
    CommandError::Refused { message, hint: Some(hint.to_owned()) }
}
