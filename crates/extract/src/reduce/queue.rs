//! Messages to what comes later in an order: put in at any time, taken out when their receiver's
//! turn has come. There may be more of them on their way than memory holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::tape::{Cursor, Disk, Record, Tape};
use crate::error::ExtractError;

/// Messages, in the order of their words. The first word is the receiver.
pub(super) struct Queue<const N: usize> {
    disk: Disk,
    held: BinaryHeap<Reverse<Record<N>>>,
    /// How many messages are in memory at most.
    most: usize,
    runs: Vec<Run<N>>,
    /// The next message of each run, with its number.
    heads: BinaryHeap<Reverse<(Record<N>, usize)>>,
}

/// Sorted messages on disk.
struct Run<const N: usize> {
    tape: Tape<N>,
    cursor: Cursor<N>,
}

impl<const N: usize> Queue<N> {
    /// An empty one that holds so many bytes in memory.
    pub(super) fn new(disk: &Disk, bytes: usize) -> Self {
        let most = (bytes / size_of::<Record<N>>()).max(1);
        let (held, heads) = (BinaryHeap::new(), BinaryHeap::new());
        Self { disk: disk.clone(), held, most, runs: Vec::new(), heads }
    }

    /// Sends a message to a receiver whose turn has not come.
    pub(super) fn send(&mut self, message: Record<N>) -> Result<(), ExtractError> {
        if self.held.len() >= self.most {
            self.spill()?;
        }
        if self.held.len() == self.held.capacity() {
            let more = self.held.len().max(64).min(self.most - self.held.len());
            self.held.reserve_exact(more);
        }
        self.held.push(Reverse(message));
        Ok(())
    }

    /// The next message to this receiver. Whoever asks has asked for all before it.
    pub(super) fn take(&mut self, receiver: u64) -> Result<Option<Record<N>>, ExtractError> {
        let held = self.held.peek().map(|Reverse(message)| message);
        let spilled = self.heads.peek().map(|Reverse((message, _))| message);
        match (held, spilled) {
            (Some(one), None) if one[0] == receiver => Ok(self.pop_held()),
            (Some(one), Some(other)) if one <= other && one[0] == receiver => Ok(self.pop_held()),
            (_, Some(message)) if message[0] == receiver => self.pop_spilled(),
            _ => Ok(None),
        }
    }

    fn pop_held(&mut self) -> Option<Record<N>> {
        self.held.pop().map(|Reverse(message)| message)
    }

    fn pop_spilled(&mut self) -> Result<Option<Record<N>>, ExtractError> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((message, run)) = *head;
        let Run { tape, cursor } = &mut self.runs[run];
        match cursor.next(tape)? {
            Some(next) => *head = Reverse((next, run)),
            None => drop(PeekMut::pop(head)),
        }
        Ok(Some(message))
    }

    /// Writes what is in memory to the disk, as one more run.
    fn spill(&mut self) -> Result<(), ExtractError> {
        if self.runs.len() >= self.disk.fan_in {
            self.merge()?;
        }
        let mut tape = Tape::new(&self.disk, self.disk.merge_bytes);
        let mut messages = std::mem::take(&mut self.held).into_vec();
        messages.sort_unstable_by(|one, other| other.cmp(one));
        for Reverse(message) in &messages {
            tape.push(*message)?;
        }
        messages.clear();
        self.held = messages.into();
        self.add_run(tape)
    }

    /// Makes one run of all.
    fn merge(&mut self) -> Result<(), ExtractError> {
        let mut tape = Tape::new(&self.disk, self.disk.merge_bytes);
        while let Some(message) = self.pop_spilled()? {
            tape.push(message)?;
        }
        self.runs.clear();
        self.add_run(tape)
    }

    fn add_run(&mut self, mut tape: Tape<N>) -> Result<(), ExtractError> {
        tape.release()?;
        let bytes = self.disk.merge_bytes / self.disk.fan_in.max(1);
        let mut cursor = Cursor::new(0..tape.len(), bytes);
        if let Some(head) = cursor.next(&tape)? {
            self.heads.push(Reverse((head, self.runs.len())));
            self.runs.push(Run { tape, cursor });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pitree_testkit::properties;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(properties(200))]
        #[test]
        fn every_message_arrives_in_order_at_its_receiver(
            sent in proptest::collection::vec((0..30_u64, 1..9_u64, 0..5_u64), 0..300),
            most in 1..50_usize,
            fan_in in 1..4_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut queue = Queue::new(&Disk::new(folder.path(), fan_in, 64), most * 16);
            let mut expected: BTreeMap<u64, Vec<Record<2>>> = BTreeMap::new();
            for turn in 0..40 {
                let mut due = expected.remove(&turn).unwrap_or_default();
                due.sort_unstable();
                let taken: Vec<_> = std::iter::from_fn(|| queue.take(turn).unwrap()).collect();
                prop_assert_eq!(taken, due);
                for (_, ahead, text) in sent.iter().filter(|(at, ..)| *at == turn) {
                    let message = [turn + ahead, *text];
                    expected.entry(message[0]).or_default().push(message);
                    queue.send(message).unwrap();
                }
            }
        }
    }
}
