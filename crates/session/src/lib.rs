//! One Pi session.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod blobs;
pub mod context;
mod environment;
mod error;
mod findings;
mod fork;
mod labels;
pub mod location;
mod migrate;
mod outline;
pub mod paths;
mod read;
mod session;
mod table;
mod tree;
mod write;

pub use environment::Environment;
pub use error::SessionError;
pub use findings::{Finding, Refusal, Severity};
pub use fork::ForkOptions;
pub use labels::{Label, Labels};
pub use outline::outline_of;
pub use read::{
    FoundHeader, MAX_LINE_BYTES, OddLine, Oddity, Tail, TailLine, read_header, read_tail,
};
pub use session::{EntryRef, NewSession, OpenOptions, Session, open_file};
pub use tree::{Tree, TreeStep};
pub use write::{
    Appended, Durability, NewBranchSummary, NewCompaction, Outcome, Rewrite, backup_directory,
    is_port_file, last_rewrite, undo_last,
};
