//! A sample: messages that belong together, and which of them are to be learned.
//!
//! Texts are what was sent to the model: Pi removes lone surrogates from all text, so they are
//! plain strings here. Messages are shared between samples, because the requests of one branch
//! repeat each other.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use pitree_format::Value;
use serde::{Deserialize, Serialize};

use crate::request::Note;

/// Messages, the tools that were offered, and which replies are trained.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Stable and unique in a data set: the session, the leaf, and the segment or reply; where
    /// several files have the session's id, also a part of the file's.
    pub id: String,
    /// Which cut of the session it is.
    pub kind: SampleKind,
    /// The last entry of the branch.
    pub leaf_id: String,
    /// The number of the segment on its branch. A segment ends where the context is not the one
    /// before with more at its end: at a compaction, at a context edit, at a change of model.
    pub segment: u32,
    /// The conversation, the system message first if there is one.
    pub messages: Vec<Arc<ChatMessage>>,
    /// For each message whether it is a training target. Only assistant messages are, and each
    /// one in exactly one sample of a data set.
    pub trained: Vec<bool>,
    /// The tools that were offered, as the session records them: name, description, parameters.
    /// `None` where the session does not say.
    pub tools: Option<Arc<Vec<Value>>>,
    /// The body of the request, where the sample is one request: exactly what Pi sent.
    pub wire: Option<Wire>,
    /// What was changed in the context that its replies answer; nothing where they answer exactly
    /// what the model was sent, secrets apart.
    pub altered: Vec<Alteration>,
    /// The session it comes from.
    pub about: Arc<About>,
}

/// A change of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Alteration {
    /// The middle of a tool's output was left out.
    ToolOutputCut,
    /// An image was left out, because the format cannot hold it.
    ImageLeftOut,
    /// Earlier turns were left out, because there would be too many tokens.
    EarlierTurnsLeftOut,
}

impl Alteration {
    /// The code in JSON, which does not change.
    pub fn code(self) -> &'static str {
        match self {
            Self::ToolOutputCut => "tool-output-cut",
            Self::ImageLeftOut => "image-left-out",
            Self::EarlierTurnsLeftOut => "earlier-turns-left-out",
        }
    }
}

impl AsRef<str> for Alteration {
    fn as_ref(&self) -> &str {
        self.code()
    }
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToolOutputCut => "the output of a tool was cut",
            Self::ImageLeftOut => "an image was left out",
            Self::EarlierTurnsLeftOut => "earlier turns were left out",
        })
    }
}

/// What a sample is a cut of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleKind {
    /// A branch, or one segment of it.
    Path,
    /// A user's turn and all replies to it.
    Turn,
    /// One request and its reply, which is the last message.
    Request,
}

/// A chat-completions request.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// Its `messages`.
    pub messages: Vec<Arc<Value>>,
    /// Its `tools`, if it had any.
    pub tools: Option<Arc<Vec<Value>>>,
    /// What is not certain about it.
    pub notes: Vec<Note>,
}

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
    pub(crate) fn of(recorded: &pitree_format::usage::Usage) -> Self {
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
    pub(crate) fn add(&mut self, other: &Self) {
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

/// What is known of a session.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The id in the header.
    pub session_id: String,
    /// Whether another file of the data set has the same id.
    pub shares_id: bool,
    /// Where the file was found, as it may be shown.
    pub source_path: String,
    /// The working directory, as it may be shown.
    pub cwd: String,
    /// When it began, ISO.
    pub created_at: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// The last provider on the active branch.
    pub provider: Option<String>,
    /// The last model on the active branch.
    pub model: Option<String>,
    /// The thinking level on the active branch.
    pub thinking_level: Option<String>,
    /// The session at the top of those that this one was forked from or sent out by, as far up as
    /// it is known; its own id if there is none.
    pub family_id: String,
    /// The session that this one was forked from, or that sent it out as a sub-agent.
    pub parent_session_id: Option<String>,
    /// Whether it is the session of a sub-agent.
    pub is_subagent: bool,
    /// How many sub-agents it sent out, if that is known.
    pub subagent_count: Option<usize>,
    /// Who the agent is in its Gas Town.
    pub role: Option<pitree_store::roles::RoleFinding>,
    /// Which one it is of several files with the same bytes, from 0.
    pub copy: usize,
    /// What came of it, from a file of the user's.
    pub outcome: Option<Value>,
    /// What came of single branches and replies, by the ids of their entries, from the same file.
    pub entry_outcomes: BTreeMap<String, Value>,
    /// What the sub-agents did that it sent out, by the id of the tool result that tells it.
    pub subagents: BTreeMap<String, Vec<SubagentRun>>,
}

/// What one sub-agent did.
#[derive(Clone, Debug, Default)]
pub struct SubagentRun {
    /// The agent's name.
    pub agent: String,
    /// What it was told to do.
    pub task: Option<String>,
    /// How its process ended; 0 is success.
    pub exit_code: Option<f64>,
    /// What the whole run cost, if the parent tells it.
    pub usage: Option<Usage>,
    /// Which of its records was read: `sessionFile`, `artifactPaths.jsonlPath`,
    /// `artifacts.files` or `messages`; none if nothing is left of it.
    pub source: Option<&'static str>,
    /// Its conversation.
    pub messages: Vec<Arc<ChatMessage>>,
    /// What is known of its own session.
    pub about: Arc<About>,
}

/// What stands for an image in a text.
pub(crate) const IMAGE: &str = "[image]";

impl ChatMessage {
    /// Whether there is an image in it.
    pub(crate) fn has_image(&self) -> bool {
        self.content.iter().any(|part| matches!(part, Part::Image { .. }))
    }

    /// Whether it is something that can be answered.
    fn asks(&self) -> bool {
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
    pub(crate) fn written_text(&self) -> Cow<'_, str> {
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
    pub(crate) fn thought(&self) -> Option<&str> {
        self.reasoning.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Whether it is a reply that says nothing. Pi leaves it out when it sends, and so do most
    /// forms.
    pub(crate) fn is_empty_reply(&self) -> bool {
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

impl Sample {
    /// One message alone.
    pub(crate) fn of_message(message: Arc<ChatMessage>, trained: bool, about: &Arc<About>) -> Self {
        Self {
            id: String::new(),
            kind: SampleKind::Path,
            leaf_id: String::new(),
            segment: 0,
            messages: vec![message],
            trained: vec![trained],
            tools: None,
            wire: None,
            altered: Vec::new(),
            about: Arc::clone(about),
        }
    }

    /// Makes context only of replies that nobody asked for: those before the first message of the
    /// user that says something. To train one is to train speaking unasked. Returns how many.
    pub fn train_answers_only(&mut self) -> u64 {
        let before = self.target_count();
        let asked = self.messages.iter().position(|message| message.asks());
        self.trained[..asked.unwrap_or(self.messages.len())].fill(false);
        before - self.target_count()
    }

    /// How many replies are trained. A reply that was split in two is one.
    pub fn target_count(&self) -> u64 {
        self.turns().filter(|(message, trained)| *trained && !message.is_second_half()).count()
            as u64
    }

    /// The messages with whether they are trained.
    pub fn turns(&self) -> impl Iterator<Item = (&Arc<ChatMessage>, bool)> {
        let trained = self.trained.iter().copied().chain(std::iter::repeat(false));
        self.messages.iter().zip(trained)
    }
}
