//! Tool calls that were made together, and their results. Each call is drawn with its result, not
//! all calls and then all results.

use pitree_format::message::{Block, Content, Message};
use pitree_format::{JsString, Role, Value};
use pitree_session::Session;

use super::entry::{EntryGroup, ToolPairing};
use super::{Transcript, TranscriptItem};

/// A reply with several calls, and the results below it.
pub(super) struct Batch {
    /// The item of the reply.
    start: usize,
    calls: Vec<Call>,
    /// The call that each result is of.
    answered: Vec<Option<JsString>>,
}

impl Transcript {
    /// Which calls are drawn with an item, and which are drawn elsewhere.
    pub(super) fn pairing(&mut self, session: &Session, at: usize) -> ToolPairing {
        let start = match is_result(&self.items[at]) {
            true => self.items[..at].iter().rposition(|item| !is_result(item)),
            false => Some(at),
        };
        let Some(start) = start else { return ToolPairing::default() };
        // The items of a batch are asked for one after the other.
        let batch = match self.batch.take().filter(|batch| batch.start == start) {
            Some(batch) => batch,
            None => self.read_batch(session, start),
        };
        let batch = self.batch.insert(batch);
        if at == start {
            return ToolPairing {
                elsewhere: batch.answered.iter().flatten().cloned().collect(),
                call: None,
            };
        }
        // A call is drawn once, whatever a file says.
        let mine = at - start - 1;
        let Some(Some(id)) = batch.answered.get(mine) else { return ToolPairing::default() };
        let is_first = !batch.answered[..mine].iter().flatten().any(|other| other == id);
        let call = batch.calls.iter().find(|call| is_first && *id == call.id);
        let call = call.map(|call| (call.name.clone(), call.arguments.clone(), mine == 0));
        ToolPairing { elsewhere: Vec::new(), call }
    }

    /// What belongs together from an item on; nothing if there are not several calls with results.
    fn read_batch(&self, session: &Session, start: usize) -> Batch {
        let none = Batch { start, calls: Vec::new(), answered: Vec::new() };
        let is_reply =
            session.at(self.items[start].entry).is_some_and(|it| it.is_message(Role::Assistant));
        let results = self.items[start + 1..].iter().take_while(|item| is_result(item));
        if !is_reply || results.clone().nth(1).is_none() {
            return none;
        }
        let calls = calls_of(session, self.items[start].entry);
        if calls.len() < 2 {
            return none;
        }
        let answered = results.map(|item| call_id(session, item.entry)).collect();
        Batch { start, calls, answered }
    }
}

fn is_result(item: &TranscriptItem) -> bool {
    item.group == EntryGroup::Result
}

struct Call {
    id: JsString,
    name: String,
    arguments: Option<Value>,
}

fn calls_of(session: &Session, entry: usize) -> Vec<Call> {
    let message = session.at(entry).and_then(|entry| entry.message().ok().flatten());
    let Some(Message::Assistant(reply)) = message.as_ref().map(Message::decode) else {
        return Vec::new();
    };
    let Content::Blocks(blocks) = reply.content else { return Vec::new() };
    let call = |block: Block| match block {
        Block::ToolCall { id: Some(id), name, arguments, .. } => Some(Call {
            id,
            name: name.map(|name| name.to_string()).unwrap_or_default(),
            arguments,
        }),
        _ => None,
    };
    blocks.into_iter().filter_map(call).collect()
}

/// The shell commands of an entry: those that a reply calls for, the one that a result is of, or the
/// user's own.
pub(crate) fn commands_of(session: &Session, entry: usize) -> Vec<String> {
    let command = |call: Call| Some(call.arguments?.get_string("command")?.to_string());
    if let Some(id) = call_id(session, entry) {
        let mut above = session.path_to(entry);
        above.pop();
        let reply = above.iter().rev().find(|entry| entry.is_message(Role::Assistant));
        let calls = reply.map(|reply| calls_of(session, reply.index())).unwrap_or_default();
        return calls.into_iter().filter(|call| call.id == id).filter_map(command).collect();
    }
    let message = session.at(entry).and_then(|entry| entry.message().ok().flatten());
    match message.as_ref().map(Message::decode) {
        Some(Message::BashExecution(bash)) => vec![bash.command.to_string()],
        _ => calls_of(session, entry).into_iter().filter_map(command).collect(),
    }
}

fn call_id(session: &Session, entry: usize) -> Option<JsString> {
    let message = session.at(entry)?.message().ok()??;
    message.get_string("toolCallId").cloned()
}
