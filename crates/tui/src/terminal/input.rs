//! What the loop waits for: keys, signals and messages of threads, all as file descriptors.
//!
//! Nothing reads the terminal but the loop itself, so it can be lent to another program.

use std::io::{self, PipeReader, Read, pipe, stdin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Once};
use std::time::{Duration, Instant};

use nix::unistd::{Pid, getpgrp, getppid, getsid};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::low_level;

use super::decode::Decoder;
use crate::screen::Event;
use crate::theme::TerminalAnswer;
use crate::wake::Waker;

/// Signals that end the interface.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// So long after a question its answer may come.
const LATE_ANSWER: Duration = Duration::from_millis(150);

/// Whether SIGTSTP does what it does by default: while the terminal is lent, and once nobody waits
/// for keys any more. A handler cannot be taken away again, so it stays with the process.
static STOPS_AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static STOP_HANDLER: Once = Once::new();

/// Why the loop woke up. Keys are asked for in any case; one that is read together with other
/// things is not lost.
pub(super) enum Wakeup {
    /// There may be keys, and this one is what was left of an unfinished one.
    Keys(Option<Event>),
    ThreadMessages,
    Resized,
    /// The program is told to stop, and gives the terminal back first.
    Stop,
    /// The program was stopped and runs again. Whoever had the terminal meanwhile has changed it.
    Continued,
    Signal(i32),
    Timeout,
}

/// The sources of events.
pub(super) struct Input {
    wakeups: PipeReader,
    signals: PipeReader,
    /// The signal that asked for the end; 0 if none did.
    ended_by: Arc<AtomicUsize>,
    /// Whether the program is told to stop.
    stopping: Arc<AtomicBool>,
    /// Whether the program was stopped and runs again.
    continued: Arc<AtomicBool>,
    registered: Vec<SigId>,
    decoder: Decoder,
    /// When the terminal was asked something that it has not answered.
    asked: Option<Instant>,
}

impl Input {
    pub(super) fn new() -> io::Result<(Self, Waker)> {
        let (wakeups, waker) = pipe()?;
        let (signals, raised) = pipe()?;
        for fd in [&wakeups, &signals] {
            ioctl_fionbio(fd, true)?;
        }
        ioctl_fionbio(&waker, true)?;
        let ended_by = Arc::new(AtomicUsize::new(0));
        let [stopping, continued] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let (registered, decoder) = (Vec::new(), Decoder::default());
        let mut input = Self {
            wakeups,
            signals,
            ended_by,
            stopping,
            continued,
            registered,
            decoder,
            asked: None,
        };
        for signal in ENDING {
            // In this order: whoever is woken by the pipe finds the number.
            let number = usize::try_from(signal).unwrap_or_default();
            let flag = input.ended_by.clone();
            input.registered.push(signal_hook::flag::register_usize(signal, flag, number)?);
        }
        for (signal, flag) in [(SIGTSTP, &input.stopping), (SIGCONT, &input.continued)] {
            input.registered.push(signal_hook::flag::register(signal, flag.clone())?);
        }
        let mut kept = Ok(());
        STOP_HANDLER.call_once(|| {
            let at_once = Arc::clone(&STOPS_AT_ONCE);
            let handler = signal_hook::flag::register_conditional_default(SIGTSTP, at_once);
            kept = handler.map(|_| ());
        });
        kept?;
        STOPS_AT_ONCE.store(false, Ordering::SeqCst);
        for signal in ENDING.into_iter().chain([SIGWINCH, SIGCONT, SIGTSTP]) {
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
            PollFd::new(&self.wakeups, PollFlags::IN),
        ];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) if self.is_key_over() => return Ok(Wakeup::Keys(self.decoder.give_up())),
            Ok(0) => return Ok(Wakeup::Timeout),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [keys, signals, wakeups] = fds.map(|fd| !fd.revents().is_empty());
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
            let is = |flag: &AtomicBool| flag.swap(false, Ordering::SeqCst);
            return Ok(match (is(&self.stopping), is(&self.continued)) {
                (true, false) => Wakeup::Stop,
                // It was stopped in another way meanwhile, and runs again.
                (_, true) => Wakeup::Continued,
                (false, false) => Wakeup::Resized,
            });
        }
        // Threads that never stop sending must not keep an Esc waiting. The pipe keeps it.
        if !keys && self.is_key_over() {
            return Ok(Wakeup::Keys(self.decoder.give_up()));
        }
        if wakeups {
            drain(&mut self.wakeups);
            return Ok(Wakeup::ThreadMessages);
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

    /// Whether the terminal has an end of input waiting, or has hung up. It must not be raw yet: then
    /// an end of input reads as a plain byte, and nobody ever presses a key.
    pub(super) fn is_at_end(&self) -> bool {
        let keys = stdin();
        let mut fds = [PollFd::new(&keys, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_ready = poll(&mut fds, Some(&at_once)).is_ok_and(|ready| ready > 0);
        is_ready && ioctl_fionread(&keys).is_ok_and(|bytes| bytes == 0)
    }

    /// Whether nobody is at the other end of the terminal any more.
    pub(super) fn has_hung_up(&self) -> bool {
        let keys = stdin();
        let mut fds = [PollFd::new(&keys, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        poll(&mut fds, Some(&at_once)).is_ok() && fds[0].revents().intersects(gone)
    }

    /// Stops the program until the shell continues it. To be called when the terminal is given
    /// back: it may be continued already, if giving it back came too late and was held up.
    pub(super) fn stop(&mut self) -> io::Result<()> {
        if !self.continued.load(Ordering::SeqCst) {
            kill_process(getpid(), Signal::STOP)?;
        }
        drain(&mut self.signals);
        self.stopping.store(false, Ordering::SeqCst);
        self.continued.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Another program gets the terminal, and with it what stops programs.
    pub(super) fn lend(&self) {
        STOPS_AT_ONCE.store(can_be_continued(), Ordering::SeqCst);
    }

    /// The terminal is back. Forgets Ctrl+C and Ctrl+Z: they were meant for the program that had
    /// it.
    pub(super) fn take_back(&self) {
        STOPS_AT_ONCE.store(false, Ordering::SeqCst);
        self.stopping.store(false, Ordering::SeqCst);
        let interrupt = usize::try_from(SIGINT).unwrap_or_default();
        let (set, read) = (Ordering::SeqCst, Ordering::SeqCst);
        let _ = self.ended_by.compare_exchange(interrupt, 0, set, read);
    }

    /// The next event that is already there.
    pub(super) fn next(&mut self) -> Option<Event> {
        let event = self.decoder.next();
        if matches!(event, Some(Event::Answer(TerminalAnswer::End))) {
            self.asked = None;
        }
        event
    }

    /// The terminal was asked something.
    pub(super) fn expects_answer(&mut self) {
        self.asked = Some(Instant::now());
    }

    /// Takes an answer that is still on its way when the interface ends, or the shell would get it.
    pub(super) fn drop_late_answer(&mut self) {
        while let Some(left) = self.asked.and_then(|asked| LATE_ANSWER.checked_sub(asked.elapsed()))
        {
            let keys = stdin();
            let mut fds = [PollFd::new(&keys, PollFlags::IN)];
            let timeout = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
            let is_there = matches!(poll(&mut fds, Some(&timeout)), Ok(1..));
            if !is_there || self.read_keys().is_err() {
                return;
            }
            while self.next().is_some() {}
            if self.ended_by().is_some() {
                return;
            }
        }
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
        self.lend();
    }
}

/// Whether there is a shell that can continue the program. Without one the system passes over
/// SIGTSTP, and a program that stopped itself would never run again.
///
/// In a container the leaders of the session and of the group, and the parent, may be outside:
/// each then has the number 0, which `rustix` does not allow for.
pub(super) fn can_be_continued() -> bool {
    let Ok(session) = getsid(None) else { return false };
    is_job_of_a_shell(session, getpgrp(), getppid(), |parent| getsid(Some(parent)).ok())
}

fn is_job_of_a_shell(
    session: Pid,
    group: Pid,
    parent: Pid,
    session_of: impl FnOnce(Pid) -> Option<Pid>,
) -> bool {
    // 0 would ask for the session of pitree itself.
    session != group && parent.as_raw() != 0 && session_of(parent) == Some(session)
}

/// Takes everything out of a pipe that does not block.
fn drain(pipe: &mut PipeReader) {
    let mut buffer = [0; 256];
    while matches!(pipe.read(&mut buffer), Ok(count) if count == buffer.len()) {}
}

#[cfg(test)]
mod tests {
    use super::{Pid, is_job_of_a_shell};

    #[test]
    fn only_a_shell_of_the_same_session_can_continue_a_job() {
        let is_job = |session, group, parent, of_parent: Option<i32>| {
            let of_parent = of_parent.map(Pid::from_raw);
            let pid = Pid::from_raw;
            is_job_of_a_shell(pid(session), pid(group), pid(parent), |_| of_parent)
        };
        assert!(is_job(10, 20, 10, Some(10)));
        // The leader of the session, started by a terminal or a service.
        assert!(!is_job(10, 10, 5, Some(5)));
        // Started by `setsid`, and by a parent that is gone.
        assert!(!is_job(10, 20, 5, Some(5)));
        assert!(!is_job(10, 20, 5, None));
        // The leaders are outside of the container; 0 means the one who asks.
        assert!(!is_job(0, 0, 0, Some(0)));
        assert!(!is_job(0, 20, 0, Some(0)));
        // A shell inside, in a session that was begun outside.
        assert!(is_job(0, 20, 7, Some(0)));
    }
}
