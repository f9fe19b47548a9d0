//! Why samples and replies are not in a data set.

use std::cmp::Ordering;
use std::fmt;

use pitree_sample::NoPair;
use serde::{Deserialize, Serialize};

/// Why a sample or a reply is left out. Reasons are listed in the order of their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DropReason {
    /// The original of this copy was to be trained, and then the format could not hold it.
    NoOriginal,
    /// A reply that is not trained stands between those that are, and the format cannot say so.
    Interrupted,
    /// What the reply answers is not what is written.
    ContextAltered,
    /// The format has no place for what the reply is.
    NotWritten,
    /// The reply is noise or answers noise.
    Noise,
    /// Nobody asked for the reply.
    NoPrompt,
    /// A tool call or a tool nests too deeply for readers.
    TooDeep,
    /// A reply contains the mark by which LLaMA-Factory finds calls.
    ToolCallMark,
    /// OpenAI does not accept the name of a tool.
    ToolName,
    /// The format cannot hold a conversation that begins with a reply.
    BeginsWithReply,
    /// Some replies are not trained, and the format cannot say so.
    NoMask,
    /// There are enough sessions that begin in this way.
    Capped,
    /// The same was said in another sample.
    Duplicate,
    /// Nearly the same is trained in other samples.
    NearDuplicate,
    /// The sample has more tokens than it may, and cannot be cut.
    TooManyTokens,
    /// No reply of the sample is trained.
    NoTarget,
    /// The other reply answers another prompt.
    OtherPrompt,
    /// The other reply answers another context.
    OtherContext,
    /// The other reply failed or was cut off.
    ReplyFailed,
    /// Nothing says which of two replies is better.
    NoPreference,
    /// Both replies say the same.
    SameReply,
}

/// Every reason.
pub const DROP_REASONS: [DropReason; 21] = [
    DropReason::NoOriginal,
    DropReason::Interrupted,
    DropReason::ContextAltered,
    DropReason::NotWritten,
    DropReason::Noise,
    DropReason::NoPrompt,
    DropReason::TooDeep,
    DropReason::ToolCallMark,
    DropReason::ToolName,
    DropReason::BeginsWithReply,
    DropReason::NoMask,
    DropReason::Capped,
    DropReason::Duplicate,
    DropReason::NearDuplicate,
    DropReason::TooManyTokens,
    DropReason::NoTarget,
    DropReason::OtherPrompt,
    DropReason::OtherContext,
    DropReason::ReplyFailed,
    DropReason::NoPreference,
    DropReason::SameReply,
];

impl DropReason {
    /// The code in JSON, which does not change.
    pub fn code(self) -> &'static str {
        self.words().0
    }

    /// The words for people.
    pub fn text(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NoOriginal => ("no-original", "a copy of a reply that could not be written"),
            Self::Interrupted => {
                ("interrupted", "a reply that must not be learned stands between those that are")
            }
            Self::ContextAltered => ("context-altered", "a reply to a context that was altered"),
            Self::NotWritten => ("not-written", "a reply of which the format writes nothing"),
            Self::Noise => ("noise", "a reply to noise"),
            Self::NoPrompt => ("no-prompt", "a reply without a message of the user before it"),
            Self::TooDeep => ("too-deep", "a tool call or a tool nests too deeply"),
            Self::ToolCallMark => (
                "tool-call-mark",
                "a reply with calls says `<tool_call>`, by which LLaMA-Factory finds the calls",
            ),
            Self::ToolName => ("tool-name", "OpenAI does not take the name of a tool"),
            Self::BeginsWithReply => ("begins-with-reply", "begins with a reply"),
            Self::NoMask => {
                ("no-mask", "has replies that must not be trained, which this format cannot say")
            }
            Self::Capped => ("capped", "begins like many others"),
            Self::Duplicate => ("duplicate", "equal to another sample"),
            Self::NearDuplicate => ("near-duplicate", "nearly equal to another sample"),
            Self::TooManyTokens => ("too-many-tokens", "longer than the most tokens"),
            Self::NoTarget => ("no-target", "no reply to learn"),
            Self::OtherPrompt => ("other-prompt", "an answer to another prompt"),
            Self::OtherContext => ("other-context", "an answer to another context"),
            Self::ReplyFailed => ("reply-failed", "a reply that failed or was cut off"),
            Self::NoPreference => {
                ("no-preference", "on a branch that was left, and no outcome says which is better")
            }
            Self::SameReply => ("same-reply", "a reply that says the same"),
        }
    }

    /// Whether all that was to be trained has a twin that is kept.
    pub fn has_twin(self) -> bool {
        matches!(self, Self::Duplicate | Self::NearDuplicate)
    }

    /// Whether the format cannot say which replies are not trained. With one reply in each sample
    /// there is nothing to say.
    pub fn is_without_mask(self) -> bool {
        matches!(self, Self::NoMask | Self::Interrupted)
    }
}

impl From<NoPair> for DropReason {
    fn from(reason: NoPair) -> Self {
        match reason {
            NoPair::OtherPrompt => Self::OtherPrompt,
            NoPair::OtherContext => Self::OtherContext,
            NoPair::ReplyFailed => Self::ReplyFailed,
            NoPair::NoPreference => Self::NoPreference,
            NoPair::SameReply => Self::SameReply,
        }
    }
}

impl Ord for DropReason {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text().cmp(other.text())
    }
}

impl PartialOrd for DropReason {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl AsRef<str> for DropReason {
    fn as_ref(&self) -> &str {
        self.code()
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_reason_has_a_code_and_words_of_its_own() {
        let codes: HashSet<&str> = DROP_REASONS.iter().map(|reason| reason.code()).collect();
        let texts: HashSet<&str> = DROP_REASONS.iter().map(|reason| reason.text()).collect();
        assert_eq!((codes.len(), texts.len()), (DROP_REASONS.len(), DROP_REASONS.len()));
        assert!(texts.iter().all(|text| !text.contains("--")), "options belong to the command");
        for code in codes {
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code}");
        }
    }
}
