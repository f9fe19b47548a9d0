//! What a live session needs around it: settings, summarizers, extension processes.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod live;
