//! The results of the last reply of a branch.
//!
//! A sample ends with a reply, since nothing behind it is sent to the model. In a trajectory the
//! results of its calls belong to its own step, so they are read from the session.

use std::sync::Arc;

use pitree_format::js::date::format_iso;
use pitree_format::{EntryKind, Role};
use pitree_sample::turns::{ContextMessage, MessageOrigin, Reply, Thread};
use pitree_sample::{ChatMessage, ChatRole, Context, Sample, SampleKind};
use pitree_session::{EntryRef, Session};

use crate::error::ExtractError;

/// The results that follow the last reply of a sample on its branch.
pub(super) fn trailing_results(
    session: &Session,
    sample: &Sample,
    context: Context,
) -> Result<Vec<Arc<ChatMessage>>, ExtractError> {
    let Some((message, path)) = behind_last_reply(session, sample) else { return Ok(Vec::new()) };
    let mut path = path.into_iter();
    let Some(recorded) = path.next() else { return Ok(Vec::new()) };
    let Some(ContextMessage::Reply(recorded)) = sources(session, recorded)?.pop() else {
        return Ok(Vec::new());
    };
    // The reply as it stands in the sample: its calls have their names already.
    let reply = Reply { message: Arc::clone(message), ..Reply::clone(&recorded) };
    let mut thread = Thread::new((context == Context::AsSent).then(|| reply.model.clone()));
    thread.push(&ContextMessage::Reply(Arc::new(reply)));
    for entry in path.take_while(|entry| !entry.is_message(Role::Assistant)) {
        sources(session, entry)?.iter().for_each(|source| thread.push(source));
    }
    let said = thread.request().iter();
    // A result that was made up has no entry.
    let is_result = |message: &&Arc<_>| is_result(message);
    Ok(said.filter(is_result).cloned().collect())
}

fn is_result(message: &ChatMessage) -> bool {
    message.role == ChatRole::Tool && message.entry_id.is_some()
}

/// What an entry says.
fn sources(session: &Session, entry: EntryRef<'_>) -> Result<Vec<ContextMessage>, ExtractError> {
    if entry.kind() == EntryKind::Compaction {
        return Ok(Vec::new());
    }
    let timestamp = entry.time().map(format_iso);
    let origin = MessageOrigin {
        entry_id: Some(entry.id()),
        timestamp: timestamp.as_deref(),
        thinking_level: None,
    };
    let messages = session.messages_of(entry)?;
    Ok(messages.iter().filter_map(|message| ContextMessage::read(message, origin)).collect())
}

/// The reply with calls that a branch ends with, and its entry with those behind it.
fn behind_last_reply<'s>(
    session: &'s Session,
    sample: &'s Sample,
) -> Option<(&'s Arc<ChatMessage>, Vec<EntryRef<'s>>)> {
    let reply = sample.messages.last()?;
    let has_calls = reply.role == ChatRole::Assistant && !reply.tool_calls.is_empty();
    let entry = session.entry(reply.entry_id.as_deref()?)?;
    if sample.kind != SampleKind::Path || !has_calls {
        return None;
    }
    let mut path = session.path_to(session.entry(&sample.leaf_id)?.index());
    let at = path.iter().position(|other| other.index() == entry.index())?;
    Some((reply, path.split_off(at)))
}
