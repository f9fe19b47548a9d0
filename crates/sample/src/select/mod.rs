//! Which text of a session becomes samples: which branches, with which context, in which pieces.
//!
//! A reply is a training target in exactly one sample of a session: in the first branch that has
//! it, the active one before all others. Elsewhere it is context.

mod context;
mod names;
mod paths;
mod sample_builder;
mod samples;
mod siblings;

use pitree_format::named_enum;

pub use samples::{SampleOptions, Samples, samples};
pub use siblings::{NoPair, PairResult, PairSearch, ReplyPair, says_the_same};

/// Which text of a session is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Which branches.
    pub paths: Paths,
    /// Which context the replies have.
    pub context: Context,
    /// What one sample is.
    pub unit: Unit,
}

named_enum! {
    /// Which branches are taken.
    #[derive(Default)]
    pub enum Paths {
        #[default]
        Active = "active": "The current branch",
        /// The last message of such a branch is a reply without open calls.
        Leaves = "leaves": "The current branch, and every other one that ends in an answer",
        All = "all": "All branches, including abandoned ones",
    }
}

named_enum! {
    /// Which context the replies have.
    #[derive(Default)]
    pub enum Context {
        /// The models' own thoughts are taken into account too.
        #[default]
        AsSent = "as-sent": "What Pi sent, with the compactions and edits of that time",
        Raw = "raw": "The whole branch, ignoring compactions and edits",
    }
}

named_enum! {
    /// What one sample is.
    #[derive(Default)]
    pub enum Unit {
        #[default]
        Path = "path": "A branch, split wherever the context was rewritten",
        /// All that went before is context.
        Turn = "turn": "All replies to one user message",
        Request = "request": "One reply",
    }
}

impl Selection {
    /// Whether samples have the bodies of their requests.
    pub fn has_bodies(self) -> bool {
        self.unit == Unit::Request && self.context == Context::AsSent
    }
}
