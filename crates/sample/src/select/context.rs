//! The context of each reply along a branch, without building each one anew.
//!
//! Along a branch the context mostly grows at its end. It is rebuilt only where something before
//! the end may change: at a compaction, at a context edit, for another model.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pitree_format::js::date::format_iso;
use pitree_format::{EntryKind, Value};
use pitree_session::context::current_system_message;
use pitree_session::{EntryRef, Session};

use super::Context;
use super::names::BranchNames;
use super::paths::is_reply;
use crate::error::SampleError;
use crate::message::{ChatMessage, ChatRole, Part};
use crate::texts::system_text;
use crate::turns::MessageOrigin;
use crate::turns::{ContextMessage, ModelKey, Reply, ReplyEnd, Thread, clean};

/// A walk along a branch, from its root on.
#[derive(Clone)]
pub(super) struct Walk<'s> {
    session: &'s Session,
    context: Context,
    /// What the context is made of, in order.
    sources: Vec<ContextMessage>,
    /// The conversation so far, for the last model that was asked.
    thread: Option<(ModelKey, Thread)>,
    /// How many of the sources are in it.
    threaded: usize,
    prompt: Prompt,
    /// Whether the prompt must be put together anew before it is used.
    is_prompt_stale: bool,
    /// The last reply that was looked at, so that it is not read again when it is passed.
    looked_at: Option<(usize, ContextMessage)>,
    /// The entries whose content was edited on this branch.
    edited: HashSet<String>,
    /// The thinking level where the walk stands.
    thinking_level: Option<String>,
    /// The thinking level at each reply that was passed, if one was set.
    levels: HashMap<usize, String>,
    /// The ids that the calls of the branch go by.
    names: BranchNames,
    /// Whether the sources must be read anew before they are used.
    is_stale: bool,
    /// Whether anything but the end has changed since the last exchange.
    is_disturbed: bool,
}

/// The system prompt and the tools, after all patches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Prompt {
    pub(super) system: Option<Arc<ChatMessage>>,
    pub(super) tools: Option<Arc<Vec<Value>>>,
}

/// A reply and what was sent to get it.
pub(super) struct Exchange<'w> {
    pub(super) prompt: &'w Prompt,
    pub(super) messages: &'w [Arc<ChatMessage>],
    pub(super) reply: Arc<ChatMessage>,
    /// Whether it is known that nothing but the end has changed since the last exchange.
    pub(super) only_grew: bool,
    /// Whether the context is the branch as it was said.
    pub(super) is_raw: bool,
}

impl<'s> Walk<'s> {
    pub(super) fn new(session: &'s Session, context: Context) -> Self {
        let thinking_level = session.header().thinking_level.as_ref().map(clean::text);
        Self {
            session,
            context,
            sources: Vec::new(),
            thread: None,
            threaded: 0,
            prompt: Prompt::default(),
            is_prompt_stale: false,
            looked_at: None,
            edited: HashSet::new(),
            thinking_level,
            levels: HashMap::new(),
            names: BranchNames::default(),
            is_stale: false,
            is_disturbed: true,
        }
    }

    /// The reply of an entry with its context, if the reply is worth learning. The entry itself
    /// has not been passed yet.
    pub(super) fn exchange(
        &mut self,
        entry: EntryRef<'s>,
    ) -> Result<Option<Exchange<'_>>, SampleError> {
        self.note_level(entry);
        let Some(reply) = self.look_at(entry)? else { return Ok(None) };
        if !reply.is_target() {
            return Ok(None);
        }
        if self.is_stale {
            self.read_anew(entry.parent())?;
        }
        self.refresh_prompt();
        let is_raw = self.context == Context::Raw;
        let model = if is_raw { ModelKey::default() } else { reply.model.clone() };
        if self.thread.as_ref().is_none_or(|(asked, _)| *asked != model) {
            let thread = Thread::new((!is_raw).then(|| model.clone()));
            self.thread = Some((model, thread));
            self.threaded = 0;
            self.is_disturbed = true;
        }
        let only_grew = !std::mem::take(&mut self.is_disturbed);
        let Some((_, thread)) = &mut self.thread else { return Ok(None) };
        self.sources[self.threaded..].iter().for_each(|source| thread.push(source));
        self.threaded = self.sources.len();
        let reply = thread.voice(&reply);
        let messages = thread.request();
        Ok(Some(Exchange { prompt: &self.prompt, messages, reply, only_grew, is_raw }))
    }

    /// How a reply ended that [`exchange`](Self::exchange) has just looked at.
    pub(super) fn end_of(&self, entry: EntryRef<'s>) -> Option<ReplyEnd> {
        match &self.looked_at {
            Some((at, ContextMessage::Reply(reply))) if *at == entry.index() => Some(reply.end),
            _ => None,
        }
    }

    /// Goes past an entry: what follows has it in its context.
    pub(super) fn pass(&mut self, entry: EntryRef<'s>) -> Result<(), SampleError> {
        self.note_level(entry);
        match entry.kind() {
            EntryKind::ThinkingLevelChange => {
                let value = entry.value()?;
                self.thinking_level = value.get_string("thinkingLevel").map(clean::text);
            }
            EntryKind::Compaction | EntryKind::ContextEdit if self.context == Context::Raw => {}
            EntryKind::Compaction => self.is_stale = true,
            EntryKind::ContextEdit => {
                let value = entry.value()?;
                let target = value.get_string("targetId");
                self.edited.extend(target.map(|target| target.to_text().into_owned()));
                self.is_stale = true;
            }
            _ if self.is_stale || self.edited.contains(entry.id()) => {
                self.is_stale = true;
                if is_reply(entry) && !self.names.has(entry.index()) {
                    // What follows must not go by the ids of its calls.
                    self.look_at(entry)?;
                }
            }
            _ => match self.looked_at.take() {
                Some((at, source)) if at == entry.index() => self.sources.push(source),
                _ => {
                    let messages = self.session.messages_of(entry)?;
                    self.add(entry, &messages);
                }
            },
        }
        self.names.pass(entry.index());
        Ok(())
    }

    fn note_level(&mut self, entry: EntryRef<'s>) {
        if let Some(level) = self.thinking_level.as_ref().filter(|_| is_reply(entry)) {
            self.levels.entry(entry.index()).or_insert_with(|| level.clone());
        }
    }

    fn add(&mut self, entry: EntryRef<'s>, messages: &[Value]) {
        let timestamp = entry.time().map(format_iso);
        let origin = MessageOrigin {
            entry_id: Some(entry.id()),
            timestamp: timestamp.as_deref(),
            thinking_level: self.levels.get(&entry.index()).map(String::as_str),
        };
        let first_new = self.sources.len();
        for message in messages {
            let Some(mut source) = ContextMessage::read(message, origin) else { continue };
            if let ContextMessage::Reply(reply) = &mut source {
                self.names.give(entry.index(), reply);
            }
            self.sources.push(source);
        }
        let is_patch = |source: &ContextMessage| matches!(source, ContextMessage::System(_));
        self.is_prompt_stale |= self.sources[first_new..].iter().any(is_patch);
    }

    /// Builds the context at an entry as Pi does.
    fn read_anew(&mut self, at: Option<EntryRef<'s>>) -> Result<(), SampleError> {
        let projection = self.session.projection_at(at.map(|entry| entry.index()))?;
        let before = std::mem::take(&mut self.sources);
        for projected in &projection.entries {
            self.add(projected.entry, &projected.messages);
        }
        share(&mut self.sources, &before);
        self.thread = None;
        self.is_prompt_stale = true;
        self.is_stale = false;
        Ok(())
    }

    /// Reads a reply and keeps it for when it is passed.
    fn look_at(&mut self, entry: EntryRef<'s>) -> Result<Option<Arc<Reply>>, SampleError> {
        let messages = self.session.messages_of(entry)?;
        let before = self.sources.len();
        self.add(entry, &messages);
        self.looked_at = self.sources.drain(before..).next().map(|source| (entry.index(), source));
        Ok(match &self.looked_at {
            Some((_, ContextMessage::Reply(reply))) => Some(reply.clone()),
            _ => None,
        })
    }

    fn refresh_prompt(&mut self) {
        if !std::mem::take(&mut self.is_prompt_stale) {
            return;
        }
        let patches = self.sources.iter().filter_map(|source| match source {
            ContextMessage::System(message) => Some(message),
            _ => None,
        });
        let current = current_system_message(patches).map(Value::from);
        self.prompt.system = current.as_ref().and_then(system_message).map(Arc::new);
        let tools = current.as_ref().and_then(|system| system.get("toolsAdded"));
        let tools = tools.and_then(Value::as_array).filter(|tools| !tools.is_empty());
        self.prompt.tools = tools.map(|tools| Arc::new(tools.to_vec()));
    }
}

/// Takes messages that were read before instead of their equals, so that samples share them.
fn share(sources: &mut [ContextMessage], before: &[ContextMessage]) {
    let entry_ids = before.iter().enumerate().filter_map(|(at, it)| Some((it.entry_id()?, at)));
    let places: HashMap<&str, usize> = entry_ids.collect();
    for source in sources {
        let place = source.entry_id().and_then(|id| places.get(id));
        if let Some(same) = place.map(|&at| &before[at]).filter(|before| *before == source) {
            *source = same.clone();
        }
    }
}

/// The prompt as one text: the content and the sections, with blank lines between them.
fn system_message(system: &Value) -> Option<ChatMessage> {
    let text = clean::text(&system_text(system));
    (!text.is_empty()).then(|| ChatMessage {
        role: ChatRole::System,
        content: vec![Part::Text(text)],
        reasoning: None,
        tool_calls: Vec::new(),
        result: None,
        entry_id: None,
        timestamp: None,
        speaker: None,
    })
}
