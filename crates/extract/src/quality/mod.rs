//! What makes a data set better than the sum of its sessions: duplicates, the split, limits,
//! token counts, caps.
//!
//! Limits are applied to a sample before it is printed. All else works on [`SampleFacts`], which
//! are taken at that moment; the text itself is not looked at again.

mod cut;
mod decide;
mod facts;
mod families;
mod interrupted;
pub(crate) mod limits;
mod minhash;
mod noise;
mod repeated;
mod split;
#[cfg(test)]
mod testing;
pub(crate) mod tokens;
pub(crate) mod tool_output;
mod twins;
mod union;

use std::sync::Arc;

use pitree_format::named_enum;

pub(crate) use decide::{Decisions, Judged, SessionDecision, Verdict, decide, split_of};
pub(crate) use facts::MessageMemo;
pub use facts::{ModelUse, SampleFacts};
pub(crate) use families::Families;
pub(crate) use minhash::BANDS;
pub(crate) use noise::untrain;
pub use noise::{Noise, NoiseSet};
pub use split::Split;
pub use tokens::Tokenizer;
pub use twins::TargetSketch;
pub(crate) use twins::{BandKey, Twins, band_of};
pub(crate) use union::Union;

/// What is done for the quality of a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// What is done about samples that say the same.
    pub dedupe: Dedupe,
    /// How much of the data is put aside to measure with, between 0 and 1; whole families go one
    /// way. Without it there is one part.
    pub validation: Option<f64>,
    /// The most characters of a tool's output, all its blocks together.
    pub tool_limit: Option<usize>,
    /// Whether replies to a context that was altered are context only.
    pub mask_altered: bool,
    /// Whether tokens are counted exactly.
    pub count_tokens: bool,
    /// By what they are counted; without it by the vocabulary that is part of the program.
    pub tokenizer: Option<Arc<Tokenizer>>,
    /// The most tokens of a sample; longer ones are cut at user turns.
    pub max_tokens: Option<u64>,
    /// The most sessions of one role that begin in the same way.
    pub cap: Option<usize>,
}

impl Default for Quality {
    fn default() -> Self {
        Self {
            dedupe: Dedupe::Exact,
            validation: None,
            tool_limit: None,
            mask_altered: false,
            count_tokens: false,
            tokenizer: None,
            max_tokens: None,
            cap: None,
        }
    }
}

impl Quality {
    /// How tokens are counted, for the card.
    pub(crate) fn counting(&self) -> &str {
        match &self.tokenizer {
            _ if !self.count_tokens => "characters / 4",
            Some(tokenizer) => tokenizer.name(),
            None => tokens::VOCABULARY,
        }
    }
}

named_enum! {
    /// What is done about duplicates.
    #[derive(Default)]
    pub enum Dedupe {
        Off = "off": "Keep them all",
        #[default]
        Exact = "exact": "Keep one of each set of identical samples",
        Mark = "mark": "The same, and list near-duplicates in duplicates.jsonl",
        Drop = "drop":
            "The same, and leave out a sample if other samples train nearly the same replies",
    }
}

impl Dedupe {
    /// Whether near duplicates are looked for.
    pub(crate) fn is_near(self) -> bool {
        matches!(self, Self::Mark | Self::Drop)
    }
}
