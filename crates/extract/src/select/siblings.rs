//! Replies to the same context: the one that the user went on with, and those that were left.
//!
//! One walk along the active branch finds them. A reply beside the active one counts only if what
//! was said since the reply before is the same and the model was sent the same: then nothing but
//! the reply is different.

use std::sync::Arc;

use pitree_format::{EntryKind, Value};
use pitree_session::{EntryRef, Session, Tree};

use super::Context;
use super::context::{Prompt, Walk};
use super::paths::is_reply;
use crate::error::ExtractError;
use crate::sample::{About, ChatMessage, Sample, SampleKind};

const OTHER_PROMPT: &str = "an answer to another prompt";
const OTHER_CONTEXT: &str = "an answer to another context";
const NO_ANSWER: &str = "a reply that failed or was cut off";
const SAME: &str = "a reply that says the same";

/// Two replies to the same context.
pub(crate) struct Siblings<'s> {
    /// The request of the active reply and, as its last message, the reply.
    pub(crate) active: Sample,
    /// The reply that was left.
    pub(crate) left: Arc<ChatMessage>,
    /// The entry of the active reply.
    pub(crate) active_entry: EntryRef<'s>,
    /// The entry of the reply that was left.
    pub(crate) left_entry: EntryRef<'s>,
}

/// What a search for siblings comes to.
pub(crate) enum Found<'s> {
    /// A pair.
    Pair(Box<Siblings<'s>>),
    /// A reply that cannot be compared with the active one, and why.
    Skipped(&'static str),
}

/// Hands on every reply beside one of the active branch.
pub(crate) fn siblings<'s>(
    session: &'s Session,
    tree: &Tree,
    about: &Arc<About>,
    context: Context,
    emit: &mut dyn FnMut(Found<'s>) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    let Some(leaf) = session.leaf() else { return Ok(()) };
    let path = session.path_to(leaf.index());
    let mut walk = Walk::new(session, context);
    let mut since = 0;
    for (at, &entry) in path.iter().enumerate() {
        if is_reply(entry) {
            let others = replies_beside(session, tree, &path, since, at);
            if !others.is_empty() {
                let beside = Beside { session, about, leaf_id: leaf.id(), said: &path[since..at] };
                beside.compare(entry, &others, &mut walk, emit)?;
            }
            since = at + 1;
        }
        walk.pass(entry)?;
    }
    Ok(())
}

/// The replies off the path that follow on what stands between the last reply and this one. Those
/// on a branch of a branch are among them, as long as no other reply comes before.
fn replies_beside<'s>(
    session: &'s Session,
    tree: &Tree,
    path: &[EntryRef<'s>],
    since: usize,
    at: usize,
) -> Vec<EntryRef<'s>> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for place in since..=at {
        let on_path = path[place].index();
        let beside = |child: &usize| *child != on_path;
        match place.checked_sub(1) {
            Some(before) => open.extend(tree.children(path[before].index()).filter(beside)),
            None => open.extend(tree.roots().filter(beside)),
        }
    }
    while let Some(entry) = open.pop().and_then(|at| session.at(at)) {
        if is_reply(entry) {
            found.push(entry);
        } else {
            open.extend(tree.children(entry.index()));
        }
    }
    found.sort_by_key(EntryRef::index);
    found
}

/// The place of an active reply.
struct Beside<'a, 's> {
    session: &'s Session,
    about: &'a Arc<About>,
    leaf_id: &'a str,
    /// What stands on the path between the last reply and this one.
    said: &'a [EntryRef<'s>],
}

impl<'s> Beside<'_, 's> {
    fn compare(
        &self,
        active: EntryRef<'s>,
        others: &[EntryRef<'s>],
        walk: &mut Walk<'s>,
        emit: &mut dyn FnMut(Found<'s>) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let Some(exchange) = walk.exchange(active)? else {
            return others.iter().try_for_each(|_| emit(Found::Skipped(NO_ANSWER)));
        };
        let (prompt, messages) = (exchange.prompt.clone(), exchange.messages.to_vec());
        let chosen = exchange.reply;
        for &other in others {
            if !self.follows_the_same(other)? {
                emit(Found::Skipped(OTHER_PROMPT))?;
                continue;
            }
            let found = match walk.exchange(other)? {
                None => Found::Skipped(NO_ANSWER),
                Some(exchange) if *exchange.prompt != prompt || exchange.messages != messages => {
                    Found::Skipped(OTHER_CONTEXT)
                }
                Some(exchange) if says_the_same(&exchange.reply, &chosen) => Found::Skipped(SAME),
                Some(exchange) => {
                    let id = format!("{}:{}:{}", self.about.session_id, active.id(), other.id());
                    Found::Pair(Box::new(Siblings {
                        active: self.sample(id, &prompt, &messages, &chosen),
                        left: exchange.reply,
                        active_entry: active,
                        left_entry: other,
                    }))
                }
            };
            emit(found)?;
        }
        Ok(())
    }

    fn sample(
        &self,
        id: String,
        prompt: &Prompt,
        messages: &[Arc<ChatMessage>],
        reply: &Arc<ChatMessage>,
    ) -> Sample {
        let system = prompt.system.clone().into_iter();
        let messages: Vec<_> =
            system.chain(messages.iter().cloned()).chain([reply.clone()]).collect();
        let mut trained = vec![false; messages.len()];
        if let Some(last) = trained.last_mut() {
            *last = true;
        }
        Sample {
            id,
            kind: SampleKind::Request,
            leaf_id: self.leaf_id.to_owned(),
            segment: 0,
            messages,
            trained,
            tools: prompt.tools.clone(),
            wire: None,
            about: self.about.clone(),
        }
    }

    /// Whether the same was said before this reply as before the active one.
    fn follows_the_same(&self, reply: EntryRef<'s>) -> Result<bool, ExtractError> {
        let mut other = Vec::new();
        let mut above = reply.parent();
        let mut shared = 0;
        while let Some(entry) = above.filter(|entry| !is_reply(*entry)) {
            if let Some(place) = self.said.iter().position(|said| said.index() == entry.index()) {
                shared = place + 1;
                break;
            }
            other.push(entry);
            above = entry.parent();
        }
        other.reverse();
        let mine = &self.said[shared..];
        if mine.is_empty() && other.is_empty() {
            return Ok(true);
        }
        let words = self.words(&other)?;
        Ok(words.is_some() && words == self.words(mine)?)
    }

    /// What the entries say, whenever it was said; none if they change what was said before.
    fn words(&self, entries: &[EntryRef<'s>]) -> Result<Option<Vec<Value>>, ExtractError> {
        let mut words = Vec::new();
        for &entry in entries {
            if matches!(entry.kind(), EntryKind::Compaction | EntryKind::ContextEdit) {
                return Ok(None);
            }
            for mut message in self.session.messages_of(entry)? {
                if let Some(message) = message.as_object_mut() {
                    message.remove("timestamp");
                }
                words.push(message);
            }
        }
        Ok(Some(words))
    }
}

/// Whether two replies are the same but for who gave them, and when.
fn says_the_same(one: &ChatMessage, other: &ChatMessage) -> bool {
    let calls = |message: &ChatMessage| -> Vec<_> {
        message.tool_calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect()
    };
    one.content == other.content && one.reasoning == other.reasoning && calls(one) == calls(other)
}
