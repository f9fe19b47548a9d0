//! The conversation as it is sent for one model.
//!
//! The rules are those of Pi's provider layer: a failed reply is left out, the thoughts of another
//! model are dropped, a tool call without a result gets one. Beyond them, because training
//! templates need it: ids of calls are never empty and never double, the results stand in the
//! order of the calls, and a result without a call is left out.

use std::collections::HashSet;
use std::sync::Arc;

use super::source::{End, ModelKey, Reply, Source};
use crate::sample::{ChatMessage, ChatRole, Part, ToolCall, ToolResult};

/// What Pi tells the model of a call that never came back.
const NO_RESULT: &str = "No result provided";

/// A conversation that grows at its end.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// The model that it is sent to; `None` keeps everybody's thoughts.
    model: Option<ModelKey>,
    messages: Vec<Arc<ChatMessage>>,
    used_ids: HashSet<String>,
    open: Vec<OpenCall>,
}

/// A call whose result has not been placed yet.
#[derive(Clone, Debug)]
struct OpenCall {
    /// The id that the session has; may be empty.
    recorded_id: String,
    call: ToolCall,
    result: Option<Arc<ChatMessage>>,
}

impl Thread {
    /// A conversation for this model; for none, with everything that was thought.
    pub(crate) fn new(model: Option<ModelKey>) -> Self {
        Self { model, messages: Vec::new(), used_ids: HashSet::new(), open: Vec::new() }
    }

    /// Adds the next message.
    pub(crate) fn push(&mut self, source: &Source) {
        match source {
            // The prompt stands before the conversation, whenever it was patched.
            Source::System(_) => {}
            Source::User(message) => {
                self.close();
                self.messages.push(message.clone());
            }
            Source::Reply(reply) => {
                let message = self.voice(reply);
                let is_sent = self.model.is_none() || reply.is_heard();
                if reply.end == End::Failed || !is_sent {
                    return;
                }
                self.open_calls(reply, &message);
                self.messages.push(message);
            }
            Source::Result(result) => self.take_result(result),
        }
    }

    /// All that is sent at this point. Calls without a result get one.
    pub(crate) fn request(&mut self) -> &[Arc<ChatMessage>] {
        self.close();
        &self.messages
    }

    /// A reply as it stands in this conversation: with ids that are its own, and without the
    /// thoughts of another model. It is not added.
    pub(crate) fn voice(&mut self, reply: &Reply) -> Arc<ChatMessage> {
        self.close();
        let keeps_thoughts = self.model.as_ref().is_none_or(|model| *model == reply.model);
        let has_good_ids = {
            let mut own = HashSet::new();
            let mut ids = reply.message.tool_calls.iter().map(|call| call.id.as_str());
            ids.all(|id| !id.is_empty() && !self.used_ids.contains(id) && own.insert(id))
        };
        if has_good_ids && (keeps_thoughts || reply.message.reasoning.is_none()) {
            return reply.message.clone();
        }
        let mut message = ChatMessage::clone(&reply.message);
        if !keeps_thoughts {
            message.reasoning = None;
        }
        self.name_calls(&mut message);
        Arc::new(message)
    }

    /// Gives calls without an id, or with one that was used before, an id of their own.
    fn name_calls(&self, message: &mut ChatMessage) {
        let entry = message.entry_id.clone().unwrap_or_default();
        let mut own: HashSet<String> = HashSet::new();
        for (at, call) in message.tool_calls.iter_mut().enumerate() {
            let is_free =
                |id: &str| !id.is_empty() && !self.used_ids.contains(id) && !own.contains(id);
            if !is_free(&call.id) {
                let first = format!("call_{entry}_{at}");
                let more = (1..).map(|number| format!("{first}_{number}"));
                let mut names = std::iter::once(first.clone()).chain(more);
                call.id = names.find(|id| is_free(id)).unwrap_or(first);
                call.made_up_id = true;
            }
            own.insert(call.id.clone());
        }
    }

    fn open_calls(&mut self, reply: &Reply, voiced: &ChatMessage) {
        for (recorded, call) in reply.message.tool_calls.iter().zip(&voiced.tool_calls) {
            self.used_ids.insert(call.id.clone());
            let recorded_id = recorded.id.clone();
            self.open.push(OpenCall { recorded_id, call: call.clone(), result: None });
        }
    }

    /// Gives a result to its call: the one with its id; where there are no ids, the first one of
    /// the same tool that still waits.
    fn take_result(&mut self, message: &Arc<ChatMessage>) {
        let Some(result) = &message.result else { return };
        let waiting = |call: &OpenCall| call.result.is_none();
        let has_no_id = |call: &OpenCall| call.recorded_id.is_empty() || result.call_id.is_empty();
        let place = |fits: &dyn Fn(&OpenCall) -> bool| {
            self.open.iter().position(|call| waiting(call) && fits(call))
        };
        let found = place(&|call| {
            call.recorded_id == result.call_id
                && (!has_no_id(call) || call.call.name == result.name)
        })
        .or_else(|| place(&|call| has_no_id(call) && call.call.name == result.name))
        .or_else(|| place(&has_no_id));
        if let Some(at) = found {
            let call = &mut self.open[at];
            call.result = Some(answering(message, result, &call.call));
        }
    }

    /// Places the results behind their calls, in the order of the calls.
    fn close(&mut self) {
        for open in self.open.drain(..) {
            let result = open.result.unwrap_or_else(|| Arc::new(no_result(&open.call)));
            self.messages.push(result);
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
