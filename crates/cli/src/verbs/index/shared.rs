//! `pitree index --shared`: the index that the Rust port and scripts read.

use std::path::Path;
use std::time::Duration;

use pitree_format::{Object, Value};
use pitree_session::location::Layout;
use pitree_store::shared_index::{
    LeftOut, RefreshOptions, Refreshed, SharedIndexError, refresh_with,
};

use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::{clean_line, counted, first_lines};

/// How many files that were left out are named.
const MOST_NAMED: usize = 20;

pub(crate) fn run(
    with_refused: bool,
    wait: Duration,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let roots: Vec<&Path> = workspace
        .locations
        .iter()
        .filter(|location| location.layout == Layout::PerDirectory && location.path.is_dir())
        .map(|location| location.path.as_path())
        .collect();
    if roots.is_empty() {
        return Err(CommandError::Usage {
            message: "No sessions folder was found to build an index for".to_owned(),
            hint: Some("name one with --sessions-root; a folder with session files directly in it has no shared index".to_owned()),
        });
    }
    let bar = workspace.caller.progress();
    let options = RefreshOptions { with_refused, wait };
    let mut values: Vec<Value> = Vec::new();
    for root in roots {
        let progress = bar.as_deref();
        let report = refresh_with(root, options, &workspace.environment, progress)
            .map_err(|error| explain(&error))?;
        if output.json {
            values.push(to_value(&report));
        } else {
            print(&report, with_refused, workspace, output)?;
        }
    }
    if output.json {
        output.value(&Object::new().with("shared", values).into())?;
    }
    Ok(Exit::Ok)
}

fn explain(error: &SharedIndexError) -> CommandError {
    let message = error.to_string();
    if !error.is_refusal() {
        return CommandError::BadData { message, hint: None };
    }
    let hint = match error {
        SharedIndexError::Foreign { .. } => {
            "move it away, and run `pitree index --shared` to rebuild it"
        }
        _ => "the index is as it was; try again later",
    };
    CommandError::Refused { message, hint: Some(hint.to_owned()) }
}

fn print(
    report: &Refreshed,
    with_refused: bool,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let path = clean_line(&workspace.display(&report.path));
    let Refreshed { rows, read, removed, .. } = report;
    let sessions = counted(*rows, "session", "sessions");
    let [files, gone] = [counted(*read, "file", "files"), counted(*removed, "row", "rows")];
    output.line(&format!("{path}: {sessions}; {files} read, {gone} removed"))?;
    if report.rebuilt {
        output.remark("the index was damaged and has been rebuilt")?;
    }
    if report.left_out.is_empty() {
        return Ok(());
    }
    let count = report.left_out.len();
    let files = if count == 1 { "file is" } else { "files are" };
    let why = match with_refused {
        true => "",
        false => ", as in pi_agent_rust (--all includes those that are sessions)",
    };
    output.remark(&format!("{count} {files} left out{why}:"))?;
    let lines = first_lines(&report.left_out, MOST_NAMED, |(path, reason)| {
        format!("{}: {}", workspace.display(path), reason_text(reason))
    });
    lines.iter().try_for_each(|line| output.remark(&format!("  {line}")))
}

fn reason_text(reason: &LeftOut) -> String {
    match reason {
        LeftOut::Refused(why) | LeftOut::Unreadable(why) => why.clone(),
        LeftOut::NotASession => "not a session".to_owned(),
        LeftOut::PathIsNoText => "its path is not valid UTF-8".to_owned(),
    }
}

fn to_value(report: &Refreshed) -> Value {
    let left_out: Vec<Value> = report
        .left_out
        .iter()
        .map(|(path, reason)| {
            Object::new()
                .with("path", path.to_string_lossy().into_owned())
                .with("refused", matches!(reason, LeftOut::Refused(_)))
                .with("reason", reason_text(reason))
                .into()
        })
        .collect();
    Object::new()
        .with("path", report.path.to_string_lossy().into_owned())
        .with("rows", report.rows)
        .with("read", report.read)
        .with("removed", report.removed)
        .with("rebuilt", report.rebuilt)
        .with("leftOut", left_out)
        .into()
}
