//! A live session and what is around it: events, extensions, models, summarizers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

mod extensions;
mod live;
mod live_events;
mod pi;
mod summarizers;
