//! The ids that the calls on a branch go by, whatever part of the branch a context has.

use std::collections::HashMap;
use std::sync::Arc;

use crate::turns::Reply;
use crate::turns::ReplyEnd;
use crate::turns::pairing::{CallName, CallNames};

/// The names of the calls of a branch.
#[derive(Clone, Default)]
pub(super) struct BranchNames {
    names: CallNames,
    /// For each reply that was read.
    given: HashMap<usize, Arc<Given>>,
}

/// The ids of a reply's calls.
struct Given {
    /// Those that the session has.
    recorded: Vec<String>,
    /// Those that they go by.
    names: Vec<CallName>,
}

impl BranchNames {
    /// Whether the calls of the entry at this place have names.
    pub(super) fn has(&self, at: usize) -> bool {
        self.given.contains_key(&at)
    }

    /// Gives the calls of a reply the ids that they go by.
    pub(super) fn give(&mut self, at: usize, reply: &mut Arc<Reply>) {
        if reply.end == ReplyEnd::Failed || reply.recorded_ids.is_empty() {
            return;
        }
        let reply = Arc::make_mut(reply);
        match self.given.get(&at) {
            None => {
                let names = reply.name_calls(&self.names);
                let recorded = reply.recorded_ids.clone();
                self.given.insert(at, Arc::new(Given { recorded, names }));
            }
            Some(given) if given.recorded == reply.recorded_ids => reply.set_names(&given.names),
            // It was edited, and calls something else now.
            Some(_) => {}
        }
    }

    /// The entry at this place is on the branch: nothing behind it goes by the same ids.
    pub(super) fn pass(&mut self, at: usize) {
        if let Some(given) = self.given.get(&at) {
            self.names.use_all(given.names.iter().map(|name| name.id.as_str()));
        }
    }
}
