//! Exports and imports as their callers see them.
//!
//! `html.rs` and `markdown.rs` judge pages: by a strict checker of our own, and by a Markdown
//! parser that is not ours.

mod common;
mod conformance;
mod files;
mod hostile;
mod html;
mod imports;
mod markdown;
mod nodes;
mod pages;
mod redaction;
