//! The command as a user runs it, a module for each verb or subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

mod answers;
mod buckets;
mod common;
mod compact;
mod completions;
mod config;
mod cost;
mod damaged;
mod delete;
mod demo;
mod docs;
mod export;
mod extensions;
mod extract;
mod extract_choice;
mod extract_faults;
mod extract_sources;
mod index;
mod interrupt;
mod list;
mod lora_forge;
mod messages;
mod mistakes;
mod next_steps;
mod page;
mod private;
mod reference;
mod relatives;
mod resume;
mod rpc;
mod schemas;
mod screens;
mod search;
mod secrets;
mod serve;
mod show;
mod skill;
mod stats;
mod subagents;
mod trainers;
mod watch;
mod writing;
