//! Commands on the open session that need one step only, and the words for what they did.

use pitree_format::{EntryKind, Object, Role, Value};
use pitree_host::live::{LiveError, LiveSession, Replaced};
use pitree_host::shell::ShellResult;
use pitree_session::compaction::NavigateOptions;
use pitree_session::summary::Cancel;
use pitree_session::{AppendOutcome, EntryRef};

use crate::view::position;

/// The answer to a user whose extension does not want it.
pub(crate) const CANCELLED: &str = "An extension canceled it; nothing was changed.";

/// An error with what to do about it.
pub(crate) fn with_hint(error: &LiveError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}\n{hint}"),
        None => error.to_string(),
    }
}

/// The words for the user: what was done, or why not.
pub(crate) type CommandResult = Result<String, String>;

/// The words for a session that took the place of another one: none, unless it did not.
pub(crate) fn replaced(replaced: Result<Replaced, LiveError>) -> CommandResult {
    match replaced {
        Ok(replaced) if replaced.cancelled => Err(CANCELLED.to_owned()),
        Ok(_) => Ok(String::new()),
        Err(LiveError::NothingToClone) => Err("Nothing to clone yet".to_owned()),
        Err(error) => Err(with_hint(&error)),
    }
}

pub(crate) fn clone(live: &mut LiveSession) -> CommandResult {
    replaced(live.clone_session())?;
    Ok("This is the clone.".to_owned())
}

pub(crate) fn new(live: &mut LiveSession) -> CommandResult {
    replaced(live.new_session(None))?;
    Ok("A new session. Its file is written with the first message.".to_owned())
}

/// Appends a message of the user. Nobody answers it here; `answer` is the key that opens Pi.
pub(crate) fn say(live: &mut LiveSession, text: &str, answer: &str) -> CommandResult {
    let block = Object::new().with("type", "text").with("text", text);
    let message: Value = Object::new()
        .with("role", "user")
        .with("content", vec![Value::Object(block)])
        .with("timestamp", live.environment().now_ms() as f64)
        .into();
    let appended = live.append_message(message);
    let appended = appended.map_err(|error| with_hint(&error))?;
    Ok(match appended.appended.outcome {
        AppendOutcome::InMemory => "Kept in memory. This session has no file.".to_owned(),
        _ => {
            let id = live.session().id();
            format!(
                "Saved. Pi replies once it gets another message: type one and press {answer}, or \
                 run: pi --session {id}"
            )
        }
    })
}

/// Stores what a shell command wrote.
pub(crate) fn store_shell(
    live: &mut LiveSession,
    command: &str,
    result: &ShellResult,
    excluded: bool,
) -> CommandResult {
    let now = live.environment().now_ms();
    let message = result.to_message(command, now, excluded.then_some(true));
    live.append_message(message).map_err(|error| with_hint(&error))?;
    Ok(String::new())
}

/// Saves the position, after a move to an entry if one is named.
pub(crate) fn go_to(live: &mut LiveSession, entry: &str) -> CommandResult {
    if !entry.is_empty() {
        let found = live.session().entry_by_prefix(entry).map_err(|error| error.to_string())?;
        let id = found.id().to_owned();
        let moved = live.navigate_tree(&id, NavigateOptions::default(), &Cancel::new());
        if moved.map_err(|error| with_hint(&error))?.cancelled {
            return Err(CANCELLED.to_owned());
        }
    }
    if !position::has_had_file(live.session()) {
        return Err("This session has no file yet: send a message first.".to_owned());
    }
    Ok(match position::save(live).map_err(|error| with_hint(&error))? {
        true => "Position saved. Pi resumes here.".to_owned(),
        false => "The position is saved already.".to_owned(),
    })
}

pub(crate) fn name(live: &mut LiveSession, wanted: &str) -> CommandResult {
    if wanted.is_empty() {
        let name = live.session().name().map_err(|error| error.to_string())?;
        return Ok(match name {
            Some(name) => format!("The session is named {name}"),
            None => "The session has no name: /name NAME gives it one".to_owned(),
        });
    }
    live.set_name(wanted).map_err(|error| with_hint(&error))?;
    let name = live.session().name().ok().flatten().map(|name| name.to_string());
    Ok(format!("The session is now named {}.", name.unwrap_or_default()))
}

/// Labels the last message of the conversation.
pub(crate) fn label(live: &mut LiveSession, wanted: &str) -> CommandResult {
    let path = live.session().active_path();
    let target = path.iter().rev().find(|entry| is_message(**entry));
    let id = target.map(|entry| entry.id().to_owned()).ok_or("No message yet.")?;
    let label = Some(wanted).filter(|label| !label.is_empty());
    if label.is_none() && live.session().labels().is_ok_and(|labels| labels.get(&id).is_none()) {
        return Ok("The last message has no label: /label TEXT gives it one".to_owned());
    }
    live.set_label(&id, label).map_err(|error| with_hint(&error))?;
    Ok(match wanted {
        "" => "The label of the last message was removed.".to_owned(),
        _ => "The last message is labeled.".to_owned(),
    })
}

/// Whether an entry is part of the conversation, so that the tree shows it and its label. Names,
/// model changes and the like are not.
fn is_message(entry: EntryRef<'_>) -> bool {
    match entry.kind() {
        EntryKind::Message => !matches!(entry.role(), Role::System | Role::Other),
        EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::CustomMessage => true,
        _ => false,
    }
}
