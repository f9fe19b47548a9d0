//! Those at the other end: where answers and events go.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use pitree_format::Value;
use pitree_host::events::EventKind;
use pitree_session::summary::Cancel;

use crate::answer::{Line, event_line};
use crate::follow::Followed;
use crate::outbox::{Outbox, Put};

/// How long a client may think about a `session_before_…` event, unless it asks for more.
pub(crate) const USUAL_PATIENCE: Duration = Duration::from_secs(5);
/// The longest that it can ask for.
pub(crate) const MOST_PATIENCE: Duration = Duration::from_secs(60);

/// One client. Lines from several threads never mix, and nobody waits until they are read.
pub(crate) struct Client {
    outbox: Arc<Outbox>,
    gone: AtomicBool,
    /// Called once when it has gone: whoever reads its requests may wait for one that never comes.
    on_gone: Box<dyn Fn() + Send + Sync>,
    wishes: Mutex<Wishes>,
    /// How much of the session's file it was told, if it wants to hear of it.
    pub(crate) followed: Mutex<Option<Followed>>,
    questions: Mutex<HashMap<String, SyncSender<Value>>>,
    /// Long work that it asked for.
    work: Mutex<Work>,
}

#[derive(Default)]
struct Work {
    running: Vec<Cancel>,
    /// What begins now is stopped at once.
    is_over: bool,
}

/// What a client wants to hear besides answers.
#[derive(Clone, Default)]
pub(crate) struct Wishes {
    pub(crate) events: HashSet<EventKind>,
    /// Whether it wants to hear what others write into the session's file.
    pub(crate) file: bool,
    pub(crate) patience: Option<Duration>,
}

impl Client {
    /// A client at the other end of `out`. When it has gone, `on_gone` is called at once, and
    /// `hang_up` when the last line for it was written or could not be.
    pub(crate) fn connect(
        out: impl Write + Send + 'static,
        on_gone: impl Fn() + Send + Sync + 'static,
        hang_up: impl FnOnce() + Send + 'static,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own: &Weak<Self>| {
            let own = own.clone();
            let outbox = Outbox::start(out, move |failed| {
                if failed {
                    own.upgrade().into_iter().for_each(|client| client.leave());
                }
                hang_up();
            });
            Self {
                outbox,
                gone: AtomicBool::new(false),
                on_gone: Box::new(on_gone),
                wishes: Mutex::default(),
                followed: Mutex::default(),
                questions: Mutex::default(),
                work: Mutex::default(),
            }
        })
    }

    /// Sends an answer.
    pub(crate) fn send(&self, line: Line) {
        self.outbox.put(line);
    }

    /// Sends an event. A client that left too much unread is disconnected instead.
    pub(crate) fn send_event(&self, event: &Value) {
        self.send_event_line(event_line(event));
    }

    fn send_event_line(&self, line: Line) {
        if !self.is_gone() && self.outbox.put_event(line) == Put::Flooded {
            self.leave();
        }
    }

    /// Whether it reads what it is sent, more or less.
    pub(crate) fn has_room(&self) -> bool {
        self.outbox.has_room()
    }

    /// Waits until the client has read most of what it was sent; then it may ask for more.
    pub(crate) fn wait_for_room(&self) {
        if self.outbox.wait_for_room() == Put::Flooded {
            self.leave();
        }
    }

    /// Waits until everything was written, unless the client takes nothing for so long.
    pub(crate) fn drain(&self, longest_stall: Duration) {
        self.outbox.drain(longest_stall);
    }

    /// Whether the client has gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Notes that the client has gone: nothing more is sent, what it asked for is stopped, and
    /// whoever waits for its answer waits no longer.
    pub(crate) fn leave(&self) {
        let was_gone = self.gone.swap(true, Ordering::Relaxed);
        self.outbox.close();
        self.end_work();
        if !was_gone {
            (self.on_gone)();
        }
    }

    /// Notes long work that it asked for.
    pub(crate) fn add_work(&self, cancel: Cancel) {
        let mut work = lock(&self.work);
        if work.is_over {
            return cancel.cancel();
        }
        work.running.retain(|cancel| !cancel.is_cancelled());
        work.running.push(cancel);
    }

    /// Stops the long work that it asked for, and waits for no answer of it.
    pub(crate) fn stop_work(&self) {
        lock(&self.work).running.iter().for_each(Cancel::cancel);
        lock(&self.questions).clear();
    }

    /// The same, also for what has not begun yet.
    pub(crate) fn end_work(&self) {
        lock(&self.work).is_over = true;
        self.stop_work();
    }

    /// What it wants to hear, to look at or to change.
    pub(crate) fn wishes(&self) -> MutexGuard<'_, Wishes> {
        lock(&self.wishes)
    }

    /// Sends an event under a number and waits for the answer; `None` if none came in time.
    pub(crate) fn ask(&self, number: &str, event: &Value) -> Option<Value> {
        let (sender, receiver) = sync_channel(1);
        lock(&self.questions).insert(number.to_owned(), sender);
        self.send_event(event);
        let patience = self.wishes().patience.unwrap_or(USUAL_PATIENCE);
        let answer = if self.is_gone() { None } else { receiver.recv_timeout(patience).ok() };
        lock(&self.questions).remove(number);
        answer
    }

    /// Takes the answer to a question; `false` if nobody waits for it (any more).
    pub(crate) fn take_answer(&self, number: &str, answer: Value) -> bool {
        let question = lock(&self.questions).remove(number);
        question.is_some_and(|question| question.send(answer).is_ok())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

/// All clients of a server.
#[derive(Default)]
pub(crate) struct Clients {
    list: Mutex<Vec<Weak<Client>>>,
    questions: AtomicU64,
}

impl Clients {
    pub(crate) fn add(&self, client: &Arc<Client>) {
        let mut list = lock(&self.list);
        list.retain(|known| known.strong_count() > 0);
        list.push(Arc::downgrade(client));
    }

    /// Those that are there.
    pub(crate) fn present(&self) -> Vec<Arc<Client>> {
        let list = lock(&self.list);
        list.iter().filter_map(Weak::upgrade).filter(|client| !client.is_gone()).collect()
    }

    /// Sends an event to all.
    pub(crate) fn tell(&self, event: &Value) {
        let line = event_line(event);
        for client in self.present() {
            line.share().into_iter().for_each(|line| client.send_event_line(line));
        }
    }

    /// A number for a question, not used before.
    pub(crate) fn question_number(&self) -> String {
        format!("event_{}", self.questions.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_begins_after_the_end_is_stopped_too() {
        let client = Client::connect(std::io::sink(), || (), || ());
        let [running, later, latest] = [(); 3].map(|()| Cancel::new());
        client.add_work(running.clone());
        client.stop_work();
        client.add_work(later.clone());
        assert!(running.is_cancelled() && !later.is_cancelled());
        client.end_work();
        client.add_work(latest.clone());
        assert!(later.is_cancelled() && latest.is_cancelled());
    }
}
