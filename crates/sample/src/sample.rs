//! A sample: messages that belong together, and which of them are trained.
//!
//! Messages are shared between samples, because the requests of one branch repeat each other.

use std::fmt;
use std::sync::Arc;

use pitree_format::{Value, named_enum};
use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::message::ChatMessage;
use crate::note::Note;

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

named_enum! {
    /// A change of a context. The names do not change.
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Alteration {
        /// The middle of a tool's output was left out.
        ToolOutputCut = "tool-output-cut": "the output of a tool was cut",
        /// An image was left out, because the format cannot hold it.
        ImageLeftOut = "image-left-out": "an image was left out",
        /// Earlier turns were left out, because there would be too many tokens.
        EarlierTurnsLeftOut = "earlier-turns-left-out": "earlier turns were left out",
    }
}

impl AsRef<str> for Alteration {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about())
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

impl Sample {
    /// One message alone.
    pub fn of_message(message: Arc<ChatMessage>, trained: bool, about: &Arc<About>) -> Self {
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
