//! Tool calls that were made together, and their results. Each call is drawn with its result, not
//! all calls and then all results.

use pitree_format::message::{Block, Content, Message};
use pitree_format::{JsString, Role, Value};
use pitree_session::Session;

use super::entry::{EntryGroup, ToolPairing};
use super::{Transcript, TranscriptItem};

impl Transcript {
    /// Which calls are drawn with an item, and which are drawn elsewhere.
    pub(super) fn pairing(&self, session: &Session, at: usize) -> ToolPairing {
        let is_result = |item: &TranscriptItem| item.group == EntryGroup::Result;
        let start = match is_result(&self.items[at]) {
            true => self.items[..at].iter().rposition(|item| !is_result(item)),
            false => Some(at),
        };
        let Some(start) = start else { return ToolPairing::default() };
        let is_reply =
            session.at(self.items[start].entry).is_some_and(|it| it.is_message(Role::Assistant));
        let results: Vec<usize> = self.items[start + 1..]
            .iter()
            .take_while(|item| is_result(item))
            .map(|item| item.entry)
            .collect();
        if !is_reply || results.len() < 2 {
            return ToolPairing::default();
        }
        let calls = calls_of(session, self.items[start].entry);
        if calls.len() < 2 {
            return ToolPairing::default();
        }
        let answered: Vec<Option<JsString>> =
            results.iter().map(|entry| call_id(session, *entry)).collect();
        if at == start {
            return ToolPairing { elsewhere: answered.into_iter().flatten().collect(), call: None };
        }
        // A call is drawn once, whatever a file says.
        let mine = at - start - 1;
        let id = answered[mine].as_ref();
        let is_first = !answered[..mine].iter().any(|other| other.as_ref() == id);
        let call = calls.into_iter().find(|call| is_first && id == Some(&call.id));
        let call = call.map(|call| (call.name, call.arguments, mine == 0));
        ToolPairing { elsewhere: Vec::new(), call }
    }
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
