//! The changes of all clients, one after the other. When a change gets here is decided by the
//! [order](crate::order) of its client.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

/// As many changes may wait; whoever asks for more waits too.
const MOST_WAITING: usize = 1024;

/// The queue.
#[derive(Default)]
pub(crate) struct Changes {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    running: Running,
    /// How many changes were taken on, and how many of them are done.
    taken: u64,
    done: u64,
    closed: bool,
}

/// A change, by its number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticket(u64);

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Running {
    #[default]
    Nothing,
    Short,
    Long,
}

impl Changes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        go_on: impl Fn(&State) -> bool,
    ) -> MutexGuard<'a, State> {
        self.moved.wait_while(state, |state| !go_on(state)).unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a change at the end of the queue.
    pub(crate) fn push(&self, job: impl FnOnce() + Send + 'static) -> Ticket {
        let mut state = self.wait(self.state(), |state| state.jobs.len() < MOST_WAITING);
        state.taken += 1;
        state.jobs.push_back(Box::new(job));
        self.moved.notify_all();
        Ticket(state.taken)
    }

    /// Carries out changes until the queue is closed and empty.
    pub(crate) fn work(&self) {
        loop {
            let mut state = self.wait(self.state(), |state| !state.jobs.is_empty() || state.closed);
            let Some(job) = state.jobs.pop_front() else { return };
            state.running = Running::Short;
            drop(state);
            job();
            let mut state = self.state();
            state.running = Running::Nothing;
            state.done += 1;
            self.moved.notify_all();
        }
    }

    /// Waits until a change is made, or waits for a summary.
    pub(crate) fn settle(&self, Ticket(number): Ticket) {
        drop(self.wait(self.state(), |state| {
            let is_running = state.done + 1 == number;
            state.done >= number || (is_running && state.running == Running::Long)
        }));
    }

    /// Waits until a change is made, however long that takes.
    pub(crate) fn complete(&self, Ticket(number): Ticket) {
        drop(self.wait(self.state(), |state| state.done >= number));
    }

    /// Waits until nothing is left to do, however long that takes.
    pub(crate) fn finish(&self) {
        let idle = |state: &State| state.running == Running::Nothing && state.jobs.is_empty();
        drop(self.wait(self.state(), idle));
    }

    /// Called by the change that is being carried out: reads need not wait for it.
    pub(crate) fn take_long(&self) {
        self.state().running = Running::Long;
        self.moved.notify_all();
    }

    /// Lets [`Changes::work`] end when nothing is left.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn changes_keep_their_order_and_can_be_waited_for() {
        let changes = Arc::new(Changes::default());
        let worker = thread::spawn({
            let changes = Arc::clone(&changes);
            move || changes.work()
        });
        let done = Arc::new(Mutex::new(Vec::new()));
        for number in 0..1000 {
            let sink = Arc::clone(&done);
            let ticket = changes.push(move || sink.lock().unwrap().push(number));
            if number % 7 == 0 {
                changes.settle(ticket);
                assert_eq!(done.lock().unwrap().len(), number + 1);
            }
        }
        changes.close();
        worker.join().unwrap();
        assert_eq!(*done.lock().unwrap(), (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_summary_is_overtaken_and_what_waits_behind_it_is_not() {
        let changes = Arc::new(Changes::default());
        let worker = thread::spawn({
            let changes = Arc::clone(&changes);
            move || changes.work()
        });
        let (release, wait) = channel::<()>();
        let summary = changes.push({
            let changes = Arc::clone(&changes);
            move || {
                changes.take_long();
                wait.recv().unwrap();
            }
        });
        let behind = changes.push(|| {});
        changes.settle(summary);
        let waiter = thread::spawn({
            let changes = Arc::clone(&changes);
            move || {
                changes.settle(behind);
                changes.state().done
            }
        });
        release.send(()).unwrap();
        assert_eq!(waiter.join().unwrap(), 2, "what is behind a summary waits for it");
        changes.complete(summary);
        changes.finish();
        changes.close();
        worker.join().unwrap();
    }
}
