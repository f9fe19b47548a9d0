//! The sessions that are extracted, and what is known of each: its family, and its role.

mod listing;
mod outcome_filter;
mod relatives;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::Value;
use pitree_format::js::date::format_iso;
use pitree_sample::{About, AgentRole, Outcomes, SessionOutcomes};
use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_store::roles::{RoleFinder, RoleFinding, RoleSign};
use pitree_store::{NotListed, Scope, SessionFacts, Store, thread};
use thiserror::Error;

use crate::reason::FilteredBy;
pub use outcome_filter::OutcomeFilter;
use relatives::Relatives;

/// A session to extract.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its file.
    pub path: PathBuf,
    /// What is known of it.
    pub about: Arc<About>,
}

/// Which sessions are looked at.
#[derive(Clone, Debug)]
pub enum SourceSet {
    /// Those of the store in a scope.
    Scope(Scope),
    /// Those that the `session-index.sqlite` of each location names.
    SharedIndex,
    /// These files, each one once, by whatever names.
    Files(Vec<PathBuf>),
}

/// Chooses sessions.
pub struct SourceFinder<'a> {
    /// Where sessions are looked for, and their relatives.
    pub store: &'a Store,
    /// The locations of the store.
    pub locations: &'a [Location],
    /// Home, clock and randomness.
    pub environment: &'a Environment,
    /// How roles are found. This is done for all sessions of the set together.
    pub roles: &'a RoleFinder,
    /// What came of sessions.
    pub outcomes: &'a Outcomes,
}

/// A session that may be chosen.
pub struct Candidate<'a> {
    /// What a list tells of it.
    pub facts: &'a SessionFacts,
    /// Its role, if it has one.
    pub role: Option<&'a RoleFinding>,
    /// Whether others of the set were forked from it, or it from another.
    pub has_family: bool,
    /// What came of it as a whole, if that is known.
    pub outcome: Option<&'a Value>,
    /// Whether something is known of what came of single entries of it.
    pub has_entry_outcomes: bool,
}

/// The sessions that were chosen.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// They, the oldest first.
    pub sources: Vec<Source>,
    /// Files that are not sessions, and why.
    pub no_sessions: Vec<(PathBuf, NotListed)>,
    /// How many sessions each filter has left out.
    pub skipped: BTreeMap<FilteredBy, u64>,
    /// What came of the sessions that were looked at.
    pub outcomes: SessionOutcomes,
}

/// Why sessions cannot be chosen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourcesError {
    /// An index cannot be read.
    #[error("{} is damaged or not a session index", path.display())]
    DamagedIndex {
        /// The index.
        path: PathBuf,
    },
    /// No location has an index.
    #[error("no session-index.sqlite next to the sessions")]
    NoIndex,
}

impl SourceFinder<'_> {
    /// The sessions of a set that no filter leaves out.
    ///
    /// # Errors
    /// Fails if the set is named by an index that is not there or cannot be read. Files that are
    /// not sessions are told in [`Chosen`].
    pub fn find(
        &self,
        set: &SourceSet,
        skip: &dyn Fn(&Candidate<'_>) -> Option<FilteredBy>,
    ) -> Result<Chosen, SourcesError> {
        let mut listing = match set {
            SourceSet::Scope(scope) => self.store.list_scope(*scope),
            SourceSet::SharedIndex => listing::of_shared_indexes(self.locations, self.environment)?,
            SourceSet::Files(files) => listing::of_files(files),
        };
        self.relocate_parents(&mut listing.sessions);
        let rows = thread(&listing.sessions);
        let mut sizes = vec![0; listing.sessions.len()];
        rows.iter().for_each(|row| sizes[row.family] += 1);
        let facts: Vec<&SessionFacts> =
            rows.iter().map(|row| &listing.sessions[row.session]).collect();
        let relatives = Relatives::of(&listing.sessions, set, self);
        let roles = self.roles.find_related(&facts, relatives.senders(), self.environment);
        let outcomes = self.outcomes.of_sessions(facts.iter().map(|facts| facts.id.as_str()));
        let (mut chosen, mut skipped) = (Vec::new(), BTreeMap::new());
        for ((facts, row), role) in facts.iter().zip(&rows).zip(&roles) {
            let candidate = Candidate {
                facts,
                role: role.as_ref(),
                has_family: sizes[row.family] > 1,
                outcome: outcomes.of(&facts.id),
                has_entry_outcomes: outcomes.has_entries_of(&facts.id),
            };
            match skip(&candidate) {
                None => chosen.push(candidate),
                Some(reason) => *skipped.entry(reason).or_default() += 1,
            }
        }
        let source = |it: &Candidate<'_>| {
            let mut source = source(it, &relatives, &outcomes);
            if let Some(name) = self.original_name(&it.facts.path) {
                Arc::make_mut(&mut source.about).source_path = name;
            }
            (it.facts.created_ms, source)
        };
        let mut sources: Vec<(Option<i64>, Source)> = chosen.iter().map(source).collect();
        sources.sort_by(|(a_ms, a), (b_ms, b)| {
            let path = |it: &Source| PathBuf::from(&it.about.source_path);
            a_ms.cmp(b_ms).then_with(|| path(a).cmp(&path(b)))
        });
        let sources = sources.into_iter().map(|(_, source)| source).collect();
        Ok(Chosen { sources, no_sessions: listing.left_out.clone(), skipped, outcomes })
    }

    /// The name of a copy where it comes from.
    fn original_name(&self, copy: &Path) -> Option<String> {
        self.store.relocation()?.original_name(copy)
    }

    /// Has copies name the copies of their parents. What a copy names is never looked for elsewhere.
    fn relocate_parents(&self, sessions: &mut [SessionFacts]) {
        let Some(relocation) = self.store.relocation() else { return };
        for facts in sessions {
            if let Some(named) = &facts.parent_session
                && let Some(root) = relocation.root_of(&facts.path)
            {
                let found = relocation.relocated(&facts.path, named);
                let found = found.unwrap_or_else(|| root.join("elsewhere"));
                facts.parent_session = Some(found.to_string_lossy().into_owned());
            }
        }
    }
}

fn source(
    session: &Candidate<'_>,
    relatives: &Relatives<'_>,
    outcomes: &SessionOutcomes,
) -> Source {
    let facts = session.facts;
    let parent_session_id = relatives.parent_id(&facts.path);
    let mut about = About {
        session_id: facts.id.clone(),
        source_path: facts.path.to_string_lossy().into_owned(),
        cwd: facts.cwd.to_string(),
        family_id: relatives.family_id(&facts.path).unwrap_or_else(|| facts.id.clone()),
        is_subagent: parent_session_id.is_some() && facts.parent_session.is_none(),
        parent_session_id,
        role: session.role.map(agent_role),
        created_at: facts.created_ms.map(format_iso),
        subagent_count: Some(facts.subagents),
        ..About::default()
    };
    outcomes.apply(&mut about);
    Source { path: facts.path.clone(), about: Arc::new(about) }
}

/// A role as samples tell it.
fn agent_role(found: &RoleFinding) -> AgentRole {
    let sign = |sign: &RoleSign| pitree_sample::RoleSign {
        source: sign.source.name(),
        role: sign.agent.role.to_string(),
        rig: sign.agent.rig.clone(),
        name: sign.agent.name.clone(),
    };
    AgentRole {
        role: found.role.to_string(),
        rig: found.rig.clone(),
        name: found.name.clone(),
        source: found.source.name(),
        confidence: found.confidence.name(),
        conflict: found.conflict,
        signs: found.signs.iter().map(sign).collect(),
        town: found.town.clone(),
    }
}
