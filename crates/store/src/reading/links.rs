//! The links between the entries of a file: which are on the active path, and how many ends the
//! tree has. Damaged links are read as [`Session`](pitree_session::Session) reads them.

use pitree_format::js::decode_string;
use pitree_format::scan::{Envelope, Field};

use crate::hash::{Map, hash_bytes};

/// The links between the entries of a file, in file order.
#[derive(Default)]
pub(crate) struct Links {
    /// Hashes of ids and parents; `None` without one.
    entries: Vec<(Option<u64>, Option<u64>)>,
}

/// A parent that is the entry before, in the form that is kept.
const PREVIOUS: u64 = 1;

impl Links {
    /// Adds an entry and gives its place.
    pub(crate) fn add(&mut self, envelope: &Envelope<'_>) -> usize {
        let (id, parent) = (hash(&envelope.id), hash(&envelope.parent_id));
        self.entries.push((id, parent));
        self.entries.len() - 1
    }

    /// The links that [`Self::to_kept`] gave.
    pub(crate) fn from_kept(kept: &[(u64, u64)]) -> Self {
        let mut links = Self { entries: Vec::with_capacity(kept.len()) };
        let some = |number: u64| (number != 0).then_some(number);
        for &(id, parent) in kept {
            let previous = links.entries.last().and_then(|(id, _)| *id);
            let parent = if parent == PREVIOUS { previous } else { some(parent) };
            links.entries.push((some(id), parent));
        }
        links
    }

    /// The links in a form that is short where entries follow each other.
    pub(crate) fn to_kept(&self) -> Vec<(u64, u64)> {
        let mut previous = None;
        let kept = |&(id, parent): &(Option<u64>, Option<u64>)| {
            let follows = parent.is_some() && parent == previous;
            previous = id;
            (id.unwrap_or(0), if follows { PREVIOUS } else { parent.unwrap_or(0) })
        };
        self.entries.iter().map(kept).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The places of the ids. Of equal ids the last one counts, as in Pi.
    fn places(&self) -> Map<u64, u32> {
        let mut places = Map::with_capacity_and_hasher(self.entries.len(), Default::default());
        let ids = self.entries.iter().enumerate();
        places.extend(ids.filter_map(|(at, (id, _))| Some(((*id)?, at as u32))));
        places
    }

    /// How many entries have no child. A parent that is not in the file, an entry that names
    /// itself and the first entry of a circle of parents count as without a parent.
    pub(crate) fn ends(&self) -> usize {
        let places = self.places();
        let parent = |(at, (_, parent)): (usize, &(_, Option<u64>))| {
            let parent = *places.get(&(*parent)?)? as usize;
            (parent != at).then_some(parent)
        };
        let mut parents: Vec<Option<usize>> = self.entries.iter().enumerate().map(parent).collect();
        // Parents that come earlier in the file close no circle.
        if parents.iter().enumerate().any(|(at, parent)| parent.is_some_and(|it| it > at)) {
            cut_circles(&mut parents);
        }
        let mut has_child = vec![false; parents.len()];
        parents.into_iter().flatten().for_each(|parent| has_child[parent] = true);
        has_child.into_iter().filter(|has_child| !has_child).count()
    }

    /// Which entries are on the way from the last one to its root. In a plain list all are.
    pub(crate) fn active(&self, is_list: bool) -> Vec<bool> {
        let mut active = vec![is_list; self.entries.len()];
        if is_list {
            return active;
        }
        let places = self.places();
        let mut path = Vec::new();
        let mut next = self.entries.len().checked_sub(1);
        while let Some(at) = next {
            if std::mem::replace(&mut active[at], true) {
                self.cut_circle(&path, at, &mut active);
                break;
            }
            path.push(at);
            next = self.entries[at].1.and_then(|parent| places.get(&parent).map(|&at| at as usize));
        }
        active
    }

    /// A circle of parents is cut above its first entry in the file: what the walk met behind
    /// that one is not on the path.
    fn cut_circle(&self, path: &[usize], met_again: usize, active: &mut [bool]) {
        let begin = path.iter().position(|&at| at == met_again).unwrap_or(0);
        let circle = &path[begin..];
        let first = circle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(n, _)| n);
        for &at in circle.iter().skip(first + 1) {
            active[at] = false;
        }
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
fn cut_circles(parents: &mut [Option<usize>]) {
    let mut walk_of = vec![usize::MAX; parents.len()];
    for start in 0..parents.len() {
        let mut at = start;
        while walk_of[at] == usize::MAX {
            walk_of[at] = start;
            match parents[at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        if walk_of[at] == start && parents[at].is_some() {
            let circle =
                std::iter::successors(parents[at], |&next| parents[next].filter(|_| next != at));
            let first = circle.min().unwrap_or(at);
            parents[first] = None;
        }
    }
}
