//! The links between the entries of a file: which are on the active path, and how many ends the
//! tree has. Damaged links are read as [`Session`](pitree_session::Session) reads them.

use pitree_format::js::decode_string;
use pitree_format::scan::Field;
use pitree_format::{EntryKind, Role};

use super::line::EntryLine;
use crate::hash::{Map, hash_bytes};

/// The links between the entries of a file, in file order. A hash of 0 stands for none.
#[derive(Default)]
pub(crate) struct Links {
    /// Hashes of the ids and of the parents' ids.
    pub(super) ids: Vec<u64>,
    pub(super) parents: Vec<u64>,
    /// Where the lines begin.
    pub(super) starts: Vec<u64>,
    /// One bit for each entry: set for a message of the user.
    pub(super) users: Vec<u64>,
}

/// What the links between the entries of a file come to.
pub(crate) struct Shape {
    /// How many entries have no child.
    pub(crate) ends: usize,
    /// Which entries are on the way from the last one to its root.
    pub(crate) active: Vec<bool>,
}

/// The links with the parents found.
pub(crate) struct ResolvedLinks {
    /// The places of the parents, without circles.
    pub(super) parents: Vec<Option<u32>>,
    /// Whether each entry has an id of its own, and no parent comes later in the file.
    pub(super) is_orderly: bool,
}

impl Links {
    /// Adds an entry and gives its place.
    pub(crate) fn add(&mut self, line: &EntryLine<'_>) -> usize {
        let (envelope, place) = (&line.envelope, self.ids.len());
        self.ids.push(hash(&envelope.id).unwrap_or(0));
        self.parents.push(hash(&envelope.parent_id).unwrap_or(0));
        self.starts.push(line.offset);
        let is_user = line.kind == EntryKind::Message && line.role == Role::User;
        set_bit(&mut self.users, place, is_user);
        place
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Finds the parents. A parent that is not in the file, an entry that names itself and the
    /// first entry of a circle of parents count as without a parent. Of equal ids the last one
    /// counts, as in Pi.
    pub(crate) fn resolve(&self) -> ResolvedLinks {
        let mut places: Map<u64, u32> =
            Map::with_capacity_and_hasher(self.ids.len(), Default::default());
        places
            .extend(self.ids.iter().zip(0..).filter(|(id, _)| **id != 0).map(|(id, at)| (*id, at)));
        let parent = |(at, parent): (usize, &u64)| {
            let parent = *places.get(parent)?;
            (parent as usize != at).then_some(parent)
        };
        let mut parents: Vec<Option<u32>> = self.parents.iter().enumerate().map(parent).collect();
        // Parents that come earlier in the file close no circle.
        let comes_later =
            |(at, parent): (usize, &Option<u32>)| parent.is_some_and(|it| it as usize > at);
        let goes_back = !parents.iter().enumerate().any(comes_later);
        if !goes_back {
            cut_circles(&mut parents);
        }
        ResolvedLinks { parents, is_orderly: goes_back && places.len() == self.ids.len() }
    }
}

impl ResolvedLinks {
    /// How many ends there are, and which entries are active.
    pub(crate) fn shape(&self) -> Shape {
        let parents = &self.parents;
        let mut has_child = vec![false; parents.len()];
        parents.iter().flatten().for_each(|parent| has_child[*parent as usize] = true);
        let mut active = vec![false; parents.len()];
        let last = parents.len().checked_sub(1);
        for at in std::iter::successors(last, |at| parents[*at].map(|at| at as usize)) {
            active[at] = true;
        }
        let ends = has_child.into_iter().filter(|has_child| !has_child).count();
        Shape { ends, active }
    }

    /// The places of the entries with more than one child, each with the second of its children.
    pub(crate) fn branch_points(&self) -> Vec<(u32, u32)> {
        let mut children = vec![0_u8; self.parents.len()];
        let mut found = Vec::new();
        for (at, parent) in (0..).zip(&self.parents) {
            let Some(parent) = parent else { continue };
            let children = &mut children[*parent as usize];
            if *children == 1 {
                found.push((*parent, at));
            }
            *children = children.saturating_add(1);
        }
        found
    }
}

impl Shape {
    /// A plain list of entries has one end, and all of it is active.
    pub(crate) fn of_list(entries: usize) -> Self {
        Self { ends: entries.min(1), active: vec![true; entries] }
    }
}

/// Sets the bit of a place behind all others.
fn set_bit(bits: &mut Vec<u64>, place: usize, is_set: bool) {
    if place.is_multiple_of(64) {
        bits.push(0);
    }
    if let Some(last) = bits.last_mut() {
        *last |= u64::from(is_set) << (place % 64);
    }
}

/// A number for an id, however it is spelled.
fn hash(field: &Field<'_>) -> Option<u64> {
    match field {
        Field::Text(b"") => None,
        Field::Text(raw) if raw.contains(&b'\\') => Some(hash_bytes(decode_string(raw).as_bytes())),
        Field::Text(raw) => Some(hash_bytes(raw)),
        _ => None,
    }
}

/// Cuts each circle of parents above its first entry in the file.
fn cut_circles(parents: &mut [Option<u32>]) {
    let mut walk_of = vec![usize::MAX; parents.len()];
    for start in 0..parents.len() {
        let mut at = start;
        while walk_of[at] == usize::MAX {
            walk_of[at] = start;
            match parents[at] {
                Some(parent) => at = parent as usize,
                None => break,
            }
        }
        if walk_of[at] == start && parents[at].is_some() {
            let above = |next: usize| parents[next].map(|parent| parent as usize);
            let circle =
                std::iter::successors(above(at), |&next| above(next).filter(|_| next != at));
            let first = circle.min().unwrap_or(at);
            parents[first] = None;
        }
    }
}
