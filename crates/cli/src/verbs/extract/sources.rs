//! The sessions that are extracted, and what is known of each.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::{About, AgentRole, Outcomes, OutcomesError, Source};
use pitree_format::js::date::format_iso;
use pitree_session::paths;
use pitree_store::roles::{RoleFinding, RoleSign};
use pitree_store::{FileStamp, Listing, NotListed, SessionFacts, read_facts, shared_index};

use super::ExtractArgs;
use super::relatives::Relatives;
use crate::error::CommandError;
use crate::target::{Place, Target};
use crate::verbs::list::roles::find_roles;
use crate::verbs::list::{ListedSession, with_families};

/// What the user means.
pub(super) struct Chosen {
    /// The sessions, the oldest first.
    pub(super) sessions: Vec<Source>,
    /// Files that are none, and why.
    pub(super) no_sessions: Vec<(PathBuf, String)>,
}

/// The sessions that the user means.
pub(super) fn chosen(
    args: &ExtractArgs,
    place: &Place,
    outcomes: &Outcomes,
) -> Result<Chosen, CommandError> {
    let listing = match args.sessions.is_empty() {
        true if args.which.shared_index => of_shared_indexes(place)?,
        true => place.store().list_scope(args.which.scope.scope()),
        false => named(&args.sessions, place)?,
    };
    let filter = &args.which.filter;
    let mut sessions = with_families(&listing.sessions);
    let relatives = Relatives::of(&listing.sessions, args, place);
    find_roles(&mut sessions, &filter.roles.finder(place)?, relatives.senders(), place);
    sessions.retain(|session| filter.keeps(session, place));
    sessions.sort_by_key(|session| (session.facts.created_ms, session.facts.path.clone()));
    let sessions = sessions.iter().map(|session| source(session, &relatives, outcomes)).collect();
    let no_session = |(path, why): &(PathBuf, NotListed)| (path.clone(), why.to_string());
    Ok(Chosen { sessions, no_sessions: listing.left_out.iter().map(no_session).collect() })
}

/// What came of sessions, if the user says so.
pub(super) fn outcomes(args: &ExtractArgs, place: &Place) -> Result<Outcomes, CommandError> {
    Ok(match &args.which.outcomes {
        Some(path) => Outcomes::read(&paths::resolve(path, &place.environment))?,
        None => Outcomes::default(),
    })
}

/// The facts of the files that the user named.
fn named(sessions: &[String], place: &Place) -> Result<Listing, CommandError> {
    let mut found = Found::default();
    for typed in sessions {
        found.add(place.find(&Target { session: typed.clone() })?);
    }
    Ok(found.listing)
}

/// The facts of the sessions that the shared indexes name. A row is a hint of another program: only
/// what lies in the location itself is taken.
fn of_shared_indexes(place: &Place) -> Result<Listing, CommandError> {
    let mut found = Found::default();
    let mut is_there = false;
    for location in &place.locations {
        let index = shared_index::path_below(&location.path);
        if fs_err::symlink_metadata(&index).is_err() {
            continue;
        }
        is_there = true;
        let Some(rows) = shared_index::read(&location.path, &place.environment) else {
            let message = format!("{} is damaged or is no index of sessions", index.display());
            return Err(no_index(message));
        };
        let root = fs_err::canonicalize(&location.path).unwrap_or_else(|_| location.path.clone());
        for row in rows.rows {
            let path = location.path.join(&row.path);
            match fs_err::canonicalize(&path) {
                Ok(real) if real.starts_with(&root) => found.add(path),
                Ok(_) => found.refuse(path, "the index names it, but it leads out of the sessions"),
                Err(_) => found.refuse(path, "the index names it, but there is no such file"),
            }
        }
    }
    if is_there {
        return Ok(found.listing);
    }
    Err(no_index("there is no session-index.sqlite where the sessions lie".to_owned()))
}

fn no_index(message: String) -> CommandError {
    let hint = "`pitree index --shared` writes it; or leave --shared-index out".to_owned();
    CommandError::BadData { message, hint: Some(hint) }
}

/// Files that were named, each one once, by whatever names.
#[derive(Default)]
struct Found {
    listing: Listing,
    /// The devices and numbers of the files.
    seen: HashSet<(u64, u64)>,
}

impl Found {
    fn add(&mut self, path: PathBuf) {
        let Some(stamp) = FileStamp::of(&path) else {
            return self.refuse(path, "it is no regular file");
        };
        if !self.seen.insert(stamp.identity) {
            return;
        }
        match read_facts(&path, stamp) {
            Ok(facts) => self.listing.sessions.push(facts),
            Err(why) => self.listing.left_out.push((path, why)),
        }
    }

    fn refuse(&mut self, path: PathBuf, why: &str) {
        self.listing.left_out.push((path, NotListed::Unreadable(why.to_owned())));
    }
}

/// What is known of a session.
fn source(session: &ListedSession<'_>, relatives: &Relatives<'_>, outcomes: &Outcomes) -> Source {
    let facts: &SessionFacts = session.facts;
    let parent_session_id = relatives.parent_id(&facts.path);
    let mut about = About {
        session_id: facts.id.clone(),
        source_path: facts.path.to_string_lossy().into_owned(),
        cwd: facts.cwd.to_string(),
        family_id: relatives.family_id(&facts.path).unwrap_or_else(|| facts.id.clone()),
        is_subagent: parent_session_id.is_some() && facts.parent_session.is_none(),
        parent_session_id,
        role: session.role.as_deref().map(agent_role),
        created_at: facts.created_ms.map(format_iso),
        subagent_count: Some(facts.subagents),
        ..About::default()
    };
    outcomes.apply(&mut about);
    Source { path: facts.path.clone(), about: Arc::new(about) }
}

/// A role as samples tell it.
fn agent_role(found: &RoleFinding) -> AgentRole {
    let sign = |sign: &RoleSign| pitree_extract::RoleSign {
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

impl From<OutcomesError> for CommandError {
    fn from(error: OutcomesError) -> Self {
        let hint = "--outcomes takes lines of JSON or CSV with `session_id` and `outcome`";
        Self::Usage { message: error.to_string(), hint: Some(hint.to_owned()) }
    }
}
