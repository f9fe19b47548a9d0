//! Finding values in all the ways in which they may be written.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

/// A finder for values, each in several spellings.
#[derive(Clone, Debug)]
pub(crate) struct Finder {
    automaton: AhoCorasick,
    /// Every way of writing a value, with the value.
    values: HashMap<Box<[u8]>, Box<[u8]>>,
}

impl Finder {
    /// Takes values with their spellings; `None` if there are none.
    pub(crate) fn new<'v>(all: impl Iterator<Item = (&'v str, Vec<String>)>) -> Option<Self> {
        let mut values: HashMap<Box<[u8]>, Box<[u8]>> = HashMap::new();
        for (value, spellings) in all {
            for written in spellings {
                values
                    .entry(written.into_bytes().into())
                    .or_insert_with(|| value.as_bytes().into());
            }
        }
        if values.is_empty() {
            return None;
        }
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values.keys());
        #[expect(clippy::expect_used, reason = "fails above two thousand million bytes only")]
        let automaton = automaton.expect("an automaton of short values");
        Some(Self { automaton, values })
    }

    pub(crate) fn find(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        self.automaton.find_iter(text).map(|found| found.range())
    }

    /// The value that is written like this.
    pub(crate) fn value_of<'w>(&'w self, written: &'w [u8]) -> &'w [u8] {
        self.values.get(written).map_or(written, |value| value)
    }

    /// Every way of writing a value.
    pub(crate) fn written(&self) -> impl Iterator<Item = &[u8]> {
        self.values.keys().map(AsRef::as_ref)
    }

    /// All values, in a fixed order.
    pub(crate) fn sorted(&self) -> Vec<&[u8]> {
        let mut values: Vec<&[u8]> = self.values.values().map(AsRef::as_ref).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}
