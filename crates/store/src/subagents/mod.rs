//! Sub-agents: what a tool result says about the agents that a session sent out, and where their
//! own records are.
//!
//! A run may stand in four places: a session file of its own, an artifact beside the parent's
//! session, a list of artifacts, and the messages inside the tool result. The paths come from a
//! session, so they are followed only where [`Trust`] allows it.

mod details;
mod messages;
mod record;
mod relocation;
mod resolve;
mod trust;

pub use details::{
    ArtifactPaths, Artifacts, ProgressSummary, RunUsage, SubagentCall, SubagentRun, split_model,
};
pub use messages::{message_time, read_messages};
pub use record::Record;
pub use relocation::Relocation;
pub(crate) use resolve::named_paths;
pub use resolve::{Form, PlaceKind, PlaceState, Resolution, RunPlace, record_paths, resolve};
pub use trust::{Refused, Trust};
