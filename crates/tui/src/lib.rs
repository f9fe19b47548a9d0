//! The terminal interface: finding, walking, branching and reading sessions.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[allow(dead_code, reason = "the screen that uses it follows")]
mod view;
