//! Tables, trajectories and traces, read by the programs for which they are made.

mod atif;
mod data_set;
mod pairing;
mod parquet;
#[path = "../../../store/tests/spend/mod.rs"]
#[expect(dead_code, reason = "the tests of the store use more of it")]
mod spend;
mod traces;
