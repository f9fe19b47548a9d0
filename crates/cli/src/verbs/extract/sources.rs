//! The sessions that are extracted, and what is known of each.

use std::collections::HashMap;
use std::sync::Arc;

use pitree_extract::{About, Source};
use pitree_store::ledger::Selection;
use pitree_store::{FileStamp, Listing, NotListed, SessionFacts, read_facts};

use super::ExtractArgs;
use crate::error::CommandError;
use crate::output::Output;
use crate::target::{Place, Target};
use crate::verbs::list::roles::find_roles;
use crate::verbs::list::{ListedSession, remark_left_out, with_families};

/// The sessions that the user means, the oldest first.
pub(super) fn chosen(
    args: &ExtractArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Vec<Source>, CommandError> {
    let listing = match args.sessions.is_empty() {
        true => place.store().list_scope(args.which.scope.scope()),
        false => named(&args.sessions, place)?,
    };
    remark_left_out(&listing, output)?;
    let filter = &args.which.filter;
    let mut sessions = with_families(&listing.sessions);
    let senders = match args.sessions.is_empty() {
        true => place.store().ledger_for(&Selection::default()).senders(),
        // Files of which nothing is known but what is in them.
        false => HashMap::new(),
    };
    find_roles(&mut sessions, &filter.roles.finder(place)?, &senders, place);
    sessions.retain(|session| filter.keeps(session, place));
    sessions.sort_by_key(|session| (session.facts.created_ms, session.facts.path.clone()));
    Ok(sessions.iter().map(source).collect())
}

/// The facts of the files that the user named.
fn named(sessions: &[String], place: &Place) -> Result<Listing, CommandError> {
    let mut listing = Listing::default();
    for typed in sessions {
        let path = place.find(&Target { session: typed.clone() })?;
        let unreadable = || NotListed::Unreadable("it is no regular file".to_owned());
        let stamp = FileStamp::of(&path).ok_or_else(unreadable);
        match stamp.and_then(|stamp| read_facts(&path, stamp)) {
            Ok(facts) => listing.sessions.push(facts),
            Err(why) => listing.left_out.push((path, why)),
        }
    }
    Ok(listing)
}

fn source(session: &ListedSession<'_>) -> Source {
    let facts: &SessionFacts = session.facts;
    let about = About {
        session_id: facts.id.clone(),
        source_path: facts.path.to_string_lossy().into_owned(),
        cwd: facts.cwd.to_string(),
        family_id: session.family.to_owned(),
        role: session.role.as_deref().cloned(),
        ..About::default()
    };
    Source { path: facts.path.clone(), about: Arc::new(about) }
}
