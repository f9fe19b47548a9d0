//! Tools for testing the session engine against the real Pi.
//!
//! Seeded generators make session files and operation sequences, [`Oracle`] asks the real Pi what
//! it makes of them, and the shrinkers cut a failing case down. Everything here is a function of
//! its seed: the same seed gives the same bytes on every machine.

mod allocator;
mod body;
mod consumers;
mod damage;
mod fault_proxy;
mod generate;
mod histogram;
mod json;
mod mock_model;
mod object_server;
mod operations;
mod oracle;
mod page;
mod pi_client;
mod pi_conversation;
mod pi_recorder;
mod pi_rpc;
mod picture;
mod planted;
mod random;
mod ranking;
mod rng;
mod session;
mod shrink;
mod told;

pub use allocator::CountingAllocator;
pub use body::{Body, is_full, kills};
pub use consumers::Consumers;
pub use damage::{DamagedFile, damaged_files};
pub use fault_proxy::{Fault, FaultProxy, ProxiedRequest};
pub use histogram::{CaseFacts, ENTRY_KINDS, Histogram, MESSAGE_ROLES};
pub use mock_model::{MockAnswer, MockCall, MockModel, MockReply, MockRequest};
pub use object_server::ObjectServer;
pub use operations::operations;
pub use oracle::{Oracle, PiPaths, PiVersion, run_in_pi};
pub use page::{page, page_script, said_by, said_with_answers};
pub use pi_client::ClientPlan;
pub use pi_conversation::PiConversation;
pub use pi_recorder::PiRecorder;
pub use pi_rpc::PiRpc;
pub use picture::{
    DARK, Frame, LIGHT, Palette, Run, animation, picture, picture_in, runs, terminal,
};
pub use planted::{Planted, planted_secrets, planted_session};
pub use random::{properties, seed};
pub use ranking::{RankedQuery, held_out_queries, ranking_queries, write_ranking_store};
pub use rng::Rng;
pub use session::{GeneratedSession, session, session_v1, session_v2, working_session};
pub use shrink::{shrink_items, shrink_lines};
pub use told::{has_pi, is_long_run, skip, tell};
