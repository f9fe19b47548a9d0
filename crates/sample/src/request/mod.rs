//! What Pi sent to the model: the request behind every reply.
//!
//! A session file holds the conversation, not the requests. But Pi makes each request from the
//! session alone, so it can be made again: the context at the parent of the reply, then the
//! changes that Pi makes on the way out. There are two layers. [`Request::transcript`] is what a
//! model of any interface is given, in Pi's form. [`Request::messages`] and [`Request::tools`] are
//! the body of a chat-completions request, member for member; for a reply that came by another
//! interface they are the same conversation in that form, and a [`Note`] says so.
//!
//! The rules are those of Pi 1.5.0. Some things are not in the file, and nobody can tell them from
//! it: what an extension changed in a request on its way (`context`, `before_provider_request`, a
//! system prompt or hidden tools for one run), and what a model could do at that time. For the
//! latter the caller passes [`RequestSettings`]. Requests without a reply, such as those for
//! summaries, are not in the tree and are not made again.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("session.jsonl");
//! # let lines = [
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/shop"}"#,
//! #     r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"Hello","timestamp":1770159127000}}"#,
//! #     r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}],"api":"openai-completions","provider":"local","model":"small","stopReason":"stop","timestamp":1770159128000}}"#,
//! # ];
//! # fs_err::write(&path, lines.join("\n"))?;
//! # let environment = pitree_session::Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
//! # let session = pitree_session::Session::open(&path, &environment)?;
//! use pitree_sample::request::{self, RequestSettings};
//!
//! let settings = RequestSettings::default();
//! let request = request::for_reply(&session, "a2", &settings)?;
//! assert_eq!(request.messages.len(), 1);
//! assert_eq!(request.model, "small");
//! # Ok(())
//! # }
//! ```

mod build;
mod cache_marks;
mod chat;
mod ids;
mod reasoning;
mod stream;
mod target;
#[cfg(test)]
mod tests;
mod tools;
mod transcript;

use std::path::PathBuf;
use std::sync::Arc;

use pitree_format::{EntryKind, Role, Value};
use pitree_session::{EntryKey, EntryRef, Session, SessionError};
use thiserror::Error;

use crate::turns::ReplyEnd;
use build::Conversation;
use target::CHAT_COMPLETIONS;

pub use crate::note::Note;
pub use target::{CacheRetention, Compat, RequestSettings, TargetModel};
pub use transcript::TranscriptMessage;

/// One request to a model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The id of the reply's entry.
    pub reply: String,
    /// The provider that was asked.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// The interface by which it was asked.
    pub api: String,
    /// The conversation that the model was given, in Pi's form.
    pub transcript: Vec<TranscriptMessage>,
    /// The member `messages` of the chat-completions request.
    pub messages: Vec<Arc<Value>>,
    /// Its member `tools`; empty if tools were used before and are gone.
    pub tools: Option<Arc<Vec<Value>>>,
    /// What is not certain about it.
    pub notes: Vec<Note>,
}

/// Why a request cannot be made again.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The entry is no reply.
    #[error(
        "Entry {id}{} is not a reply of a model; choose an assistant message",
        path.as_ref().map(|path| format!(" ({}, line {line})", path.display())).unwrap_or_default()
    )]
    NotAReply {
        /// The entry.
        id: String,
        /// The session file, if there is one.
        path: Option<PathBuf>,
        /// The line of the entry.
        line: u64,
    },
}

/// The request behind one reply.
pub fn for_reply(
    session: &Session,
    reply: impl EntryKey,
    settings: &RequestSettings,
) -> Result<Request, RequestError> {
    let reply = session.require(reply)?;
    let mut requests = Requests::new(session, settings, vec![reply.index()]);
    requests.next().unwrap_or_else(|| Err(not_a_reply(session, reply)))
}

/// The request behind one reply, message by message: `tell` is given each of
/// [`Request::messages`], in order, and nothing is held of those it lets go. The request that is
/// returned has all but these and the transcript.
pub fn each_message<E: From<RequestError>>(
    session: &Session,
    reply: impl EntryKey,
    settings: &RequestSettings,
    mut tell: impl FnMut(Arc<Value>) -> Result<(), E>,
) -> Result<Request, E> {
    let reply = session.require(reply).map_err(RequestError::from)?;
    stream::each_message(session, reply, settings, &mut tell)
}

/// The request that Pi would send next: the conversation up to the leaf, for the model that the
/// session would be resumed with. [`Request::reply`] is empty, since there is none yet.
///
/// The interface is not in the file before there is a reply. It is that of the last reply of this
/// model on the path, else the one that [`RequestSettings`] know of it, else chat completions.
pub fn next(session: &Session, settings: &RequestSettings) -> Result<Request, RequestError> {
    let model = session.restored()?.model;
    let text = |value: Option<Value>| {
        value.and_then(Value::into_string).map(String::from).unwrap_or_default()
    };
    let (provider, model) = match model {
        Some(model) => (text(model.provider), text(model.model_id)),
        None => Default::default(),
    };
    let mut api = None;
    for entry in session.active_path().into_iter().rev().filter(is_reply) {
        let message = entry.message()?.unwrap_or(Value::Null);
        let is = |key: &str, name: &str| message.get_string(key).is_some_and(|text| text == name);
        if is("provider", &provider) && is("model", &model) {
            api = message.get_string("api").map(ToString::to_string);
            break;
        }
    }
    let api = api.or_else(|| settings.api_of(&provider, &model));
    let api = api.unwrap_or_else(|| CHAT_COMPLETIONS.to_owned());
    Requests::new(session, settings, Vec::new()).request_at(
        session.leaf(),
        (String::new(), provider, model, api),
        false,
    )
}

/// The requests behind all replies on the way to an entry, the first one first.
pub fn along_path<'s>(
    session: &'s Session,
    leaf: impl EntryKey,
    settings: &'s RequestSettings,
) -> Requests<'s> {
    let replies = session.path_to(leaf).into_iter().filter(is_reply);
    Requests::new(session, settings, replies.map(|reply| reply.index()).collect())
}

/// The requests behind some replies, given by their places in the file. What a request shares with
/// the one before is built once.
pub fn for_replies<'s>(
    session: &'s Session,
    settings: &'s RequestSettings,
    replies: impl IntoIterator<Item = usize>,
) -> Requests<'s> {
    Requests::new(session, settings, replies.into_iter().collect())
}

/// The requests behind all replies of a session, on all branches, in the order of the file.
pub fn everywhere<'s>(session: &'s Session, settings: &'s RequestSettings) -> Requests<'s> {
    let replies = session.entries().filter(is_reply);
    Requests::new(session, settings, replies.map(|reply| reply.index()).collect())
}

fn is_reply(entry: &EntryRef<'_>) -> bool {
    entry.is_message(Role::Assistant)
}

/// Whether a reply failed before the provider said anything.
fn is_no_answer(message: &Value) -> bool {
    let is_empty = message.get("content").and_then(Value::as_array).is_none_or(<[_]>::is_empty);
    is_empty && message.get("responseId").is_none() && transcript::end(message) == ReplyEnd::Failed
}

fn not_a_reply(session: &Session, entry: EntryRef<'_>) -> RequestError {
    RequestError::NotAReply {
        id: entry.id().to_owned(),
        path: session.path().map(Into::into),
        line: entry.line(),
    }
}

/// Requests, one after another. One that continues the one before costs only what is new, and
/// shares the messages that both have.
#[derive(Debug)]
pub struct Requests<'s> {
    session: &'s Session,
    settings: &'s RequestSettings,
    replies: std::vec::IntoIter<usize>,
    last: Option<Standing>,
}

/// Where the last request was taken.
#[derive(Debug)]
struct Standing {
    /// The parent of its reply.
    at: usize,
    target: Arc<TargetModel>,
    conversation: Conversation,
}

impl<'s> Requests<'s> {
    fn new(session: &'s Session, settings: &'s RequestSettings, replies: Vec<usize>) -> Self {
        Self { session, settings, replies: replies.into_iter(), last: None }
    }

    fn request(&mut self, reply: EntryRef<'s>) -> Result<Request, RequestError> {
        let (names, is_no_answer) = names_of(self.session, reply)?;
        let Names { reply: id, provider, model, api } = names;
        self.request_at(reply.parent(), (id, provider, model, api), is_no_answer)
    }

    /// The request after an entry, with the names of its reply, provider, model and interface.
    fn request_at(
        &mut self,
        at: Option<EntryRef<'s>>,
        (reply, provider, model, api): (String, String, String, String),
        is_no_answer: bool,
    ) -> Result<Request, RequestError> {
        let (target, is_known) = self.settings.target(&provider, &model, &api);
        let mut conversation = self.conversation(at, &target)?;
        let parts = conversation.request(self.settings);
        let notes = notes_of(self.settings, is_known, &api, parts.records_system, is_no_answer);
        self.last = at.map(|entry| Standing { at: entry.index(), target, conversation });
        Ok(Request {
            reply,
            provider,
            model,
            api,
            transcript: parts.transcript,
            messages: parts.messages,
            tools: parts.tools,
            notes,
        })
    }

    /// The conversation up to an entry: the last one continued, or one from the beginning.
    fn conversation(
        &mut self,
        leaf: Option<EntryRef<'s>>,
        target: &Arc<TargetModel>,
    ) -> Result<Conversation, RequestError> {
        let last = self.last.take().filter(|last| last.target == *target);
        if let (Some(last), Some(leaf)) = (last, leaf)
            && let Some(added) = added_since(last.at, leaf)
        {
            let mut conversation = last.conversation;
            for entry in added {
                conversation.push(&self.session.messages_of(entry)?, entry.index());
            }
            return Ok(conversation);
        }
        let mut conversation = Conversation::new(target, self.settings);
        for projected in self.session.projection_at(leaf.map(|leaf| leaf.index()))?.entries {
            conversation.push(&projected.messages, projected.entry.index());
        }
        Ok(conversation)
    }
}

/// Who a request was sent to, as its reply says.
struct Names {
    reply: String,
    provider: String,
    model: String,
    api: String,
}

/// The names of a reply, and whether it is no answer at all.
fn names_of(session: &Session, reply: EntryRef<'_>) -> Result<(Names, bool), RequestError> {
    let message = reply.message()?.filter(|_| is_reply(&reply));
    let message = message.ok_or_else(|| not_a_reply(session, reply))?;
    let name = |key: &str| message.get_string(key).map(ToString::to_string).unwrap_or_default();
    let (provider, model, api) = (name("provider"), name("model"), name("api"));
    let names = Names { reply: reply.id().to_owned(), provider, model, api };
    Ok((names, is_no_answer(&message)))
}

/// What is not certain about a request.
fn notes_of(
    settings: &RequestSettings,
    is_known: bool,
    api: &str,
    records_system: bool,
    is_no_answer: bool,
) -> Vec<Note> {
    let is_given = settings.system_prompt.is_some() || !settings.tools.is_empty();
    let notes = [
        (!is_known).then_some(Note::UnknownModel),
        (api != CHAT_COMPLETIONS).then_some(Note::OtherApi),
        (!records_system && !is_given).then_some(Note::NoSystemPrompt),
        (!records_system && is_given).then_some(Note::GivenSystemPrompt),
        is_no_answer.then_some(Note::NoAnswer),
    ];
    notes.into_iter().flatten().collect()
}

impl Iterator for Requests<'_> {
    type Item = Result<Request, RequestError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reply = self.session.at(self.replies.next()?)?;
        Some(self.request(reply))
    }
}

/// The entries between an earlier place and a later one, if nothing among them changes what was
/// before them.
fn added_since(earlier: usize, later: EntryRef<'_>) -> Option<Vec<EntryRef<'_>>> {
    let mut added = Vec::new();
    let mut entry = later;
    while entry.index() != earlier {
        if matches!(entry.kind(), EntryKind::Compaction | EntryKind::ContextEdit) {
            return None;
        }
        added.push(entry);
        entry = entry.parent()?;
    }
    added.reverse();
    Some(added)
}
