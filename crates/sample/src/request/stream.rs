//! A request message by message, for whoever does not need all of it at a time. What it costs in
//! memory does not grow with the conversation.

use std::sync::Arc;

use pitree_format::{EntryKind, Role, Value};
use pitree_session::{EntryRef, Session};

use super::build::Conversation;
use super::cache_marks::{Marker, mark};
use super::target::RequestSettings;
use super::tools::ToolUse;
use super::{Names, Request, RequestError, names_of, notes_of};

/// Gives each message of the request behind a reply to `tell`, in order, and returns the rest of
/// it: [`Request::messages`] and [`Request::transcript`] are empty there.
pub(super) fn each_message<'s, E: From<RequestError>>(
    session: &'s Session,
    reply: EntryRef<'s>,
    settings: &RequestSettings,
    tell: &mut impl FnMut(Arc<Value>) -> Result<(), E>,
) -> Result<Request, E> {
    let (Names { reply: id, provider, model, api }, is_no_answer) = names_of(session, reply)?;
    let (target, is_known) = settings.target(&provider, &model, &api);
    let leaf = reply.parent();
    // What system messages say changes how the messages before them are written, so they are
    // looked at first.
    let mut scout = Conversation::new(&target, settings);
    if may_have_system_messages(session, leaf) {
        each_entry(session, leaf, |messages, entry| {
            scout.push(messages, entry);
            scout.forget();
            Ok::<_, E>(())
        })?;
    }
    let frame = scout.frame(settings);
    drop(scout);
    let mut marker = Marker::new(mark(&target.compat, settings.cache_retention));
    for message in frame.head {
        marker.push(message, tell)?;
    }
    let mut conversation = Conversation::with_tools(&target, settings, frame.tool_use);
    each_entry(session, leaf, |messages, entry| {
        conversation.push(messages, entry);
        conversation.take_written().into_iter().try_for_each(|message| marker.push(message, tell))
    })?;
    let has_tool_history = conversation.has_tool_history();
    for message in conversation.take_ending() {
        marker.push(message, tell)?;
    }
    marker.finish(tell)?;
    let mut tools = frame.tools;
    marker.mark_tools(Arc::<Vec<Value>>::make_mut(&mut tools));
    let is_told = !tools.is_empty() || has_tool_history;
    let notes = notes_of(settings, is_known, &api, frame.records_system, is_no_answer);
    Ok(Request {
        reply: id,
        provider,
        model,
        api,
        transcript: Vec::new(),
        messages: Vec::new(),
        tools: is_told.then_some(tools),
        notes,
    })
}

/// Whether there may be system messages: those of the session, or the one that stands for those
/// before a compaction.
fn may_have_system_messages(session: &Session, leaf: Option<EntryRef<'_>>) -> bool {
    let path = leaf.map(|leaf| session.path_to(leaf.index())).unwrap_or_default();
    let may_have = |entry: &EntryRef<'_>| {
        entry.is_message(Role::System) || !matches!(entry.kind(), EntryKind::Message)
    };
    path.iter().any(may_have)
}

fn each_entry<'s, E: From<RequestError>>(
    session: &'s Session,
    leaf: Option<EntryRef<'s>>,
    mut take: impl FnMut(&[Value], usize) -> Result<(), E>,
) -> Result<(), E> {
    let leaf = leaf.map(|leaf| leaf.index());
    let told = session.each_projected_at(leaf, |projected| {
        take(&projected.messages, projected.entry.index()).map_err(Stopped::Told)
    });
    match told {
        Ok(_) => Ok(()),
        Err(Stopped::Told(error)) => Err(error),
        Err(Stopped::Session(error)) => Err(RequestError::Session(error).into()),
    }
}

/// Why not all entries were told.
enum Stopped<E> {
    Told(E),
    Session(pitree_session::SessionError),
}

impl<E> From<pitree_session::SessionError> for Stopped<E> {
    fn from(error: pitree_session::SessionError) -> Self {
        Self::Session(error)
    }
}

/// What surrounds the messages of a request.
pub(super) struct Frame {
    pub(super) head: Vec<Arc<Value>>,
    pub(super) tools: Arc<Vec<Value>>,
    pub(super) tool_use: ToolUse,
    pub(super) records_system: bool,
}
