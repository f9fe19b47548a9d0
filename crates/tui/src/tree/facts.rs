//! What the tree needs to know of the bodies of entries, which lie in the file.
//!
//! Whether an assistant's message is shown, and what a search finds, stands in the bodies. They
//! are read once, on as many threads as the caller gives; until then every message counts as
//! shown and no search finds it.

use std::collections::HashMap;

use pitree_format::entry::Body;
use pitree_format::message::{Block, Message};
use pitree_format::{JsString, Value};
use pitree_session::parallel::in_parallel;
use pitree_session::{EntryRef, Session, TreeClass, is_silent};

use super::shape::TreeShape;
use super::words::search_text;

/// How many entries a thread takes at a time.
const BATCH: usize = 256;

/// What is known of all entries.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryFacts {
    pub(super) classes: Vec<TreeClass>,
    /// For each entry whether it is an assistant's message that says nothing.
    pub(super) is_silent: Vec<bool>,
    /// What a search looks through; `None` where the body was not read.
    pub(super) search: Vec<Option<Box<str>>>,
    /// The entries with a tool call, by the id of the call.
    calls: HashMap<Box<str>, Vec<u32>>,
}

/// What was read of some bodies.
#[derive(Debug, Default)]
pub struct Bodies(Vec<ReadBody>);

#[derive(Debug)]
struct ReadBody {
    entry: u32,
    is_silent: bool,
    calls: Vec<Box<str>>,
    search: Box<str>,
}

/// Which bodies to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// Those that decide what is shown.
    Assistants,
    /// Those that only a search needs.
    Others,
}

impl Bodies {
    /// Reads the bodies of one part, from an entry on. What cannot be read is left out.
    pub fn read(session: &Session, part: BodyPart, first: usize, threads: usize) -> Self {
        let wanted: Vec<EntryRef<'_>> = session
            .entries()
            .skip(first)
            .filter(|entry| match TreeClass::of(*entry) {
                TreeClass::Assistant => part == BodyPart::Assistants,
                TreeClass::Usage => false,
                _ => part == BodyPart::Others,
            })
            .collect();
        let batches: Vec<&[EntryRef<'_>]> = wanted.chunks(BATCH).collect();
        let read = |batch: &&[EntryRef<'_>]| -> Vec<ReadBody> {
            batch.iter().filter_map(|entry| ReadBody::of(*entry)).collect()
        };
        Self(in_parallel(&batches, threads, |_| 0, read).into_iter().flatten().collect())
    }
}

impl ReadBody {
    fn of(entry: EntryRef<'_>) -> Option<Self> {
        let value = entry.value().ok()?;
        let (is_silent, calls) = match Body::decode(&value) {
            Body::Message(Message::Assistant(assistant)) => {
                let calls = assistant.content.blocks().iter().filter_map(call_id);
                (is_silent(&assistant), calls.map(|id| (&*id.to_text()).into()).collect())
            }
            _ => (false, Vec::new()),
        };
        let search = search_text(&value).into();
        Some(Self { entry: entry.index() as u32, is_silent, calls, search })
    }
}

fn call_id(block: &Block) -> Option<&JsString> {
    if let Block::ToolCall { id, .. } = block { id.as_ref() } else { None }
}

impl EntryFacts {
    /// Notes the entries that are new.
    pub(super) fn extend(&mut self, session: &Session) {
        let known = self.classes.len();
        self.classes.extend(session.entries().skip(known).map(TreeClass::of));
        self.is_silent.resize(session.len(), false);
        self.search.resize(session.len(), None);
    }

    /// Takes in what was read. Entries that are not known yet are left for later.
    pub(super) fn take_in(&mut self, bodies: Bodies) {
        for body in bodies.0 {
            let at = body.entry as usize;
            if at >= self.classes.len() || self.search[at].is_some() {
                continue;
            }
            self.is_silent[at] = body.is_silent;
            self.search[at] = Some(body.search);
            for id in body.calls {
                self.calls.entry(id).or_default().push(body.entry);
            }
        }
    }

    /// The tool call with an id. Where several have it, the last one drawn counts, as in Pi.
    pub(super) fn call(
        &self,
        id: &JsString,
        shape: &TreeShape,
        session: &Session,
    ) -> Option<(JsString, Value)> {
        let entries = self.calls.get(&*id.to_text())?;
        let entry = entries.iter().max_by_key(|&&entry| shape.place[entry as usize])?;
        let message = session.at(*entry as usize)?.message().ok()??;
        let Message::Assistant(assistant) = Message::decode(&message) else { return None };
        let blocks = assistant.content.blocks().iter();
        let call = blocks.rev().find(|block| call_id(block) == Some(id))?;
        let Block::ToolCall { name, arguments, .. } = call else { return None };
        Some((name.clone().unwrap_or_default(), arguments.clone().unwrap_or(Value::Null)))
    }
}
