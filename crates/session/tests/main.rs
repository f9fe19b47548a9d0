//! One session: bad input, several writers, compaction, and Pi's own mistakes.
//!
//! `conformance`, `kills` and `memory` are programs of their own: the first two are built optimized,
//! and the last counts what the whole process allocates.

mod bad_input;
mod compaction;
mod pi_mistakes;
mod refresh;
mod writers;
