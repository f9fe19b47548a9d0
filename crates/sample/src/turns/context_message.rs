//! One message of a context, read once: what is sent of it, and what decides how it is sent.

use std::sync::Arc;

use pitree_format::js::parse;
use pitree_format::message::is_type;
use pitree_format::{JsString, Object, Role, Value, usage};
use pitree_session::context::to_llm;

use super::clean;
use super::pairing::{CallName, CallNames};
use crate::message::{
    ChatMessage, ChatRole, Part, ReplyBlock, Speaker, ToolCall, ToolResult, Usage,
};
use crate::texts::{self, NO_OUTPUT, is_blank};

/// A message of a context.
#[derive(Clone, Debug, PartialEq)]
pub enum ContextMessage {
    /// A patch of the system prompt and the tools.
    System(Value),
    /// The user, or what is told in the user's place.
    User(Arc<ChatMessage>),
    /// A reply of the model.
    Reply(Arc<Reply>),
    /// The result of a tool. The id of its call is the one that the session has.
    Result(Arc<ChatMessage>),
}

/// A reply of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What was said. Its calls may have been named.
    pub message: Arc<ChatMessage>,
    /// The ids of its calls that the session has: empty or double ones too.
    pub recorded_ids: Vec<String>,
    /// Who said it.
    pub model: ModelKey,
    /// How it ended.
    pub end: ReplyEnd,
}

/// A model as the session names it. Pi compares all three.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelKey {
    provider: Option<JsString>,
    api: Option<JsString>,
    model: Option<JsString>,
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// As the model wanted.
    Whole,
    /// In the middle: cut off at the limit, or put off. It is sent on, and nobody should learn it.
    Cut,
    /// By an error or by the user. It is not sent on.
    Failed,
}

impl ModelKey {
    /// The model that a reply or a list of models names.
    pub(crate) fn new(
        provider: Option<JsString>,
        api: Option<JsString>,
        model: Option<JsString>,
    ) -> Self {
        Self { provider, api, model }
    }

    /// The model that a reply in Pi's form names.
    pub(crate) fn of(reply: &Value) -> Self {
        let key = |name| reply.get_string(name).cloned();
        Self::new(key("provider"), key("api"), key("model"))
    }
}

impl ReplyEnd {
    /// The end that a `stopReason` means.
    pub fn of(reason: Option<&str>) -> Self {
        match reason {
            Some("error" | "aborted") => Self::Failed,
            Some("length" | "deferred" | "pending") => Self::Cut,
            _ => Self::Whole,
        }
    }
}

/// The entry that a message comes from.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageOrigin<'a> {
    /// Its id.
    pub entry_id: Option<&'a str>,
    /// Its time, as it is written.
    pub timestamp: Option<&'a str>,
    /// The thinking level that was set when the entry was written.
    pub thinking_level: Option<&'a str>,
}

impl Reply {
    /// Gives its calls names that no call before it has.
    pub fn name_calls(&mut self, names: &CallNames) -> Vec<CallName> {
        let entry = self.message.entry_id.as_deref().unwrap_or_default();
        let names = names.of(entry, self.recorded_ids.iter().map(String::as_str));
        self.set_names(&names);
        names
    }

    /// Gives its calls these names.
    pub fn set_names(&mut self, names: &[CallName]) {
        if names.iter().any(|name| name.is_made_up) {
            Arc::make_mut(&mut self.message).name_calls(names.to_vec());
        }
    }

    /// Whether it says or does something that is sent on.
    pub fn is_heard(&self) -> bool {
        !self.message.tool_calls.is_empty() || !self.message.content.is_empty()
    }

    /// Whether the model is done: it is whole, says something and calls no tool.
    pub fn is_answer(&self) -> bool {
        self.end == ReplyEnd::Whole
            && !self.message.content.is_empty()
            && self.recorded_ids.is_empty()
    }

    /// Whether it is worth learning: it is whole, and there is something in it.
    pub fn is_target(&self) -> bool {
        self.end == ReplyEnd::Whole && (self.is_heard() || self.message.reasoning.is_some())
    }
}

impl ChatMessage {
    /// Gives its calls the names that they go by.
    pub(super) fn name_calls(&mut self, names: Vec<CallName>) {
        for (call, name) in self.tool_calls.iter_mut().zip(names) {
            call.made_up_id |= name.is_made_up;
            call.id = name.id;
        }
    }
}

impl ContextMessage {
    /// The entry that the message comes from.
    pub fn entry_id(&self) -> Option<&str> {
        match self {
            Self::System(_) => None,
            Self::User(message) | Self::Result(message) => message.entry_id.as_deref(),
            Self::Reply(reply) => reply.message.entry_id.as_deref(),
        }
    }

    /// Reads a message of a context. `None` for what the model is not told.
    pub fn read(message: &Value, origin: MessageOrigin<'_>) -> Option<Self> {
        match Role::of(message) {
            Role::System => Some(Self::System(clean::value(message))),
            Role::User => read_user(message, origin),
            Role::Assistant => Some(Self::Reply(Arc::new(read_reply(message, origin)))),
            Role::ToolResult => Some(Self::Result(Arc::new(read_result(message, origin)))),
            // Commands, summaries and messages of extensions are told in the user's place.
            _ => read_user(&to_llm([message]).pop()?, origin),
        }
    }
}

fn read_user(message: &Value, origin: MessageOrigin<'_>) -> Option<ContextMessage> {
    let content = parts(message.get("content"));
    let said = ChatMessage { content, ..origin.message(ChatRole::User) };
    (!said.content.is_empty()).then(|| ContextMessage::User(Arc::new(said)))
}

impl MessageOrigin<'_> {
    /// An empty message of this origin.
    pub fn message(&self, role: ChatRole) -> ChatMessage {
        ChatMessage {
            role,
            content: Vec::new(),
            reasoning: None,
            tool_calls: Vec::new(),
            result: None,
            entry_id: self.entry_id.map(str::to_owned),
            timestamp: self.timestamp.map(str::to_owned),
            speaker: None,
        }
    }
}

/// Text and images of a content: a string, or a list of blocks.
fn parts(content: Option<&Value>) -> Vec<Part> {
    match content {
        Some(Value::String(text)) if !text.is_empty() => vec![Part::Text(clean::text(text))],
        Some(Value::Array(blocks)) => blocks.iter().filter_map(part).collect(),
        _ => Vec::new(),
    }
}

fn part(block: &Value) -> Option<Part> {
    match block.get_string("type")?.as_str()? {
        "text" => {
            let text = clean::text(block.get_string("text")?);
            (!text.is_empty()).then_some(Part::Text(text))
        }
        "image" | "media" => {
            let data = block.get_string("data")?.to_shared()?;
            let mime_type = block.get_string("mimeType").map(clean::text).unwrap_or_default();
            Some(Part::Image { mime_type, data })
        }
        _ => None,
    }
}

fn read_result(message: &Value, origin: MessageOrigin<'_>) -> ChatMessage {
    let text = |name| message.get_string(name).map(clean::text).unwrap_or_default();
    let content = result_content(message);
    let result = ToolResult {
        call_id: text("toolCallId"),
        name: text("toolName"),
        is_error: message.get("isError").is_some_and(Value::is_truthy),
    };
    ChatMessage { content, result: Some(result), ..origin.message(ChatRole::Tool) }
}

/// What a tool gave back. Where there are images, they stay among the texts.
fn result_content(message: &Value) -> Vec<Part> {
    let blocks = texts::blocks(message);
    // Most results are nothing but text, and long.
    if blocks.iter().any(|block| !is_type(block, "text")) {
        let mut content = parts(message.get("content"));
        if content.iter().any(|part| matches!(part, Part::Image { .. })) {
            let is_blank =
                |part: &Part| matches!(part, Part::Text(text) if is_blank(&text.as_str().into()));
            content.retain(|part| !is_blank(part));
            return content;
        }
    }
    let text = texts::result_text(&blocks);
    let text = if is_blank(&text) { NO_OUTPUT.to_owned() } else { clean::text(&text) };
    vec![Part::Text(text)]
}

/// What a reply says, as one text.
fn reply_content(message: &Value) -> Vec<Part> {
    let said = texts::joined(&texts::reply_texts(&texts::blocks(message)), "");
    (!said.is_empty()).then(|| Part::Text(clean::text(&said))).into_iter().collect()
}

/// The order of what a reply says and calls; empty where it is one text and then the calls.
fn reply_blocks(message: &Value) -> Vec<ReplyBlock> {
    let block = |block: &Value| match texts::kind(block) {
        "text" => {
            let text = block.get_string("text").filter(|text| !is_blank(text))?;
            Some(ReplyBlock::Text(clean::text(&texts::sanitized(text)).len()))
        }
        "toolCall" => Some(ReplyBlock::Call),
        _ => None,
    };
    let blocks: Vec<ReplyBlock> = texts::blocks(message).iter().filter_map(block).collect();
    let is_usual = blocks.iter().skip(1).all(|block| *block == ReplyBlock::Call);
    if is_usual { Vec::new() } else { blocks }
}

fn read_reply(message: &Value, origin: MessageOrigin<'_>) -> Reply {
    let text = |name| message.get_string(name).map(clean::text);
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
    let end = ReplyEnd::of(text("stopReason").as_deref());
    let speaker = Speaker {
        provider: text("provider"),
        model: text("model"),
        answered_by: text("responseModel")
            .filter(|name| !name.is_empty())
            .or_else(|| text("model")),
        api: text("api"),
        stop_reason: text("stopReason"),
        thinking_level: text("thinkingLevel").or(origin.thinking_level.map(str::to_owned)),
        usage: message.get("usage").and_then(read_usage),
        time_ms: message.get("timestamp").and_then(Value::as_number),
        blocks: reply_blocks(message),
        is_second_half: false,
    };
    let said = ChatMessage {
        content: reply_content(message),
        reasoning: reasoning(blocks),
        tool_calls: blocks.iter().filter_map(tool_call).collect(),
        speaker: Some(speaker),
        ..origin.message(ChatRole::Assistant)
    };
    let model = ModelKey::of(message);
    let recorded_ids = said.tool_calls.iter().map(|call| call.id.clone()).collect();
    Reply { message: Arc::new(said), recorded_ids, model, end }
}

/// What the model thought, where the provider tells it.
fn reasoning(blocks: &[Value]) -> Option<String> {
    let thoughts = blocks.iter().filter(|block| is_type(block, "thinking"));
    let texts: Vec<String> = thoughts
        .filter_map(|block| block.get_string("thinking"))
        .filter(|text| !is_blank(text))
        .map(clean::text)
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn tool_call(block: &Value) -> Option<ToolCall> {
    if !is_type(block, "toolCall") {
        return None;
    }
    let text = |name| block.get_string(name).map(clean::text).unwrap_or_default();
    let arguments = arguments(block.get("arguments"));
    Some(ToolCall { id: text("id"), made_up_id: false, name: text("name"), arguments })
}

/// The arguments as an object. Some files hold them as text.
fn arguments(value: Option<&Value>) -> Value {
    let wrapped = |value: &Value| Object::new().with("value", clean::value(value)).into();
    match value {
        None | Some(Value::Null) => Value::Object(Object::new()),
        Some(object @ Value::Object(_)) => clean::value(object),
        Some(value @ Value::String(text)) => match parse(text.as_bytes()) {
            Ok(object @ Value::Object(_)) => clean::value(&object),
            _ => wrapped(value),
        },
        Some(other) => wrapped(other),
    }
}

/// Tokens and cost of a `usage` object.
pub fn read_usage(value: &Value) -> Option<Usage> {
    usage::Usage::decode(value).as_ref().map(Usage::of)
}
