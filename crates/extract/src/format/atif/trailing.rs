//! The results of the last reply of a branch.
//!
//! A sample ends with a reply, since nothing behind it is sent to the model. In a trajectory the
//! results of its calls belong to its own step, so they are read from the session.

use std::sync::Arc;

use pitree_format::js::date::format_iso;
use pitree_format::{EntryKind, Role};
use pitree_session::{EntryRef, Session};

use crate::error::ExtractError;
use crate::sample::{ChatMessage, ChatRole, Sample, SampleKind, ToolResult};
use crate::turns::Source;
use crate::turns::source::Origin;

/// The results that follow the last reply of a sample on its branch.
pub(super) fn trailing_results(
    session: &Session,
    sample: &Sample,
) -> Result<Vec<Arc<ChatMessage>>, ExtractError> {
    let mut results = Vec::new();
    let Some((reply, entries)) = behind_last_reply(session, sample) else { return Ok(results) };
    let mut made_up = reply.tool_calls.iter().filter(|call| call.made_up_id);
    for entry in entries.into_iter().filter(|entry| entry.kind() == EntryKind::Message) {
        if entry.role() != Role::ToolResult {
            break;
        }
        let timestamp = entry.time().map(format_iso);
        let origin = Origin {
            entry_id: Some(entry.id()),
            timestamp: timestamp.as_deref(),
            thinking_level: None,
        };
        let message = entry.message()?;
        let read = message.and_then(|message| Source::read(&message, origin));
        let Some(Source::Result(mut message)) = read else { continue };
        // A result without an id belongs to the next call without one.
        if let Some(ToolResult { call_id, .. }) = &mut Arc::make_mut(&mut message).result
            && call_id.is_empty()
            && let Some(call) = made_up.next()
        {
            call_id.clone_from(&call.id);
        }
        results.push(message);
    }
    Ok(results)
}

/// The reply with calls that a branch ends with, and the entries behind it.
fn behind_last_reply<'s>(
    session: &'s Session,
    sample: &'s Sample,
) -> Option<(&'s ChatMessage, Vec<EntryRef<'s>>)> {
    let reply = sample.messages.last()?;
    let has_calls = reply.role == ChatRole::Assistant && !reply.tool_calls.is_empty();
    let entry = session.entry(reply.entry_id.as_deref()?)?;
    if sample.kind != SampleKind::Path || !has_calls {
        return None;
    }
    let mut path = session.path_to(session.entry(&sample.leaf_id)?.index());
    let at = path.iter().position(|other| other.index() == entry.index())?;
    Some((reply, path.split_off(at + 1)))
}
