//! What is not certain about a request that was rebuilt.

use std::fmt;

use pitree_format::named_enum;
use serde::{Deserialize, Serialize};

named_enum! {
    /// Why a request may not be what was sent. The names do not change.
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Note {
        /// The request was sent through another API, whose requests have another form.
        OtherApi = "other-api": "it was sent through another API; shown here as chat completions",
        /// The model is not among the known ones: it is taken for one that sees images, does not
        /// think, and has no peculiarities but those of its provider.
        UnknownModel = "unknown-model":
            "what this model can do is not recorded, so the usual capabilities were assumed",
        /// The reply is empty and failed without a word of the provider: the request may have been
        /// refused or lost, or never have been sent.
        NoAnswer = "no-answer": "the provider gave no answer, so it may never have been sent",
        /// The session does not record the system prompt and the tools, as before Pi 0.86, and the
        /// caller gave none.
        NoSystemPrompt = "no-system-prompt":
            "the session does not record the system prompt and the tools",
        /// The session does not record the system prompt and the tools; the caller's are used.
        GivenSystemPrompt = "given-system-prompt":
            "the session does not record the system prompt and the tools; today's are used",
    }
}

impl AsRef<str> for Note {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about())
    }
}
