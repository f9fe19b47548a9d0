//! One session for people: text, Markdown, JSONL and HTML.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
