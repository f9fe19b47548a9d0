//! Many sessions for training: exactly what the model saw.
//!
//! A session is made into samples in three steps, and each of them is a module of its own:
//!
//! 1. A private copy of the file is made in which secrets are replaced by placeholders. All that
//!    follows reads that copy, so nothing can be written that was not redacted.
//! 2. The tree is cut into [`Sample`]s: which branches, which context, which replies are trained.
//!    This is what `pitree-sample` does, for one session.
//! 3. A [`Format`] prints each sample in the form that a trainer reads.
//!
//! What needs more than one session (duplicates, the split, the card) comes after the third step
//! and works on what the samples are, not on their text.
//!
//! ```no_run
//! use pitree_extract::request::{self, RequestSettings};
//! use pitree_session::{Environment, Session};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let session = Session::open("session.jsonl", &Environment::system())?;
//!     let next = request::next(&session, &RequestSettings::default())?;
//!     println!("{} messages would be sent to {}", next.messages.len(), next.model);
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod about;
mod batch;
mod capabilities;
mod card;
mod copy;
mod error;
mod folder_conflict;
pub mod format;
#[cfg(fuzzing)]
pub mod fuzzing;
mod guard;
mod names;
mod options;
mod output;
mod quality;
mod reason;
pub mod remote;
mod remote_error;
mod reply_keys;
mod report;
mod run;
pub mod sources;
mod subagents;
pub mod tables;
mod task;
mod warning;

pub use capabilities::{Capabilities, Images};
pub use copy::{PrivateCopy, private_copy};
pub use error::ExtractError;
pub use folder_conflict::FolderConflict;
pub use format::{Format, FormatName, FormatSpec, Lines, SessionFormat};
pub use guard::{Guard, Hit, Redacting, Seen, SourceLine, Unguarded};
pub use options::{CACHE_LIMIT, ExtractOptions, FormatOptions, PlanListener};
pub use output::{
    Assembler, FileAssembler, Line, LineAssembler, Output, Placement, Printed, Repeat, Target,
    WrittenFile,
};
pub use pitree_sample::{
    About, AgentRole, Alteration, ChatMessage, ChatRole, Context, Outcomes, OutcomesError, Part,
    Paths, Reasoning, ReplyBlock, RoleSign, Sample, SampleKind, SampleOptions, Selection,
    SessionOutcomes, Speaker, SubagentRun, ToolCall, ToolResult, Unit, Usage, Wire, request,
    samples,
};
pub use quality::{
    Dedupe, ModelUse, Noise, NoiseSet, Quality, SampleFacts, Split, TargetSketch, Tokenizer,
};
pub use reason::{DropReason, FilteredBy};
pub use remote_error::{Detail, RemoteError, RemoteProblem};
pub use reply_keys::ReplyKey;
pub use report::{LeftOut, Plan, ReplyCounts, Report, SessionCounts};
pub use run::{run, run_to};
pub use sources::Source;
pub use task::SessionTask;
pub use warning::DatasetWarning;

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
