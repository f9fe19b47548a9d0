//! Many sessions for training: exactly what the model saw.
//!
//! A session is made into samples in three steps, and each of them is a module of its own:
//!
//! 1. A private copy of the file is made in which secrets are replaced by placeholders. All that
//!    follows reads that copy, so nothing can be written that was not redacted.
//! 2. The tree is cut into [`Sample`]s: which branches, which context, which replies are trained.
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
mod card;
mod copy;
mod error;
pub mod format;
#[cfg(fuzzing)]
pub mod fuzzing;
mod guard;
mod memo;
mod outcomes;
mod output;
mod quality;
mod reasoning;
mod reply_keys;
mod report;
pub mod request;
mod run;
mod sample;
mod select;
mod subagents;
pub mod tables;
mod texts;
mod turns;

pub use copy::{PrivateCopy, private_copy};
pub use error::ExtractError;
pub use format::{Format, FormatName, FormatOptions, Lines, Row};
pub use guard::{Guard, Hit, Redacting, Seen, SourceLine, Unguarded};
pub use outcomes::{Outcomes, OutcomesError};
pub use output::{
    Assembler, FileAssembler, Line, LineAssembler, Output, Placement, Printed, Repeat, Split,
    Taken, Target, WrittenFile,
};
pub use quality::{
    Dedupe, ModelUse, NOISE, Noise, NoiseSet, Quality, SampleFacts, TargetSketch, Tokenizer,
};
pub use reasoning::Reasoning;
pub use reply_keys::ReplyKey;
pub use report::{LeftOut, ReplyCounts, Report, SessionCounts};
pub use run::{
    CACHE_LIMIT, ExtractOptions, Extracted, Plan, PlanListener, SessionFormat, Source, run, run_to,
};
pub use sample::{
    About, Alteration, ChatMessage, ChatRole, Part, ReplyBlock, Sample, SampleKind, Speaker,
    SubagentRun, ToolCall, ToolResult, Usage, Wire,
};
pub use select::{Context, Paths, Selection, Unit, samples};

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
