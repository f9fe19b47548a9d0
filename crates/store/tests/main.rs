//! The store against files that are read in full, and against the real Pi.

mod cache_robustness;
mod delete;
mod ledger;
mod listing;
mod live_pi;
mod old_forks;
mod roles;
mod search;
mod shared_index;
mod spend;
mod subagents;
mod watch;
