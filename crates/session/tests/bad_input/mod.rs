//! Bad input: nothing that a file, a folder or the system does can hurt.
//!
//! Each test is named after what it shows. Some run a part of this binary again as a child
//! process: under another user, under a limit, or to measure its memory. `PITREE_FULL=1` runs ten
//! times as many random cases.

mod changes;
mod child;
mod common;
mod damaged;
mod failed_writes;
mod faults;
mod forks;
mod framing;
mod huge;
mod links;
mod look_alikes;
mod mutations;
mod names;
mod old_versions;
mod permissions;
mod values;
