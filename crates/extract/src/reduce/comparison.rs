//! What sessions have in common, and which belong together for that.

use std::ops::Range;

#[cfg(doc)]
use super::ComparedSession;
use super::bits::Bits;
use super::candidate::WORDS;
use super::copies::ComparedCopies;
use super::decide;
use super::decisions::Decisions;
use super::order;
use super::sorter::{Sorted, Sorter};
use super::tape::{Disk, Reader, Tape};
use super::twin_search::{SharedTargets, TwinSearch, links, push_keys, shared_bands};
use super::{Reducer, Settings};
use crate::error::ExtractError;
use crate::quality::Union;

/// What all sessions have in common.
#[derive(Debug)]
pub struct Comparison {
    pub(super) settings: Settings,
    pub(super) disk: Disk,
    pub(super) union: Union,
    pub(super) in_validation: Bits,
    pub(super) counts: Tape<1>,
    pub(super) sketches: Tape<WORDS>,
    /// The targets that share a key, with their bands.
    pub(super) shared: Sorted<1>,
    pub(super) order: Sorter<{ order::WORDS }>,
    /// Sessions with the paths of their targets that older ones have.
    repeated: Tape<3>,
    copies: ComparedCopies,
}

impl Comparison {
    pub(super) fn of(reducer: Reducer) -> Result<Self, ExtractError> {
        let Reducer { settings, disk, mut union, counts, sketches, order, .. } = reducer;
        join_equal(&mut union, reducer.ids)?;
        join_equal(&mut union, reducer.exact)?;
        let targets = reducer.targets.finish()?;
        let repeated = Sorter::new(&disk, settings.part(16));
        let repeated = join_by_targets(&mut union, &targets, repeated)?;
        let copies = reducer.copies.among(&targets, &disk, settings.part(32))?;
        drop(targets);
        let shared = shared_bands(reducer.bands, &disk, settings.part(8))?;
        join_twins(&mut union, &sketches, &shared, &disk, settings)?;
        let in_validation = reducer.in_validation;
        Ok(Self {
            settings,
            disk,
            union,
            in_validation,
            counts,
            sketches,
            shared,
            order,
            repeated,
            copies,
        })
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> u32 {
        self.counts.len() as u32
    }

    /// The oldest session of the family that this one is in.
    pub fn oldest(&mut self, session: u32) -> u32 {
        self.union.first(session as usize) as u32
    }

    /// The sessions that have targets which an older session has too, in order.
    pub fn repeated(&self) -> Result<RepeatedTargets<'_>, ExtractError> {
        self.repeated_in(0..self.sessions())
    }

    /// The same for some of the sessions.
    pub fn repeated_in(&self, sessions: Range<u32>) -> Result<RepeatedTargets<'_>, ExtractError> {
        let first =
            |session: u32| self.repeated.partition_point(|record| record[0] < u64::from(session));
        let records = first(sessions.start)?..first(sessions.end)?;
        let mut records = self.repeated.range(records, 1 << 16);
        let next = records.next()?;
        Ok(RepeatedTargets { records, next })
    }

    /// Gives the [copies](ComparedSession::copies) of which no other is trained, with their
    /// sessions, oldest session first: their original became context as well, and then the form
    /// could not hold its sample. `take` says whether the copy is to be trained in its place; then
    /// the other copies of the same reply are not given.
    pub fn each_orphan(&self, take: impl FnMut(u32, [u8; 16]) -> bool) -> Result<(), ExtractError> {
        self.copies.each_orphan(take)
    }

    /// Decides what becomes of all samples. No target is one of two sessions any more.
    pub fn decide(self) -> Result<Decisions, ExtractError> {
        decide::decide(self)
    }
}

/// The targets of a session that an older one has, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedInSession {
    /// The number of the session.
    pub session: u32,
    /// The targets, by [`ReplyKey::path`](crate::ReplyKey::path), each once.
    pub paths: Vec<[u8; 16]>,
}

/// The targets of sessions that older ones have, too. See [`Comparison::repeated`].
pub struct RepeatedTargets<'c> {
    records: Reader<'c, 3>,
    next: Option<[u64; 3]>,
}

impl RepeatedTargets<'_> {
    fn session(&mut self) -> Result<Option<RepeatedInSession>, ExtractError> {
        let Some([session, ..]) = self.next else { return Ok(None) };
        let mut paths = Vec::new();
        while let Some([_, high, low]) = self.next.filter(|next| next[0] == session) {
            let mut path = [0; 16];
            path[..8].copy_from_slice(&high.to_le_bytes());
            path[8..].copy_from_slice(&low.to_le_bytes());
            paths.push(path);
            self.next = self.records.next()?;
        }
        Ok(Some(RepeatedInSession { session: session as u32, paths }))
    }
}

impl Iterator for RepeatedTargets<'_> {
    type Item = Result<RepeatedInSession, ExtractError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.session().transpose()
    }
}

/// Joins all sessions with a key in common.
fn join_equal(union: &mut Union, keys: Sorter<3>) -> Result<(), ExtractError> {
    let keys = keys.finish()?;
    let mut all = keys.iter()?;
    let mut last = all.next()?;
    while let Some(record) = all.next()? {
        if let Some([.., session]) = last.filter(|last| last[..2] == record[..2]) {
            union.join(session as usize, record[2] as usize);
        }
        last = Some(record);
    }
    Ok(())
}

/// Joins sessions that share a target, and gives those targets that are not of the first of them.
fn join_by_targets(
    union: &mut Union,
    targets: &Sorted<5>,
    mut repeated: Sorter<3>,
) -> Result<Tape<3>, ExtractError> {
    let mut all = targets.iter()?;
    // The key that is looked at, and the oldest session that has it.
    let mut oldest: Option<[u64; 3]> = None;
    while let Some([high, low, place, path @ ..]) = all.next()? {
        let session = place >> 32;
        match oldest.filter(|oldest| oldest[..2] == [high, low]) {
            Some([.., first]) if first != session => {
                union.join(first as usize, session as usize);
                repeated.push([session, path[0], path[1]])?;
            }
            Some(_) => {}
            None => oldest = Some([high, low, session]),
        }
    }
    repeated.finish()?.into_tape()
}

/// Joins sessions with nearly equal targets.
fn join_twins(
    union: &mut Union,
    sketches: &Tape<WORDS>,
    shared: &Sorted<1>,
    disk: &Disk,
    settings: Settings,
) -> Result<(), ExtractError> {
    let mut keys = Sorter::new(disk, settings.part(8));
    let mut targets = SharedTargets::of(sketches, shared)?;
    while let Some(target) = targets.next()? {
        push_keys(&mut keys, &target)?;
    }
    let links = links(keys, disk, settings.part(8))?;
    let mut search = TwinSearch::new(&links, disk, settings.part(8))?;
    let mut targets = SharedTargets::of(sketches, shared)?;
    let mut next = targets.next()?;
    while let Some(first) = next {
        let session = first.unit;
        let mut own = vec![first];
        next = targets.next()?;
        while let Some(target) = next.take_if(|target| target.unit == session) {
            own.push(target);
            next = targets.next()?;
        }
        search.visit(own, |twins, all, first_own| {
            for (owner, target) in all.iter().enumerate().skip(first_own) {
                match twins.find(&target.sketch) {
                    Some(older) => union.join(all[older].unit as usize, session as usize),
                    None => twins.add(&target.sketch, owner),
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
