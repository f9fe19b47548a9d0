//! Secrets and personal data in Pi sessions: found, replaced, and looked for again.
//!
//! * **Words first.** One pass over a text meets the words of all rules; only where one is met are
//!   rules tried, each in a small window. A rule is compiled when it is needed.
//! * **Stable placeholders.** A secret becomes `[REDACTED:<rule>:<digits>]`. The digits come from a
//!   keyed hash, so the same secret has the same ones everywhere, and without the [`Key`] nobody
//!   can try out what it was. No rule ever finds anything in a placeholder.
//! * **Nothing is told.** A [`Report`] names rules and places and shows a masked value.
//! * **Twice is once.** What was redacted does not change when it is redacted again, and
//!   [`Redactor::scan_finished`] finds nothing in it.
//!
//! The crate does no I/O: keys and known secrets come from the caller.
//!
//! ```
//! use pitree_redact::{Context, Key, Literals, Pseudonyms, Redactor, Report};
//!
//! let key = Key::new([7; Key::LEN]);
//! let redactor = Redactor::new(key, Literals::default(), Pseudonyms::default());
//! let mut report = Report::default();
//! let text = "clone https://ana:lemon-tree-7@git.example.org/x.git";
//! let clean = redactor.text(text, Context::Text, &mut report);
//! assert!(clean.starts_with("clone https://ana:[REDACTED:credential-url:"));
//! assert_eq!(report.findings[0].rule, "credential-url");
//! assert_eq!(redactor.text(&clean, Context::Text, &mut report), clean);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod assignment;
mod base64;
mod boundary;
mod commands;
mod cut;
mod deep;
mod dictionary;
mod ending;
mod entries;
mod files;
mod finder;
mod finished;
mod formats;
mod found;
mod images;
mod joined;
mod judge;
mod literals;
mod memory;
mod messages;
mod names;
mod path;
mod placeholder;
mod private_key;
mod programs;
mod prose;
mod pseudonyms;
mod public;
mod random;
mod redactor;
mod report;
mod rules;
mod scan;
mod shapes;
mod spellings;
mod stand_in;
mod walk;

pub use cut::{cut_after, cut_before};
pub use entries::{Links, change_entry};
pub use finished::{Finished, Leftover};
pub use found::{FoundSecrets, too_many_secrets};
pub use literals::{Literals, SkipReason, Skipped};
pub use memory::SessionMemory;
pub use placeholder::Key;
pub use pseudonyms::Pseudonyms;
pub use redactor::{Likely, Redactor};
pub use report::{Finding, Report};
pub use rules::Ruleset;
pub use scan::{Action, Certainty, Context, Hit};
pub use walk::SIGNATURE_MARK;

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
