//! The links of a file in the form in which a cache keeps them, and what they tell without the
//! file: what added entries change, and where an entry stands in the tree.
//!
//! Nearly every entry follows the one before it, so only the parents of the others are kept. What
//! added entries mean is told only where they cannot change what the old links mean; see
//! [`KeptLinks::grow`].

use std::cell::OnceCell;

use super::links::{Links, ResolvedLinks};
use crate::hash::{Map, Set};

/// Stands for no place.
const NONE: u32 = u32::MAX;

/// How many bytes an id, another parent, and the length of the way to the next line take.
const ID_BYTES: usize = 8;
const OTHER_BYTES: usize = 16;
const STEP_BYTES: usize = 4;

/// The links of a file, as they are kept: all ids, the parents that are not the entry before, the
/// distances between the beginnings of the lines, and which entries the user said.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptLinks {
    bytes: Vec<u8>,
    entries: usize,
    others: usize,
    is_orderly: bool,
}

/// A parent that is not the entry before.
#[derive(Clone, Copy)]
struct Other {
    at: u32,
    /// [`NONE`] if it is not in the file, or closes a circle.
    place: u32,
    /// The hash of its id; 0 for none.
    id: u64,
}

/// What entries that were added to a file link to.
pub(crate) struct Growth {
    /// The place of the first of them.
    first: u32,
    /// The places of their parents.
    parents: Vec<u32>,
}

/// What of [`KeptLinks`] stands beside its bytes.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct KeptLinksHead {
    entries: u32,
    others: u32,
    is_orderly: bool,
}

impl KeptLinks {
    /// The links in the form that is kept; `None` for a file that is too strange for it. A plain
    /// list has none that count.
    pub(crate) fn of(links: &Links, resolved: Option<&ResolvedLinks>) -> Option<Self> {
        let count = links.len();
        let mut bytes = Vec::with_capacity(count * (ID_BYTES + STEP_BYTES + 1));
        links.ids.iter().for_each(|id| bytes.extend_from_slice(&id.to_le_bytes()));
        let (mut others, mut previous) = (0, 0);
        for (at, (&id, &parent)) in links.ids.iter().zip(&links.parents).enumerate() {
            let place = resolved.and_then(|resolved| resolved.parents[at]).unwrap_or(NONE);
            let follows = parent != 0 && parent == previous;
            if !follows || place.wrapping_add(1) != at as u32 {
                bytes.extend_from_slice(&(at as u32).to_le_bytes());
                bytes.extend_from_slice(&place.to_le_bytes());
                bytes.extend_from_slice(&parent.to_le_bytes());
                others += 1;
            }
            previous = id;
        }
        let mut last = 0;
        for &start in &links.starts {
            let step = u32::try_from(start.checked_sub(last)?).ok()?;
            bytes.extend_from_slice(&step.to_le_bytes());
            last = start;
        }
        links.users.iter().for_each(|bits| bytes.extend_from_slice(&bits.to_le_bytes()));
        let is_orderly = resolved.is_some_and(|resolved| resolved.is_orderly);
        Some(Self { bytes, entries: count, others, is_orderly })
    }

    pub(crate) fn head(&self) -> KeptLinksHead {
        let (entries, others) = (self.entries as u32, self.others as u32);
        KeptLinksHead { entries, others, is_orderly: self.is_orderly }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was kept; `None` when the parts do not fit together.
    pub(crate) fn from_parts(head: KeptLinksHead, bytes: Vec<u8>) -> Option<Self> {
        let (entries, others) = (head.entries as usize, head.others as usize);
        let kept = Self { bytes, entries, others, is_orderly: head.is_orderly };
        (kept.bytes.len() == kept.users_at() + entries.div_ceil(64) * 8).then_some(kept)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries
    }

    /// The links as they were read.
    pub(crate) fn to_links(&self) -> Links {
        let ids: Vec<u64> = self.ids().collect();
        let mut parents = Vec::with_capacity(ids.len());
        parents.extend(ids.first().map(|_| 0));
        parents.extend(ids.iter().take(ids.len().saturating_sub(1)));
        for other in self.others() {
            if let Some(parent) = parents.get_mut(other.at as usize) {
                *parent = other.id;
            }
        }
        Links { ids, parents, starts: self.starts().collect(), users: self.users().collect() }
    }

    fn others_at(&self) -> usize {
        self.entries * ID_BYTES
    }

    fn steps_at(&self) -> usize {
        self.others_at() + self.others * OTHER_BYTES
    }

    fn users_at(&self) -> usize {
        self.steps_at() + self.entries * STEP_BYTES
    }

    fn part(&self, from: usize, to: usize) -> &[u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    fn ids(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        let ids = self.part(0, self.others_at()).as_chunks::<ID_BYTES>().0;
        ids.iter().map(|id| u64::from_le_bytes(*id))
    }

    fn others(&self) -> impl Iterator<Item = Other> {
        let others = self.part(self.others_at(), self.steps_at()).as_chunks::<OTHER_BYTES>().0;
        others.iter().map(|other| {
            let [at, place] = [0, 4].map(|from| {
                let number = other[from..].first_chunk::<4>().copied();
                u32::from_le_bytes(number.unwrap_or_default())
            });
            let id = other.last_chunk::<8>().copied().unwrap_or_default();
            Other { at, place, id: u64::from_le_bytes(id) }
        })
    }

    fn starts(&self) -> impl Iterator<Item = u64> {
        let steps = self.part(self.steps_at(), self.users_at()).as_chunks::<STEP_BYTES>().0;
        steps.iter().scan(0_u64, |at, step| {
            *at += u64::from(u32::from_le_bytes(*step));
            Some(*at)
        })
    }

    fn users(&self) -> impl Iterator<Item = u64> {
        let bits = self.part(self.users_at(), self.bytes.len()).as_chunks::<8>().0;
        bits.iter().map(|bits| u64::from_le_bytes(*bits))
    }

    /// What entries that were added link to. `None` if that changes what the links of old entries
    /// mean, or cannot be told: an id is missing or stands twice, or a parent comes later.
    pub(crate) fn grow(&self, added: &Links) -> Option<Growth> {
        let first = u32::try_from(self.entries).ok().filter(|_| self.is_orderly)?;
        u32::try_from(self.entries + added.len()).ok()?;
        let mut places: Map<u64, u32> = Map::default();
        let mut missing: Set<u64> = Set::default();
        let (mut parents, mut previous) = (Vec::with_capacity(added.len()), self.ids().next_back());
        for (place, (&id, &parent)) in (first..).zip(added.ids.iter().zip(&added.parents)) {
            let known = match (parent, previous) {
                (0, _) => NONE,
                (parent, Some(previous)) if parent == previous => place - 1,
                (parent, _) => match places.get(&parent).copied().or_else(|| self.place(parent)) {
                    Some(known) => known,
                    None => {
                        missing.insert(parent);
                        NONE
                    }
                },
            };
            parents.push(known);
            if id == 0 || places.insert(id, place).is_some() {
                return None;
            }
            previous = Some(id);
        }
        missing.extend(self.others().filter(|other| other.place == NONE).map(|other| other.id));
        let is_new = |id: &u64| !missing.contains(id);
        (added.ids.iter().all(is_new) && !self.has_any(&places))
            .then_some(Growth { first, parents })
    }

    /// Where an id stands.
    fn place(&self, id: u64) -> Option<u32> {
        self.ids().rposition(|other| other == id).map(|place| place as u32)
    }

    /// Whether any of these ids is among those that are kept.
    fn has_any(&self, ids: &Map<u64, u32>) -> bool {
        // One or two are compared quicker than looked up.
        let few: Vec<u64> = ids.keys().copied().take(3).collect();
        match few[..] {
            [] => false,
            [one] => self.ids().any(|id| id == one),
            [one, two] => self.ids().any(|id| id == one || id == two),
            _ => self.ids().any(|id| ids.contains_key(&id)),
        }
    }

    /// How many ends the tree has, by how many it had before.
    pub(crate) fn ends_with(&self, growth: &Growth, mut ends: usize) -> usize {
        let mut with_child: Set<u32> = Set::default();
        let mut does_not_follow: Set<u32> = Set::default();
        for other in self.others() {
            with_child.insert(other.place);
            does_not_follow.insert(other.at);
        }
        for &parent in &growth.parents {
            let next = parent.wrapping_add(1);
            let has_child = parent == NONE
                || (next < growth.first && !does_not_follow.contains(&next))
                || !with_child.insert(parent);
            ends += usize::from(has_child);
        }
        ends
    }
}

impl Growth {
    /// Whether all of the entries go on where the file ended, so that whatever was active still
    /// is, and they are too.
    pub(crate) fn extends(&self) -> bool {
        let follows = |(place, parent): (u32, &u32)| parent.wrapping_add(1) == place;
        self.first > 0 && (self.first..).zip(&self.parents).all(follows)
    }
}

/// A tree by the places of its entries, without ids and texts.
pub(crate) struct Tree {
    /// [`NONE`] for a root.
    parents: Vec<u32>,
    starts: Vec<u64>,
    users: Vec<u64>,
    active: Vec<bool>,
    /// For each entry, filled when they are first asked for.
    ends: OnceCell<Vec<u32>>,
    turns: OnceCell<Vec<u32>>,
}

impl Tree {
    /// The tree of what was kept and what was added; `None` where that cannot be told.
    pub(crate) fn of(kept: &KeptLinks, added: &Links) -> Option<Self> {
        let growth = kept.grow(added)?;
        let count = kept.len() + added.len();
        let mut parents = Vec::with_capacity(count);
        parents.extend(kept.ids().zip(0_u32..).map(|(_, at)| at.wrapping_sub(1)));
        for other in kept.others() {
            *parents.get_mut(other.at as usize)? = other.place;
        }
        parents.extend_from_slice(&growth.parents);
        let goes_back = |(at, parent): (u32, &u32)| *parent == NONE || *parent < at;
        if !(0..).zip(&parents).all(goes_back) {
            return None;
        }
        let mut starts: Vec<u64> = Vec::with_capacity(count);
        starts.extend(kept.starts());
        starts.extend_from_slice(&added.starts);
        let mut users: Vec<u64> = kept.users().collect();
        users.resize(count.div_ceil(64), 0);
        for at in 0..added.len() {
            let place = kept.len() + at;
            users[place / 64] |= (added.users[at / 64] >> (at % 64) & 1) << (place % 64);
        }
        let active = vec![false; count];
        let (ends, turns) = (OnceCell::new(), OnceCell::new());
        let mut tree = Self { parents, starts, users, active, ends, turns };
        let leaf = count.checked_sub(1)?;
        let active: Vec<usize> = tree.path_up(leaf).collect();
        active.into_iter().for_each(|at| tree.active[at] = true);
        Some(tree)
    }

    /// The place of the entry whose line begins here.
    pub(crate) fn place(&self, start: u64) -> Option<usize> {
        self.starts.binary_search(&start).ok()
    }

    /// Where the line of an entry begins.
    pub(crate) fn start(&self, place: usize) -> Option<u64> {
        self.starts.get(place).copied()
    }

    /// Whether an entry is on the path to the leaf.
    pub(crate) fn is_active(&self, place: usize) -> bool {
        self.active.get(place).copied().unwrap_or(false)
    }

    /// How many messages of the user there are on the path to an entry, itself included.
    pub(crate) fn turn(&self, place: usize) -> usize {
        let turns = self.turns.get_or_init(|| {
            let mut turns: Vec<u32> = Vec::with_capacity(self.parents.len());
            for (at, parent) in self.parents.iter().enumerate() {
                // No parent comes later.
                let before = turns.get(*parent as usize).copied().unwrap_or(0);
                turns.push(before + (self.users[at / 64] >> (at % 64) & 1) as u32);
            }
            turns
        });
        turns.get(place).map_or(0, |turn| *turn as usize)
    }

    /// The end of the branch that an entry is on, as `Session::end_below` has it.
    pub(crate) fn end_below(&self, place: usize) -> usize {
        let ends = self.ends.get_or_init(|| {
            let mut ends: Vec<u32> = (0_u32..).take(self.parents.len()).collect();
            for (at, parent) in self.parents.iter().enumerate().rev() {
                let below = ends[at];
                if let Some(end) = ends.get_mut(*parent as usize) {
                    *end = below.max(*end);
                }
            }
            ends
        });
        ends.get(place).map_or(place, |end| *end as usize)
    }

    /// The places from an entry up to its root.
    fn path_up(&self, place: usize) -> impl Iterator<Item = usize> {
        let above = |at: &usize| self.parents.get(*at).filter(|parent| **parent != NONE);
        std::iter::successors(Some(place), move |at| above(at).map(|parent| *parent as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links by their numbers; 0 is none.
    fn links(entries: &[(u64, u64)]) -> Links {
        let mut links = Links::default();
        for (at, (id, parent)) in entries.iter().enumerate() {
            links.ids.push(*id);
            links.parents.push(*parent);
            links.starts.push(at as u64 * 100);
            if at % 64 == 0 {
                links.users.push(0);
            }
            links.users[at / 64] |= (id % 2) << (at % 64);
        }
        links
    }

    fn kept(links: &Links) -> KeptLinks {
        let kept = KeptLinks::of(links, Some(&links.resolve())).unwrap();
        KeptLinks::from_parts(kept.head(), kept.bytes().to_vec()).unwrap()
    }

    /// All that is told of a tree, by a slow walk over all entries.
    fn slow(links: &Links) -> (usize, Vec<(bool, usize, usize)>) {
        let resolved = links.resolve();
        let shape = resolved.shape();
        let parents = &resolved.parents;
        let told = (0..links.len()).map(|at| {
            let up = std::iter::successors(Some(at), |at| parents[*at].map(|at| at as usize));
            let turn = up.filter(|at| links.ids[*at] % 2 == 1).count();
            let follows = |end: &usize| {
                let mut up =
                    std::iter::successors(Some(*end), |at| parents[*at].map(|at| at as usize));
                up.any(|above| above == at)
            };
            let end = (0..links.len()).rev().find(follows).unwrap();
            (shape.active[at], turn, end)
        });
        (shape.ends, told.collect())
    }

    /// What is told by what was kept and what was added is what the whole file tells, wherever the
    /// file was cut in two. Where an added entry changes old links, nothing is told.
    #[test]
    fn a_tree_that_has_grown_is_that_of_the_whole() {
        let mut rng = pitree_testkit::Rng::new(pitree_testkit::seed());
        let (mut told, mut extended) = (0, 0);
        for round in 0..2_000 {
            let odd = round % 4 == 0;
            let count = rng.between(1, 90) as u64;
            let mut entries: Vec<(u64, u64)> = Vec::new();
            for at in 1..=count {
                let id = match odd && rng.chance(3) {
                    true => rng.below(count as usize) as u64,
                    false => at * 7 + 1000,
                };
                let parent = match rng.below(12) {
                    0 => 0,
                    1 | 2 if at > 1 => entries[rng.below(at as usize - 1)].0,
                    3 if odd => rng.between(1, 120) as u64 * 7 + 1000,
                    _ => entries.last().map_or(0, |last| last.0),
                };
                entries.push((id, parent));
            }
            let cut = rng.below(entries.len() + 1);
            let (whole, old) = (links(&entries), links(&entries[..cut]));
            let old_kept = kept(&old);
            let back = old_kept.to_links();
            assert_eq!((&back.ids, &back.parents), (&old.ids, &old.parents), "{entries:?}");
            assert_eq!((&back.starts, &back.users), (&old.starts, &old.users));
            let mut added = links(&entries[cut..]);
            added.starts.iter_mut().for_each(|start| *start += cut as u64 * 100);
            let expected = slow(&whole);
            let Some(growth) = old_kept.grow(&added) else {
                assert!(odd, "{entries:?} cut at {cut}");
                continue;
            };
            told += 1;
            let before = old.resolve().shape();
            assert_eq!(
                old_kept.ends_with(&growth, before.ends),
                expected.0,
                "{entries:?} at {cut}"
            );
            if growth.extends() {
                extended += usize::from(cut < entries.len());
                let active: Vec<bool> = expected.1.iter().map(|(active, ..)| *active).collect();
                assert_eq!(active[..cut], before.active, "{entries:?} at {cut}");
                assert!(active[cut..].iter().all(|active| *active));
            }
            let tree = Tree::of(&old_kept, &added).unwrap();
            for (at, expected) in expected.1.iter().enumerate() {
                assert_eq!(tree.place(at as u64 * 100), Some(at));
                let seen = (tree.is_active(at), tree.turn(at), tree.end_below(at));
                assert_eq!(seen, *expected, "entry {at} of {entries:?} cut at {cut}");
            }
        }
        assert!(told > 1_000 && extended > 100, "{told} told, {extended} extended");
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        let kept = kept(&links(&[(8, 0), (9, 8), (10, 8)]));
        assert!(KeptLinks::from_parts(kept.head(), kept.bytes()[1..].to_vec()).is_none());
        let head = KeptLinksHead { entries: u32::MAX, ..kept.head() };
        assert!(KeptLinks::from_parts(head, kept.bytes().to_vec()).is_none());
    }
}
