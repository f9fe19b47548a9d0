//! The text of an entry that a search looks at: what was said, done and answered. Never images,
//! ids, signatures or an extension's state. Of sub-agents it is what stands in the entry itself;
//! no path that an entry names is followed.

use std::borrow::Cow;

use pitree_format::js::date::parse_iso;
use pitree_format::{EntryKind, JsString, Object, Role, Value, named_enum};

/// How many bytes of text in the details of a tool result are looked at.
const MOST_DETAIL_BYTES: usize = 1 << 20;

/// How many values in the details of a tool result are looked at.
const MOST_DETAIL_VALUES: usize = 100_000;

/// Members that are no text wherever they stand in the details of a tool result.
const NO_TEXT: [&[u8]; 10] = [
    b"type",
    b"role",
    b"id",
    b"toolCallId",
    b"responseId",
    b"timestamp",
    b"mimeType",
    b"signature",
    b"textSignature",
    b"thinkingSignature",
];

/// How much the first message of the user counts: nearly as much as a name.
pub(crate) const FIRST_MESSAGE: f64 = 7.0;

named_enum! {
    /// Who an entry comes from.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum HitRole {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
        /// A shell command of the user.
        Bash = "bash",
        /// The system prompt.
        System = "system",
        /// An extension.
        Custom = "custom",
        /// The summary of a branch or of what was compacted.
        Summary = "summary",
        /// A label.
        Label = "label",
        /// The session's name.
        Name = "name",
    }
}

/// Where a text stands in its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Label,
    User,
    Assistant,
    Summary,
    Custom,
    Thinking,
    Arguments,
    Bash,
    ToolOutput,
    System,
    /// The working directory of the session.
    Directory,
    /// The id of the session.
    Id,
}

named_enum! {
    /// Where a word was found.
    #[non_exhaustive]
    pub enum MatchPlace {
        /// In the session's name.
        Title = "title",
        /// In the first message of the user, which is the title of a session without a name.
        FirstMessage = "first message",
        /// In a message of the user.
        UserMessage = "user message",
        /// In a reply of the model.
        Reply = "reply",
        /// In the reasoning of the model.
        Reasoning = "reasoning",
        /// In the arguments of a tool call.
        ToolCall = "tool call",
        /// In the output of a tool.
        ToolOutput = "tool output",
        /// In a shell command of the user, or its output.
        Shell = "shell command",
        /// In a summary.
        Summary = "summary",
        /// In a message of an extension.
        Extension = "extension",
        /// In a label.
        Label = "label",
        /// In the system prompt.
        System = "system prompt",
        /// In the working directory.
        Directory = "directory",
        /// In the session's id.
        Id = "id",
    }
}

impl Field {
    /// How users call it. The first message of a session is more than another one.
    pub(crate) fn place(self, is_first: bool) -> MatchPlace {
        match self {
            Self::Name => MatchPlace::Title,
            Self::Label => MatchPlace::Label,
            Self::User if is_first => MatchPlace::FirstMessage,
            Self::User => MatchPlace::UserMessage,
            Self::Assistant => MatchPlace::Reply,
            Self::Summary => MatchPlace::Summary,
            Self::Custom => MatchPlace::Extension,
            Self::Thinking => MatchPlace::Reasoning,
            Self::Arguments => MatchPlace::ToolCall,
            Self::Bash => MatchPlace::Shell,
            Self::ToolOutput => MatchPlace::ToolOutput,
            Self::System => MatchPlace::System,
            Self::Directory => MatchPlace::Directory,
            Self::Id => MatchPlace::Id,
        }
    }

    /// How much a hit here counts, in the first message of a session or in another one.
    pub(crate) fn weight_in(self, is_first: bool) -> f64 {
        if self == Self::User && is_first { FIRST_MESSAGE } else { self.weight() }
    }

    /// How much a hit here counts.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Self::Name => 8.0,
            Self::Label => 7.0,
            Self::User => 6.0,
            Self::Assistant => 5.0,
            Self::Summary | Self::Custom => 4.0,
            Self::Thinking | Self::Arguments | Self::Bash => 3.0,
            Self::ToolOutput | Self::Directory => 2.0,
            Self::System => 1.0,
            Self::Id => 8.0,
        }
    }

    /// Whether it is part of the conversation, which is what an index holds.
    pub(crate) fn is_conversation(self) -> bool {
        matches!(
            self,
            Self::Name | Self::Label | Self::User | Self::Assistant | Self::Summary | Self::Custom
        )
    }
}

/// A text of an entry.
#[derive(Debug)]
pub(crate) struct EntryPart<'v> {
    pub(crate) field: Field,
    pub(crate) text: Cow<'v, str>,
    pub(crate) tool: Option<Cow<'v, str>>,
}

/// All of an entry that a search looks at.
#[derive(Debug)]
pub(crate) struct EntryText<'v> {
    pub(crate) role: HitRole,
    pub(crate) pieces: Vec<EntryPart<'v>>,
    pub(crate) time: Option<i64>,
    pub(crate) model: Option<String>,
    pub(crate) is_error: bool,
    /// Whether it is the first message of the user, which only the file can tell.
    pub(crate) is_first: bool,
}

impl<'v> EntryText<'v> {
    /// Takes the texts out of an entry; `None` for one that has none.
    pub(crate) fn of(entry: &'v Value) -> Option<Self> {
        let kind = EntryKind::from_name(entry.get_string("type")?.as_bytes());
        let mut text = Self {
            role: HitRole::Custom,
            pieces: Vec::new(),
            time: entry.get_string("timestamp").and_then(|time| parse_iso(time.as_bytes())),
            model: None,
            is_error: false,
            is_first: false,
        };
        match kind {
            EntryKind::Message => text.message(entry.get("message")?)?,
            EntryKind::Compaction | EntryKind::BranchSummary => {
                text.role = HitRole::Summary;
                text.add(Field::Summary, entry.get_string("summary"));
            }
            EntryKind::CustomMessage => text.content(Field::Custom, entry.get("content")),
            EntryKind::ContextEdit => {
                let replacement = entry.get("replacement");
                text.content(Field::Custom, replacement.and_then(|value| value.get("content")));
            }
            EntryKind::Label => {
                text.role = HitRole::Label;
                text.add(Field::Label, entry.get_string("label"));
            }
            EntryKind::SessionInfo => {
                text.role = HitRole::Name;
                text.add(Field::Name, entry.get_string("name"));
            }
            _ => return None,
        }
        (!text.pieces.is_empty()).then_some(text)
    }

    fn add(&mut self, field: Field, text: Option<&'v JsString>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.pieces.push(EntryPart { field, text: text.to_text(), tool: None });
        }
    }

    fn message(&mut self, message: &'v Value) -> Option<()> {
        let role = Role::from_name(message.get_string("role")?.as_bytes());
        if self.time.is_none() {
            self.time = message.get_number("timestamp").map(|ms| ms as i64);
        }
        let content = message.get("content");
        match role {
            Role::User => {
                self.role = HitRole::User;
                self.content(Field::User, content);
                let attached = message.get("attachments").and_then(Value::as_array);
                for file in attached.unwrap_or_default() {
                    self.add(Field::User, file.get_string("fileName"));
                    self.add(Field::User, file.get_string("extractedText"));
                }
            }
            Role::Assistant => self.assistant(message, content),
            Role::ToolResult => {
                self.role = HitRole::Tool;
                self.content(Field::ToolOutput, content);
                self.details(message.get("details"));
                let tool = message.get_string("toolName").map(JsString::to_text);
                self.pieces.iter_mut().for_each(|piece| piece.tool.clone_from(&tool));
                self.is_error = message.get("isError").is_some_and(Value::is_truthy);
            }
            Role::BashExecution => {
                self.role = HitRole::Bash;
                self.add(Field::Bash, message.get_string("command"));
                self.add(Field::Bash, message.get_string("output"));
                self.is_error = message.get_number("exitCode").is_some_and(|code| code != 0.0);
            }
            Role::Custom | Role::HookMessage => self.content(Field::Custom, content),
            Role::BranchSummary | Role::CompactionSummary => {
                self.role = HitRole::Summary;
                self.add(Field::Summary, message.get_string("summary"));
            }
            Role::System => {
                self.role = HitRole::System;
                self.content(Field::System, content);
                let sections = message.get("sections").and_then(Value::as_object);
                for (_, section) in sections.into_iter().flat_map(Object::iter) {
                    self.add(Field::System, section.as_string());
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn assistant(&mut self, message: &'v Value, content: Option<&'v Value>) {
        self.role = HitRole::Assistant;
        self.content(Field::Assistant, content);
        self.add(Field::Assistant, message.get_string("errorMessage"));
        self.is_error = message.get_string("stopReason").is_some_and(|stop| *stop == "error");
        let names = ["provider", "model", "responseModel"];
        let names: Vec<String> = names
            .iter()
            .filter_map(|key| message.get_string(key))
            .map(ToString::to_string)
            .collect();
        self.model = Some(names.join("/"));
    }

    fn content(&mut self, field: Field, content: Option<&'v Value>) {
        match content {
            Some(Value::String(text)) => self.add(field, Some(text)),
            Some(Value::Array(blocks)) => blocks.iter().for_each(|block| self.block(field, block)),
            _ => {}
        }
    }

    /// What a tool keeps beside its output: a diff, or the conversations of sub-agents.
    fn details(&mut self, details: Option<&'v Value>) {
        let Some(details) = details else { return };
        let is_left_out = |object: &Object, name: &JsString| {
            NO_TEXT.contains(&name.as_bytes())
                || (*name == "data" && object.get("mimeType").is_some())
        };
        let mut bytes = 0;
        for text in details.strings_but(MOST_DETAIL_VALUES, is_left_out) {
            bytes += text.as_bytes().len();
            if bytes <= MOST_DETAIL_BYTES {
                self.add(Field::ToolOutput, Some(text));
            }
        }
    }

    fn block(&mut self, field: Field, block: &'v Value) {
        let Some(kind) = block.get_string("type") else { return };
        match kind.as_bytes() {
            b"text" => self.add(field, block.get_string("text")),
            b"thinking" => self.add(Field::Thinking, block.get_string("thinking")),
            b"toolCall" => {
                let first = self.pieces.len();
                let arguments = block.get("arguments").into_iter().flat_map(Value::strings);
                arguments.for_each(|text| self.add(Field::Arguments, Some(text)));
                let tool = block.get_string("name").map(JsString::to_text);
                self.pieces[first..].iter_mut().for_each(|piece| piece.tool.clone_from(&tool));
            }
            _ => {}
        }
    }
}
