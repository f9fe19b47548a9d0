//! Commands that are done in one go, and the words for what came of them.

use pitree_format::Role;
use pitree_format::message::Message;
use pitree_host::live::{LiveError, LiveSession, Replaced};
use pitree_session::Session;

use super::entry::group_of;
use super::place;

/// The answer to a user whose extension does not want it.
pub(super) const CANCELLED: &str = "An extension cancelled it; nothing was changed.";

/// An error with what to do about it.
pub(super) fn with_hint(error: &LiveError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}\n{hint}"),
        None => error.to_string(),
    }
}

pub(super) type Said = Result<String, String>;

/// The words for a session that took the place of another one: none, unless it did not.
pub(super) fn replaced(replaced: Result<Replaced, LiveError>) -> Said {
    match replaced {
        Ok(replaced) if replaced.cancelled => Err(CANCELLED.to_owned()),
        Ok(_) => Ok(String::new()),
        Err(LiveError::NothingToClone) => Err("Nothing to clone yet".to_owned()),
        Err(error) => Err(with_hint(&error)),
    }
}

pub(super) fn clone(live: &mut LiveSession) -> Said {
    replaced(place::keep(live).and_then(|()| live.clone_session()))?;
    Ok("This is the clone.".to_owned())
}

pub(super) fn new(live: &mut LiveSession) -> Said {
    replaced(place::keep(live).and_then(|()| live.new_session(None)))?;
    Ok("A new session. Its file is written with the first message.".to_owned())
}

pub(super) fn name(live: &mut LiveSession, wanted: &str) -> Said {
    if wanted.is_empty() {
        let name = live.session().name().map_err(|error| error.to_string())?;
        return Ok(match name {
            Some(name) => format!("The session is called {name}"),
            None => "The session has no name: /name NAME gives it one".to_owned(),
        });
    }
    live.set_name(&wanted.into()).map_err(|error| with_hint(&error))?;
    let name = live.session().name().ok().flatten().map(|name| name.to_string());
    Ok(format!("The session is called {} now.", name.unwrap_or_default()))
}

/// Labels the last message of the conversation.
pub(super) fn label(live: &mut LiveSession, wanted: &str) -> Said {
    let path = live.session().active_path();
    let target = path.iter().rev().find(|entry| group_of(**entry).is_some());
    let id = target.map(|entry| entry.id().to_owned()).ok_or("There is no message yet.")?;
    let label = Some(wanted).filter(|label| !label.is_empty()).map(Into::into);
    live.set_label(&id, label).map_err(|error| with_hint(&error))?;
    Ok(match wanted {
        "" => "The last message has no label now.".to_owned(),
        _ => "The last message is labelled.".to_owned(),
    })
}

/// The text of the last answer on the active branch.
pub(super) fn last_answer(session: &Session) -> Option<String> {
    let path = session.active_path();
    let answers = path.iter().rev().filter(|entry| entry.is_message(Role::Assistant));
    answers
        .filter_map(|entry| entry.message().ok().flatten())
        .filter_map(|message| match Message::decode(&message) {
            Message::Assistant(answer) => Some(answer.content.to_text("\n")),
            _ => None,
        })
        .find(|text| !text.trim().is_empty())
}
