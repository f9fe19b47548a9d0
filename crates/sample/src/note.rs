//! What is not certain about a request that was rebuilt.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a request may not be what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Note {
    /// The reply came by another interface, whose requests have another form.
    OtherApi,
    /// The model is not among the known ones: it is taken for one that sees images, does not
    /// think, and has no peculiarities but those of its provider.
    UnknownModel,
    /// The reply is empty and failed without a word of the provider: the request may have been
    /// refused or lost, or never have been sent.
    NoAnswer,
    /// The session does not record the system prompt and the tools, as before Pi 0.86, and the
    /// caller gave none.
    NoSystemPrompt,
    /// The session does not record the system prompt and the tools; the caller's are used.
    GivenSystemPrompt,
}

impl Note {
    /// The code in JSON, which does not change.
    pub fn code(self) -> &'static str {
        match self {
            Self::UnknownModel => "unknown-model",
            Self::OtherApi => "other-api",
            Self::NoSystemPrompt => "no-system-prompt",
            Self::GivenSystemPrompt => "given-system-prompt",
            Self::NoAnswer => "no-answer",
        }
    }
}

impl AsRef<str> for Note {
    fn as_ref(&self) -> &str {
        self.code()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownModel => "the model is not known, so what it can do was guessed",
            Self::OtherApi => "it was asked by another interface than chat completions",
            Self::NoSystemPrompt => "the session does not record the system prompt and the tools",
            Self::GivenSystemPrompt => {
                "the session does not record the system prompt and the tools; today's are used"
            }
            Self::NoAnswer => "the provider gave no answer, so it may never have been sent",
        })
    }
}
