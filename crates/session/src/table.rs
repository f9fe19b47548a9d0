//! The entries of a session in memory: envelopes, where their bodies are, and who is whose
//! parent. This is what opening a session costs; bodies are read when asked for.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use pitree_format::migrate::stable_id;
use pitree_format::{EntryKind, Role};
use std::collections::HashMap;
use std::hash::BuildHasher;

use crate::read::{ParentField, ScannedEntry};

/// Marks the absence of a parent.
const NO_PARENT: u32 = u32::MAX;

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
    pub(crate) id: Box<str>,
    pub(crate) body: Body,
    /// The line in the file, from 1; 0 while there is no file.
    pub(crate) line: u64,
    pub(crate) time: Option<i64>,
    parent: u32,
    pub(crate) kind: EntryKind,
    pub(crate) role: Role,
    /// The line has no usable id of its own.
    pub(crate) made_up_id: bool,
}

impl Record {
    /// A scanned entry before it is known who its parent is.
    fn unlinked(entry: ScannedEntry) -> (Self, ParentField) {
        let record = Self {
            made_up_id: entry.id.is_none(),
            id: entry.id.unwrap_or_default(),
            body: Body::File { offset: entry.offset, len: entry.len },
            line: entry.line,
            time: entry.time,
            parent: NO_PARENT,
            kind: entry.kind,
            role: entry.role,
        };
        (record, entry.parent)
    }
}

/// What is odd about the links between entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkTrouble {
    /// The line has no string id; it was given one.
    MissingId(usize),
    /// An earlier entry has the same id; the later one is found by it.
    DuplicateId { first: usize, second: usize },
    /// The named parent is not in the file.
    Orphan(usize),
    /// No `parentId` member at all.
    NoParentField(usize),
    /// `parentId` is not a string.
    InvalidParent(usize),
    /// The entry names itself.
    SelfParent(usize),
    /// The entry's parents lead back to it; the link is cut here.
    Cycle(usize),
}

/// All entries, in file order.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryTable {
    records: Vec<Record>,
    by_id: HashTable<u32>,
    /// Seeded for each process, so that a hostile file cannot choose ids that collide.
    hasher: RandomState,
    duplicates: usize,
    /// The names of parents that are not in the file.
    lost_parents: HashMap<u32, Box<str>>,
    pub(crate) troubles: Vec<LinkTrouble>,
}

impl EntryTable {
    /// Builds the table. `seed` makes the ids of entries without one; with `renumber` every entry
    /// is given one and becomes the child of the entry before it (version 1).
    pub(crate) fn build(scanned: Vec<ScannedEntry>, seed: &str, renumber: bool) -> Self {
        let mut table = Self {
            records: Vec::with_capacity(scanned.len()),
            by_id: HashTable::with_capacity(scanned.len()),
            ..Self::default()
        };
        let mut parents = Vec::with_capacity(scanned.len());
        for mut entry in scanned {
            if renumber {
                (entry.id, entry.parent) = (None, ParentField::Null);
            }
            let (record, parent) = Record::unlinked(entry);
            parents.push(parent);
            table.records.push(record);
        }
        table.index_ids();
        table.make_up_ids(seed, renumber);
        if renumber {
            for at in 1..table.records.len() {
                table.records[at].parent = at as u32 - 1;
            }
        } else {
            table.link(parents);
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
        let hash = self.hasher.hash_one(id);
        self.by_id.find(hash, |&at| &*self.records[at as usize].id == id).map(|&at| at as usize)
    }

    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        let parent = self.records[at].parent;
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// How many entries stand above a line of the file.
    pub(crate) fn count_before_line(&self, line: u64) -> usize {
        self.records.partition_point(|record| record.line < line)
    }

    /// The name of a parent that is not in the file.
    pub(crate) fn lost_parent(&self, at: usize) -> Option<&str> {
        self.lost_parents.get(&(at as u32)).map(|id| &**id)
    }

    /// Adds an entry whose id is new and whose parent is known.
    pub(crate) fn push(&mut self, new: NewRecord) -> usize {
        let at = self.records.len();
        self.records.push(Record {
            id: new.id,
            body: new.body,
            line: new.line,
            time: new.time,
            parent: new.parent.map_or(NO_PARENT, |parent| parent as u32),
            kind: new.kind,
            role: new.role,
            made_up_id: false,
        });
        self.insert_id(at);
        at
    }

    /// Adds entries that another program appended to the file.
    pub(crate) fn extend(&mut self, scanned: Vec<ScannedEntry>, seed: &str) {
        let first = self.records.len();
        let mut parents = Vec::with_capacity(scanned.len());
        for entry in scanned {
            let (record, parent) = Record::unlinked(entry);
            parents.push(parent);
            self.records.push(record);
            let at = self.records.len() - 1;
            if self.records[at].made_up_id {
                self.make_up_id(at, seed);
            }
            self.insert_id(at);
        }
        for (at, parent) in (first..).zip(parents) {
            self.link_one(at, parent);
        }
    }

    /// Whether entries at the end change nothing about those before: new ids, and parents that
    /// stand above them.
    pub(crate) fn grows_plainly(&self, scanned: &[ScannedEntry]) -> bool {
        let mut new: std::collections::HashSet<&str> = std::collections::HashSet::new();
        self.lost_parents.is_empty()
            && scanned.iter().all(|entry| {
                let Some(id) = entry.id.as_deref() else { return false };
                let parent_known = match &entry.parent {
                    ParentField::Id(name) => new.contains(&**name) || self.find(name).is_some(),
                    ParentField::Null | ParentField::Previous => true,
                    ParentField::Absent | ParentField::Invalid => false,
                };
                parent_known && self.find(id).is_none() && new.insert(id)
            })
    }

    /// Takes the newest entry out again, after a write that failed.
    pub(crate) fn pop(&mut self) {
        let Some(at) = self.records.len().checked_sub(1) else { return };
        let hash = self.hasher.hash_one(&*self.records[at].id);
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
        let hash = hasher.hash_one(&**id);
        match by_id.find_mut(hash, |&other| records[other as usize].id == *id) {
            Some(slot) => {
                let first = *slot as usize;
                *slot = at as u32;
                self.duplicates += 1;
                self.troubles.push(LinkTrouble::DuplicateId { first, second: at });
            }
            None => {
                by_id.insert_unique(hash, at as u32, |&other| {
                    hasher.hash_one(&*records[other as usize].id)
                });
            }
        }
    }

    fn make_up_ids(&mut self, seed: &str, quiet: bool) {
        for at in 0..self.records.len() {
            if self.records[at].made_up_id {
                self.make_up_id(at, seed);
                self.insert_id(at);
                if !quiet {
                    self.troubles.push(LinkTrouble::MissingId(at));
                }
            }
        }
    }

    fn make_up_id(&mut self, at: usize, seed: &str) {
        let id = stable_id(seed.as_bytes(), at, |id| self.find(id).is_some());
        self.records[at].id = id.into();
    }

    fn link(&mut self, parents: Vec<ParentField>) {
        for (at, parent) in parents.into_iter().enumerate() {
            self.link_one(at, parent);
        }
    }

    fn link_one(&mut self, at: usize, parent: ParentField) {
        let name: Box<str> = match parent {
            ParentField::Null => return,
            ParentField::Absent => return self.troubles.push(LinkTrouble::NoParentField(at)),
            ParentField::Invalid => return self.troubles.push(LinkTrouble::InvalidParent(at)),
            ParentField::Previous => {
                // With equal ids in the file the last one counts.
                let parent = match self.duplicates {
                    0 => at - 1,
                    _ => self.find(&self.records[at - 1].id).unwrap_or(at - 1),
                };
                self.records[at].parent = parent as u32;
                if self.records[at].parent == at as u32 {
                    self.cut_self_parent(at);
                }
                return;
            }
            ParentField::Id(name) => name,
        };
        match self.find(&name) {
            Some(parent) if parent == at => self.cut_self_parent(at),
            Some(parent) => self.records[at].parent = parent as u32,
            None => {
                self.lost_parents.insert(at as u32, name);
                self.troubles.push(LinkTrouble::Orphan(at));
            }
        }
    }

    fn cut_self_parent(&mut self, at: usize) {
        self.records[at].parent = NO_PARENT;
        self.troubles.push(LinkTrouble::SelfParent(at));
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
                self.troubles.push(LinkTrouble::Cycle(first));
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

    fn entry(id: Option<&str>, parent: Option<&str>) -> ScannedEntry {
        ScannedEntry {
            offset: 0,
            len: 0,
            line: 1,
            kind: EntryKind::Custom,
            role: Role::Other,
            time: None,
            id: id.map(Into::into),
            parent: parent.map_or(ParentField::Null, |parent| ParentField::Id(parent.into())),
        }
    }

    fn parents(table: &EntryTable) -> Vec<Option<usize>> {
        (0..table.len()).map(|at| table.parent(at)).collect()
    }

    #[test]
    fn a_circle_is_cut_at_its_first_entry() {
        let scanned = vec![
            entry(Some("x"), Some("b")),
            entry(Some("a"), Some("c")),
            entry(Some("b"), Some("a")),
            entry(Some("c"), Some("b")),
        ];
        let table = EntryTable::build(scanned, "s", false);
        assert_eq!(parents(&table), [Some(2), None, Some(1), Some(2)]);
        assert_eq!(table.troubles, [LinkTrouble::Cycle(1)]);
    }

    #[test]
    fn an_entry_that_names_itself_is_a_root() {
        let table = EntryTable::build(vec![entry(Some("a"), Some("a"))], "s", false);
        assert_eq!(parents(&table), [None]);
        assert_eq!(table.troubles, [LinkTrouble::SelfParent(0)]);
    }

    #[test]
    fn of_equal_ids_the_last_is_found() {
        let scanned =
            vec![entry(Some("a"), None), entry(Some("a"), None), entry(Some("b"), Some("a"))];
        let table = EntryTable::build(scanned, "s", false);
        assert_eq!(table.find("a"), Some(1));
        assert_eq!(parents(&table), [None, None, Some(1)]);
    }

    #[test]
    fn entries_without_an_id_get_a_stable_one() {
        let make = || EntryTable::build(vec![entry(None, None), entry(None, None)], "s", false);
        let (one, two) = (make(), make());
        assert_eq!(one.get(0).id, two.get(0).id);
        assert_ne!(one.get(0).id, one.get(1).id);
        assert_eq!(one.find(&one.get(1).id), Some(1));
    }

    #[test]
    fn a_removed_entry_is_forgotten() {
        let mut table = EntryTable::build(vec![entry(Some("a"), None)], "s", false);
        table.pop();
        assert_eq!((table.len(), table.find("a")), (0, None));
    }
}
