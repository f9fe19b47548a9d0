//! What the work on one session writes, and how it gets into the files of a data set.
//!
//! A session is worked on alone, and what it gives waits in a [`spool`], because three
//! things are only known when all sessions are done: which samples are duplicates, which part of
//! the split a family is in, and whether the session may be written at all. Then an [`Assembler`]
//! takes the pieces of all sessions in a fixed order and makes the files.

mod file;
mod files;
pub(crate) mod folder;
mod line;
pub(crate) mod replaceable;
mod shard;
pub(crate) mod spool;

use pitree_sample::turns::ReplyEnd;

use crate::error::ExtractError;
use crate::quality::{SampleFacts, Split};
use crate::reason::DropReason;
use crate::reply_keys::ReplyKey;

pub(crate) use file::OutputFile;
pub use file::WrittenFile;
pub(crate) use files::short_id;
pub use files::{FileAssembler, LineAssembler};
pub(crate) use folder::{OutputFolder, Scratch};
pub(crate) use line::{Item, SharedList};
pub use line::{Line, Printed, Repeat};
pub(crate) use shard::stem_of;
pub use shard::{Compression, OutputLayout, OutputShard, Shards};

/// Where the work on one session writes.
pub trait Output {
    /// All pieces that follow belong to this sample: they go where it goes, and are left out if
    /// it is.
    fn sample(&mut self, facts: SampleFacts);

    /// All pieces that follow belong to the session as a whole.
    fn session(&mut self);

    /// A piece: a line without its line feed, or a whole small file.
    fn piece(&mut self, to: Target<'_>, bytes: &[u8]) -> Result<(), ExtractError>;

    /// A line that may repeat parts of earlier ones. Gives the place of its text, by which later
    /// lines may repeat parts of it.
    fn line(&mut self, to: Target<'_>, line: &Line) -> Result<u64, ExtractError>;

    /// A sample that is not written, how many replies would have been trained in it, and why.
    /// Replies that are counted elsewhere are not counted here.
    fn left_out(&mut self, reason: DropReason, replies: u64);

    /// So many more replies that can be trained. Each is then a target of a sample, left out with a
    /// reason, or a copy.
    fn found(&mut self, replies: u64);

    /// Replies that are not trained, and why.
    fn replies_left_out(&mut self, reason: DropReason, replies: u64);

    /// A reply that is trained in another session.
    fn copied(&mut self, reply: ReplyKey);

    /// So many more replies that cannot be trained because of how they ended.
    fn unfinished(&mut self, end: ReplyEnd, replies: u64);
}

/// What a piece is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// The lines of the data set.
    Data,
    /// A row of a table, which the form has numbered.
    Table(u8),
    /// A file of this name. Pieces of one file follow one another, and each is a line of it.
    FileLine(&'a str),
    /// The whole content of a file of this name.
    File(&'a str),
}

/// What was decided for a sample after all sessions were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement<'a> {
    /// The part that it is in.
    pub split: Split,
    /// The group of near duplicates that it belongs to, if it is not alone.
    pub cluster: Option<&'a str>,
    /// The number of its session in the data set.
    pub session: usize,
}

/// Makes the files of a data set out of the pieces of all sessions.
pub trait Assembler {
    /// The next piece. Sessions come in a fixed order, and their pieces as they were written.
    fn piece(
        &mut self,
        to: Target<'_>,
        placement: &Placement<'_>,
        bytes: &[u8],
    ) -> Result<(), ExtractError>;

    /// Ends all files and tells of them, in order.
    fn finish(self: Box<Self>) -> Result<Vec<WrittenFile>, ExtractError>;
}
