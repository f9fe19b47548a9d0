//! The entries of a session in memory: envelopes, where their bodies are, and who is whose
//! parent. This is what opening a session costs; bodies are read when asked for.

mod scanned;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use pitree_format::migrate::stable_id;
use pitree_format::{EntryKind, Role};
use std::collections::HashMap;
use std::hash::BuildHasher;

pub(crate) use scanned::{Found, ParentField, ScannedEntries};
use scanned::{Id, Link};

/// Marks the absence of a parent.
const NO_PARENT: u32 = u32::MAX;

/// Marks the absence of a time; no date lies that far back.
const NO_TIME: i64 = i64::MIN;

/// Where the bytes of an entry are.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// In the session file.
    File { offset: u64, len: u32 },
    /// Only in memory: the file does not exist yet, or never will.
    Memory(Box<[u8]>),
}

/// One entry.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: Id,
    pub(crate) body: Body,
    /// The line in the file, from 1; 0 while there is no file.
    pub(crate) line: u64,
    /// [`NO_TIME`] without one.
    time: i64,
    parent: u32,
    pub(crate) kind: EntryKind,
    pub(crate) role: Role,
    /// The line has no usable id of its own.
    pub(crate) made_up_id: bool,
    link: Link,
}

impl Record {
    /// The timestamp in Unix milliseconds, if it is a date.
    pub(crate) fn time(&self) -> Option<i64> {
        (self.time != NO_TIME).then_some(self.time)
    }
}

/// What is odd about the links of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkTrouble {
    /// The line has no string id; it was given one.
    MissingId,
    /// An earlier entry has the same id; the later one is found by it.
    DuplicateId { first: usize },
    /// The named parent is not in the file.
    Orphan,
    /// No `parentId` member at all.
    NoParentField,
    /// `parentId` is not a string.
    InvalidParent,
    /// The entry names itself.
    SelfParent,
    /// The entry's parents lead back to it; the link is cut here.
    Cycle,
}

/// All entries, in file order.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryTable {
    records: Vec<Record>,
    by_id: HashTable<u32>,
    /// Seeded for each process, so that a hostile file cannot choose ids that collide.
    hasher: RandomState,
    /// Entries that have the id of an earlier one: the earlier one and itself, in file order.
    duplicates: Vec<(u32, u32)>,
    /// The names of parents that are not in the file.
    lost_parents: HashMap<u32, Box<str>>,
    /// The entries were given their ids because the version has none.
    is_renumbered: bool,
}

impl EntryTable {
    /// Builds the table. `seed` makes the ids of entries without one; with `renumber` every entry
    /// is given one and becomes the child of the entry before it (version 1).
    pub(crate) fn build(scanned: ScannedEntries, seed: &str, renumber: bool) -> Self {
        let ScannedEntries { records, named } = scanned;
        let mut table = Self {
            by_id: HashTable::with_capacity(records.len()),
            records,
            is_renumbered: renumber,
            ..Self::default()
        };
        if renumber {
            for (at, record) in table.records.iter_mut().enumerate() {
                (record.id, record.made_up_id) = (Id::default(), true);
                (record.link, record.parent) =
                    (Link::Null, at.checked_sub(1).map_or(NO_PARENT, |at| at as u32));
            }
        }
        table.index_ids();
        table.make_up_ids(seed);
        if !renumber {
            table.link(0, named);
            table.cut_cycles();
        }
        table
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn get(&self, at: usize) -> &Record {
        &self.records[at]
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> &mut Record {
        &mut self.records[at]
    }

    /// The entry that an id leads to: the last one that has it, as in Pi.
    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        let hash = self.hasher.hash_one(id.as_bytes());
        let is_it = |&at: &u32| self.records[at as usize].id.as_bytes() == id.as_bytes();
        self.by_id.find(hash, is_it).map(|&at| at as usize)
    }

    /// The parent of an entry; `None` for a root, and for a place where there is no entry.
    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        let parent = self.records.get(at)?.parent;
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// What is odd about the links of an entry.
    pub(crate) fn troubles(&self, at: usize) -> impl Iterator<Item = LinkTrouble> {
        let again = self.duplicates.binary_search_by_key(&(at as u32), |&(_, second)| second);
        let again = again
            .ok()
            .map(|place| LinkTrouble::DuplicateId { first: self.duplicates[place].0 as usize });
        let record = &self.records[at];
        let missing = (record.made_up_id && !self.is_renumbered).then_some(LinkTrouble::MissingId);
        let link = match record.link {
            Link::Null | Link::Previous => None,
            Link::Named => self.lost_parent(at).map(|_| LinkTrouble::Orphan),
            Link::Absent => Some(LinkTrouble::NoParentField),
            Link::Invalid => Some(LinkTrouble::InvalidParent),
            Link::ToItself => Some(LinkTrouble::SelfParent),
            Link::Cut => Some(LinkTrouble::Cycle),
        };
        again.into_iter().chain(missing).chain(link)
    }

    /// How many entries stand above a line of the file.
    pub(crate) fn count_before_line(&self, line: u64) -> usize {
        self.records.partition_point(|record| record.line < line)
    }

    /// The name of a parent that is not in the file.
    pub(crate) fn lost_parent(&self, at: usize) -> Option<&str> {
        self.lost_parents.get(&(at as u32)).map(|id| &**id)
    }

    /// The names of parents that are not in the file, each with the first entry that names it.
    pub(crate) fn first_orphans(&self) -> HashMap<&str, usize> {
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(self.lost_parents.len());
        for (at, name) in &self.lost_parents {
            let at = *at as usize;
            first.entry(name).and_modify(|first| *first = at.min(*first)).or_insert(at);
        }
        first
    }

    /// Adds an entry whose id is new and whose parent is known.
    pub(crate) fn push(&mut self, new: NewRecord) -> usize {
        let at = self.records.len();
        self.records.push(Record {
            id: Id::new(&new.id),
            body: new.body,
            line: new.line,
            time: new.time.unwrap_or(NO_TIME),
            parent: new.parent.map_or(NO_PARENT, |parent| parent as u32),
            kind: new.kind,
            role: new.role,
            made_up_id: false,
            link: Link::Null,
        });
        self.insert_id(at);
        at
    }

    /// Adds entries that another program appended to the file.
    pub(crate) fn extend(&mut self, scanned: ScannedEntries, seed: &str) {
        let first = self.records.len();
        let ScannedEntries { mut records, mut named } = scanned;
        self.records.append(&mut records);
        named.iter_mut().for_each(|(at, _)| *at += first as u32);
        for at in first..self.records.len() {
            if self.records[at].made_up_id {
                self.make_up_id(at, seed);
            }
            self.insert_id(at);
        }
        self.link(first, named);
    }

    /// Whether entries at the end change nothing about those before: new ids, and parents that
    /// stand above them.
    pub(crate) fn grows_plainly(&self, scanned: &ScannedEntries) -> bool {
        let mut new: std::collections::HashSet<&[u8]> = std::collections::HashSet::new();
        let mut named = scanned.named.iter().peekable();
        self.lost_parents.is_empty()
            && scanned.records.iter().enumerate().all(|(at, record)| {
                let name = named.next_if(|(owner, _)| *owner as usize == at);
                let parent_known = match (record.link, name) {
                    (_, Some((_, name))) => {
                        new.contains(name.as_bytes()) || self.find(name).is_some()
                    }
                    (link, None) => matches!(link, Link::Null | Link::Previous),
                };
                !record.made_up_id
                    && parent_known
                    && self.find(&record.id).is_none()
                    && new.insert(record.id.as_bytes())
            })
    }

    /// Takes the newest entry out again, after a write that failed.
    pub(crate) fn pop(&mut self) {
        let Some(at) = self.records.len().checked_sub(1) else { return };
        let hash = self.hasher.hash_one(self.records[at].id.as_bytes());
        if let Ok(slot) = self.by_id.find_entry(hash, |&other| other as usize == at) {
            slot.remove();
        }
        self.records.pop();
    }

    fn index_ids(&mut self) {
        for at in 0..self.records.len() {
            if !self.records[at].made_up_id {
                self.insert_id(at);
            }
        }
    }

    fn insert_id(&mut self, at: usize) {
        let Self { records, by_id, hasher, .. } = self;
        let id = &records[at].id;
        let hash = hasher.hash_one(id.as_bytes());
        let is_it = |&other: &u32| records[other as usize].id.as_bytes() == id.as_bytes();
        match by_id.find_mut(hash, is_it) {
            Some(slot) => {
                self.duplicates.push((*slot, at as u32));
                *slot = at as u32;
            }
            None => {
                by_id.insert_unique(hash, at as u32, |&other| {
                    hasher.hash_one(records[other as usize].id.as_bytes())
                });
            }
        }
    }

    fn make_up_ids(&mut self, seed: &str) {
        for at in 0..self.records.len() {
            if self.records[at].made_up_id {
                self.make_up_id(at, seed);
                self.insert_id(at);
            }
        }
    }

    fn make_up_id(&mut self, at: usize, seed: &str) {
        let id = stable_id(seed.as_bytes(), at, |id| self.find(id).is_some());
        self.records[at].id = Id::new(&id);
    }

    /// Looks up the parents of the entries from `first` on.
    fn link(&mut self, first: usize, named: Vec<(u32, Box<str>)>) {
        for at in first..self.records.len() {
            if self.records[at].link == Link::Previous {
                // With equal ids in the file the last one counts.
                let before = at.saturating_sub(1);
                let parent = match self.duplicates.is_empty() {
                    true => before,
                    false => self.find(&self.records[before].id).unwrap_or(before),
                };
                self.set_parent(at, parent);
            }
        }
        for (at, name) in named {
            match self.find(&name) {
                Some(parent) => self.set_parent(at as usize, parent),
                None => {
                    self.lost_parents.insert(at, name);
                }
            }
        }
    }

    fn set_parent(&mut self, at: usize, parent: usize) {
        if parent == at {
            self.records[at].link = Link::ToItself;
        } else {
            self.records[at].parent = parent as u32;
        }
    }

    /// Cuts every circle of parents at its first entry in the file, so that every walk ends.
    fn cut_cycles(&mut self) {
        // Parents that come earlier in the file cannot close a circle on their own.
        if self
            .records
            .iter()
            .enumerate()
            .all(|(at, r)| r.parent == NO_PARENT || r.parent < at as u32)
        {
            return;
        }
        const OPEN: u32 = u32::MAX;
        let mut walk_of = vec![OPEN; self.records.len()];
        for start in 0..self.records.len() {
            let walk = start as u32;
            let mut at = start;
            while walk_of[at] == OPEN {
                walk_of[at] = walk;
                match self.parent(at) {
                    Some(parent) => at = parent,
                    None => break,
                }
            }
            if walk_of[at] == walk && self.parent(at).is_some() {
                self.cut_circle_through(at);
            }
        }
    }

    fn cut_circle_through(&mut self, member: usize) {
        let mut first = member;
        let mut at = member;
        while let Some(parent) = self.parent(at) {
            first = first.min(parent);
            at = parent;
            if at == member {
                self.records[first].parent = NO_PARENT;
                self.records[first].link = Link::Cut;
                return;
            }
        }
    }
}

/// An entry to add.
pub(crate) struct NewRecord {
    pub(crate) id: Box<str>,
    pub(crate) body: Body,
    pub(crate) line: u64,
    pub(crate) time: Option<i64>,
    pub(crate) parent: Option<usize>,
    pub(crate) kind: EntryKind,
    pub(crate) role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;

    type Named<'a> = (Option<&'a str>, Option<&'a str>);

    /// A table of entries with these ids and parents.
    fn table(entries: &[Named<'_>]) -> EntryTable {
        let mut scanned = ScannedEntries::default();
        for (id, parent) in entries {
            let body = Body::File { offset: 0, len: 0 };
            let (kind, role) = (EntryKind::Custom, Role::Other);
            let found = Found { body, line: 1, kind, role, time: None };
            let parent = parent.map_or(ParentField::Null, |name| ParentField::Id(name.into()));
            scanned.push(found, *id, parent);
        }
        EntryTable::build(scanned, "s", false)
    }

    fn troubles(table: &EntryTable) -> Vec<(usize, LinkTrouble)> {
        (0..table.len()).flat_map(|at| table.troubles(at).map(move |one| (at, one))).collect()
    }

    fn parents(table: &EntryTable) -> Vec<Option<usize>> {
        (0..table.len()).map(|at| table.parent(at)).collect()
    }

    #[test]
    fn a_circle_is_cut_at_its_first_entry() {
        let table = table(&[
            (Some("x"), Some("b")),
            (Some("a"), Some("c")),
            (Some("b"), Some("a")),
            (Some("c"), Some("b")),
        ]);
        assert_eq!(parents(&table), [Some(2), None, Some(1), Some(2)]);
        assert_eq!(troubles(&table), [(1, LinkTrouble::Cycle)]);
    }

    #[test]
    fn an_entry_that_names_itself_is_a_root() {
        let table = table(&[(Some("a"), Some("a"))]);
        assert_eq!(parents(&table), [None]);
        assert_eq!(troubles(&table), [(0, LinkTrouble::SelfParent)]);
    }

    #[test]
    fn of_equal_ids_the_last_is_found() {
        let table = table(&[(Some("a"), None), (Some("a"), None), (Some("b"), Some("a"))]);
        assert_eq!(table.find("a"), Some(1));
        assert_eq!(parents(&table), [None, None, Some(1)]);
        assert_eq!(troubles(&table), [(1, LinkTrouble::DuplicateId { first: 0 })]);
    }

    #[test]
    fn entries_without_an_id_get_a_stable_one() {
        let make = || table(&[(None, None), (None, None)]);
        let (one, two) = (make(), make());
        assert_eq!(*one.get(0).id, *two.get(0).id);
        assert_ne!(*one.get(0).id, *one.get(1).id);
        assert_eq!(one.find(&one.get(1).id), Some(1));
    }

    #[test]
    fn ids_of_any_length_are_kept() {
        for len in 1..60 {
            let id: String = "né漢".chars().cycle().take(len).collect();
            let table = table(&[(Some(&id), None)]);
            assert_eq!((&*table.get(0).id, table.find(&id)), (&*id, Some(0)));
        }
    }

    #[test]
    fn a_removed_entry_is_forgotten() {
        let mut table = table(&[(Some("a"), None)]);
        table.pop();
        assert_eq!((table.len(), table.find("a")), (0, None));
    }
}
