//! Tables, trajectories and traces, read by the programs for which they are made.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may fail loudly and say what it saw"
)]

mod atif;
mod data_set;
#[path = "../../../sample/tests/selection/odd.rs"]
mod odd;
mod pairing;
mod parquet;
#[path = "../../../store/tests/spend/mod.rs"]
mod spend;
mod traces;
