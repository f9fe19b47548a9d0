//! Which entries of a file are on the active path.

use std::collections::HashMap;

use pitree_format::js::decode_string;
use pitree_format::scan::{Envelope, Field};

use super::hash::Seeded;

/// The links between the entries of a file, in file order.
#[derive(Default)]
pub(crate) struct Links {
    /// Hashes of ids and parents; `None` without one.
    entries: Vec<(Option<u64>, Option<u64>)>,
    /// The seed keeps a hostile file from choosing the hashes.
    hasher: Seeded,
}

impl Links {
    /// Adds an entry and gives its place.
    pub(crate) fn add(&mut self, envelope: &Envelope<'_>) -> usize {
        let (id, parent) = (self.hash(&envelope.id), self.hash(&envelope.parent_id));
        self.entries.push((id, parent));
        self.entries.len() - 1
    }

    fn hash(&self, field: &Field<'_>) -> Option<u64> {
        match field {
            Field::Text(b"") => None,
            Field::Text(raw) if raw.contains(&b'\\') => {
                Some(self.hasher.hash_bytes(decode_string(raw).as_bytes()))
            }
            Field::Text(raw) => Some(self.hasher.hash_bytes(raw)),
            _ => None,
        }
    }

    /// Which entries are on the way from the last one to its root. In a plain list all are.
    pub(crate) fn active(&self, is_list: bool) -> Vec<bool> {
        let mut active = vec![is_list; self.entries.len()];
        if is_list {
            return active;
        }
        // Of equal ids the last one counts, as in Pi.
        let ids = self.entries.iter().enumerate();
        let places: HashMap<u64, usize, Seeded> =
            ids.filter_map(|(at, (id, _))| Some(((*id)?, at))).collect();
        let mut path = Vec::new();
        let mut next = self.entries.len().checked_sub(1);
        while let Some(at) = next {
            if std::mem::replace(&mut active[at], true) {
                self.cut_circle(&path, at, &mut active);
                break;
            }
            path.push(at);
            next = self.entries[at].1.and_then(|parent| places.get(&parent).copied());
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
