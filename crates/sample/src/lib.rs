//! One session for training: the requests that Pi sent, and samples cut from them.
//!
//! A session file of the Pi agent is a tree of entries. A model never saw it like that: for each
//! reply Pi sent a context, after compactions and edits, without failed replies. This crate works
//! out that context, and cuts a session into [`Sample`]s by it: messages that belong together, and
//! which of them are trained. A reply is trained in exactly one sample.
//!
//! - [`samples`] is an iterator over the samples of a session. [`SampleOptions`] say which
//!   branches, with which context, and in which units.
//! - [`request`] rebuilds the body of the request behind each reply, as the real Pi sends it.
//! - [`PairSearch`] finds two replies to the same context, for preference data.
//! - [`Reasoning`] says what becomes of the reasoning of a model, and [`Outcomes`] what came of
//!   sessions.
//! - [`turns`] are the rules underneath: what is sent of a message, in which order, with which ids.
//!
//! Nothing is redacted here, nothing is written, and only the session is looked at. Whole data sets,
//! without secrets and without duplicates, are what `pitree-extract` makes.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("session.jsonl");
//! # let lines = [
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/shop"}"#,
//! #     r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"Hello","timestamp":1770159127000}}"#,
//! #     r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}],"api":"openai-completions","provider":"local","model":"small","stopReason":"stop","timestamp":1770159128000}}"#,
//! # ];
//! # fs_err::write(&path, lines.join("\n"))?;
//! use pitree_sample::{ChatRole, Paths, SampleOptions, Selection, samples};
//! use pitree_session::{Environment, Session};
//!
//! let environment = Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
//! let session = Session::open(&path, &environment)?;
//! let options = SampleOptions::from(Selection { paths: Paths::All, ..Selection::default() });
//! for sample in samples(&session, &options) {
//!     let sample = sample?;
//!     assert_eq!(sample.id, "s1:a2:0");
//!     for (message, is_trained) in sample.turns() {
//!         assert_eq!(is_trained, message.role == ChatRole::Assistant);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod about;
mod error;
mod memo;
mod message;
mod note;
mod outcomes;
mod reasoning;
pub mod request;
mod sample;
mod select;
mod texts;
pub mod turns;

pub use about::{About, AgentRole, RoleSign, SubagentRun};
pub use error::SampleError;
pub use memo::Memo;
pub use message::{
    ChatMessage, ChatRole, IMAGE, Part, ReplyBlock, Speaker, ToolCall, ToolResult, Usage,
};
pub use outcomes::{Outcomes, OutcomesError, SessionOutcomes, score};
pub use reasoning::{Reasoning, in_text};
pub use sample::{Alteration, Sample, SampleKind, Wire};
pub use select::{
    Context, NoPair, PairResult, PairSearch, Paths, ReplyPair, SampleOptions, Samples, Selection,
    Unit, samples, says_the_same,
};

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
