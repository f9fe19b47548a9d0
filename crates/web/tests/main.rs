//! The server of the page, asked over a socket as a browser asks.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

mod attack;
mod breaks;
mod browser;
mod common;
mod contexts;
mod crowd;
mod edits;
mod family;
mod gate;
mod hostile;
mod left_out;
mod live;
mod long;
mod page_file;
mod problems;
mod windows;
