//! The sessions that are extracted, and what is known of each.

use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::{About, Outcomes, OutcomesError, Source};
use pitree_format::js::date::format_iso;
use pitree_session::paths;
use pitree_store::{FileStamp, Listing, NotListed, SessionFacts, read_facts, shared_index};

use super::ExtractArgs;
use super::relatives::Relatives;
use crate::error::CommandError;
use crate::output::Output;
use crate::target::{Place, Target};
use crate::verbs::list::roles::find_roles;
use crate::verbs::list::{ListedSession, remark_left_out, with_families};

/// The sessions that the user means, the oldest first.
pub(super) fn chosen(
    args: &ExtractArgs,
    place: &Place,
    outcomes: &Outcomes,
    output: &mut Output,
) -> Result<Vec<Source>, CommandError> {
    let listing = match args.sessions.is_empty() {
        true if args.which.shared_index => of_shared_indexes(place)?,
        true => place.store().list_scope(args.which.scope.scope()),
        false => named(&args.sessions, place)?,
    };
    remark_left_out(&listing, output)?;
    let filter = &args.which.filter;
    let mut sessions = with_families(&listing.sessions);
    let relatives = Relatives::of(&listing.sessions, args, place);
    find_roles(&mut sessions, &filter.roles.finder(place)?, relatives.senders(), place);
    sessions.retain(|session| filter.keeps(session, place));
    sessions.sort_by_key(|session| (session.facts.created_ms, session.facts.path.clone()));
    Ok(sessions.iter().map(|session| source(session, &relatives, outcomes)).collect())
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
    let mut listing = Listing::default();
    for typed in sessions {
        add(&mut listing, place.find(&Target { session: typed.clone() })?);
    }
    Ok(listing)
}

/// The facts of the sessions that the shared indexes name. A row is a hint of another program: only
/// what lies in the location itself is taken.
fn of_shared_indexes(place: &Place) -> Result<Listing, CommandError> {
    let mut listing = Listing::default();
    let mut is_there = false;
    for location in &place.locations {
        let Some(index) = shared_index::read(&location.path, &place.environment) else { continue };
        is_there = true;
        let root = fs_err::canonicalize(&location.path).unwrap_or_else(|_| location.path.clone());
        for row in index.rows {
            let path = location.path.join(&row.path);
            if fs_err::canonicalize(&path).is_ok_and(|real| real.starts_with(&root)) {
                add(&mut listing, path);
            }
        }
    }
    if is_there {
        return Ok(listing);
    }
    let message = "there is no session-index.sqlite where the sessions lie".to_owned();
    let hint = Some("`pitree index --shared` writes it; or leave --shared-index out".to_owned());
    Err(CommandError::BadData { message, hint })
}

/// Adds a file to a list.
fn add(listing: &mut Listing, path: PathBuf) {
    let unreadable = || NotListed::Unreadable("it is no regular file".to_owned());
    let stamp = FileStamp::of(&path).ok_or_else(unreadable);
    match stamp.and_then(|stamp| read_facts(&path, stamp)) {
        Ok(facts) => listing.sessions.push(facts),
        Err(why) => listing.left_out.push((path, why)),
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
        role: session.role.as_deref().cloned(),
        created_at: facts.created_ms.map(format_iso),
        subagent_count: Some(facts.subagents),
        ..About::default()
    };
    outcomes.apply(&mut about);
    Source { path: facts.path.clone(), about: Arc::new(about) }
}

impl From<OutcomesError> for CommandError {
    fn from(error: OutcomesError) -> Self {
        let hint = "--outcomes takes lines of JSON or CSV with `session_id` and `outcome`";
        Self::Usage { message: error.to_string(), hint: Some(hint.to_owned()) }
    }
}
