//! Replies that are context only because an older session trains them, and those among them that no
//! session trains after all.

use super::bits::Bits;
use super::sorter::{Sorted, Sorter};
use super::tape::{Disk, Record, Tape};
use super::words;
use crate::error::ExtractError;
use crate::reply_keys::{ReplyKey, TargetKey};

/// What is known of a key of a copy: it is trained, or no copy before it has it, or else the copy
/// before it, by its slot and these two.
const IS_TRAINED: u64 = 0;
const IS_FIRST: u64 = 1;
const FIRST_SLOT: u64 = 2;

/// Takes copies in the order of their sessions.
#[derive(Debug)]
pub(super) struct Copies {
    /// Their sessions and paths.
    all: Tape<3>,
    /// Their keys, each with its slot: two times the number of the copy, and one more for the second
    /// key.
    keys: Sorter<3>,
}

impl Copies {
    pub(super) fn new(disk: &Disk, bytes: usize) -> Self {
        Self { all: Tape::new(disk, bytes / 3), keys: Sorter::new(disk, bytes / 3 * 2) }
    }

    pub(super) fn push(&mut self, session: u32, copy: ReplyKey) -> Result<(), ExtractError> {
        let slot = 2 * self.all.len();
        let [path, own] = copy.both().map(|key| words(&key));
        self.all.push([u64::from(session), path[0], path[1]])?;
        self.keys.push([path[0], path[1], slot])?;
        if own != path {
            self.keys.push([own[0], own[1], slot + 1])?;
        }
        Ok(())
    }

    /// Looks for them among the keys of what is trained.
    pub(super) fn among(
        self,
        targets: &Sorted<5>,
        disk: &Disk,
        bytes: usize,
    ) -> Result<ComparedCopies, ExtractError> {
        let mut slots = Sorter::new(disk, bytes);
        let keys = self.keys.finish()?;
        let mut keys = keys.iter()?;
        let mut last: Option<Record<3>> = None;
        if keys.peek().is_some() {
            let mut targets = targets.iter()?;
            while let Some(record) = keys.next()? {
                while targets.peek().is_some_and(|target| target[..2] < record[..2]) {
                    targets.next()?;
                }
                let is_trained = targets.peek().is_some_and(|it| it[..2] == record[..2]);
                let before = last.filter(|last| last[..2] == record[..2]);
                let state = match before {
                    _ if is_trained => IS_TRAINED,
                    Some([.., slot]) => FIRST_SLOT + slot,
                    None => IS_FIRST,
                };
                slots.push([record[2], state])?;
                last = Some(record);
            }
        }
        Ok(ComparedCopies { all: self.all, slots: slots.finish()? })
    }
}

/// Copies, of which it is known whether they are trained elsewhere.
#[derive(Debug)]
pub(super) struct ComparedCopies {
    all: Tape<3>,
    slots: Sorted<2>,
}

impl ComparedCopies {
    /// Gives the copies of which no other is trained, in order, with their sessions. Those that are
    /// taken become trained: of several copies of one reply the first one is enough.
    pub(super) fn each_orphan(
        &self,
        mut take: impl FnMut(u32, TargetKey) -> bool,
    ) -> Result<(), ExtractError> {
        // Which slots have keys that are trained by then.
        let mut is_trained = Bits::default();
        let (mut all, mut slots, mut number) = (self.all.reader(), self.slots.iter()?, 0);
        while let Some([session, high, low]) = all.next()? {
            let mut own = [None; 2];
            let mut is_orphan = true;
            for (own, slot) in own.iter_mut().zip([2 * number, 2 * number + 1]) {
                let Some([_, state]) = slots.next_of(slot)? else { continue };
                *own = Some(slot);
                let before = state.checked_sub(FIRST_SLOT);
                if state == IS_TRAINED || before.is_some_and(|before| is_trained.has(before)) {
                    is_trained.set(slot);
                    is_orphan = false;
                }
            }
            let mut path = TargetKey::default();
            path[..8].copy_from_slice(&high.to_le_bytes());
            path[8..].copy_from_slice(&low.to_le_bytes());
            if is_orphan && take(session as u32, path) {
                for slot in own.into_iter().flatten() {
                    is_trained.set(slot);
                }
            }
            number += 1;
        }
        Ok(())
    }
}
