//! A message of a conversation, as the model reads it.
//!
//! Texts are what was sent to the model: Pi removes lone surrogates from all text, so they are
//! plain strings here.

use std::borrow::Cow;
use std::sync::Arc;

use pitree_format::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChatRole {
    /// The system prompt.
    System,
    /// The user, and everything that is told to the model in the user's place.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// Text and images.
    pub content: Vec<Part>,
    /// What the model thought.
    pub reasoning: Option<String>,
    /// The tools that the model calls.
    pub tool_calls: Vec<ToolCall>,
    /// What this is the result of; only with [`ChatRole::Tool`].
    pub result: Option<ToolResult>,
    /// The entry that the message comes from; none for what Pi makes up.
    pub entry_id: Option<String>,
    /// The entry's time, as it is written.
    pub timestamp: Option<String>,
    /// The model that spoke; only with [`ChatRole::Assistant`].
    pub speaker: Option<Speaker>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// An image: its type and its bytes in base64.
    Image {
        /// Such as `image/png`.
        mime_type: String,
        /// Base64. One image that stands in many messages is held once.
        data: Arc<String>,
    },
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The id by which the result refers to it. Never empty, and unique in the sample.
    pub id: String,
    /// Whether the id was made up, because the session has none or has it twice.
    pub made_up_id: bool,
    /// The tool.
    pub name: String,
    /// What it was given; an object.
    pub arguments: Value,
}

/// What a tool message is the result of.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// The model behind a reply, and what the reply cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speaker {
    /// The provider.
    pub provider: Option<String>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The model that answered, by which costs are added up.
    pub answered_by: Option<String>,
    /// The interface by which it was asked.
    pub api: Option<String>,
    /// Why the reply ended.
    pub stop_reason: Option<String>,
    /// The thinking level that was set.
    pub thinking_level: Option<String>,
    /// Tokens and cost, if recorded.
    pub usage: Option<Usage>,
    /// The time of the reply itself, in milliseconds, if recorded. Its entry has one of its own.
    pub time_ms: Option<f64>,
    /// The order of its texts and calls, where it is not one text and then the calls.
    pub blocks: Vec<ReplyBlock>,
    /// Whether the message is the second half of a reply that was split in two. The first one has
    /// the usage of both, and only it counts as a reply.
    pub is_second_half: bool,
}

/// A piece of a reply as the model gave it. The message has all texts as one, and all calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyBlock {
    /// So many of the next bytes of the text.
    Text(usize),
    /// The next call.
    Call,
}

/// Tokens and cost of a reply, as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens read, without the cached ones.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cache_read: f64,
    /// Tokens written to the provider's cache.
    pub cache_write: f64,
    /// What the provider calls the total, if it says so.
    pub total_tokens: Option<f64>,
    /// US dollars; `None` if the cost is not known.
    pub cost: Option<f64>,
    /// The parts of the cost that are recorded: input, output, cache read, cache write.
    pub cost_parts: [Option<f64>; 4],
}

impl Usage {
    /// What a session records, as it counts in sums.
    pub fn of(recorded: &pitree_format::usage::Usage) -> Self {
        let [input, output, cache_read, cache_write] = recorded.counted();
        let parts = recorded.cost.as_ref();
        let parts = parts.map(|it| [it.input, it.output, it.cache_read, it.cache_write]);
        Self {
            input,
            output,
            cache_read,
            cache_write,
            total_tokens: recorded.total_tokens,
            cost: recorded.counted_cost(),
            cost_parts: parts.unwrap_or_default(),
        }
    }

    /// Adds another one. What is known of neither stays unknown.
    pub fn add(&mut self, other: &Self) {
        let add = |sum: &mut Option<f64>, more: Option<f64>| {
            let known = *sum;
            *sum = known.into_iter().chain(more).reduce(|a, b| a + b);
        };
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        add(&mut self.total_tokens, other.total_tokens);
        add(&mut self.cost, other.cost);
        for (sum, more) in self.cost_parts.iter_mut().zip(other.cost_parts) {
            add(sum, more);
        }
    }
}

/// What stands for an image in a text.
pub const IMAGE: &str = "[image]";

impl ChatMessage {
    /// Whether there is an image in it.
    pub fn has_image(&self) -> bool {
        self.content.iter().any(|part| matches!(part, Part::Image { .. }))
    }

    /// Whether it is something that can be answered.
    pub(crate) fn asks(&self) -> bool {
        let says_something = |part: &Part| match part {
            Part::Text(text) => !text.trim().is_empty(),
            Part::Image { .. } => true,
        };
        self.role == ChatRole::User && self.content.iter().any(says_something)
    }

    /// Whether it is the second half of a reply that was split in two.
    pub fn is_second_half(&self) -> bool {
        self.speaker.as_ref().is_some_and(|speaker| speaker.is_second_half)
    }

    /// The text as most forms write it: all parts, and a word in the place of an image.
    pub fn written_text(&self) -> Cow<'_, str> {
        if let [Part::Text(text)] = self.content.as_slice() {
            return Cow::Borrowed(text);
        }
        let texts = self.content.iter().map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Image { .. } => IMAGE,
        });
        Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
    }

    /// What the model thought, if it is anything.
    pub fn thought(&self) -> Option<&str> {
        self.reasoning.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Whether it is a reply that says nothing. Pi leaves it out when it sends, and so do most
    /// forms.
    pub fn is_empty_reply(&self) -> bool {
        self.role == ChatRole::Assistant
            && self.tool_calls.is_empty()
            && self.thought().is_none()
            && match self.content.as_slice() {
                [] => true,
                [Part::Text(text)] => text.is_empty(),
                _ => false,
            }
    }

    /// The text of the message, images left out.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
