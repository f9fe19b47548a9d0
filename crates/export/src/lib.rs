//! One session for people: text, Markdown, HTML and JSONL; and the way back, [`import`].
//!
//! * **Nothing is held.** Entries are read, written and forgotten one by one, so a session of any
//!   size needs the memory of its longest line.
//! * **Session text is hostile.** It reaches a page only as [`harmless`] text, escaped for the
//!   format. An HTML page has no script and no address of anything outside; Markdown keeps its
//!   form whatever fences, tags and links a message holds.
//! * **Every text can be changed on its way.** A [`Redactor`] sees each one before it is written;
//!   [`SecretRedactor`] replaces secrets, and looks once more before anything is handed out.
//! * **Damage is shown.** Lines that are not entries stand at the end of a page; the whole file as
//!   JSONL is a copy, byte for byte.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("session.jsonl");
//! # let lines = [
//! #     r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/p"}"#,
//! #     r#"{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"Is 1 < 2?","timestamp":1770159127000}}"#,
//! # ];
//! # fs_err::write(&path, lines.join("\n") + "\n")?;
//! # let environment = pitree_session::Environment::new("/home/ana", "/srv/p", || 0, |_| {});
//! use pitree_export::{ExportOptions, Format, export};
//!
//! let session = pitree_session::Session::open(&path, &environment)?;
//! let mut page = Vec::new();
//! let exported = export(&session, Format::Html, &ExportOptions::default(), &mut page)?;
//! assert_eq!(exported.entries, 1);
//! assert!(String::from_utf8(page)?.contains("Is 1 &lt; 2?"));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod content;
mod error;
mod facts;
mod file;
mod format;
mod guard;
pub mod harmless;
pub mod highlight;
mod html;
pub mod import;
mod jsonl;
mod markdown;
pub mod nodes;
pub mod numbers;
mod order;
mod page;
mod parts;
mod redact;
mod secrets;
mod text;
mod walk;

use std::io::Write;

use pitree_format::setters;
use pitree_session::Session;

use page::Page;
use parts::{Parted, Parts};

pub use error::ExportError;
pub use file::{Overwrite, default_name, export_to_file, refuse_itself, write_file};
pub use format::Format;
pub use guard::ensure_replaceable;
pub use redact::{Redactor, learn};
pub use secrets::{Found, SecretRedactor, redact_session};

/// Which entries are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// The way from the root to the leaf.
    Active,
    /// Every branch. As JSONL this is the file itself.
    All,
    /// The way from the root to this entry, by its place in file order.
    To(usize),
}

/// What may be chosen about an export.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct ExportOptions<'o> {
    /// Which entries; without it [`Format::default_branch`].
    pub branch: Option<Branch>,
    /// Sees every text before it is written.
    pub redactor: Option<&'o dyn Redactor>,
}

impl<'o> ExportOptions<'o> {
    /// The usual entries of a format, nothing redacted.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets which entries are exported.
        branch: Option<Branch>,
        /// Sets who sees every text before it is written.
        redactor: Option<&'o dyn Redactor>,
    }

    /// The entries that are exported in this format.
    pub fn branch_for(&self, format: Format) -> Branch {
        self.branch.unwrap_or_else(|| format.default_branch())
    }
}

/// What was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// How many entries were written.
    pub entries: usize,
    /// How many lines of the file are no entries: shown at the end of a page, in their place in a
    /// copy of the whole file, and left out of a single branch as JSONL.
    pub odd_lines: usize,
}

/// Writes a session in a format.
pub fn export(
    session: &Session,
    format: Format,
    options: &ExportOptions<'_>,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    options.redactor.map_or(Ok(()), |redactor| learn(session, redactor))?;
    match options.redactor.and_then(Redactor::second_scan) {
        None => write(session, format, options, out, None),
        Some(scanner) => secrets::write_scanned(scanner, format, out, |out, parts| {
            write(session, format, options, out, Some(parts))
        }),
    }
}

fn write(
    session: &Session,
    format: Format,
    options: &ExportOptions<'_>,
    out: &mut dyn Write,
    parts: Option<&Parts>,
) -> Result<Exported, ExportError> {
    let branch = options.branch_for(format);
    let source = redact::ExportedSession::new(session, options.redactor);
    match format {
        Format::Text => write_page(&source, branch, text::TextPage::new(out), parts),
        Format::Markdown => write_page(&source, branch, markdown::MarkdownPage::new(out), parts),
        Format::Html => {
            write_page(&source, branch, html::HtmlPage::new(out, parts, options.redactor), parts)
        }
        Format::Jsonl => jsonl::write(&source, branch, out),
    }
}

fn write_page(
    source: &redact::ExportedSession<'_>,
    branch: Branch,
    mut page: impl Page,
    parts: Option<&Parts>,
) -> Result<Exported, ExportError> {
    match parts {
        Some(parts) => {
            let redact = |text: &str| source.redacted(text);
            walk::write(source, branch, &mut Parted::new(page, parts, &redact))
        }
        None => walk::write(source, branch, &mut page),
    }
}

/// The examples of the README are run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
