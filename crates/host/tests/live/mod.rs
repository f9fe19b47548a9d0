//! The live session with observers and a summarizer of the test's own. What can be compared with
//! the real Pi is in `live_events`.

mod compaction;
mod replacing;
mod world;
