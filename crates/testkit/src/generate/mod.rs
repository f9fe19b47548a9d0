//! The parts from which generated session files are put together.

pub(crate) mod compaction;
pub(crate) mod conversation;
pub(crate) mod entries;
pub(crate) mod framing;
pub(crate) mod messages;
pub(crate) mod old;
pub(crate) mod system;
pub(crate) mod text;
pub(crate) mod tree;
pub(crate) mod working;
