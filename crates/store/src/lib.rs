//! Many Pi sessions in many places.
//!
//! A [`Store`] looks at one or more locations, finds the session files in them and says what a
//! list needs to know of each. Files are only read. What is no session is named and left out.
//!
//! ```no_run
//! use pitree_session::Environment;
//! use pitree_session::location::Location;
//! use pitree_store::Store;
//!
//! let environment = Environment::system();
//! let store = Store::new(vec![Location::usual(&environment)], &environment);
//! for facts in store.list_all().sessions {
//!     println!("{} {} messages, ${:.2}", facts.id, facts.message_count, facts.spend.cost);
//! }
//! ```
//!
//! What brings dependencies of its own is a feature, and on by default:
//!
//! | feature | what it is |
//! |---|---|
//! | `search` | [`search`]: words, phrases and regular expressions in messages, and which sessions match best |
//! | `trash` | the desktop's trash, for [`delete`] |
//! | `watch` | [`watch`]: news of what other programs write |
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(feature = "search"),
    expect(dead_code, unused_imports, reason = "search shares what reads files and caches")
)]

pub mod cache;
mod cached_facts;
pub mod delete;
mod discover;
mod facts;
mod family;
mod find;
mod hash;
pub mod ledger;
mod list;
mod names;
mod newest;
mod progress;
mod reading;
mod reconcile;
pub mod roles;
mod scope;
#[cfg(feature = "search")]
pub mod search;
pub mod shared_index;
pub mod stats;
pub mod subagents;
mod verify;
#[cfg(feature = "watch")]
pub mod watch;
pub mod when;

pub use discover::{
    Discovered, FileKind, FileStamp, FoundFile, Unreadable, discover, discover_all,
};
pub use facts::{
    FactsResult, ListFilter, ModelUse, NotListed, SessionFacts, Spend, SpendPart, read_facts,
};
pub use family::{ThreadRow, parents, thread, thread_of};
pub use find::ShortIds;
pub use list::{Listing, Store};
pub use progress::Progress;
pub use reading::GrowthPolicy;
pub use scope::{Scope, repository_of};
pub use verify::Verified;

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
