//! Why samples and replies are not in a data set.

use std::cmp::Ordering;
use std::fmt;

use pitree_format::named_enum;
use pitree_sample::NoPair;
use serde::{Deserialize, Serialize};

named_enum! {
    /// Why a sample or a reply is left out, with the words for people, in the order of which
    /// reasons are listed. The names do not change.
    #[derive(Serialize, Deserialize)]
    pub enum DropReason {
        /// The original of this copy was to be trained, and then the format could not hold it.
        NoOriginal = "no-original": "a copy of a reply that could not be written",
        /// A reply that is not trained stands between those that are, and the format cannot say so.
        Interrupted = "interrupted":
            "a reply that must not be trained is between those that are",
        /// What the reply answers is not what is written.
        ContextAltered = "context-altered": "a reply to a context that was altered",
        /// The format has no place for what the reply is.
        NotWritten = "not-written": "a reply of which the format writes nothing",
        /// The reply is noise or answers noise.
        Noise = "noise": "a reply to noise",
        /// Nobody asked for the reply.
        NoPrompt = "no-prompt": "a reply with no user message before it",
        /// A tool call or a tool nests too deeply for readers.
        TooDeep = "too-deep": "a tool call or a tool nests too deeply",
        /// A reply contains the mark by which LLaMA-Factory finds calls.
        ToolCallMark = "tool-call-mark":
            "a reply with calls says `<tool_call>`, by which LLaMA-Factory finds the calls",
        /// OpenAI does not accept the name of a tool.
        ToolName = "tool-name": "OpenAI does not take the name of a tool",
        /// The format cannot hold a conversation that begins with a reply.
        BeginsWithReply = "begins-with-reply": "begins with a reply",
        /// Some replies are not trained, and the format cannot say so.
        NoMask = "no-mask":
            "has replies that must not be trained, which this format cannot say",
        /// There are enough sessions that begin in this way.
        Capped = "capped": "begins like many others",
        /// The same was said in another sample.
        Duplicate = "duplicate": "equal to another sample",
        /// Nearly the same is trained in other samples.
        NearDuplicate = "near-duplicate": "nearly equal to another sample",
        /// The sample has more tokens than it may, and cannot be cut.
        TooManyTokens = "too-many-tokens": "longer than the token limit",
        /// No reply of the sample is trained.
        NoTarget = "no-target": "no reply to train on",
        /// The other reply answers another prompt.
        OtherPrompt = "other-prompt": "an answer to another prompt",
        /// The other reply answers another context.
        OtherContext = "other-context": "an answer to another context",
        /// The other reply failed or was cut off.
        ReplyFailed = "reply-failed": "a reply that failed or was cut off",
        /// Nothing says which of two replies is better.
        NoPreference = "no-preference":
            "on an abandoned branch, and no outcome says which is better",
        /// Both replies say the same.
        SameReply = "same-reply": "a reply that says the same",
    }
}

named_enum! {
    /// Which filter leaves out a session that was looked at. The names do not change.
    #[derive(PartialOrd, Ord)]
    pub enum FilteredBy {
        Since = "since": "last active too early",
        Until = "until": "last active too late",
        Name = "name": "another name",
        Model = "model": "other models",
        Directory = "cwd": "another working directory",
        Role = "role": "another role",
        Has = "has": "does not have what was asked for",
        Without = "without": "has what was not wanted",
        NoOutcome = "no-outcome": "no outcome is known",
        EntryOutcomes = "entry-outcomes": "outcomes for single entries only",
        Outcome = "outcome": "another outcome",
        MinOutcome = "min-outcome": "an outcome that is too low, or not a number",
    }
}

impl AsRef<str> for FilteredBy {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Display for FilteredBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about())
    }
}

impl AsRef<str> for DropReason {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about())
    }
}

impl DropReason {
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
        self.about().cmp(other.about())
    }
}

impl PartialOrd for DropReason {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_reason_has_a_code_and_words_of_its_own() {
        let codes: HashSet<&str> = DropReason::ALL.iter().map(|reason| reason.name()).collect();
        let texts: HashSet<&str> = DropReason::ALL.iter().map(|reason| reason.about()).collect();
        assert_eq!((codes.len(), texts.len()), (DropReason::ALL.len(), DropReason::ALL.len()));
        for code in codes {
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code}");
        }
    }
}
