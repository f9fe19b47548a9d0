//! Finding words in the conversation: which entries have them.
//!
//! A thread with a session of its own reads the entries, those from the cursor on first, so that
//! the first match of a long session is there before all of it was read.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use pitree_session::{EntryRef, Session};
use pitree_store::search::{HitsWithin, Query};

use crate::background::SessionPosition;
use crate::wake::{Waker, WakingSender};

/// How many entries a thread reads before it says what it found.
const BATCH: usize = 500;

/// What is being found.
#[derive(Default)]
pub(crate) struct Finder {
    query: Option<Query>,
    /// The entries that match, in the order of the file.
    entries: Vec<usize>,
    found: Option<Receiver<Vec<usize>>>,
    /// The cursor goes to the first match as soon as there is one.
    pub(crate) is_going: bool,
}

impl Finder {
    /// What is looked for, if anything is.
    pub(crate) fn query(&self) -> Option<&Query> {
        self.query.as_ref()
    }

    /// The entries found so far.
    pub(crate) fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// Whether there may be more.
    pub(crate) fn is_running(&self) -> bool {
        self.found.is_some()
    }

    /// Begins with another query. `entries` is the conversation. What is found at once is there
    /// when this returns.
    pub(crate) fn start(
        &mut self,
        query: Query,
        entries: Vec<usize>,
        session: &Session,
        (waker, grace): (&Waker, Duration),
    ) {
        *self = Self { query: Some(query.clone()), ..Self::default() };
        let position = SessionPosition::of(session);
        if session.file_len() == 0 {
            let within = query.within(session);
            let is_hit = |at: &usize| session.at(*at).is_some_and(|it| is_hit(it, &within));
            self.entries = entries.into_iter().filter(is_hit).collect();
            return self.entries.sort_unstable();
        }
        let (sender, found) = waker.channel();
        std::thread::spawn(move || {
            if let Some(Ok(session)) = position.open() {
                read(&session, &entries, &query, &sender);
            }
        });
        self.found = Some(found);
        self.wait(grace);
    }

    /// Looks for the same again, in a conversation that has changed.
    pub(crate) fn restart(&mut self, entries: Vec<usize>, session: &Session, waker: &Waker) {
        let Self { query: Some(query), entries: before, is_going, .. } = std::mem::take(self)
        else {
            return;
        };
        self.start(query, entries, session, (waker, Duration::ZERO));
        self.is_going = is_going;
        if self.is_running() {
            self.entries = before;
        }
    }

    /// Stops looking for anything.
    pub(crate) fn stop(&mut self) {
        *self = Self::default();
    }

    /// Takes what the thread has found. `true` if there was something.
    pub(crate) fn poll(&mut self) -> bool {
        let Some(found) = &self.found else { return false };
        let mut all = BTreeSet::new();
        let is_over = loop {
            match found.try_recv() {
                Ok(entries) => all.extend(entries),
                Err(TryRecvError::Empty) => break false,
                Err(TryRecvError::Disconnected) => break true,
            }
        };
        if is_over {
            self.found = None;
        }
        self.add(&all);
        is_over || !all.is_empty()
    }

    /// Waits a moment for what is found quickly.
    fn wait(&mut self, grace: Duration) {
        let begun = Instant::now();
        let mut all = BTreeSet::new();
        while let Some(found) = &self.found {
            match found.recv_timeout(grace.saturating_sub(begun.elapsed())) {
                Ok(entries) => all.extend(entries),
                Err(RecvTimeoutError::Disconnected) => self.found = None,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        self.add(&all);
    }

    fn add(&mut self, entries: &BTreeSet<usize>) {
        self.entries.extend(entries);
        self.entries.sort_unstable();
        self.entries.dedup();
    }
}

fn read(session: &Session, entries: &[usize], query: &Query, out: &WakingSender<Vec<usize>>) {
    let within = query.within(session);
    for batch in entries.chunks(BATCH) {
        let is_hit = |at: &usize| session.at(*at).is_some_and(|entry| is_hit(entry, &within));
        let hits: Vec<usize> = batch.iter().copied().filter(is_hit).collect();
        // Nobody looks for it any more.
        if !out.send(hits) {
            return;
        }
    }
}

fn is_hit(entry: EntryRef<'_>, within: &HitsWithin<'_>) -> bool {
    within.has(entry).unwrap_or(false)
}
