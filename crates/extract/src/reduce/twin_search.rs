//! Looking for twins in an order, with nothing in memory but what one step of it needs.
//!
//! Whether a target is kept as one that later ones are compared with depends on all before it, so
//! the steps have to be made one after the other. A key is shared by few, though: what a step has to
//! know of one key is what the step before it with the same key knew, and what that added. So each
//! step sends the targets that are found by a key to the next step with that key, through a queue
//! that may be larger than memory. The lists that a step receives are those that
//! [`Twins`] would have in memory, in the same order, and the same code searches them.

use std::collections::BTreeMap;

use super::candidate::{Candidate, WORDS};
use super::queue::Queue;
use super::sorter::{Merge, Sorted, Sorter};
use super::tape::{Disk, Reader, Record, Tape};
use crate::error::ExtractError;
use crate::quality::{BANDS, BandKey, Twins, band_of};

/// The receiver and a candidate.
const MESSAGE: usize = WORDS + 1;

/// A number of a target and a band in one word.
const BAND_BITS: u32 = 4;

/// The words of a key.
pub(super) fn key_words(key: BandKey) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

/// Of all keys of all targets, by their numbers: the bands in which a target has a key in common
/// with another one. Most have none, and are not looked at again.
pub(super) fn shared_bands(
    keys: Sorter<3>,
    disk: &Disk,
    bytes: usize,
) -> Result<Sorted<1>, ExtractError> {
    let keys = keys.finish()?;
    let mut all = keys.iter()?;
    let mut shared = Sorter::new(disk, bytes);
    let mut last: Option<Record<3>> = None;
    let mut is_repeated = false;
    while let Some(record) = all.next()? {
        let is_same = last.is_some_and(|last| last[..2] == record[..2]);
        if is_same {
            if let Some(first) = last.filter(|_| !is_repeated) {
                shared.push([first[2]])?;
            }
            shared.push([record[2]])?;
        }
        is_repeated = is_same;
        last = Some(record);
    }
    shared.finish()
}

/// A target and one of its bands in one word.
pub(super) fn in_band(target: u64, band: usize) -> u64 {
    target << BAND_BITS | band as u64
}

/// The targets that share a key with another one, in the order in which they were taken in, with
/// the bands of these keys.
pub(super) struct SharedTargets<'t> {
    targets: Reader<'t, WORDS>,
    bands: Merge<'t, 1>,
    number: u64,
}

impl<'t> SharedTargets<'t> {
    pub(super) fn of(
        targets: &'t Tape<WORDS>,
        shared: &'t Sorted<1>,
    ) -> Result<Self, ExtractError> {
        Ok(Self { targets: targets.reader(), bands: shared.iter()?, number: 0 })
    }

    pub(super) fn next(&mut self) -> Result<Option<Candidate>, ExtractError> {
        while let Some(words) = self.targets.next()? {
            let mut bands = 0;
            while let Some([word]) =
                self.bands.peek().filter(|it| it[0] >> BAND_BITS == self.number)
            {
                bands |= 1 << (word & ((1 << BAND_BITS) - 1));
                self.bands.next()?;
            }
            self.number += 1;
            if bands != 0 {
                return Ok(Some(Candidate { bands, ..Candidate::of_words(&words) }));
            }
        }
        Ok(None)
    }
}

/// Adds the keys that a target shares, with its unit.
pub(super) fn push_keys(keys: &mut Sorter<3>, target: &Candidate) -> Result<(), ExtractError> {
    for band in bands_of(target.bands) {
        let [high, low] = key_words(target.sketch.key(band));
        keys.push([high, low, target.unit])?;
    }
    Ok(())
}

fn bands_of(bands: u16) -> impl Iterator<Item = usize> {
    (0..BANDS).filter(move |band| bands >> band & 1 == 1)
}

/// For each unit and each of its keys that a later unit has too: the next one of these.
pub(super) fn links(keys: Sorter<3>, disk: &Disk, bytes: usize) -> Result<Sorted<4>, ExtractError> {
    let keys = keys.finish()?;
    let mut all = keys.iter()?;
    let mut links = Sorter::new(disk, bytes);
    let mut last: Option<Record<3>> = None;
    while let Some(record) = all.next()? {
        if let Some([high, low, unit]) =
            last.filter(|last| last[..2] == record[..2] && *last != record)
        {
            links.push([unit, high, low, record[2]])?;
        }
        last = Some(record);
    }
    links.finish()
}

/// The search, one unit after the other.
pub(super) struct TwinSearch<'l> {
    links: Merge<'l, 4>,
    queue: Queue<MESSAGE>,
}

impl<'l> TwinSearch<'l> {
    pub(super) fn new(
        links: &'l Sorted<4>,
        disk: &Disk,
        bytes: usize,
    ) -> Result<Self, ExtractError> {
        Ok(Self { links: links.iter()?, queue: Queue::new(disk, bytes) })
    }

    /// The next unit in order, with its targets that share keys. The step is given what can be
    /// found, all candidates by their number as an owner, and the number of the unit's first own
    /// one; it adds those that later units may find.
    pub(super) fn visit<T>(
        &mut self,
        own: Vec<Candidate>,
        step: impl for<'c> FnOnce(&mut Twins<'c>, &'c [Candidate], usize) -> Result<T, ExtractError>,
    ) -> Result<Option<T>, ExtractError> {
        let Some(unit) = own.first().map(|target| target.unit) else { return Ok(None) };
        let keys: Vec<BandKey> = own
            .iter()
            .flat_map(|target| bands_of(target.bands).map(|band| target.sketch.key(band)))
            .collect();
        let mut all = self.received(unit)?;
        let received = all.len();
        all.extend(own);
        let mut twins = Twins::with_keys(keys.into_iter());
        for (owner, known) in all[..received].iter().enumerate() {
            twins.add_known(&known.sketch, owner, known.bands);
        }
        let result = step(&mut twins, &all, received)?;
        self.send(unit, &twins, &all)?;
        Ok(Some(result))
    }

    /// What can be found by the keys of this unit, in the order in which it was added.
    fn received(&mut self, unit: u64) -> Result<Vec<Candidate>, ExtractError> {
        let mut received: Vec<Candidate> = Vec::new();
        while let Some(message) = self.queue.take(unit)? {
            let mut words = [0; WORDS];
            words.copy_from_slice(&message[1..]);
            let candidate = Candidate::of_words(&words);
            let is_same = |last: &&mut Candidate| {
                (last.unit, last.ordinal) == (candidate.unit, candidate.ordinal)
            };
            match received.last_mut().filter(is_same) {
                // Two units have sent it, by different keys.
                Some(last) => last.bands |= candidate.bands,
                None => received.push(candidate),
            }
        }
        Ok(received)
    }

    /// Sends what is found by each key to the next unit that has it.
    fn send(
        &mut self,
        unit: u64,
        twins: &Twins<'_>,
        all: &[Candidate],
    ) -> Result<(), ExtractError> {
        let mut messages: BTreeMap<(u64, usize), u16> = BTreeMap::new();
        while let Some([_, high, low, next]) = self.links.next_of(unit)? {
            let key = BandKey::from(high) << 64 | BandKey::from(low);
            for owner in twins.owners(key) {
                *messages.entry((next, owner)).or_default() |= 1 << band_of(key);
            }
        }
        for ((next, owner), bands) in messages {
            let words = Candidate { bands, ..all[owner].clone() }.to_words();
            let mut message = [next; MESSAGE];
            message[1..].copy_from_slice(&words);
            self.queue.send(message)?;
        }
        Ok(())
    }
}
