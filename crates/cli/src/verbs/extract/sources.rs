//! The sessions that the user means.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pitree_extract::remote::ObjectUrl;
use pitree_extract::sources::{Candidate, Chosen, SourceFinder, SourceSet, SourcesError};
use pitree_extract::{Outcomes, OutcomesError};
use pitree_session::{SessionError, open_file, paths};

use super::ExtractArgs;
use super::buckets::Buckets;
use crate::error::{CommandError, Result};
use crate::target::{Target, Workspace};

/// The sessions that the user means.
pub(super) fn chosen(
    args: &ExtractArgs,
    buckets: &Buckets,
    workspace: &Workspace,
    outcomes: &Outcomes,
) -> Result<Chosen> {
    let set = match args.sessions.is_empty() {
        true if args.which.shared_index => SourceSet::SharedIndex,
        true => SourceSet::Scope(args.which.scope),
        false => SourceSet::Files(named(&args.sessions, buckets, workspace)?),
    };
    let filter = args.which.filter.prepare(workspace)?;
    let finder = SourceFinder {
        store: &buckets.store(workspace),
        locations: &buckets.locations(workspace),
        environment: &workspace.environment,
        roles: &args.which.filter.roles.finder(workspace)?,
        outcomes,
    };
    let outcome_filter = args.which.outcome_filter();
    let skip = |session: &Candidate<'_>| {
        let role = session.role.map(|found| found.role);
        let skips = filter.skips(session.facts, role, session.has_family);
        skips.or_else(|| outcome_filter.skips(session.outcome, session.has_entry_outcomes))
    };
    let mut chosen = finder.find(&set, &skip)?;
    chosen.no_sessions = buckets.mirrors.shown_not_listed(chosen.no_sessions);
    Ok(chosen)
}

/// What came of sessions, if the user says so.
pub(super) fn outcomes(args: &ExtractArgs, workspace: &Workspace) -> Result<Outcomes> {
    Ok(match &args.which.outcomes {
        Some(path) => Outcomes::read(&paths::resolve(path, &workspace.environment))?,
        None => Outcomes::default(),
    })
}

/// The files that the user named, and the copies of what lies below URLs.
fn named(sessions: &[OsString], buckets: &Buckets, workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let is_url = |typed: &OsString| typed.to_str().is_some_and(ObjectUrl::is_url);
    let file = |typed: &OsString| {
        let path = workspace.find(&Target { session: typed.clone() })?;
        if !workspace.caller.ends_with_verb() {
            require_file(&path)?;
        }
        Ok(path)
    };
    let files = sessions.iter().filter(|typed| !is_url(typed)).map(file);
    files.chain(buckets.mirrors.sessions().into_iter().map(Ok)).collect()
}

/// Somebody at a terminal reads which of the files was left out; a program hears of one that is
/// missing by an error.
fn require_file(path: &Path) -> Result<()> {
    match open_file(path) {
        Err(SessionError::Io { source, path, action }) if source.kind() == ErrorKind::NotFound => {
            Err(SessionError::Io { source, path, action }.into())
        }
        _ => Ok(()),
    }
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
