//! One line of a Pi session file.
//!
//! A session file is JSON Lines: a `session` header, then entries that form a tree by `id` and
//! `parentId`. This crate owns what a single line is and nothing else: it does no I/O and knows
//! no tree.
//!
//! * [`scan`] reads a line's *envelope* (`type`, `id`, `parentId`, `timestamp`, `message.role`)
//!   and validates every byte on the way. Whether a line counts as JSON is what `JSON.parse`
//!   says, because that decides which entries Pi sees.
//! * [`js`] is a JSON value with JavaScript's rules: strings that may hold lone surrogates,
//!   numbers printed in JavaScript's shortest form, members in JavaScript's order.
//! * [`entry`], [`message`] and [`usage`] are the typed bodies, decoded on demand. Unknown tags
//!   keep their text; unknown fields stay in the raw line.
//! * [`compose`] builds new messages: [`Message::user`], [`Message::assistant`] and the others.
//! * [`draft`] prints new lines exactly as Pi prints them.
//! * [`migrate`] brings version 1 and 2 up to version 3 with Pi's rules.
//! * [`edit`] changes one member of a line and leaves every other byte alone.
//! * [`recognize`] tells whether a file is a session; [`dialect`] names those that look alike.
//!
//! ```
//! use pitree_format::scan::{Scanned, scan};
//! use pitree_format::EntryKind;
//!
//! let line = br#"{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-02-03T22:52:06.410Z","message":{"role":"user","content":"Hello"}}"#;
//! let Scanned::Object(envelope) = scan(line) else { panic!("not an object") };
//! assert_eq!(envelope.kind(), EntryKind::Message);
//! assert_eq!(envelope.id.to_js().unwrap().to_text(), "a1b2c3d4");
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[macro_use]
mod macros;

pub mod compose;
mod content;
pub mod dialect;
pub mod draft;
pub mod edit;
pub mod entry;
mod failed;
pub mod js;
mod kind;
pub mod message;
pub mod migrate;
pub mod recognize;
pub mod scan;
pub mod usage;

pub use compose::NewMessage;
pub use js::{Array, JsString, Object, Value};
pub use kind::{EntryKind, Role};
pub use message::Message;
pub use usage::Usage;

/// The session format version that Pi 1.5.0 writes and this crate writes.
pub const CURRENT_VERSION: u32 = 3;

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
