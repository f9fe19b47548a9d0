//! One Pi session: its tree, its leaf, its context, its forks, and a writer that loses nothing.
//!
//! A session is a JSONL file. The first line is a header; every other line is an entry with an
//! `id` and a `parentId`, so the entries form a tree. The *leaf* is the entry where the session
//! stands, and the path from the root to the leaf is the conversation. This crate opens such a
//! file, answers every question that Pi 1.5.0 answers about it, and appends to it in Pi's form.
//!
//! # Why it is made this way
//!
//! * **Opening reads envelopes, not bodies.** A [`Session`] holds, for each entry, its id, its
//!   parent, its kind, its time and where its line lies in the file. A body is read when it is
//!   asked for, through [`EntryRef::value`], [`EntryRef::body`] or [`EntryRef::raw`].
//! * **Opening writes nothing.** Versions 1 and 2 are brought up to version 3 in memory. The file
//!   changes when [`Session::migrate`] is called. An append to it is refused, unless
//!   [`OldVersion::Migrate`] allows it to migrate; then [`Session::take_migration`] says so.
//! * **Damage is a value, not an error.** Lines that are no JSON, missing parents, circles and
//!   repeated ids are kept, and [`Session::findings`] explains them.
//! * **The caller owns the outside world.** The home folder, the variables, the clock and the
//!   random source come in through an [`Environment`]. The crate never prints.
//! * **Everything is synchronous** and there is no global state.
//!
//! # Create, append, branch, read the context
//!
//! ```
//! use pitree_session::location::Location;
//! use pitree_session::{Environment, Message, NewSession, AppendOutcome, Session};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path();
//! # let project = home.join("project");
//! # let next = std::sync::atomic::AtomicU8::new(1);
//! # let random = move |bytes: &mut [u8]| {
//! #     bytes.fill(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
//! # };
//! // A program says `Environment::system()` here.
//! let environment = Environment::new(home, &project, || 1_770_159_126_410, random);
//! let location = Location::usual(&environment);
//! let mut session = Session::create(&project, &location, &NewSession::default(), &environment)?;
//!
//! // There is no file before somebody speaks; until then entries wait in memory.
//! let model = session.append_model_change("anthropic", "claude-sonnet-4-5")?;
//! assert_eq!(model.outcome, AppendOutcome::Deferred);
//! let question = session.append_message(Message::user("How do I read a file?"))?;
//! assert_eq!(question.outcome, AppendOutcome::Written);
//! let reply = || Message::assistant("anthropic", "claude-sonnet-4-5");
//! session.append_message(reply().text("Use std::fs::read."))?;
//!
//! // Go back to the question and answer it in another way.
//! session.branch(&question)?;
//! session.append_message(reply().text("Use fs_err::read: its errors name the file."))?;
//! assert_eq!(session.len(), 4);
//! assert_eq!(session.tree().branch_points().count(), 1);
//!
//! // The context holds the active branch only.
//! let context = session.context()?;
//! assert_eq!(context.messages.len(), 2);
//! assert_eq!(context.thinking_level, Some("off".into()));
//! # Ok(())
//! # }
//! ```
//!
//! # Open and look
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("session.jsonl");
//! # let lines = [
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}"#,
//! #     r#"{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"Hello","timestamp":1770159127000}}"#,
//! #     r#"{"type":"message","id":"b2c3d4e5","parentId":"gone","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"user","content":"Still there?","timestamp":1770159128000}}"#,
//! # ];
//! # fs_err::write(&path, lines.join("\n"))?;
//! # let environment = pitree_session::Environment::new("/home/u", "/home/u/p", || 0, |_| {});
//! use pitree_session::Session;
//!
//! let session = Session::open(&path, &environment)?;
//! for entry in session.entries() {
//!     println!("line {}: {} {}", entry.line(), entry.id(), entry.outline()?);
//! }
//! assert_eq!(session.leaf_id(), Some("b2c3d4e5"));
//! assert_eq!(session.entry_by_prefix("a1")?.outline()?, "user: Hello");
//!
//! // What is odd about the file: a lost parent, the entry that it cuts off from the current branch,
//! // and a last line without a line feed.
//! let codes: Vec<&str> = session.findings()?.iter().map(|finding| finding.code).collect();
//! assert_eq!(codes, ["orphan", "cut-off", "no-final-newline"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Fork
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use pitree_format::{Object, Value};
//! # let folder = tempfile::tempdir()?;
//! # let next = std::sync::atomic::AtomicU8::new(1);
//! # let random = move |bytes: &mut [u8]| {
//! #     bytes.fill(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
//! # };
//! # let environment =
//! #     pitree_session::Environment::new(folder.path(), folder.path(), || 1_770_159_126_410, random);
//! # let say = |role: &str, text: &str| -> Value {
//! #     Object::new().with("role", role).with("content", text).into()
//! # };
//! # let new = pitree_session::NewSession::default();
//! # let mut session = pitree_session::Session::create_in(
//! #     folder.path(), folder.path().join("sessions"), &new, &environment)?;
//! # session.append_message(say("user", "first question"))?;
//! # session.append_message(say("assistant", "first answer"))?;
//! # let second = session.append_message(say("user", "second question"))?.id;
//! use pitree_session::ForkOptions;
//!
//! // A new session that ends before the message, so that it can be said anew.
//! let fork = session.fork_before(&second, &ForkOptions::default())?;
//! assert_eq!(fork.len(), 2);
//! let parent = fork.header().parent_session.as_ref().map(ToString::to_string);
//! assert_eq!(parent.as_deref(), session.path().and_then(|path| path.to_str()));
//! // The source is as it was.
//! assert_eq!(session.len(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! # Find sessions
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path();
//! # let environment =
//! #     pitree_session::Environment::new(home, home.join("project"), || 0, |_| {});
//! use pitree_session::Session;
//! use pitree_session::location::{Layout, Location, LocationChoice};
//!
//! let location = Location::choose(&LocationChoice::default(), &environment);
//! assert_eq!(location.path, home.join(".pi/agent/sessions"));
//! assert_eq!(location.layout, Layout::PerDirectory);
//! for found in location.sessions_of(environment.cwd(), &environment) {
//!     println!("{} {}", found.id(), found.path.display());
//! }
//! // The most recent one, or a new one if there is none.
//! let session = Session::continue_recent(environment.cwd(), &location, &environment)?;
//! assert!(session.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # Pi's names and ours
//!
//! | Pi | here |
//! |---|---|
//! | `SessionManager.create` | [`Session::create`], [`Session::create_in`] |
//! | `SessionManager.open` | [`Session::open`], [`OpenOptions::open`] |
//! | `SessionManager.continueRecent` | [`Session::continue_recent`] |
//! | `SessionManager.inMemory` | [`Session::in_memory`] |
//! | `SessionManager.forkFrom` | [`Session::fork_from`] |
//! | `SessionManager.findById` | [`location::Location::find`] |
//! | `SessionManager.list`, `listAll` | [`location::Location::sessions_of`], [`location::Location::all_sessions`]: header and file time only |
//! | `getHeader` | [`Session::header`], [`Session::header_value`] |
//! | `getEntries`, `getEntryCount` | [`Session::entries`], [`Session::len`] |
//! | `getEntry` | [`Session::entry`] |
//! | `getLeafId`, `getLeafEntry` | [`Session::leaf_id`], [`Session::leaf`] |
//! | `getBranch` | [`Session::path_to`], [`Session::active_path`] |
//! | `getTree` | [`Session::tree`] |
//! | `getChildren` | [`Session::children`], [`Session::roots`] |
//! | `getLabel` | [`Session::label`], [`Session::labels`] |
//! | `getSessionName` | [`Session::name`] |
//! | `branch`, `resetLeaf` | [`Session::branch`], [`Session::reset_leaf`] |
//! | `branchWithSummary` | [`Session::branch_with_summary`] |
//! | `createBranchedSession` | [`Session::create_branched_session`] |
//! | `appendMessage` and the other `append…` | [`Session::append_message`] and the other `append_…` |
//! | `buildContextEntries` | [`Session::context_entries`] |
//! | `buildSessionProjection` | [`Session::projection`] |
//! | `buildSessionContext` | [`Session::context`] |
//! | `convertToLlm` | [`context::to_llm`] |
//! | `prepareCompaction`, `compact` | [`Session::prepare_compaction`], [`Session::compact`] |
//! | `findCutPoint` | [`compaction::find_cut_point`] |
//! | `collectEntriesForBranchSummary` | [`compaction::collect_entries_for_branch_summary`] |
//! | `prepareBranchEntries` | [`compaction::prepare_branch_entries`] |
//! | `AgentSession.navigateTree` | [`Session::navigate`] |
//!
//! The names of the Rust port: `encode_cwd` is [`paths::encode_cwd`], `leaf_id` is
//! [`Session::leaf_id`], `get_path_to_entry` is [`Session::path_to`], `entries_for_current_path`
//! is [`Session::active_path`], `to_messages_for_current_path` is [`Session::context`] with
//! [`context::to_llm`], and `save` is not needed: each append writes ([`Session::write_now`]
//! creates a file before the first message).
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod blobs;
pub mod compaction;
pub mod context;
mod cut_off;
mod environment;
mod error;
mod findings;
mod fork;
mod labels;
pub mod location;
mod migrate;
mod outline;
pub mod parallel;
pub mod paths;
mod position;
mod read;
mod session;
mod small_file;
pub mod summary;
mod table;
mod tree;
mod write;

pub use pitree_format as format;
pub use pitree_format::draft::{NewBranchSummary, NewCompaction};
pub use pitree_format::{EntryKind, JsString, Message, NewMessage, Object, Role, Usage, Value};

pub use cut_off::CutOff;
pub use environment::Environment;
pub use error::{
    AMBIGUOUS_HINT, Result, SessionError, SessionMatch, cause, without_temporary_name,
};
pub use findings::{Finding, Refusal, Severity};
pub use fork::ForkOptions;
pub use labels::{Label, Labels};
pub use outline::{outline_cut, outline_of};
pub use read::{
    FoundHeader, LineProblem, LineReader, MAX_LINE_BYTES, Next, OddLine, Tail, TailLine,
    find_entry, read_header, read_tail,
};
pub use session::{
    EntryKey, EntryRef, EntrySpend, NewSession, OpenOptions, Session, SessionSpend, SessionStats,
    open_file,
};
pub use small_file::{read_small_file, read_small_text};
pub use tree::filter::{TreeClass, TreeFilter, is_silent};
pub use tree::{Tree, TreeStep};
pub use write::{
    AppendOutcome, Appended, Durability, LOCK_WAIT, LockHolder, NewUsage, OldVersion, Rewrite,
    UndoOptions, Undone, UsageValue, WriteOptions, backup_directory, check_message, has_no_locks,
    last_rewrite, make_private_directory, temporary_file_in, undo_last,
};

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
