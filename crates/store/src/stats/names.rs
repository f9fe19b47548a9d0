//! Names and how often each of them comes, with a limit on how many there are: a hostile file may
//! use a new one in each line.

use std::cmp::Reverse;
use std::hash::Hash;

use super::{CommandCount, FileCount, ToolCount};
use crate::hash::Map;

/// The place of a name that has none, since there were too many before it.
pub(super) const BEYOND: u32 = u32::MAX;

/// So many different names of a kind are kept of one file.
pub(super) const MOST_OF_FILE: usize = 10_000;

/// So many different names of a kind are counted in all.
const MOST_OF_ALL: usize = 200_000;

/// A count of something that can be added up and has a rank.
pub trait Count: Copy + Default {
    /// Adds another count.
    fn add(&mut self, other: &Self);

    /// What decides the rank.
    fn rank(&self) -> usize;
}

impl Count for usize {
    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn rank(&self) -> usize {
        *self
    }
}

impl Count for ToolCount {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.errors += other.errors;
    }

    fn rank(&self) -> usize {
        self.calls
    }
}

impl Count for FileCount {
    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.edits += other.edits;
        self.writes += other.writes;
    }

    fn rank(&self) -> usize {
        self.reads + self.edits + self.writes
    }
}

impl Count for CommandCount {
    fn add(&mut self, other: &Self) {
        self.agent += other.agent;
        self.user += other.user;
        self.errors += other.errors;
    }

    fn rank(&self) -> usize {
        self.agent + self.user
    }
}

/// Names with their counts, the highest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking<K, V> {
    /// The names and counts, the highest first, then by name.
    pub rows: Vec<(K, V)>,
    /// What was counted without a name, since there were too many different ones.
    pub beyond: V,
}

impl<K, V: Count> Ranking<K, V> {
    /// What all names come to.
    pub fn total(&self) -> V {
        self.sum_from(0)
    }

    /// The first rows, and what all others come to: how many names, and their count.
    pub fn top(&self, most: usize) -> (&[(K, V)], usize, V) {
        let most = most.min(self.rows.len());
        (&self.rows[..most], self.rows.len() - most, self.sum_from(most))
    }

    fn sum_from(&self, first: usize) -> V {
        let mut sum = self.beyond;
        self.rows[first..].iter().for_each(|(_, count)| sum.add(count));
        sum
    }
}

/// Counts by name.
pub(super) struct Tally<K, V> {
    counts: Map<K, V>,
    beyond: V,
}

impl<K, V: Count> Default for Tally<K, V> {
    fn default() -> Self {
        Self { counts: Map::default(), beyond: V::default() }
    }
}

impl<K: Eq + Hash + Ord, V: Count> Tally<K, V> {
    /// Adds to the count of a name; `None` stands for one beyond the limit.
    pub(super) fn add(&mut self, name: Option<K>, count: &V) {
        match name {
            Some(name) if self.counts.len() < MOST_OF_ALL || self.counts.contains_key(&name) => {
                self.counts.entry(name).or_default().add(count);
            }
            _ => self.beyond.add(count),
        }
    }

    pub(super) fn into_ranking(self) -> Ranking<K, V> {
        let mut rows: Vec<(K, V)> = self.counts.into_iter().collect();
        rows.sort_unstable_by(|(a_name, a), (b_name, b)| {
            (Reverse(a.rank()), a_name).cmp(&(Reverse(b.rank()), b_name))
        });
        Ranking { rows, beyond: self.beyond }
    }
}

/// The names of one kind in a file, by number.
#[derive(Debug)]
pub(super) struct Names<K> {
    places: Map<K, u32>,
}

impl<K> Default for Names<K> {
    fn default() -> Self {
        Self { places: Map::default() }
    }
}

impl<K: Eq + Hash> Names<K> {
    /// The number of a name, or [`BEYOND`].
    pub(super) fn place(&mut self, name: K) -> u32 {
        let next = self.places.len();
        if next >= MOST_OF_FILE {
            return self.places.get(&name).copied().unwrap_or(BEYOND);
        }
        *self.places.entry(name).or_insert(next as u32)
    }

    /// The names in the order of their numbers.
    pub(super) fn into_list(self) -> Vec<K> {
        let mut names: Vec<(K, u32)> = self.places.into_iter().collect();
        names.sort_unstable_by_key(|(_, place)| *place);
        names.into_iter().map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_only_so_many_names() {
        let mut names = Names::default();
        for number in 0..MOST_OF_FILE + 5 {
            let expected = if number < MOST_OF_FILE { number as u32 } else { BEYOND };
            assert_eq!(names.place(number), expected);
        }
        assert_eq!(names.place(7), 7);
        assert_eq!(names.into_list().len(), MOST_OF_FILE);
    }

    #[test]
    fn what_has_no_row_is_in_the_sum() {
        let mut tally: Tally<String, usize> = Tally::default();
        for (name, count) in [("b", 2), ("a", 2), ("c", 5), ("b", 1)] {
            tally.add(Some(name.to_owned()), &count);
        }
        tally.add(None, &4);
        let ranking = tally.into_ranking();
        let (first, names, rest) = ranking.top(2);
        assert_eq!(first, [("c".to_owned(), 5), ("b".to_owned(), 3)]);
        assert_eq!((names, rest, ranking.total()), (1, 6, 14));
        assert_eq!(ranking.top(9), (&ranking.rows[..], 0, 4));
    }
}
