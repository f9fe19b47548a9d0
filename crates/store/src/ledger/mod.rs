//! What was spent: one row for each usage that any file records, and none twice.
//!
//! * An entry that forks copied counts once, in the session in which it stood first, even if the
//!   fork gave it another id.
//! * A run of a sub-agent counts once, although up to four places tell it. Its own session among
//!   the others counts before what the parent tells, that before the artifact, and that before
//!   the file in the temporary folder.
//! * A cost that nobody recorded is unknown. It is counted, and is not zero.
//! * Sums are of whole numbers, so each breakdown adds up to the total to the last digit.

mod copies;
mod file;
mod gather;
mod merge;
mod money;
mod reader;
mod report;
mod runs;
mod zone;

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::discover::FileKind;
pub use crate::facts::SpendPart;
pub(crate) use file::{FileLedger, FileRun, QUARTER_MS, ledger_from_bytes, ledger_to_bytes};
pub(crate) use money::cost_of;
pub use money::{Money, Price, Sum, Tokens};
pub(crate) use reader::{SpendReader, Spent, usage_key};
pub use report::{By, Group, GroupKey, ModelTable, PART_NAMES, Report, Selection};
pub(crate) use runs::direct_runs;
pub use zone::Zone;

/// A model, as far as the usage names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelName {
    /// The provider.
    pub provider: Option<String>,
    /// The provider's name of the model.
    pub model: Option<String>,
}

/// A session that spent something, or might have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSession {
    /// Its file.
    pub path: PathBuf,
    /// What the file is: the record of a sub-agent's run may be one that no session knows.
    pub kind: FileKind,
    /// Its id; empty for a record without a header.
    pub id: String,
    /// Its working directory by the header; empty if there is none.
    pub cwd: String,
    /// Its Gas Town role.
    pub role: Option<String>,
    /// The same by [`RoleRules::Seed`](crate::roles::RoleRules::Seed).
    pub seed_role: Option<String>,
    /// When it was created.
    pub created_ms: Option<i64>,
    /// The place of the session that it was forked from, or that sent it out.
    pub parent: Option<usize>,
}

/// One usage; or several of one session, model and purpose, where [`Store::ledger_for`] may add
/// them up.
///
/// [`Store::ledger_for`]: crate::Store::ledger_for
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The place of its session in [`Ledger::sessions`].
    pub session: u32,
    /// The line of the session's file that records it, from 1. `None` for what stands elsewhere,
    /// is told of a sub-agent's run, or is added up.
    pub line: Option<u32>,
    /// When it was spent.
    pub time_ms: Option<i64>,
    /// What it was spent on.
    pub part: SpendPart,
    /// The place of its model in [`Ledger::models`].
    pub model: u32,
    /// What it adds up to.
    pub sum: Sum,
}

/// All that was spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The sessions, oldest first.
    pub sessions: Vec<LedgerSession>,
    /// The models.
    pub models: Vec<ModelName>,
    /// The usages.
    pub rows: Vec<LedgerRow>,
    /// Files that could not be read, and why. What they record is missing here.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Ledger {
    /// The files of sub-agents and forks, with the file of the session that sent them out or that
    /// they were forked from.
    pub fn senders(&self) -> HashMap<PathBuf, PathBuf> {
        let file = |at: usize| self.sessions[at].path.clone();
        let sent = self.sessions.iter().filter_map(|it| Some((it.path.clone(), file(it.parent?))));
        sent.collect()
    }

    /// Gives each session the role that is known of its file. A record that is no session of its
    /// own has the role of the session that it belongs to.
    pub fn assign_roles(&mut self, known: &HashMap<PathBuf, Option<String>>) {
        let own: Vec<Option<Option<String>>> =
            self.sessions.iter().map(|session| known.get(&session.path).cloned()).collect();
        for at in 0..self.sessions.len() {
            let above = std::iter::successors(Some(at), |&at| self.sessions[at].parent);
            let told = above.take(self.sessions.len()).find_map(|at| own[at].clone());
            self.sessions[at].role = told.flatten();
        }
    }
}
