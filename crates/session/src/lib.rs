//! One Pi session.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod context;
mod environment;
mod error;
mod findings;
mod labels;
pub mod location;
mod outline;
pub mod paths;
mod read;
mod session;
mod table;
mod tree;

pub use environment::Environment;
pub use error::SessionError;
pub use findings::{Finding, Refusal, Severity};
pub use labels::{Label, Labels};
pub use outline::outline_of;
pub use read::{
    FoundHeader, MAX_LINE_BYTES, OddLine, Oddity, Tail, TailLine, read_header, read_tail,
};
pub use session::{EntryRef, OpenOptions, Session, open_file};
pub use tree::{Tree, TreeStep};
