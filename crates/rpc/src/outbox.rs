//! What waits to be sent to one client, and the thread that sends it.
//!
//! Nobody waits for a client's pipe but its own writer thread: a line is put into the outbox and
//! that is all, so a session lock is never held while something is written. The outbox is bounded.
//! Requests are not carried out while it is full ([`Outbox::wait_for_room`]), so answers cannot
//! flood it; a client whose events flood it does not read, and is disconnected.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pitree_format::Object;

use crate::answer::{Line, event_line};

/// As much may wait for a client.
const MOST_WAITING_BYTES: usize = 32 << 20;
/// A client that takes nothing for so long while its outbox is full has gone.
pub(crate) const LONGEST_STALL: Duration = Duration::from_secs(30);

/// The lines that wait for one client.
pub(crate) struct Outbox {
    state: Mutex<State>,
    moved: Condvar,
    limit: usize,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Line>,
    bytes: usize,
    /// Whether a line is being written.
    is_writing: bool,
    /// How many lines were written, to see whether the client reads at all.
    written: u64,
    /// Nothing more is taken on; what is there is still written.
    is_closed: bool,
}

impl State {
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && !self.is_writing
    }
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    Taken,
    /// The client does not read. The outbox is closed.
    Flooded,
}

impl Outbox {
    /// An outbox whose lines a thread writes. `on_end` is called when it has written the last one
    /// after the outbox was closed, or could not write: `true` if it could not.
    pub(crate) fn start(
        out: impl Write + Send + 'static,
        on_end: impl FnOnce(bool) + Send + 'static,
    ) -> Arc<Self> {
        Self::start_bounded(out, on_end, MOST_WAITING_BYTES)
    }

    fn start_bounded(
        mut out: impl Write + Send + 'static,
        on_end: impl FnOnce(bool) + Send + 'static,
        limit: usize,
    ) -> Arc<Self> {
        let outbox = Arc::new(Self { state: Mutex::default(), moved: Condvar::new(), limit });
        let own = Arc::clone(&outbox);
        thread::spawn(move || on_end(own.write_all(&mut out).is_err()));
        outbox
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, out: &mut dyn Write) -> std::io::Result<()> {
        loop {
            let is_idle = |state: &mut State| state.lines.is_empty() && !state.is_closed;
            let state = self.moved.wait_while(self.state(), is_idle);
            let mut state = state.unwrap_or_else(PoisonError::into_inner);
            let Some(line) = state.lines.pop_front() else { return Ok(()) };
            state.bytes -= line.cost();
            state.is_writing = true;
            drop(state);
            let written = line.write(out);
            let mut state = self.state();
            state.is_writing = false;
            state.written += 1;
            if written.is_err() {
                state.is_closed = true;
                state.lines.clear();
                state.bytes = 0;
            }
            self.moved.notify_all();
            drop(state);
            written?;
        }
    }

    /// Adds an answer. Never waits.
    pub(crate) fn put(&self, line: Line) {
        let mut state = self.state();
        if !state.is_closed {
            state.bytes += line.cost();
            state.lines.push_back(line);
            self.moved.notify_all();
        }
    }

    /// Adds an event, unless the client does not read. Never waits.
    pub(crate) fn put_event(&self, line: Line) -> Put {
        if self.state().bytes > self.limit {
            self.give_up("it left too much unread");
            return Put::Flooded;
        }
        self.put(line);
        Put::Taken
    }

    /// Whether more may be sent without harm.
    pub(crate) fn has_room(&self) -> bool {
        self.state().bytes <= self.limit
    }

    /// Waits until there is room. Nobody who holds the session may do so.
    pub(crate) fn wait_for_room(&self) -> Put {
        match self.wait_until(LONGEST_STALL, |state| state.bytes <= self.limit) {
            true => Put::Taken,
            false => {
                self.give_up("it read nothing for 30 seconds");
                Put::Flooded
            }
        }
    }

    /// Waits until all is written, as long as the client takes anything; `false` if it does not.
    pub(crate) fn drain(&self, longest_stall: Duration) -> bool {
        self.wait_until(longest_stall, State::is_empty)
    }

    fn wait_until(&self, longest_stall: Duration, is_so: impl Fn(&State) -> bool) -> bool {
        let mut state = self.state();
        loop {
            if is_so(&state) || (state.is_closed && state.is_empty()) {
                return true;
            }
            let before = state.written;
            let (now, wait) = self
                .moved
                .wait_timeout_while(state, longest_stall, |state| {
                    state.written == before && !is_so(state)
                })
                .unwrap_or_else(PoisonError::into_inner);
            state = now;
            if wait.timed_out() && state.written == before && !is_so(&state) {
                return false;
            }
        }
    }

    /// Takes on nothing more.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.moved.notify_all();
    }

    /// Drops what waits and closes. The client finds the reason if it ever reads on.
    fn give_up(&self, reason: &str) {
        let mut state = self.state();
        if state.is_closed {
            return;
        }
        let event = Object::new().with("type", "client_dropped").with("reason", reason);
        let line = event_line(&event.into());
        state.bytes = line.cost();
        state.lines = VecDeque::from([line]);
        state.is_closed = true;
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use pitree_format::Value;

    use super::*;

    /// Takes one line for each permit.
    struct Slow(Receiver<()>, Sender<String>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(io::Error::other)?;
            let _ = self.1.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow(limit: usize) -> (Arc<Outbox>, Sender<()>, Receiver<String>, Receiver<bool>) {
        let (permit, permits) = channel();
        let (sender, lines) = channel();
        let (ended, end) = channel();
        let on_end = move |failed| {
            let _ = ended.send(failed);
        };
        (Outbox::start_bounded(Slow(permits, sender), on_end, limit), permit, lines, end)
    }

    fn event(number: usize) -> Line {
        event_line(&Object::new().with("type", "x").with("n", number).into())
    }

    #[test]
    fn a_client_that_does_not_read_is_dropped_with_a_reason_and_nobody_waits_for_it() {
        let (outbox, permit, lines, end) = slow(1000);
        let mut sent = 0;
        while outbox.put_event(event(sent)) == Put::Taken {
            sent += 1;
            assert!(sent < 1000, "it takes everything");
        }
        // What comes later is not taken on.
        outbox.put(event(0));
        (0..sent).for_each(|_| permit.send(()).unwrap_or_default());
        let got: Vec<String> = lines.iter().collect();
        assert!(got.len() <= 2, "{got:?}");
        let last = pitree_format::js::parse(got.last().unwrap().as_bytes()).unwrap();
        assert_eq!(last.get("type"), Some(&Value::from("client_dropped")), "{got:?}");
        assert!(!end.recv().unwrap(), "all was written in the end");
    }

    #[test]
    fn a_client_that_reads_late_gets_everything_in_order() {
        let (outbox, permit, lines, _end) = slow(1 << 20);
        (0..100).for_each(|number| assert_eq!(outbox.put_event(event(number)), Put::Taken));
        assert!(!outbox.drain(Duration::from_millis(1)), "nothing was read yet");
        (0..100).for_each(|_| permit.send(()).unwrap_or_default());
        assert!(outbox.drain(LONGEST_STALL));
        let got: Vec<String> = lines.try_iter().collect();
        let expected: Vec<String> =
            (0..100).map(|n| format!("{{\"type\":\"x\",\"n\":{n}}}\n")).collect();
        assert_eq!(got, expected);
    }
}
