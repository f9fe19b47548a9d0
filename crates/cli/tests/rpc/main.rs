//! `pitree rpc` as its clients see it, and beside the real Pi.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

mod framing;
mod normal;
mod peer;
mod pi;
