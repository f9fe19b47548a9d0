//! What makes a data set better than the sum of its sessions: duplicates, the split, limits,
//! token counts, caps.
//!
//! All of it works on [`SampleFacts`], which are taken when a sample is printed; the text itself is
//! not looked at again.

mod facts;

pub use facts::{ModelUse, SampleFacts};
