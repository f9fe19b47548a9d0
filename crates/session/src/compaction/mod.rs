//! Compaction and branch summaries: what is summarised, what is kept, what is written.
//!
//! The rules are Pi 1.5.0's. Both kinds of summary are made in three steps, so that a caller can
//! step in between them (an extension may cancel, or bring a summary of its own):
//!
//! | step | compaction | branch summary |
//! |---|---|---|
//! | prepare | [`Session::prepare_compaction`] | [`Session::prepare_navigation`] |
//! | text | [`Preparation::summarize`] | [`Navigation::summarize`] |
//! | write | [`Session::append_compaction_result`] | [`Session::finish_navigation`] |
//! | all three | [`Session::compact`] | [`Session::navigate`] |
//!
//! Nothing is written before the last step, so a summary that fails or is cancelled leaves the
//! session as it was. The words of a summary come from a [`Summarizer`](crate::summary::Summarizer).
//!
//! [`Session::prepare_compaction`]: crate::Session::prepare_compaction
//! [`Session::append_compaction_result`]: crate::Session::append_compaction_result
//! [`Session::compact`]: crate::Session::compact
//! [`Session::prepare_navigation`]: crate::Session::prepare_navigation
//! [`Session::finish_navigation`]: crate::Session::finish_navigation
//! [`Session::navigate`]: crate::Session::navigate

mod branch;
mod cut;
mod files;
mod navigate;
mod prepare;
mod prompts;
mod result;
mod serialize;
mod usage;

use pitree_format::{Object, Value};
use thiserror::Error;

use crate::error::SessionError;
use crate::summary::SummaryError;

pub use branch::{
    BranchEntries, BranchMessages, NO_CONTENT, collect_entries_for_branch_summary,
    prepare_branch_entries,
};
pub use cut::{CutPoint, find_cut_point};
pub use files::FileOperations;
pub use navigate::{NavigateOptions, Navigated, Navigation, place_to_stand};
pub use prepare::{Preparation, WeighedEntry};
pub use result::{CompactOptions, CompactionResult};
pub use serialize::serialize_conversation;
pub use usage::combine_usage;

/// The context window that budgets are reckoned with when the model's is unknown.
pub const ASSUMED_CONTEXT_WINDOW: u64 = 128_000;

/// What Pi reserves for the prompt and the answer of a summary, unless set otherwise.
pub const DEFAULT_RESERVE_TOKENS: u64 = 16_384;

/// When to compact and how much to keep. Pi's `compaction` settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether to compact when the context is nearly full. Compacting by hand ignores it.
    pub enabled: bool,
    /// How much of the context window must stay free.
    pub reserve_tokens: u64,
    /// About how much of the conversation's end is kept as it is.
    pub keep_recent_tokens: u64,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self { enabled: true, reserve_tokens: DEFAULT_RESERVE_TOKENS, keep_recent_tokens: 20_000 }
    }
}

impl CompactionSettings {
    /// Whether a context of this size is too full. Pi's `shouldCompact`.
    pub fn should_compact(&self, context_tokens: f64, context_window: u64) -> bool {
        // A reserve beyond the window makes every context too full, as in Pi.
        self.enabled && context_tokens > context_window as f64 - self.reserve_tokens as f64
    }

    /// The shape of Pi's settings.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("enabled", self.enabled)
            .with("reserveTokens", self.reserve_tokens as f64)
            .with("keepRecentTokens", self.keep_recent_tokens as f64)
            .into()
    }
}

/// Why there is nothing to compact. The words are Pi's, since clients of its protocol look for
/// them.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NothingToCompact {
    /// The session stands right behind a compaction.
    #[error("Already compacted")]
    AlreadyCompacted,
    /// All of the conversation is kept.
    #[error("Nothing to compact (session too small)")]
    TooSmall,
}

/// Why a session was not compacted, or a branch not summarised. Nothing was written then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompactionError {
    /// There is nothing to compact.
    #[error(transparent)]
    Nothing(#[from] NothingToCompact),
    /// There is no summary.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// The session cannot be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl CompactionError {
    /// Whether the user or the caller gave up waiting.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Summary(SummaryError::Cancelled))
    }
}
