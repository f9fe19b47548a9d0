//! Sessions that are open, because a page shows them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pitree_format::migrate::SourceVersion;
use pitree_session::{EntryRef, Session, Tree, TreeFilter};
use pitree_store::FileStamp;
use pitree_store::subagents::Trust;

use crate::answer::Problem;
use crate::key::Name;
use crate::lanes::Lanes;
use crate::marks;
use crate::state::{App, locked};
use crate::subagents::{self, Run};
use crate::tree::TreeRow;

/// So many sessions stay open; of the others nothing is kept.
const MOST_OPEN: usize = 6;

/// The entries of a branch that a filter lets through.
struct FilteredPath {
    leaf: usize,
    filter: TreeFilter,
    entries: Arc<Vec<usize>>,
}

/// What was found in the bodies of the first entries. They do not change while a session grows.
struct Looked<T> {
    entries: usize,
    found: Arc<Vec<T>>,
}

impl<T> Default for Looked<T> {
    fn default() -> Self {
        Self { entries: 0, found: Arc::default() }
    }
}

impl<T: Clone> Looked<T> {
    /// What is found in so many entries; `look` gets those that were not looked at yet.
    fn up_to(
        &mut self,
        entries: usize,
        look: impl FnOnce(Range<usize>) -> Result<Vec<T>, Problem>,
    ) -> Result<Arc<Vec<T>>, Problem> {
        if self.entries < entries {
            let mut new = look(self.entries..entries)?;
            Arc::make_mut(&mut self.found).append(&mut new);
            self.entries = entries;
        }
        Ok(Arc::clone(&self.found))
    }
}

/// A session, and what was worked out of it.
pub(crate) struct OpenSession {
    pub(crate) session: Session,
    pub(crate) tree: Tree,
    pub(crate) lanes: Lanes,
    /// Whether an entry is on the way to the current position.
    on_path: Vec<bool>,
    /// Labels by entry.
    pub(crate) labels: HashMap<usize, String>,
    /// The file that it was read from.
    pub(crate) source: PathBuf,
    stamp: Option<FileStamp>,
    /// The entries that tell of something that went wrong.
    failed: Looked<usize>,
    /// The sub-agents that it sent out.
    runs: Looked<Run>,
    /// The branch that was asked for last.
    path: Option<FilteredPath>,
    /// The rows of the tree, for the filter that was asked for last.
    rows: Option<(TreeFilter, Arc<Vec<TreeRow>>)>,
}

impl OpenSession {
    /// `stamp` is that of the file it was read from, if it is to be read again when that changes.
    pub(crate) fn new(
        session: Session,
        source: PathBuf,
        stamp: Option<FileStamp>,
    ) -> Result<Self, Problem> {
        let tree = session.tree();
        let lanes = Lanes::new(&session, &tree)?;
        let mut labels = HashMap::new();
        for label in session.labels()?.iter() {
            if let Some(entry) = session.entry(label.target_id.as_str()) {
                labels.insert(entry.index(), label.text.to_text().into_owned());
            }
        }
        let on_path = session.active_flags();
        let (failed, runs) = (Looked::default(), Looked::default());
        let (path, rows) = (None, None);
        let opened =
            Self { session, tree, lanes, on_path, labels, source, stamp, failed, runs, path, rows };
        Ok(opened)
    }

    /// The same session after it has grown.
    fn grown(mut self, stamp: FileStamp) -> Result<Self, Problem> {
        self.session.refresh_to_leaf()?;
        // Only of this version is nothing but what was appended read.
        let is_kept = self.session.source_version() == SourceVersion::Current;
        let (failed, runs) = match is_kept {
            true => (self.failed, self.runs),
            false => (Looked::default(), Looked::default()),
        };
        let opened = Self::new(self.session, self.source, Some(stamp))?;
        Ok(Self { failed, runs, ..opened })
    }

    /// An entry by its place in the file.
    pub(crate) fn entry(&self, at: usize) -> Result<EntryRef<'_>, Problem> {
        let gone = || Problem::not_found(format!("This session has no entry {at}"));
        self.session.at(at).ok_or_else(gone)
    }

    /// Whether an entry is on the way from the root to the current position.
    pub(crate) fn is_on_path(&self, at: usize) -> bool {
        self.on_path.get(at).copied().unwrap_or(false)
    }

    /// The leaf that a request names, or the session's own.
    pub(crate) fn leaf_or(&self, asked: Option<usize>) -> Result<Option<usize>, Problem> {
        match asked {
            Some(at) => Ok(Some(self.entry(at)?.index())),
            None => Ok(self.session.leaf().map(|leaf| leaf.index())),
        }
    }

    /// The entries from the root to a leaf that a filter lets through.
    pub(crate) fn path(
        &mut self,
        leaf: Option<usize>,
        filter: TreeFilter,
    ) -> Result<Arc<Vec<usize>>, Problem> {
        let Some(leaf) = leaf else { return Ok(Arc::default()) };
        if let Some(known) = &self.path
            && (known.leaf, known.filter) == (leaf, filter)
        {
            return Ok(Arc::clone(&known.entries));
        }
        let mut path = Vec::new();
        for entry in self.session.path_to(leaf) {
            let has_label = self.labels.contains_key(&entry.index());
            if filter == TreeFilter::All || filter.shows(entry, has_label, false)? {
                path.push(entry.index());
            }
        }
        let entries = Arc::new(path);
        self.path = Some(FilteredPath { leaf, filter, entries: Arc::clone(&entries) });
        Ok(entries)
    }

    /// The entries that tell of something that went wrong, in file order.
    pub(crate) fn failed(&mut self) -> Result<Arc<Vec<usize>>, Problem> {
        let session = &self.session;
        self.failed.up_to(session.len(), |entries| marks::failed(session, entries))
    }

    /// The sub-agents that it sent out, in file order.
    pub(crate) fn runs(&mut self, trust: &Trust) -> Result<Arc<Vec<Run>>, Problem> {
        let session = &self.session;
        self.runs.up_to(session.len(), |entries| subagents::find(session, entries, trust))
    }

    /// The rows of the tree, kept until another filter is asked for or the file changes.
    pub(crate) fn tree_rows(
        &mut self,
        filter: TreeFilter,
        make: impl FnOnce(&Self) -> Result<Vec<TreeRow>, Problem>,
    ) -> Result<Arc<Vec<TreeRow>>, Problem> {
        if let Some((known, rows)) = &self.rows
            && *known == filter
        {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(make(self)?);
        self.rows = Some((filter, Arc::clone(&rows)));
        Ok(rows)
    }
}

type Slot = Arc<Mutex<Option<OpenSession>>>;

/// The sessions that are open, the one that was asked for last at the end.
#[derive(Default)]
pub(crate) struct OpenSessions {
    slots: Mutex<Vec<(Name, Slot)>>,
}

impl OpenSessions {
    /// The place of a session. Requests for one session wait for each other, those for others not.
    fn slot(&self, name: &Name) -> Slot {
        let mut slots = locked(&self.slots);
        let slot = match slots.iter().position(|(known, _)| known == name) {
            Some(at) => slots.remove(at).1,
            None => Slot::default(),
        };
        slots.push((name.clone(), Arc::clone(&slot)));
        if slots.len() > MOST_OPEN {
            slots.remove(0);
        }
        slot
    }
}

impl App {
    /// Works on a session as it is in its file now.
    pub(crate) fn with_session<T>(
        &self,
        name: &Name,
        work: impl FnOnce(&mut OpenSession) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let path = self.snapshots.path(&self.store, name.session)?;
        // Whoever asks for a run holds its slot and waits for that of its sender, never the other
        // way round.
        let slot = self.opened.slot(name);
        let mut slot = locked(&slot);
        let known = slot.take();
        let mut opened = match name.runs.is_empty() {
            true => self.fresh(known, &path)?,
            false => self.fresh_run(known, name)?,
        };
        let done = work(&mut opened);
        *slot = Some(opened);
        done
    }

    /// The session with all that is in its file: the one that is open already, if it only grew.
    fn fresh(&self, known: Option<OpenSession>, path: &Path) -> Result<OpenSession, Problem> {
        let gone = || Problem::not_found("The file of this session is not there any more");
        let stamp = FileStamp::of(path).ok_or_else(gone)?;
        let source = path.to_owned();
        match known {
            Some(known) if known.stamp == Some(stamp) => Ok(known),
            Some(known) if known.stamp.is_some_and(|old| has_grown(&old, &stamp)) => {
                known.grown(stamp)
            }
            _ => OpenSession::new(Session::open(path, &self.environment)?, source, Some(stamp)),
        }
    }

    /// The record of a sub-agent: the one that is open already, if its file is the same.
    fn fresh_run(&self, known: Option<OpenSession>, name: &Name) -> Result<OpenSession, Problem> {
        if let Some(known) = known
            && known.stamp.is_some()
            && known.stamp == FileStamp::of(&known.source)
        {
            return Ok(known);
        }
        let (session, source) = self.open_run(name)?;
        let stamp = FileStamp::of(&source);
        OpenSession::new(session, source, stamp)
    }
}

/// Whether a file may only have been appended to.
fn has_grown(old: &FileStamp, new: &FileStamp) -> bool {
    old.identity == new.identity && old.size < new.size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_looked_at_once() {
        let mut looked = Looked::default();
        let mut up_to = |entries: usize| {
            let mut asked = Vec::new();
            let look = |new: Range<usize>| {
                asked.extend(new.clone());
                Ok(new.filter(|at| at % 2 == 0).collect())
            };
            let found = looked.up_to(entries, look).map_err(|_| ()).unwrap();
            (asked, found.to_vec())
        };
        assert_eq!(up_to(3), (vec![0, 1, 2], vec![0, 2]));
        assert_eq!(up_to(3), (vec![], vec![0, 2]));
        assert_eq!(up_to(5), (vec![3, 4], vec![0, 2, 4]));
    }
}
