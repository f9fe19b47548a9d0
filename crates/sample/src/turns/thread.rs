//! The conversation as it is sent for one model.
//!
//! What is sent is decided in [`sending`](super::sending). Beyond these rules, because training
//! templates need it: ids of calls are never empty and never double, the results stand in the
//! order of the calls, and a result without a call is left out.

use std::sync::Arc;

use super::context_message::{ContextMessage, ModelKey, Reply};
use super::pairing::{CallNames, OpenCalls};
use super::sending::{Kind, NO_RESULT, Sending, keeps_reasoning};
use crate::message::{ChatMessage, ChatRole, Part, ToolCall, ToolResult};

/// A conversation that grows at its end.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The model that it is sent to; `None` for what was said, with everybody's thoughts.
    model: Option<ModelKey>,
    messages: Vec<Arc<ChatMessage>>,
    names: CallNames,
    awaited: Awaited,
}

/// The calls of the last reply.
#[derive(Clone, Debug, Default)]
struct Awaited {
    open: OpenCalls,
    calls: Vec<ToolCall>,
    results: Vec<Option<Arc<ChatMessage>>>,
    /// Where the first result stands, if they are placed already and may still be replaced.
    placed_at: Option<usize>,
}

impl Thread {
    /// A conversation for this model; for none, as it was said.
    pub fn new(model: Option<ModelKey>) -> Self {
        let (names, awaited) = (CallNames::default(), Awaited::default());
        Self { model, messages: Vec::new(), names, awaited }
    }

    /// Adds the next message.
    pub fn push(&mut self, source: &ContextMessage) {
        // The prompt stands before the conversation, whenever it was patched.
        if !matches!(source, ContextMessage::System(_)) {
            self.send(source.clone());
        }
    }

    /// All that is sent at this point. Calls without a result get one.
    pub fn request(&mut self) -> &[Arc<ChatMessage>] {
        self.close();
        &self.messages
    }

    /// A reply as it stands in this conversation: with ids that are its own, and without the
    /// thoughts of another model. It is not added.
    pub fn voice(&mut self, reply: &Reply) -> Arc<ChatMessage> {
        self.close();
        let keeps_thoughts =
            self.model.as_ref().is_none_or(|model| keeps_reasoning(model, &reply.model));
        let recorded = reply.message.tool_calls.iter().map(|call| call.id.as_str());
        let entry = reply.message.entry_id.as_deref().unwrap_or_default();
        let names = self.names.of(entry, recorded);
        let has_good_ids = names.iter().all(|name| !name.is_made_up);
        if has_good_ids && (keeps_thoughts || reply.message.reasoning.is_none()) {
            return reply.message.clone();
        }
        let mut message = ChatMessage::clone(&reply.message);
        if !keeps_thoughts {
            message.reasoning = None;
        }
        message.name_calls(names);
        Arc::new(message)
    }

    /// Gives a result to its call. What was said late is put where the call waited for it.
    fn take_result(&mut self, message: &Arc<ChatMessage>) {
        let Some(result) = &message.result else { return };
        let awaited = &mut self.awaited;
        let Some(at) = awaited.open.answer(&result.call_id, &result.name) else { return };
        let answer = answering(message, result, &awaited.calls[at]);
        match awaited.placed_at {
            Some(first) => self.messages[first + at] = answer,
            None => awaited.results[at] = Some(answer),
        }
    }

    /// No result comes any more.
    fn close(&mut self) {
        self.place_results();
        self.awaited = Awaited::default();
    }

    /// Places the results behind their calls, in the order of the calls.
    fn place_results(&mut self) {
        let awaited = &mut self.awaited;
        if awaited.placed_at.is_some() {
            return;
        }
        awaited.placed_at = Some(self.messages.len());
        for (call, result) in awaited.calls.iter().zip(&mut awaited.results) {
            let result = result.take().unwrap_or_else(|| Arc::new(no_result(call)));
            self.messages.push(result);
        }
    }
}

impl Sending for Thread {
    type Message = ContextMessage;

    fn kind(&self, source: &ContextMessage) -> Kind {
        match source {
            ContextMessage::System(_) => Kind::System,
            ContextMessage::User(_) => Kind::User,
            ContextMessage::Reply(reply) => Kind::Reply(reply.end),
            ContextMessage::Result(_) => Kind::Result,
        }
    }

    fn end_results(&mut self, next: Kind) {
        self.place_results();
        // As it was said, a late result is still taken after the user has spoken. As it was sent,
        // Pi has told the model by now that there is none.
        if self.model.is_some() || next != Kind::User {
            self.awaited = Awaited::default();
        }
    }

    /// The prompt is no part of the conversation.
    fn add_system(&mut self, _: ContextMessage) {}

    fn add_user(&mut self, source: ContextMessage) {
        if let ContextMessage::User(message) = source {
            self.messages.push(message);
        }
    }

    fn add_reply(&mut self, source: ContextMessage) {
        let ContextMessage::Reply(reply) = source else { return };
        if self.model.is_some() && !reply.is_heard() {
            return;
        }
        let message = self.voice(&reply);
        self.names.use_all(message.tool_calls.iter().map(|call| call.id.as_str()));
        self.awaited = Awaited::of(&reply, &message);
        self.messages.push(message);
    }

    fn add_result(&mut self, source: ContextMessage) {
        if let ContextMessage::Result(result) = source {
            self.take_result(&result);
        }
    }
}

impl Awaited {
    fn of(reply: &Reply, voiced: &ChatMessage) -> Self {
        let recorded = reply.recorded_ids.iter().map(String::as_str);
        let tools = voiced.tool_calls.iter().map(|call| call.name.as_str());
        Self {
            open: OpenCalls::new(recorded.zip(tools)),
            calls: voiced.tool_calls.clone(),
            results: vec![None; voiced.tool_calls.len()],
            placed_at: None,
        }
    }
}

/// The result with the id of its call.
fn answering(message: &Arc<ChatMessage>, result: &ToolResult, call: &ToolCall) -> Arc<ChatMessage> {
    if result.call_id == call.id && result.name == call.name {
        return message.clone();
    }
    let result = ToolResult { call_id: call.id.clone(), name: call.name.clone(), ..result.clone() };
    Arc::new(ChatMessage { result: Some(result), ..ChatMessage::clone(message) })
}

fn no_result(call: &ToolCall) -> ChatMessage {
    let result = ToolResult { call_id: call.id.clone(), name: call.name.clone(), is_error: true };
    ChatMessage {
        role: ChatRole::Tool,
        content: vec![Part::Text(NO_RESULT.to_owned())],
        reasoning: None,
        tool_calls: Vec::new(),
        result: Some(result),
        entry_id: None,
        timestamp: None,
        speaker: None,
    }
}
