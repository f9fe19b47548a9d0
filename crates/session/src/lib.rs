//! One Pi session.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod context;
mod environment;
mod error;
mod labels;
pub mod paths;
mod read;
mod session;
mod table;
mod tree;

pub use environment::Environment;
pub use error::SessionError;
pub use labels::{Label, Labels};
pub use read::{FoundHeader, MAX_LINE_BYTES, OddLine, Oddity, Tail, TailLine, read_header, read_tail};
pub use session::{EntryRef, OpenOptions, Session};
pub use tree::{Tree, TreeStep};
