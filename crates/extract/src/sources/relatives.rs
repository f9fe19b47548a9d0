//! Which session each one was forked from or sent out by, and the family that it is of.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use pitree_session::{FoundHeader, read_header};
use pitree_store::ledger::Selection;
use pitree_store::{FileStamp, Scope, SessionFacts, parents};

use super::{SourceFinder, SourceSet};

/// A header that is longer is not looked for.
const LONGEST_HEADER: u64 = 1 << 20;

/// The relatives of the listed sessions.
pub(super) struct Relatives<'a> {
    /// The ids of the listed sessions.
    ids: HashMap<&'a Path, &'a str>,
    /// The file that each file was forked from or sent out by. Listed ones are spelled as in the
    /// list, others are files of the store.
    parents: HashMap<PathBuf, PathBuf>,
}

impl<'a> Relatives<'a> {
    pub(super) fn of(
        listed: &'a [SessionFacts],
        set: &SourceSet,
        finder: &SourceFinder<'_>,
    ) -> Self {
        let ids = listed.iter().map(|facts| (&*facts.path, &*facts.id)).collect();
        let mut known = HashMap::new();
        if may_be_sent(listed, set, finder) {
            known = sent_in_store(listed, finder);
        }
        known.extend(sent_among_copies(listed, finder));
        let forked = parents(listed).into_iter().enumerate();
        let forked = forked.filter_map(|(at, parent)| Some((at, parent?)));
        let path = |at: usize| listed[at].path.clone();
        known.extend(forked.map(|(at, parent)| (path(at), path(parent))));
        Self { ids, parents: known }
    }

    /// The file of the session that each was forked from or sent out by.
    pub(super) fn senders(&self) -> &HashMap<PathBuf, PathBuf> {
        &self.parents
    }

    /// The id of the session that this one was forked from or sent out by.
    pub(super) fn parent_id(&self, session: &Path) -> Option<String> {
        self.id(self.parents.get(session)?)
    }

    /// The id of the first session of the family, as far up as it is known.
    pub(super) fn family_id(&self, session: &Path) -> Option<String> {
        let mut seen = HashSet::from([session]);
        let mut first = session;
        while let Some(parent) = self.parents.get(first) {
            // A circle has no beginning, and its members name each other anyway.
            if !seen.insert(parent) {
                break;
            }
            first = parent;
        }
        self.id(first)
    }

    fn id(&self, path: &Path) -> Option<String> {
        if let Some(id) = self.ids.get(path) {
            return Some((*id).to_owned());
        }
        let file = std::fs::File::from(fs_err::File::open(path).ok()?);
        match read_header(&file, LONGEST_HEADER) {
            Ok(FoundHeader::Header(header)) => header.get_string("id").map(ToString::to_string),
            _ => None,
        }
    }
}

/// Whether a listed session may have been sent out by another. Sub-agents are told by the sessions
/// that sent them out, and these need not be listed themselves.
fn may_be_sent(listed: &[SessionFacts], set: &SourceSet, finder: &SourceFinder<'_>) -> bool {
    let is_below = |path: &Path| {
        let is_in =
            |root: &Path| fs_err::canonicalize(root).is_ok_and(|root| path.starts_with(root));
        finder.locations.iter().any(|location| is_in(&location.path))
    };
    let is_in_store =
        |facts: &SessionFacts| fs_err::canonicalize(&facts.path).is_ok_and(|path| is_below(&path));
    match set {
        SourceSet::Scope(Scope::All) => listed.iter().any(|facts| facts.subagents > 0),
        SourceSet::Scope(_) | SourceSet::SharedIndex => true,
        SourceSet::Files(_) => listed.iter().any(is_in_store),
    }
}

/// Who was forked or sent out by whom among the copies from elsewhere.
fn sent_among_copies(
    listed: &[SessionFacts],
    finder: &SourceFinder<'_>,
) -> HashMap<PathBuf, PathBuf> {
    let Some(relocation) = finder.store.relocation() else { return HashMap::new() };
    let copies = listed.iter().filter(|facts| relocation.root_of(&facts.path).is_some());
    let copies: Vec<&SessionFacts> = copies.collect();
    if copies.iter().all(|facts| facts.subagents == 0) {
        return HashMap::new();
    }
    let files: Vec<PathBuf> = copies.iter().map(|facts| facts.path.clone()).collect();
    let mut senders = finder.store.ledger_and(&files).senders();
    senders.retain(|child, _| relocation.root_of(child).is_some());
    senders
}

/// Who was forked or sent out by whom in the store. This reads all its files once more, unless the
/// index knows them.
fn sent_in_store(listed: &[SessionFacts], finder: &SourceFinder<'_>) -> HashMap<PathBuf, PathBuf> {
    let spelled: HashMap<(u64, u64), &Path> =
        listed.iter().map(|facts| (facts.stamp.identity, &*facts.path)).collect();
    // The same file may be spelled in more than one way.
    let as_listed = |path: PathBuf| {
        let listed = FileStamp::of(&path).and_then(|stamp| spelled.get(&stamp.identity));
        listed.map_or(path, |listed| (*listed).to_owned())
    };
    let sent = finder.store.ledger_for(&Selection::default()).senders();
    sent.into_iter().map(|(child, parent)| (as_listed(child), as_listed(parent))).collect()
}
