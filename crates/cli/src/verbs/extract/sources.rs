//! The sessions that the user means.

use std::path::PathBuf;

use pitree_extract::sources::{Candidate, Chosen, SourceFinder, SourceSet, SourcesError};
use pitree_extract::{Outcomes, OutcomesError};
use pitree_session::paths;

use super::ExtractArgs;
use crate::error::CommandError;
use crate::target::{Place, Target};

/// The sessions that the user means.
pub(super) fn chosen(
    args: &ExtractArgs,
    place: &Place,
    outcomes: &Outcomes,
) -> Result<Chosen, CommandError> {
    let set = match args.sessions.is_empty() {
        true if args.which.shared_index => SourceSet::SharedIndex,
        true => SourceSet::Scope(args.which.scope.scope()),
        false => SourceSet::Files(named(&args.sessions, place)?),
    };
    let filter = &args.which.filter;
    let finder = SourceFinder {
        store: &place.store(),
        locations: &place.locations,
        environment: &place.environment,
        roles: &filter.roles.finder(place)?,
        outcomes,
    };
    let keep = |session: &Candidate<'_>| {
        let role = session.role.map(|found| found.role);
        filter.keeps_facts(session.facts, role, session.has_family, place)
    };
    Ok(finder.find(&set, &keep)?)
}

/// What came of sessions, if the user says so.
pub(super) fn outcomes(args: &ExtractArgs, place: &Place) -> Result<Outcomes, CommandError> {
    Ok(match &args.which.outcomes {
        Some(path) => Outcomes::read(&paths::resolve(path, &place.environment))?,
        None => Outcomes::default(),
    })
}

/// The files that the user named.
fn named(sessions: &[String], place: &Place) -> Result<Vec<PathBuf>, CommandError> {
    let file = |typed: &String| place.find(&Target { session: typed.clone() });
    sessions.iter().map(file).collect()
}

impl From<SourcesError> for CommandError {
    fn from(error: SourcesError) -> Self {
        let hint = "`pitree index --shared` writes it; or leave --shared-index out".to_owned();
        Self::BadData { message: error.to_string(), hint: Some(hint) }
    }
}

impl From<OutcomesError> for CommandError {
    fn from(error: OutcomesError) -> Self {
        let hint = "--outcomes takes lines of JSON or CSV with `session_id` and `outcome`";
        Self::Usage { message: error.to_string(), hint: Some(hint.to_owned()) }
    }
}
