//! `pitree watch`: what happens in the sessions, as it happens.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use clap::Args;
use pitree_format::{JsString, Object, Value};
use pitree_session::location::read_found;
use pitree_session::outline_of;
use pitree_store::watch::{WatchChange, WatchEvent, WatchOptions};
use pitree_store::{FileStamp, Scope, ShortIds};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::list::scopes;
use crate::error::{CommandError, Exit, Result};
use crate::option_values::seconds;
use crate::output::{Output, Style};
use crate::target::{Target, Workspace};
use crate::text::{clean_line, counted, shorten};
use crate::unreadable::remark_unreadable;

/// How many characters of an entry are shown.
const MOST_CHARACTERS: usize = 120;

#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// Only this session: a file, an id, or a unique id prefix
    #[arg(value_name = "FILE|ID", conflicts_with = "scope")]
    session: Option<OsString>,

    /// Watch the sessions of this directory, of this repository, or all
    #[arg(long, value_parser = scopes(), default_value = "all")]
    scope: Scope,

    /// Poll the files twice a second instead of using file system events
    #[arg(long)]
    poll: bool,

    /// Stop after this many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    duration: Option<Duration>,
}

pub(crate) fn run(args: &WatchArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let only = match &args.session {
        Some(session) => Some(workspace.find(&Target { session: session.clone() })?),
        None => None,
    };
    if let Some(path) = &only {
        // Pi writes into an empty file, so that one is worth waiting for.
        if read_found(path)?.is_none() && FileStamp::of(path).is_some_and(|stamp| stamp.size > 0) {
            return Err(workspace.not_a_session(path));
        }
    }
    let options = WatchOptions { scope: args.scope, only, poll: args.poll };
    let mut watcher = workspace.store().watch(options);
    if let Some(reason) = watcher.fallback() {
        let remark = format!("no file system events ({reason}); polling twice a second");
        output.remark(&remark)?;
    }
    // Where nothing can be read there is nothing to wait for; it is not a folder without sessions.
    let count = watcher.count();
    if let (0, [(path, reason), ..]) = (count, watcher.unreadable()) {
        let message = format!("Cannot read {}: {reason}", workspace.display(path));
        let hint = "pass `--session-dir` or `--sessions-root` to watch another folder".to_owned();
        return Err(CommandError::BadData { message, hint: Some(hint) });
    }
    remark_unreadable(watcher.unreadable(), workspace, output)?;
    let mut ids = workspace.short_ids();
    output.remark(&format!(
        "watching {}; press Ctrl+C to stop",
        counted(count, "session", "sessions")
    ))?;
    let start = Instant::now();
    loop {
        let left = match args.duration {
            Some(duration) => duration.saturating_sub(start.elapsed()),
            None => Duration::MAX,
        };
        let mut result = Ok(());
        watcher.wait(left, &mut |event| {
            if matches!(event.change, WatchChange::Created { .. }) {
                // A prefix may name two sessions by now.
                ids = workspace.short_ids();
            }
            if result.is_ok() {
                result = print(&event, &ids, workspace, output);
            }
        });
        result?;
        // Whoever reads this wants it now.
        output.flush()?;
        if left.is_zero() || reader_is_gone() {
            return Ok(Exit::Ok);
        }
    }
}

/// Whether nobody can read our output any more. Where nothing happens nothing is written, and a
/// closed pipe would go unnoticed.
fn reader_is_gone() -> bool {
    let stdout = std::io::stdout();
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let answered = poll(&mut asked, Some(&Timespec::default()));
    let gone = PollFlags::ERR | PollFlags::HUP;
    answered.is_ok_and(|count| count > 0) && asked[0].revents().intersects(gone)
}

fn print(
    event: &WatchEvent,
    ids: &ShortIds,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    if output.json {
        return output.value(&to_value(event, workspace));
    }
    let id = format!("{:<1$}", clean_line(ids.short(&event.id)), ids.width());
    let id = output.paint(Style::Dim, &id);
    let word = output.paint(style(&event.change), &format!("{:<9}", name(&event.change)));
    let text = clean_line(&text(event, workspace));
    output.line(format!("{id}  {word}  {}", shorten(&text, MOST_CHARACTERS)).trim_end())
}

fn name(change: &WatchChange) -> &'static str {
    match change {
        WatchChange::Created { .. } => "created",
        WatchChange::Appended { .. } => "appended",
        WatchChange::Named { .. } => "named",
        WatchChange::Labelled { .. } => "labeled",
        WatchChange::Damaged { .. } => "damaged",
        WatchChange::Rewritten => "rewritten",
        WatchChange::Removed => "removed",
        _ => "changed",
    }
}

fn style(change: &WatchChange) -> Style {
    match change {
        WatchChange::Created { .. } => Style::Active,
        WatchChange::Appended { .. } => Style::Bold,
        WatchChange::Named { .. } | WatchChange::Labelled { .. } => Style::Label,
        _ => Style::Warning,
    }
}

/// What is said of an event, for people.
fn text(event: &WatchEvent, workspace: &Workspace) -> String {
    let or_none = |text: &Option<JsString>| match text {
        Some(text) => text.to_text().into_owned(),
        None => "(none)".to_owned(),
    };
    match &event.change {
        WatchChange::Created { parent, entries } => {
            let copied = parent.as_ref().map(|parent| format!(", forked from {parent}"));
            let copied = copied.unwrap_or_default();
            let entries = counted(*entries, "entry", "entries");
            format!("in {}, {entries}{copied}", workspace.display(event.cwd.as_ref()))
        }
        WatchChange::Appended { entry } => outline_of(entry),
        WatchChange::Named { name, .. } => or_none(name),
        WatchChange::Labelled { target, label, .. } => {
            format!("{}: {}", or_none(target), or_none(label))
        }
        WatchChange::Damaged { offset } => format!("line at byte {offset} is not an entry"),
        _ => workspace.display(&event.path),
    }
}

fn to_value(event: &WatchEvent, workspace: &Workspace) -> Value {
    let mut object = Object::new()
        .with("event", name(&event.change))
        .with("time", workspace.environment.now_iso())
        .with("path", event.path.to_string_lossy().into_owned())
        .with("id", event.id.as_str())
        .with("cwd", event.cwd.as_str());
    if let Some(entry) = event.change.entry() {
        let member = |value: &Value, key| value.get(key).cloned().unwrap_or(Value::Null);
        object = object
            .with("entryId", member(entry, "id"))
            .with("parentId", member(entry, "parentId"))
            .with("type", member(entry, "type"))
            .with("timestamp", member(entry, "timestamp"))
            .with_some("role", entry.get("message").map(|message| member(message, "role")))
            .with("text", shorten(&outline_of(entry), MOST_CHARACTERS));
    }
    match &event.change {
        WatchChange::Created { parent, entries } => {
            object.with("parentSession", parent.clone()).with("entries", *entries)
        }
        WatchChange::Named { name, .. } => object.with("name", name.clone()),
        WatchChange::Labelled { target, label, .. } => {
            object.with("targetId", target.clone()).with("label", label.clone())
        }
        WatchChange::Damaged { offset } => object.with("offset", *offset as f64),
        _ => object,
    }
    .into()
}
