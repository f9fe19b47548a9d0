//! The first layer: the messages that a model is given, in Pi's form, whatever its interface.
//!
//! Pi's context is not yet what it sends. [`sending`](crate::turns) has the rules that samples
//! share: which replies and which reasoning are left out, which results are made up. Beyond them
//! the ids of another model's calls are rewritten, images are replaced for a model that cannot see,
//! and system messages become one, unless the model takes updates. Messages are pushed one after another; what is final after a message stays
//! final, so a longer conversation costs only its new messages.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pitree_format::message::{is_type, text_block};
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::context::current_system_message;

use super::ids;
use super::target::{RequestSettings, TargetModel};
use crate::texts::{blocks, is_blank, kind};
use crate::turns::sending::{Kind, NO_RESULT, Sending, keeps_reasoning};
use crate::turns::{ModelKey, ReplyEnd};

const BLOCKED_IMAGE: &str = "Image reading is disabled.";
const UNSEEN_IMAGE: &str = "(image omitted: model does not support images)";
const UNSEEN_TOOL_IMAGE: &str = "(tool image omitted: model does not support images)";

/// A message that the model is given.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptMessage {
    /// The message in Pi's form, with the role `system`, `user`, `assistant` or `toolResult`.
    pub value: Arc<Value>,
    /// The entry that it comes from, by its place in the session; none for what Pi makes up and
    /// for a system message that stands for several.
    pub entry: Option<usize>,
}

/// A conversation on its way to one model.
#[derive(Debug)]
pub(super) struct Transcript {
    target: Arc<TargetModel>,
    /// The same as replies name it.
    model: ModelKey,
    block_images: bool,
    /// The messages that are final.
    list: Vec<TranscriptMessage>,
    /// The system messages so far. They are in the list of messages too if the model takes updates.
    systems: Vec<Arc<Value>>,
    has_tool_history: bool,
    /// New ids of tool calls by their old ones.
    new_ids: HashMap<JsString, JsString>,
    /// The calls of the last reply, their ids and names.
    calls: Vec<(Option<Value>, Option<Value>)>,
    /// The ids of the results since then.
    answered: HashSet<JsString>,
    /// System messages that came between calls and their results.
    held: Vec<TranscriptMessage>,
}

impl Transcript {
    pub(super) fn new(target: Arc<TargetModel>, settings: &RequestSettings) -> Self {
        let name = |name: &str| Some(JsString::from(name));
        let model = ModelKey::new(name(&target.provider), name(&target.api), name(&target.id));
        Self {
            target,
            model,
            block_images: settings.block_images,
            list: Vec::new(),
            systems: Vec::new(),
            has_tool_history: false,
            new_ids: HashMap::new(),
            calls: Vec::new(),
            answered: HashSet::new(),
            held: Vec::new(),
        }
    }

    /// The messages that are final, in order.
    pub(super) fn messages(&self) -> &[TranscriptMessage] {
        &self.list
    }

    /// Takes out the messages that are final.
    pub(super) fn take(&mut self) -> Vec<TranscriptMessage> {
        std::mem::take(&mut self.list)
    }

    /// Lets the messages go, but for the first one: it tells whether the conversation begins with
    /// a system message.
    pub(super) fn forget(&mut self) {
        self.list.truncate(1);
    }

    /// The system messages so far, in order.
    pub(super) fn systems(&self) -> &[Arc<Value>] {
        &self.systems
    }

    /// Whether a tool was called or answered, even in a reply that is left out.
    pub(super) fn has_tool_history(&self) -> bool {
        self.has_tool_history
    }

    /// All system messages as one.
    pub(super) fn folded_system(&self) -> Option<Value> {
        current_system_message(self.systems.iter().map(Arc::as_ref)).map(Value::from)
    }

    /// Takes the next message of the context.
    pub(super) fn push(&mut self, value: Value, entry: Option<usize>) {
        self.send(Incoming { value, entry });
    }

    /// What follows if the conversation ends here: results that are missing, and system messages
    /// that waited for them.
    pub(super) fn ending(&self) -> Vec<TranscriptMessage> {
        let is_missing = |id: &Option<Value>| {
            !id.as_ref().and_then(Value::as_string).is_some_and(|id| self.answered.contains(id))
        };
        let missing = self.calls.iter().filter(|(id, _)| is_missing(id)).map(|(id, name)| {
            let result = Object::new()
                .with("role", "toolResult")
                .with_some("toolCallId", id.clone())
                .with_some("toolName", name.clone())
                .with("content", vec![text_block(NO_RESULT)])
                .with("isError", true);
            TranscriptMessage { value: Arc::new(result.into()), entry: None }
        });
        missing.chain(self.held.iter().cloned()).collect()
    }

    /// Images that are not to be sent become words.
    fn with_fitting_images(&self, mut message: Value) -> Value {
        let for_blind = match Role::of(&message) {
            Role::User => UNSEEN_IMAGE,
            Role::ToolResult => UNSEEN_TOOL_IMAGE,
            _ => return message,
        };
        let Some(Value::Array(blocks)) =
            message.as_object_mut().and_then(|object| object.get_mut("content"))
        else {
            return message;
        };
        if !blocks.iter().any(|block| is_type(block, "image")) {
            return message;
        }
        if self.block_images {
            replace_images(blocks, BLOCKED_IMAGE);
        } else if !self.target.sees_images {
            replace_images(blocks, for_blind);
        }
        message
    }

    /// A reply as this model may see it.
    fn reply(&mut self, mut message: Value) -> Value {
        let is_own = keeps_reasoning(&self.model, &ModelKey::of(&message));
        let mut kept = Vec::new();
        for block in blocks(&message).into_owned() {
            self.has_tool_history |= is_type(&block, "toolCall");
            let block = match kind(&block) {
                "thinking" => Some(block).filter(|block| is_own && is_worth_sending(block)),
                "text" if !is_own => {
                    let text = block.get("text").cloned();
                    Some(Object::new().with("type", "text").with_some("text", text).into())
                }
                "toolCall" if !is_own => Some(self.foreign_call(block)),
                _ => Some(block),
            };
            kept.extend(block);
        }
        if let Some(object) = message.as_object_mut() {
            object.set("content", kept.into());
        }
        message
    }

    /// A call that another model made.
    fn foreign_call(&mut self, mut call: Value) -> Value {
        let old = call.get_string("id").cloned();
        let Some(object) = call.as_object_mut() else { return call };
        if object.get("thoughtSignature").is_some_and(Value::is_truthy) {
            object.remove("thoughtSignature");
        }
        if let Some(old) = old {
            let new = ids::for_provider(&old, &self.target.provider);
            if new != old {
                object.set("id", Value::String(new.clone()));
                self.new_ids.insert(old, new);
            }
        }
        call
    }

    /// A result under the id that its call has now.
    fn result(&self, mut message: Value) -> Value {
        let new = message.get_string("toolCallId").and_then(|id| self.new_ids.get(id)).cloned();
        if let (Some(new), Some(object)) =
            (new.filter(|id| !id.is_empty()), message.as_object_mut())
        {
            object.set("toolCallId", Value::String(new));
        }
        message
    }
}

/// A message of the context, and the entry that it comes from.
pub(super) struct Incoming {
    value: Value,
    entry: Option<usize>,
}

impl From<Incoming> for TranscriptMessage {
    fn from(Incoming { value, entry }: Incoming) -> Self {
        Self { value: Arc::new(value), entry }
    }
}

impl Sending for Transcript {
    type Message = Incoming;

    fn kind(&self, message: &Incoming) -> Kind {
        match Role::of(&message.value) {
            Role::System => Kind::System,
            Role::Assistant => Kind::Reply(end(&message.value)),
            Role::ToolResult => Kind::Result,
            _ => Kind::User,
        }
    }

    fn fit(&mut self, Incoming { value, entry }: Incoming) -> Incoming {
        let value = self.with_fitting_images(value);
        let value = match Role::of(&value) {
            Role::Assistant => self.reply(value),
            Role::ToolResult => self.result(value),
            _ => value,
        };
        Incoming { value, entry }
    }

    fn end_results(&mut self, _: Kind) {
        let ending = self.ending();
        self.list.extend(ending);
        self.calls.clear();
        self.answered.clear();
        self.held.clear();
    }

    fn add_system(&mut self, message: Incoming) {
        let message = TranscriptMessage::from(message);
        self.systems.push(Arc::clone(&message.value));
        if !self.target.compat.system_updates {
            return;
        }
        if self.calls.is_empty() { self.list.push(message) } else { self.held.push(message) }
    }

    fn add_user(&mut self, message: Incoming) {
        self.list.push(message.into());
    }

    fn add_reply(&mut self, message: Incoming) {
        self.calls = calls(&message.value);
        self.list.push(message.into());
    }

    fn add_result(&mut self, message: Incoming) {
        self.has_tool_history = true;
        self.answered.extend(message.value.get_string("toolCallId").cloned());
        self.list.push(message.into());
    }
}

/// The ids and names of the tools that a reply calls.
fn calls(message: &Value) -> Vec<(Option<Value>, Option<Value>)> {
    let blocks = blocks(message);
    let calls = blocks.iter().filter(|block| is_type(block, "toolCall"));
    calls.map(|call| (call.get("id").cloned(), call.get("name").cloned())).collect()
}

/// How a reply ended.
pub(super) fn end(reply: &Value) -> ReplyEnd {
    ReplyEnd::of(reply.get_string("stopReason").and_then(|reason| reason.as_str()))
}

/// Whether the model's own thinking has anything in it.
fn is_worth_sending(block: &Value) -> bool {
    block.get("redacted").is_some_and(Value::is_truthy)
        || block.get("thinkingSignature").is_some_and(Value::is_truthy)
        || block.get_string("thinking").is_some_and(|text| !is_blank(text))
}

/// Puts words in place of images, once for several in a row. Where images are blocked, a text of
/// the same words counts as one of the row.
fn replace_images(blocks: &mut Vec<Value>, words: &str) {
    let mut said_it = false;
    let mut replaced = Vec::with_capacity(blocks.len());
    for block in blocks.drain(..) {
        let is_image = is_type(&block, "image");
        let says_it = block.get_string("text").is_some_and(|text| *text == *words);
        let is_repeated = said_it && (is_image || (says_it && words == BLOCKED_IMAGE));
        said_it = is_image || says_it;
        if !is_repeated {
            replaced.push(if is_image { text_block(words) } else { block });
        }
    }
    *blocks = replaced;
}
