//! What the loop waits for: keys, signals and news of threads, all as file descriptors.
//!
//! Nothing reads the terminal but the loop itself, so it can be lent to another program.

use std::io::{self, PipeReader, Read, pipe, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::low_level;

use super::decode::Decoder;
use crate::screen::Event;
use crate::wake::Waker;

/// Signals that end the interface.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// A program that is told to stop has stopped by then.
const STOPPED_WITHIN: Duration = Duration::from_millis(200);

/// Why the loop woke up. Keys are asked for in any case; one that is read together with other
/// things is not lost.
pub(super) enum Wakeup {
    /// There may be keys, and this one is what was left of an unfinished one.
    Keys(Option<Event>),
    News,
    Resized,
    /// The program was stopped and runs again. Whoever had the terminal meanwhile has changed it.
    Continued,
    Signal(i32),
    Timeout,
}

/// The sources of events.
pub(super) struct Input {
    news: PipeReader,
    signals: PipeReader,
    /// The signal that asked for the end; 0 if none did.
    ended_by: Arc<AtomicUsize>,
    /// Whether the program was stopped and runs again.
    continued: Arc<AtomicBool>,
    registered: Vec<SigId>,
    decoder: Decoder,
}

impl Input {
    pub(super) fn new() -> io::Result<(Self, Waker)> {
        let (news, waker) = pipe()?;
        let (signals, raised) = pipe()?;
        for fd in [&news, &signals] {
            ioctl_fionbio(fd, true)?;
        }
        ioctl_fionbio(&waker, true)?;
        let ended_by = Arc::new(AtomicUsize::new(0));
        let continued = Arc::new(AtomicBool::new(false));
        let (registered, decoder) = (Vec::new(), Decoder::default());
        let mut input = Self { news, signals, ended_by, continued, registered, decoder };
        for signal in ENDING {
            // In this order: whoever is woken by the pipe finds the number.
            let number = usize::try_from(signal).unwrap_or_default();
            let flag = input.ended_by.clone();
            input.registered.push(signal_hook::flag::register_usize(signal, flag, number)?);
        }
        let flag = input.continued.clone();
        input.registered.push(signal_hook::flag::register(SIGCONT, flag)?);
        for signal in ENDING.into_iter().chain([SIGWINCH, SIGCONT]) {
            input.registered.push(low_level::pipe::register(signal, raised.try_clone()?)?);
        }
        Ok((input, Waker::new(waker)))
    }

    /// Waits until there is something, or for so long.
    pub(super) fn wait(&mut self, at_most: Option<Duration>) -> io::Result<Wakeup> {
        let patience = self.decoder.patience(Instant::now());
        let timeout = at_most.into_iter().chain(patience).min().map(|time| Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        });
        let keys = stdin();
        let mut fds = [
            PollFd::new(&keys, PollFlags::IN),
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.news, PollFlags::IN),
        ];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) if self.is_key_over() => return Ok(Wakeup::Keys(self.decoder.give_up())),
            Ok(0) => return Ok(Wakeup::Timeout),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [keys, signals, news] = fds.map(|fd| !fd.revents().is_empty());
        if keys {
            self.read_keys()?;
        }
        if signals {
            drain(&mut self.signals);
        }
        if let Some(signal) = self.ended_by() {
            return Ok(Wakeup::Signal(signal));
        }
        if signals {
            let was_stopped = self.continued.swap(false, Ordering::SeqCst);
            return Ok(if was_stopped { Wakeup::Continued } else { Wakeup::Resized });
        }
        // Threads that always have news must not keep an Esc waiting. The news stay in the pipe.
        if !keys && self.is_key_over() {
            return Ok(Wakeup::Keys(self.decoder.give_up()));
        }
        if news {
            drain(&mut self.news);
            return Ok(Wakeup::News);
        }
        Ok(Wakeup::Keys(None))
    }

    /// Whether no more comes of a key that has begun.
    fn is_key_over(&self) -> bool {
        self.decoder.patience(Instant::now()) == Some(Duration::ZERO)
    }

    /// The signal that asks for the end, if one has come.
    pub(super) fn ended_by(&self) -> Option<i32> {
        let ended_by = self.ended_by.load(Ordering::SeqCst);
        (ended_by != 0).then(|| i32::try_from(ended_by).unwrap_or(SIGTERM))
    }

    /// Whether nobody is at the other end of the terminal any more.
    pub(super) fn has_hung_up(&self) -> bool {
        let keys = stdin();
        let mut fds = [PollFd::new(&keys, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        poll(&mut fds, Some(&at_once)).is_ok() && fds[0].revents().intersects(gone)
    }

    /// Waits until the program runs again that is about to be stopped, but not for long: where
    /// nobody could continue it, the system does not stop it.
    pub(super) fn wait_until_continued(&mut self) -> io::Result<()> {
        let mut fds = [PollFd::new(&self.signals, PollFlags::IN)];
        let soon = Timespec { tv_sec: 0, tv_nsec: STOPPED_WITHIN.subsec_nanos().into() };
        match poll(&mut fds, Some(&soon)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets Ctrl+C: it was meant for the program that had the terminal.
    pub(super) fn forget_interrupt(&self) {
        let interrupt = usize::try_from(SIGINT).unwrap_or_default();
        let (set, read) = (Ordering::SeqCst, Ordering::SeqCst);
        let _ = self.ended_by.compare_exchange(interrupt, 0, set, read);
    }

    /// The next event that is already there.
    pub(super) fn next(&mut self) -> Option<Event> {
        self.decoder.next()
    }

    /// Reads the keys that were reported to be there, so it does not wait.
    fn read_keys(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        match rustix::io::read(stdin(), &mut buffer) {
            Ok(0) | Err(Errno::IO) => self.ended_by.store(SIGHUP as usize, Ordering::SeqCst),
            Ok(count) => self.decoder.push(&buffer[..count], Instant::now()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            low_level::unregister(id);
        }
    }
}

/// Takes everything out of a pipe that does not block.
fn drain(pipe: &mut PipeReader) {
    let mut buffer = [0; 256];
    while matches!(pipe.read(&mut buffer), Ok(count) if count == buffer.len()) {}
}
