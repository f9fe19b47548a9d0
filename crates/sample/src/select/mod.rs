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

/// Which branches are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Paths {
    /// The active one.
    #[default]
    Active,
    /// The active one, and every other one that came to an answer: whose last message is a reply
    /// without open calls.
    Leaves,
    /// Every one, also those that were left in the middle.
    All,
}

/// Which context the replies have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Context {
    /// What Pi sent: compactions, context edits and the models' own thoughts taken into account.
    #[default]
    AsSent,
    /// The whole branch as it was said, as if nothing had been compacted or edited.
    Raw,
}

/// What one sample is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A branch, cut where the context did not just grow.
    #[default]
    Path,
    /// The replies to one message of the user, with all that went before as context.
    Turn,
    /// One reply.
    Request,
}

impl Selection {
    /// Whether samples have the bodies of their requests.
    pub fn has_bodies(self) -> bool {
        self.unit == Unit::Request && self.context == Context::AsSent
    }
}

impl Paths {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Leaves => "leaves",
            Self::All => "all",
        }
    }
}

impl Context {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsSent => "as-sent",
            Self::Raw => "raw",
        }
    }
}

impl Unit {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Turn => "turn",
            Self::Request => "request",
        }
    }
}
