//! How Gas Town roles are told, and the roles of the listed sessions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pitree_session::paths;
use pitree_store::SessionFacts;
use pitree_store::roles::{RoleFinder, RoleRules, RoleTable, TableError, TownError, Towns};

use super::ListedSession;
use crate::error::{CommandError, Result};
use crate::target::Workspace;

#[derive(Args, Clone, Debug)]
pub(crate) struct RoleArgs {
    /// How agent roles are detected; only needed with Gas Town
    ///
    /// Gas Town runs many coding agents together, each in a role such as mayor or crew. A role is
    /// detected by the working directory and then the first message (`cwd-first`), the other way
    /// around (`message-first`), by the few patterns that the session format itself defines
    /// (`seed`), or by a table of patterns in a file.
    #[arg(long, value_name = "RULES|FILE", default_value = "cwd-first")]
    role_rules: String,

    /// The root folder of a Gas Town, whose layout and events then decide the roles; repeatable
    #[arg(long, value_name = "DIR")]
    town: Vec<PathBuf>,
}

impl RoleArgs {
    pub(crate) fn is_seed(&self) -> bool {
        self.role_rules == "seed"
    }

    /// Which sign decides, in words; none for rules of the user's own.
    pub(crate) fn decided_by(&self) -> Option<&'static str> {
        match self.role_rules.as_str() {
            "cwd-first" | "seed" => Some("the working directory, else by the first message"),
            "message-first" | "full" => Some("the first message, else by the working directory"),
            _ => None,
        }
    }

    pub(crate) fn finder(&self, workspace: &Workspace) -> Result<RoleFinder> {
        let resolve = |path: &Path| paths::resolve(path, &workspace.environment);
        let rules = match self.role_rules.as_str() {
            "cwd-first" => RoleRules::CwdFirst,
            // The old name, from when this was the default.
            "message-first" | "full" => RoleRules::MessageFirst,
            "seed" => RoleRules::Seed,
            file => RoleRules::Table(Arc::new(RoleTable::read(&resolve(Path::new(file)))?)),
        };
        let towns: Vec<PathBuf> = self.town.iter().map(|town| resolve(town)).collect();
        Ok(RoleFinder { rules, towns: Towns::named(&towns)? })
    }
}

/// Finds the roles of all these sessions together. `senders` has the file of the session that
/// sent out the sub-agent of a file.
pub(crate) fn find_roles(
    sessions: &mut [ListedSession<'_>],
    finder: &RoleFinder,
    senders: &HashMap<PathBuf, PathBuf>,
    workspace: &Workspace,
) {
    let facts: Vec<&SessionFacts> = sessions.iter().map(|session| session.facts).collect();
    let found = finder.find_related(&facts, senders, &workspace.environment);
    for (session, role) in sessions.iter_mut().zip(found) {
        session.role = role.map(Box::new);
    }
}

impl From<TableError> for CommandError {
    fn from(error: TableError) -> Self {
        let message = error.to_string();
        let hint = matches!(error, TableError::Unreadable { .. }).then(|| {
            "--role-rules takes `cwd-first`, `message-first`, `seed` or a file".to_owned()
        });
        Self::Usage { message, hint }
    }
}

impl From<TownError> for CommandError {
    fn from(error: TownError) -> Self {
        let hint = Some("--town takes the folder that has `mayor/` in it".to_owned());
        Self::Usage { message: error.to_string(), hint }
    }
}
