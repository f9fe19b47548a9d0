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

/// What the links between the entries of a file come to.
pub(crate) struct Shape {
    /// How many entries have no child.
    pub(crate) ends: usize,
    /// Which entries are on the way from the last one to its root.
    pub(crate) active: Vec<bool>,
}

/// How much an id takes in what is kept.
const ID_BYTES: usize = 8;

impl Links {
    /// Adds an entry and gives its place.
    pub(crate) fn add(&mut self, envelope: &Envelope<'_>) -> usize {
        let (id, parent) = (hash(&envelope.id), hash(&envelope.parent_id));
        self.entries.push((id, parent));
        self.entries.len() - 1
    }

    /// The links in the form that is kept: the ids, and where a parent is not the entry before,
    /// its place and the parent.
    pub(crate) fn to_kept(&self) -> (Vec<u8>, Vec<(u32, u64)>) {
        let mut ids = Vec::with_capacity(self.entries.len() * ID_BYTES);
        let mut others = Vec::new();
        let mut previous = None;
        for (at, &(id, parent)) in self.entries.iter().enumerate() {
            ids.extend_from_slice(&id.unwrap_or(0).to_le_bytes());
            if parent.is_none() || parent != previous {
                others.push((at as u32, parent.unwrap_or(0)));
            }
            previous = id;
        }
        (ids, others)
    }

    /// The links that [`Self::to_kept`] gave.
    pub(crate) fn from_kept(ids: &[u8], others: &[(u32, u64)]) -> Self {
        let some = |number: u64| (number != 0).then_some(number);
        let ids = ids.as_chunks::<ID_BYTES>().0.iter().map(|id| some(u64::from_le_bytes(*id)));
        let mut previous = None;
        let follow = |id: Option<u64>| (id, std::mem::replace(&mut previous, id));
        let mut entries: Vec<_> = ids.map(follow).collect();
        for &(at, parent) in others {
            if let Some(entry) = entries.get_mut(at as usize) {
                entry.1 = some(parent);
            }
        }
        Self { entries }
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

    /// How many ends there are, and which entries are active. A parent that is not in the file, an
    /// entry that names itself and the first entry of a circle of parents count as without a
    /// parent. A plain list has one end, and all of it is active.
    pub(crate) fn shape(&self, is_list: bool) -> Shape {
        if is_list {
            let count = self.entries.len();
            return Shape { ends: count.min(1), active: vec![true; count] };
        }
        let parents = self.parents();
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

    /// The places of the parents, without circles.
    fn parents(&self) -> Vec<Option<u32>> {
        let places = self.places();
        let parent = |(at, (_, parent)): (usize, &(_, Option<u64>))| {
            let parent = *places.get(&(*parent)?)?;
            (parent as usize != at).then_some(parent)
        };
        let mut parents: Vec<Option<u32>> = self.entries.iter().enumerate().map(parent).collect();
        // Parents that come earlier in the file close no circle.
        if parents.iter().enumerate().any(|(at, parent)| parent.is_some_and(|it| it as usize > at))
        {
            cut_circles(&mut parents);
        }
        parents
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
