//! The screens, driven by keys and seen through a terminal emulator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "tests")]

mod colors;
mod fork;
mod harness;
mod help;
mod key_docs;
mod keys;
mod observers;
mod picker;
mod pictures;
mod shop;
mod tree;
mod view;
