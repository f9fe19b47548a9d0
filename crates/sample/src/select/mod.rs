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
        Active = "active": "The active one",
        /// The last message of such a branch is a reply without open calls.
        Leaves = "leaves": "The active one, and all others that came to an answer",
        All = "all": "All, also those that were left in the middle",
    }
}

named_enum! {
    /// Which context the replies have.
    #[derive(Default)]
    pub enum Context {
        /// The models' own thoughts are taken into account too.
        #[default]
        AsSent = "as-sent": "What Pi sent: compacted and edited as it was then",
        Raw = "raw": "The whole branch, as if nothing had been compacted or edited",
    }
}

named_enum! {
    /// What one sample is.
    #[derive(Default)]
    pub enum Unit {
        #[default]
        Path = "path": "A branch, cut where the context did not just grow",
        /// All that went before is context.
        Turn = "turn": "All replies to one message of the user",
        Request = "request": "One reply",
    }
}

impl Selection {
    /// Whether samples have the bodies of their requests.
    pub fn has_bodies(self) -> bool {
        self.unit == Unit::Request && self.context == Context::AsSent
    }
}
