//! Messages that a program writes: built member by member, printed as Pi prints them.
//!
//! [`Message::user`], [`Message::assistant`], [`Message::tool_result`] and [`Message::bash`] begin
//! one. What they become is what the real Pi stores: the same members in the same order, the
//! numbers of a usage all there. A message may be raw JSON too: a [`Value`] or an [`Object`] is
//! taken as it is.

use crate::message::{Message, text_block};
use crate::usage::Usage;
use crate::{JsString, Object, Value};

/// A message that is to be appended: one that was built here, or raw JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    value: Value,
    /// Whether it was built without a time.
    lacks_time: bool,
}

impl NewMessage {
    /// The message as JSON. One that was built without a time gets this one (Unix milliseconds);
    /// raw JSON stays as it is.
    pub fn into_value(self, now_ms: i64) -> Value {
        match self.value {
            Value::Object(mut message) if self.lacks_time => {
                message.set("timestamp", now_ms.into());
                message.into()
            }
            value => value,
        }
    }
}

impl From<Value> for NewMessage {
    fn from(value: Value) -> Self {
        Self { value, lacks_time: false }
    }
}

impl From<Object> for NewMessage {
    fn from(raw: Object) -> Self {
        Value::from(raw).into()
    }
}

/// What was built is a message.
macro_rules! messages_of {
    ($($Draft:ty),*) => {$(
        impl From<$Draft> for NewMessage {
            fn from(draft: $Draft) -> Self {
                let lacks_time = draft.timestamp.is_none();
                Self { value: draft.into_object().into(), lacks_time }
            }
        }
    )*};
}

messages_of!(UserDraft, AssistantDraft, ToolResultDraft, BashDraft);

impl Message {
    /// A message of the user.
    ///
    /// ```
    /// use pitree_format::{Message, NewMessage};
    ///
    /// let message = NewMessage::from(Message::user("Hello")).into_value(1_770_159_126_410);
    /// assert_eq!(
    ///     message.to_string(),
    ///     r#"{"role":"user","content":[{"type":"text","text":"Hello"}],"timestamp":1770159126410}"#
    /// );
    /// ```
    pub fn user(text: impl Into<JsString>) -> UserDraft {
        UserDraft { content: vec![text_block(text.into())], timestamp: None }
    }

    /// A reply of a model.
    ///
    /// ```
    /// use pitree_format::usage::Cost;
    /// use pitree_format::{Message, NewMessage, Object, Usage};
    ///
    /// let reply = Message::assistant("anthropic", "claude-sonnet-4-5")
    ///     .thinking("They want a listing.")
    ///     .text("I will look.")
    ///     .tool_call("call_1", "bash", Object::new().with("command", "ls"))
    ///     .usage(Usage::tokens(1200, 40).cached(800, 0).costing(Cost::dollars(0.0036, 0.0006)));
    /// let value = NewMessage::from(reply).into_value(1_770_159_126_410);
    /// assert_eq!(value.get("stopReason"), Some(&"toolUse".into()));
    /// assert_eq!(value.get("usage").unwrap().get_number("totalTokens"), Some(2040.0));
    /// ```
    pub fn assistant(provider: impl Into<JsString>, model: impl Into<JsString>) -> AssistantDraft {
        AssistantDraft { provider: provider.into(), model: model.into(), ..Default::default() }
    }

    /// What a tool gave back for a call.
    pub fn tool_result(
        tool_call_id: impl Into<JsString>,
        tool_name: impl Into<JsString>,
        text: impl Into<JsString>,
    ) -> ToolResultDraft {
        ToolResultDraft {
            tool_call_id: tool_call_id.into(),
            tool_name: tool_name.into(),
            content: vec![text_block(text.into())],
            ..Default::default()
        }
    }

    /// A shell command that the user ran (`!cmd`), with its output.
    pub fn bash(command: impl Into<JsString>, output: impl Into<JsString>) -> BashDraft {
        BashDraft { command: command.into(), output: output.into(), ..Default::default() }
    }
}

/// A user message being built; see [`Message::user`].
#[derive(Clone, Debug, PartialEq)]
pub struct UserDraft {
    content: Vec<Value>,
    timestamp: Option<i64>,
}

impl UserDraft {
    /// Adds an image: its bytes in Base64, and its media type.
    #[must_use]
    pub fn image(mut self, base64: impl Into<JsString>, mime_type: impl Into<JsString>) -> Self {
        self.content.push(image_block(base64.into(), mime_type.into()));
        self
    }

    setters! {
        /// When it was said, in Unix milliseconds; else the time of the append.
        timestamp: Option<i64>,
    }

    fn into_object(self) -> Object {
        Object::new()
            .with("role", "user")
            .with("content", self.content)
            .with("timestamp", self.timestamp)
    }
}

/// A reply being built; see [`Message::assistant`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantDraft {
    content: Vec<Value>,
    calls_tools: bool,
    api: Option<JsString>,
    provider: JsString,
    model: JsString,
    usage: Usage,
    stop_reason: Option<JsString>,
    timestamp: Option<i64>,
    response_model: Option<JsString>,
    response_id: Option<JsString>,
    raw_stop_reason: Option<JsString>,
    error_message: Option<JsString>,
    thinking_level: Option<JsString>,
    duration_ms: Option<i64>,
}

impl AssistantDraft {
    /// Adds text.
    #[must_use]
    pub fn text(mut self, text: impl Into<JsString>) -> Self {
        self.content.push(text_block(text.into()));
        self
    }

    /// Adds reasoning.
    #[must_use]
    pub fn thinking(self, text: impl Into<JsString>) -> Self {
        self.block(Object::new().with("type", "thinking").with("thinking", text.into()))
    }

    /// Adds reasoning with the signature that its provider wants back.
    #[must_use]
    pub fn signed_thinking(
        self,
        text: impl Into<JsString>,
        signature: impl Into<JsString>,
    ) -> Self {
        let block = Object::new().with("type", "thinking").with("thinking", text.into());
        self.block(block.with("thinkingSignature", signature.into()))
    }

    /// Adds a call of a tool. Without a stop reason the reply then stops for `toolUse`.
    #[must_use]
    pub fn tool_call(
        mut self,
        id: impl Into<JsString>,
        name: impl Into<JsString>,
        arguments: impl Into<Value>,
    ) -> Self {
        self.calls_tools = true;
        let call = Object::new().with("type", "toolCall").with("id", id.into());
        self.block(call.with("name", name.into()).with("arguments", arguments))
    }

    /// Adds a block as raw JSON.
    #[must_use]
    pub fn block(mut self, block: impl Into<Value>) -> Self {
        self.content.push(block.into());
        self
    }

    setters! {
        /// The API that was spoken, such as `anthropic-messages`. Without it the usual one of the
        /// provider, `openai-completions` for one that is not known.
        api: Option<into JsString>,
        /// Tokens and cost. What is missing in it is written as zero, and the totals as sums,
        /// since Pi counts on all of them.
        usage: Usage,
        /// Why it ended: `stop`, `length`, `toolUse`, `error`, `aborted`. Without it `error` if
        /// there is an error message, `toolUse` if a tool is called, else `stop`.
        stop_reason: Option<into JsString>,
        /// The provider's own word for why it ended.
        raw_stop_reason: Option<into JsString>,
        /// Why it failed, as the provider said. (Pi itself has another order of members for a reply
        /// that failed before anything was sent.)
        error_message: Option<into JsString>,
        /// The thinking level of the session.
        thinking_level: Option<into JsString>,
        /// The model that the provider says answered.
        response_model: Option<into JsString>,
        /// The provider's id of the reply.
        response_id: Option<into JsString>,
        /// How long it took, in milliseconds.
        duration_ms: Option<i64>,
        /// When it was begun, in Unix milliseconds; else the time of the append.
        timestamp: Option<i64>,
    }

    fn into_object(self) -> Object {
        let api = self.api.unwrap_or_else(|| usual_api(&self.provider).into());
        let usual_reason = match (&self.error_message, self.calls_tools) {
            (Some(_), _) => "error",
            (None, true) => "toolUse",
            (None, false) => "stop",
        };
        Object::new()
            .with("role", "assistant")
            .with("content", self.content)
            .with("api", api)
            .with("provider", self.provider)
            .with("model", self.model)
            .with("usage", self.usage.completed())
            .with("stopReason", self.stop_reason.unwrap_or_else(|| usual_reason.into()))
            .with("timestamp", self.timestamp)
            .with_some("responseId", self.response_id)
            .with_some("responseModel", self.response_model)
            .with_some("rawStopReason", self.raw_stop_reason)
            .with_some("errorMessage", self.error_message)
            .with_some("durationMs", self.duration_ms)
            .with_some("thinkingLevel", self.thinking_level)
    }
}

/// The API that Pi speaks with a provider, where it is always the same.
fn usual_api(provider: &JsString) -> &'static str {
    match provider.as_str() {
        Some("anthropic") => "anthropic-messages",
        Some("openai") => "openai-responses",
        Some("google") => "google-generative-ai",
        Some("amazon-bedrock") => "bedrock-converse-stream",
        _ => "openai-completions",
    }
}

/// A tool's result being built; see [`Message::tool_result`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResultDraft {
    tool_call_id: JsString,
    tool_name: JsString,
    content: Vec<Value>,
    details: Option<Value>,
    usage: Option<Usage>,
    is_error: bool,
    timestamp: Option<i64>,
    duration_ms: Option<i64>,
}

impl ToolResultDraft {
    /// Adds an image: its bytes in Base64, and its media type.
    #[must_use]
    pub fn image(mut self, base64: impl Into<JsString>, mime_type: impl Into<JsString>) -> Self {
        self.content.push(image_block(base64.into(), mime_type.into()));
        self
    }

    setters! {
        /// What only the interface sees.
        details: Option<into Value>,
        /// What the tool itself spent.
        usage: Option<Usage>,
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }

    setters! {
        /// How long it took, in milliseconds.
        duration_ms: Option<i64>,
        /// When it was there, in Unix milliseconds; else the time of the append.
        timestamp: Option<i64>,
    }

    fn into_object(self) -> Object {
        Object::new()
            .with("role", "toolResult")
            .with("toolCallId", self.tool_call_id)
            .with("toolName", self.tool_name)
            .with("content", self.content)
            .with_some("details", self.details)
            .with_some("usage", self.usage.map(Usage::completed))
            .with("isError", self.is_error)
            .with_some("durationMs", self.duration_ms)
            .with("timestamp", self.timestamp)
    }
}

/// A shell command being built; see [`Message::bash`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BashDraft {
    command: JsString,
    output: JsString,
    exit_code: Option<i32>,
    cancelled: bool,
    truncated: bool,
    full_output_path: Option<JsString>,
    exclude_from_context: bool,
    timestamp: Option<i64>,
}

impl BashDraft {
    setters! {
        /// Its exit code.
        exit_code: Option<i32>,
        /// Whether the user stopped it.
        cancelled: bool,
    }

    /// The output is cut; this file has all of it.
    #[must_use]
    pub fn full_output_path(mut self, path: impl Into<JsString>) -> Self {
        self.truncated = true;
        self.full_output_path = Some(path.into());
        self
    }

    /// `!!cmd`: kept out of the context.
    #[must_use]
    pub fn exclude_from_context(mut self) -> Self {
        self.exclude_from_context = true;
        self
    }

    setters! {
        /// When it was run, in Unix milliseconds; else the time of the append.
        timestamp: Option<i64>,
    }

    fn into_object(self) -> Object {
        Object::new()
            .with("role", "bashExecution")
            .with("command", self.command)
            .with("output", self.output)
            .with_some("exitCode", self.exit_code)
            .with("cancelled", self.cancelled)
            .with("truncated", self.truncated)
            .with_some("fullOutputPath", self.full_output_path)
            .with("timestamp", self.timestamp)
            .with("excludeFromContext", self.exclude_from_context)
    }
}

fn image_block(base64: JsString, mime_type: JsString) -> Value {
    Object::new().with("type", "image").with("data", base64).with("mimeType", mime_type).into()
}
