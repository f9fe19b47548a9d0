//! What the picker knows of who holds what was typed.
//!
//! The query is [`PickerQuery`]. Of the messages only the first is at hand; where the others hold
//! a word is told by searches of the store, which come later: a quick one of its index of words,
//! then one that finds it wherever it stands.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_store::pick::{Fit, Haystack, Needle, PickerQuery};

/// More of a first message is left to the search of the store.
pub(super) const MOST_TEXT: usize = 4096;

/// The sessions whose messages hold a needle.
#[derive(Clone, Debug, Default)]
pub(super) struct NeedleMatches {
    pub(super) files: Arc<HashSet<PathBuf>>,
    /// Whether the index of words was asked.
    pub(super) by_words: bool,
    /// Whether all messages were looked at.
    pub(super) by_text: bool,
}

/// How the store is asked who holds a needle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchMethod {
    /// By its index of words, which has summaries and labels too.
    Words,
    /// By the text of all messages, as Pi's picker looks.
    Text,
}

impl NeedleMatches {
    /// Whether there is nothing more to ask.
    pub(super) fn is_whole(&self) -> bool {
        self.by_words && self.by_text
    }
}

/// What is known of needles.
pub(super) type MatchesByNeedle = HashMap<Needle, NeedleMatches>;

/// How well a session fits, if it does.
pub(super) fn fit(
    query: &PickerQuery,
    hay: &Haystack,
    path: &Path,
    matches: &MatchesByNeedle,
) -> Option<Fit> {
    query.fit(hay, |needle| matches.get(needle).is_some_and(|found| found.files.contains(path)))
}

#[cfg(test)]
mod against_pi;
