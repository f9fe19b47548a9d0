//! The terminal interface: finding, walking, branching and reading sessions.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
