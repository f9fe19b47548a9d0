//! The text forms: what they keep of a sample, and that the programs they are for take them.
//!
//! The samples are random, with a seed (`PITREE_SEED`), and hold what real sessions hold: thoughts,
//! text beside calls, several calls at once, two messages of the user in a row, replies that are
//! only context, and text that looks like the marks of a template.

mod consumers;
mod docs;
mod preference;
mod rows;
mod samples;
mod sessions;

use crate::runs::common as store;
