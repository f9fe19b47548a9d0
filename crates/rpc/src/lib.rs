//! The stdio protocol: Pi's session commands, and those that its users ask for.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
