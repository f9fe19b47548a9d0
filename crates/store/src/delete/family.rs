//! What belongs to a session: its forks, their forks, and the records of their sub-agents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pitree_session::{Environment, SessionError};

use super::records::{RecordPlaces, named_records};
use super::{DeleteError, DeletePlan, Deletion, SessionPart, Trash};
use crate::discover::Unreadable;
use crate::facts::NotListed;
use crate::family::parents;
use crate::list::{Listing, Store};

/// Sessions with all that comes from them.
#[derive(Clone, Debug, Default)]
pub struct Family {
    /// The sessions, then all that was forked from them, sources before forks.
    pub sessions: Vec<PathBuf>,
    /// The records of their sub-agents that no other session names.
    pub records: Vec<PathBuf>,
    /// What they name as a record and is none that may be touched, or is gone.
    pub passed_over: Vec<String>,
    /// What could not be read, and why. It may name any of the records, so that none is in
    /// [`Self::records`].
    pub unreadable: Vec<Unreadable>,
}

impl Family {
    /// Looks at all its sessions before the first one goes; changes nothing. `force` is that of
    /// [`DeletePlan::new`].
    pub fn plans(
        &self,
        environment: &Environment,
        force: bool,
    ) -> Result<Vec<DeletePlan>, DeleteError> {
        self.sessions.iter().map(|path| DeletePlan::new(path, environment, force)).collect()
    }

    /// Lets the sessions go that were looked at, and then, if none of them had to stay, the records
    /// of their sub-agents.
    pub fn delete(&self, plans: &[DeletePlan], trash: &Trash, force: bool) -> Deletion {
        let mut deletion = Deletion::default();
        for plan in plans {
            let one = plan.delete(trash, force);
            deletion.gone.extend(one.gone);
            deletion.kept.extend(one.kept);
        }
        if deletion.kept.is_empty() {
            deletion.dispose_all(&self.records, SessionPart::Record, trash);
        }
        deletion
    }
}

impl Store {
    /// Sessions and all that was forked from them, with the records of their sub-agents. The
    /// sessions that they were themselves forked from are not part of it. `temporary` is the
    /// folder for temporary files.
    pub fn family(&self, paths: &[PathBuf], temporary: Option<&Path>) -> Family {
        let listing = self.list_all();
        let real = |path: &Path| fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let parents = parents(&listing.sessions);
        let mut family = Family::default();
        let mut members: Vec<usize> = Vec::new();
        for path in paths {
            let wanted = real(path);
            let start = listing.sessions.iter().position(|facts| real(&facts.path) == wanted);
            match start {
                Some(start) if members.contains(&start) => {}
                Some(start) => members.push(start),
                // It lies outside of all locations, where nothing is known to come from it.
                None if family.sessions.contains(path) => {}
                None => family.sessions.push(path.clone()),
            }
        }
        let mut next = 0;
        while let Some(&parent) = members.get(next) {
            next += 1;
            let forks = (0..parents.len()).filter(|&at| parents[at] == Some(parent));
            let new: Vec<usize> = forks.filter(|at| !members.contains(at)).collect();
            members.extend(new);
        }
        family.sessions.extend(members.iter().map(|&at| listing.sessions[at].path.clone()));
        self.add_records(&listing, &members, temporary, &mut family);
        family
    }

    /// Adds the records. An entry that was copied into a fork names the records of its source, so
    /// those that a session outside of the family names stay. If anything could not be read, be it
    /// one line of another session, what it names is not known, and all records stay.
    fn add_records(
        &self,
        listing: &Listing,
        members: &[usize],
        temporary: Option<&Path>,
        family: &mut Family,
    ) {
        let environment = self.environment();
        let places = RecordPlaces { locations: self.locations(), temporary, environment };
        let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
        let mut unreadable = listing.unreadable();
        let with_runs = listing.sessions.iter().enumerate().filter(|(_, it)| it.subagents > 0);
        for (at, facts) in with_runs {
            let named = if members.contains(&at) { &mut ours } else { &mut theirs };
            match named_records(&facts.path, environment) {
                Ok(records) => named.extend(records),
                Err(error) => unreadable.push((facts.path.clone(), error.to_string())),
            }
        }
        if ours.is_empty() && unreadable.is_empty() {
            return;
        }
        for (at, facts) in listing.sessions.iter().enumerate() {
            if facts.damaged_lines > 0 && !members.contains(&at) {
                unreadable.push((facts.path.clone(), damaged(facts.damaged_lines)));
            }
        }
        // What has lost its header is no longer listed, and may still name records.
        for (path, why) in &listing.left_out {
            if matches!(why, NotListed::Unreadable(_)) {
                continue;
            }
            match named_records(path, environment) {
                Ok(records) => theirs.extend(records),
                Err(error @ SessionError::Io { .. }) => {
                    unreadable.push((path.clone(), error.to_string()));
                }
                Err(_) => {}
            }
        }
        let kept: BTreeSet<PathBuf> =
            theirs.iter().filter_map(|named| places.resolve(named)).collect();
        let mut records = BTreeSet::new();
        for named in ours {
            match places.resolve(&named) {
                Some(record) if kept.contains(&record) => {}
                Some(record) => {
                    records.insert(record);
                }
                None => family.passed_over.push(named),
            }
        }
        if unreadable.is_empty() {
            family.records = records.into_iter().collect();
        }
        family.unreadable = unreadable;
    }
}

fn damaged(lines: usize) -> String {
    match lines {
        1 => "1 line is damaged".to_owned(),
        lines => format!("{lines} lines are damaged"),
    }
}
