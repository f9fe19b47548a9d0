//! What is done before the agent is asked: our own observers are asked, and the position is saved.

use pitree_host::events::{ForkPosition, SessionEvent, SwitchReason};
use pitree_host::live::{LiveError, LiveSession};

use super::AgentRequest;
use crate::state::Announcer;

/// A request for which everything is ready, or which an observer cancels.
pub(crate) struct Prepared {
    pub(crate) is_refused: bool,
    /// Whether the position had to be saved.
    pub(crate) is_saved: bool,
}

/// Asks our own observers, and saves the position if the agent must find it. Only a new agent and
/// one that loads the file again look for it, and both look at the last line.
pub(crate) fn prepare(
    request: &AgentRequest,
    live: &mut LiveSession,
    announcer: &Announcer,
) -> Result<Prepared, LiveError> {
    let fork = |entry_id: &str, position| {
        Some(SessionEvent::BeforeFork { entry_id: entry_id.to_owned(), position })
    };
    let before = match request {
        AgentRequest::Fork { entry_id } => fork(entry_id, ForkPosition::Before),
        AgentRequest::Clone => {
            let leaf = live.session().leaf_id().ok_or(LiveError::NothingToClone)?;
            fork(leaf, ForkPosition::At)
        }
        AgentRequest::New => Some(SessionEvent::BeforeSwitch {
            reason: SwitchReason::New,
            target_session_file: None,
        }),
        _ => None,
    };
    if before.is_some_and(|before| !live.allows(&before)) {
        return Ok(Prepared { is_refused: true, is_saved: false });
    }
    let is_saved = match request {
        // What is made does not depend on the position.
        AgentRequest::Fork { .. } | AgentRequest::New => false,
        _ => announcer.save_position(live)?,
    };
    Ok(Prepared { is_refused: false, is_saved })
}
