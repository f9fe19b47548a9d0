//! Reading session files: one pass over each, for everything that is wanted of it.
//!
//! A pass goes over the lines of a file once. A [`Recognizer`] tells whether the file is a session,
//! a scan validates each line and finds its members, and the consumers take from them what they
//! need: [`Summary`] the facts of a list and what was spent, the index of search the words.
//!
//! Session files are only appended to, so a consumer that has read a file before goes on behind
//! the old end: see [`marks`]. Where consumers stopped at different places, the pass begins at the
//! first of them, and each is shown the lines behind its own.
//!
//! [`Recognizer`]: pitree_format::recognize::Recognizer

mod growth;
mod line;
mod links;
mod many;
pub(crate) mod marks;
mod pass;
pub(crate) mod raw;
mod summary;
mod tree;
mod usage;

pub use growth::GrowthPolicy;
pub(crate) use growth::{AllowedGrowth, KnownTree};
pub(crate) use line::{EntryLine, Members, MessageMembers};
pub(crate) use links::{Links, Shape};
pub(crate) use many::{ManyFiles, Wanted, ledger_of, prior_of, row_of};
pub(crate) use pass::{Begin, Both, Consumer, ReadError, read_lines};
pub(crate) use summary::{HeaderFacts, Prior, Summarized, Summary, read_whole};
pub(crate) use usage::read_usage;
