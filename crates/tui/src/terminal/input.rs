//! What the loop waits for: keys, signals and news of threads, all as file descriptors.
//!
//! Nothing reads the terminal but the loop itself, so it can be lent to another program.

use std::io::{self, PipeReader, Read, pipe, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossterm::event::{self, KeyEventKind, MouseEventKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};
use signal_hook::low_level;

use crate::screen::Event;
use crate::wake::Waker;

/// So many lines a turn of the wheel scrolls.
const WHEEL_LINES: i32 = 3;

/// Signals that end the interface.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// Why the loop woke up. Keys are asked for in any case.
pub(super) enum Wakeup {
    Keys,
    News,
    Resized,
    Signal(i32),
    Timeout,
}

/// The sources of events.
pub(super) struct Input {
    news: PipeReader,
    signals: PipeReader,
    /// The signal that asked for the end; 0 if none did.
    ended_by: Arc<AtomicUsize>,
    registered: Vec<SigId>,
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
        let mut input = Self { news, signals, ended_by, registered: Vec::new() };
        for signal in ENDING {
            // In this order: whoever is woken by the pipe finds the number.
            let number = usize::try_from(signal).unwrap_or_default();
            let flag = input.ended_by.clone();
            input.registered.push(signal_hook::flag::register_usize(signal, flag, number)?);
        }
        for signal in ENDING.into_iter().chain([SIGWINCH]) {
            input.registered.push(low_level::pipe::register(signal, raised.try_clone()?)?);
        }
        Ok((input, Waker::new(waker)))
    }

    /// Waits until there is something, or for so long.
    pub(super) fn wait(&mut self, at_most: Option<Duration>) -> io::Result<Wakeup> {
        let timeout = at_most.map(|time| Timespec {
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
            Ok(0) => return Ok(Wakeup::Timeout),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let hung_up = fds[0].revents().contains(PollFlags::HUP);
        let [_, signals, news] = fds.map(|fd| !fd.revents().is_empty());
        if signals {
            drain(&mut self.signals);
            return Ok(match self.ended_by.load(Ordering::SeqCst) {
                0 => Wakeup::Resized,
                signal => Wakeup::Signal(i32::try_from(signal).unwrap_or(SIGTERM)),
            });
        }
        if news {
            drain(&mut self.news);
            return Ok(Wakeup::News);
        }
        // A terminal that is gone has no more keys, and would be reported for ever.
        Ok(if hung_up { Wakeup::Signal(SIGHUP) } else { Wakeup::Keys })
    }

    /// Forgets Ctrl+C: it was meant for the program that had the terminal.
    pub(super) fn forget_interrupt(&self) {
        let interrupt = usize::try_from(SIGINT).unwrap_or_default();
        let (set, read) = (Ordering::SeqCst, Ordering::SeqCst);
        let _ = self.ended_by.compare_exchange(interrupt, 0, set, read);
    }

    /// The next event that is already there.
    pub(super) fn next(&mut self) -> io::Result<Option<Event>> {
        while event::poll(Duration::ZERO)? {
            match event::read()? {
                event::Event::Key(key) if key.kind != KeyEventKind::Release => {
                    return Ok(Some(Event::Key(key)));
                }
                event::Event::Paste(text) => return Ok(Some(Event::Paste(text))),
                event::Event::Mouse(mouse) => match mouse.kind {
                    MouseEventKind::ScrollUp => return Ok(Some(Event::Wheel(-WHEEL_LINES))),
                    MouseEventKind::ScrollDown => return Ok(Some(Event::Wheel(WHEEL_LINES))),
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(None)
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
