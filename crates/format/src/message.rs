//! Messages and their content blocks, decoded on demand.

use crate::usage::Usage;
use crate::{JsString, Object, Role, Value};

pub use crate::content::{content_text, is_type, text_block};

/// The `message` of an entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// A patch of the system prompt or of the tools.
    System(SystemMessage),
    /// What the user said.
    User(UserMessage),
    /// What the model answered.
    Assistant(Box<AssistantMessage>),
    /// What a tool gave back.
    ToolResult(Box<ToolResultMessage>),
    /// A shell command the user ran (`!cmd`).
    BashExecution(BashExecution),
    /// A message of an extension (`custom`, in version 2 `hookMessage`).
    Custom(CustomMessage),
    /// The summary of a branch that was left; only in a built context.
    BranchSummary {
        /// The summary.
        summary: JsString,
        /// The leaf that was left.
        from_id: Option<JsString>,
    },
    /// The summary of what was compacted; only in a built context.
    CompactionSummary {
        /// The summary.
        summary: JsString,
        /// How many tokens the context had before.
        tokens_before: Option<f64>,
    },
    /// A role this version does not know. The raw value has all of it.
    Unknown {
        /// The role, if it is a string.
        role: Option<JsString>,
    },
}

/// `role: "system"`
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SystemMessage {
    /// Text that is added to the prompt.
    pub content: Content,
    /// Named parts of the prompt; `null` removes one.
    pub sections: Vec<(JsString, Option<JsString>)>,
    /// Tools that become available.
    pub tools_added: Vec<Value>,
    /// The names of tools that go.
    pub tools_removed: Vec<JsString>,
    /// Unix milliseconds.
    pub timestamp: Option<f64>,
}

/// `role: "user"`
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct UserMessage {
    /// What was said.
    pub content: Content,
    /// Files of version 1, beside the content and not in the context.
    pub attachments: Vec<Attachment>,
    /// Unix milliseconds.
    pub timestamp: Option<f64>,
}

/// A file attached to a user message of version 1.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Attachment {
    /// Its id.
    pub id: Option<JsString>,
    /// `image` or `document`.
    pub kind: Option<JsString>,
    /// Its file name.
    pub file_name: Option<JsString>,
    /// Its media type.
    pub mime_type: Option<JsString>,
    /// Its size in bytes.
    pub size: Option<f64>,
    /// The text that was taken out of a document.
    pub extracted_text: Option<JsString>,
}

/// `role: "assistant"`
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// Text, thinking and tool calls.
    pub content: Content,
    /// The API that was spoken.
    pub api: Option<JsString>,
    /// Who answered.
    pub provider: Option<JsString>,
    /// The model that was asked.
    pub model: Option<JsString>,
    /// The model that the provider says answered.
    pub response_model: Option<JsString>,
    /// The provider's id of the answer.
    pub response_id: Option<JsString>,
    /// The thinking level of the session.
    pub thinking_level: Option<JsString>,
    /// The thinking level as the provider names it.
    pub provider_thinking_level: Option<JsString>,
    /// Tokens and cost.
    pub usage: Option<Usage>,
    /// `stop`, `length`, `toolUse`, `error`, `aborted`, `deferred`, or another word.
    pub stop_reason: Option<JsString>,
    /// The provider's own word for it.
    pub raw_stop_reason: Option<JsString>,
    /// Why it failed.
    pub error_message: Option<JsString>,
    /// Problems on the way that did not end the answer.
    pub diagnostics: Option<Value>,
    /// An answer that is fetched later.
    pub deferred: Option<Value>,
    /// Whether the model ended its turn.
    pub end_turn: Option<bool>,
    /// Unix milliseconds.
    pub timestamp: Option<f64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<f64>,
}

/// `role: "toolResult"`
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolResultMessage {
    /// The call it answers; may be empty.
    pub tool_call_id: Option<JsString>,
    /// The tool.
    pub tool_name: Option<JsString>,
    /// What the model sees.
    pub content: Content,
    /// What only the interface sees; sub-agent results live here.
    pub details: Option<Value>,
    /// Spend of the tool itself.
    pub usage: Option<Usage>,
    /// Calls that the tool made in turn.
    pub nested_calls: Option<Value>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Unix milliseconds.
    pub timestamp: Option<f64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<f64>,
}

/// `role: "bashExecution"`
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BashExecution {
    /// The command line.
    pub command: JsString,
    /// Its output, possibly cut.
    pub output: JsString,
    /// Its exit code; absent when it was cancelled.
    pub exit_code: Option<f64>,
    /// Whether the user stopped it.
    pub cancelled: bool,
    /// Whether the output was cut.
    pub truncated: bool,
    /// Where the whole output is. A path from a file: hostile.
    pub full_output_path: Option<JsString>,
    /// `!!cmd`: kept out of the context.
    pub exclude_from_context: bool,
    /// Unix milliseconds.
    pub timestamp: Option<f64>,
}

/// `role: "custom"`, and the entry kind `custom_message`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CustomMessage {
    /// The extension's name for it.
    pub custom_type: Option<JsString>,
    /// What the model sees.
    pub content: Content,
    /// Whether the interface shows it.
    pub display: bool,
    /// What only the extension sees.
    pub details: Option<Value>,
    /// Unix milliseconds.
    pub timestamp: Option<f64>,
}

/// The `content` of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Content {
    /// Absent or `null`.
    #[default]
    Missing,
    /// A plain string.
    Text(JsString),
    /// A list of blocks.
    Blocks(Vec<Block>),
    /// Something else.
    Other,
}

/// A content block.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// `text`
    Text {
        /// The text.
        text: JsString,
        /// The provider's signature.
        signature: Option<JsString>,
    },
    /// `image` (and the port's `media`)
    Image {
        /// Base64, or a reference to a blob beside the file.
        data: ImageData,
        /// The media type.
        mime_type: Option<JsString>,
    },
    /// `thinking` (and the port's `redacted_thinking`)
    Thinking {
        /// The text.
        thinking: JsString,
        /// The provider's signature.
        signature: Option<JsString>,
        /// Whether the provider hid the text.
        redacted: bool,
    },
    /// `toolCall`
    ToolCall {
        /// Its id; may be empty.
        id: Option<JsString>,
        /// The tool.
        name: Option<JsString>,
        /// Its arguments.
        arguments: Option<Value>,
        /// The provider's signature.
        thought_signature: Option<JsString>,
        /// The tool's namespace.
        namespace: Option<JsString>,
        /// Why the arguments could not be read.
        arguments_error: Option<Value>,
    },
    /// A block of another type. The raw value has all of it.
    Unknown {
        /// The type, if it is a string.
        kind: Option<JsString>,
    },
}

/// The bytes of an image.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ImageData {
    /// Base64 text of this many characters.
    Inline(usize),
    /// The port's reference: `sha256:<hex>` in the `.blobs` folder beside the session.
    Blob {
        /// The digest with its prefix.
        digest: JsString,
        /// How large the decoded image is.
        size_bytes: Option<f64>,
    },
    /// Missing or damaged.
    Missing,
}

fn text(value: &Value, key: &str) -> Option<JsString> {
    value.get_string(key).cloned()
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(Value::is_truthy)
}

impl Message {
    /// Reads a message object.
    pub fn decode(value: &Value) -> Self {
        let role = value.get_string("role");
        match Role::of(value) {
            Role::System => Self::System(SystemMessage::decode(value)),
            Role::User => Self::User(UserMessage::decode(value)),
            Role::Assistant => Self::Assistant(Box::new(AssistantMessage::decode(value))),
            Role::ToolResult => Self::ToolResult(Box::new(ToolResultMessage::decode(value))),
            Role::BashExecution => Self::BashExecution(BashExecution::decode(value)),
            Role::Custom | Role::HookMessage => Self::Custom(CustomMessage::decode(value)),
            Role::BranchSummary => Self::BranchSummary {
                summary: text(value, "summary").unwrap_or_default(),
                from_id: text(value, "fromId"),
            },
            Role::CompactionSummary => Self::CompactionSummary {
                summary: text(value, "summary").unwrap_or_default(),
                tokens_before: value.get_number("tokensBefore"),
            },
            Role::Other => Self::Unknown { role: role.cloned() },
        }
    }
}

impl SystemMessage {
    fn decode(value: &Value) -> Self {
        let sections = value.get("sections").and_then(Value::as_object);
        let removed = value.get("toolsRemoved").and_then(Value::as_array).unwrap_or_default();
        Self {
            content: Content::decode(value.get("content")),
            sections: sections
                .into_iter()
                .flat_map(Object::iter)
                .map(|(name, part)| (name.clone(), part.as_string().cloned()))
                .collect(),
            tools_added: value
                .get("toolsAdded")
                .and_then(Value::as_array)
                .unwrap_or_default()
                .to_vec(),
            tools_removed: removed.iter().filter_map(|tool| text(tool, "name")).collect(),
            timestamp: value.get_number("timestamp"),
        }
    }
}

impl UserMessage {
    fn decode(value: &Value) -> Self {
        let attachments = value.get("attachments").and_then(Value::as_array).unwrap_or_default();
        Self {
            content: Content::decode(value.get("content")),
            attachments: attachments.iter().map(Attachment::decode).collect(),
            timestamp: value.get_number("timestamp"),
        }
    }
}

impl Attachment {
    fn decode(value: &Value) -> Self {
        Self {
            id: text(value, "id"),
            kind: text(value, "type"),
            file_name: text(value, "fileName"),
            mime_type: text(value, "mimeType"),
            size: value.get_number("size"),
            extracted_text: text(value, "extractedText"),
        }
    }
}

impl AssistantMessage {
    /// The model that answered: the one that the provider named, which is the one it bills, else
    /// the one that was asked for. Every list and sum groups answers by this.
    pub fn answered_by(&self) -> Option<&JsString> {
        let named = self.response_model.as_ref().filter(|name| !name.is_empty());
        named.or(self.model.as_ref())
    }

    fn decode(value: &Value) -> Self {
        Self {
            content: Content::decode(value.get("content")),
            api: text(value, "api"),
            provider: text(value, "provider"),
            model: text(value, "model"),
            response_model: text(value, "responseModel"),
            response_id: text(value, "responseId"),
            thinking_level: text(value, "thinkingLevel"),
            provider_thinking_level: text(value, "providerThinkingLevel"),
            usage: value.get("usage").and_then(Usage::decode),
            stop_reason: text(value, "stopReason"),
            raw_stop_reason: text(value, "rawStopReason"),
            error_message: text(value, "errorMessage"),
            diagnostics: value.get("diagnostics").cloned(),
            deferred: value.get("deferred").cloned(),
            end_turn: value.get("endTurn").and_then(Value::as_bool),
            timestamp: value.get_number("timestamp"),
            duration_ms: value.get_number("durationMs"),
        }
    }
}

impl ToolResultMessage {
    fn decode(value: &Value) -> Self {
        Self {
            tool_call_id: text(value, "toolCallId"),
            tool_name: text(value, "toolName"),
            content: Content::decode(value.get("content")),
            details: value.get("details").cloned(),
            usage: value.get("usage").and_then(Usage::decode),
            nested_calls: value.get("nestedCalls").cloned(),
            is_error: flag(value, "isError"),
            timestamp: value.get_number("timestamp"),
            duration_ms: value.get_number("durationMs"),
        }
    }
}

impl BashExecution {
    fn decode(value: &Value) -> Self {
        Self {
            command: text(value, "command").unwrap_or_default(),
            output: text(value, "output").unwrap_or_default(),
            exit_code: value.get_number("exitCode"),
            cancelled: flag(value, "cancelled"),
            truncated: flag(value, "truncated"),
            full_output_path: text(value, "fullOutputPath"),
            exclude_from_context: flag(value, "excludeFromContext"),
            timestamp: value.get_number("timestamp"),
        }
    }
}

impl CustomMessage {
    /// Reads the members that a `custom` message and a `custom_message` entry share.
    pub fn decode(value: &Value) -> Self {
        Self {
            custom_type: text(value, "customType"),
            content: Content::decode(value.get("content")),
            display: flag(value, "display"),
            details: value.get("details").cloned(),
            timestamp: value.get_number("timestamp"),
        }
    }
}

impl Content {
    /// Reads a `content` member.
    pub fn decode(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Missing,
            Some(Value::String(text)) => Self::Text(text.clone()),
            Some(Value::Array(blocks)) => Self::Blocks(blocks.iter().map(Block::decode).collect()),
            Some(_) => Self::Other,
        }
    }

    /// The blocks; a plain string has none.
    pub fn blocks(&self) -> &[Block] {
        if let Self::Blocks(blocks) = self { blocks } else { &[] }
    }
}

impl Block {
    /// Reads a content block.
    pub fn decode(value: &Value) -> Self {
        let kind = value.get_string("type");
        match kind.map_or(&b""[..], JsString::as_bytes) {
            b"text" => Self::Text {
                text: text(value, "text").unwrap_or_default(),
                signature: text(value, "textSignature"),
            },
            b"image" | b"media" => Self::Image {
                data: ImageData::decode(value.get("data")),
                mime_type: text(value, "mimeType"),
            },
            b"thinking" => Self::Thinking {
                thinking: text(value, "thinking").unwrap_or_default(),
                signature: text(value, "thinkingSignature"),
                redacted: flag(value, "redacted"),
            },
            b"redacted_thinking" => Self::Thinking {
                thinking: JsString::new(),
                signature: text(value, "data"),
                redacted: true,
            },
            b"toolCall" => Self::ToolCall {
                id: text(value, "id"),
                name: text(value, "name"),
                arguments: value.get("arguments").cloned(),
                thought_signature: text(value, "thoughtSignature"),
                namespace: text(value, "namespace"),
                arguments_error: value.get("argumentsError").cloned(),
            },
            _ => Self::Unknown { kind: kind.cloned() },
        }
    }
}

impl ImageData {
    fn decode(value: Option<&Value>) -> Self {
        match value {
            Some(Value::String(base64)) => Self::Inline(base64.as_bytes().len()),
            Some(object @ Value::Object(_)) => match object.get_string("$piBlob") {
                Some(digest) => Self::Blob {
                    digest: digest.clone(),
                    size_bytes: object.get_number("sizeBytes"),
                },
                None => Self::Missing,
            },
            _ => Self::Missing,
        }
    }
}
