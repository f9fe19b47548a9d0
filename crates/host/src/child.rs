//! A program that runs beside us: fed, read and, if need be, ended with all that it started.
//!
//! One thread does it all by asking the system which pipe is ready, so nothing is left behind
//! when a pipe stays open. A program that leads a group of its own is ended with the whole group.
//! It is reaped last, so its number cannot belong to another process when the group is killed.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pitree_session::summary::Cancel;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::pipes::{is_passing, ready};
use crate::processes::{self, Ending};

/// How often an unset pipe lets us look at the clock and at the cancel flag.
const LOOK_AROUND: Duration = Duration::from_millis(20);
/// A pipe that is silent for so long after the program's end is held by someone else.
const SILENCE_AFTER_EXIT: Duration = Duration::from_millis(100);
const READ_AT_ONCE: usize = 1 << 16;
/// Where Linux has the program that starts a session; elsewhere a group has to do.
const SETSID: [&str; 2] = ["/usr/bin/setsid", "/bin/setsid"];

/// Which pipe something came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipe {
    Output,
    Complaints,
}

/// How it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
    /// The receiver of the output had enough.
    Stopped,
}

/// What is to be run.
pub(crate) struct Job<'a> {
    pub(crate) command: &'a mut Command,
    /// Whether the command is one of [`in_own_session`], so that its whole group can be ended.
    pub(crate) own_group: bool,
    /// What the program reads; without it, nothing.
    pub(crate) input: Option<&'a [u8]>,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) cancel: &'a Cancel,
}

/// Runs a program to its end and passes on what it writes, as it comes. It never outlives this
/// process, if [`processes::end_all`] is called on the way out.
#[expect(clippy::needless_pass_by_value, reason = "a job is run once")]
pub(crate) fn run(
    job: Job<'_>,
    mut receive: impl FnMut(Pipe, &[u8]) -> ControlFlow<()>,
) -> io::Result<End> {
    if job.cancel.is_cancelled() {
        return Ok(End::Cancelled);
    }
    let stdin = if job.input.is_some() { Stdio::piped() } else { Stdio::null() };
    let command = job.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, registered) = processes::start(command, job.own_group, Ending::Kill)?;
    let end = accompany(&job, &mut child, &mut receive);
    if end.is_err() {
        kill(&mut child, job.own_group);
    }
    // It is still a zombie at most, so its number is its own.
    drop(registered);
    let status = child.wait()?;
    Ok(end?.unwrap_or(End::Exited(status)))
}

/// Feeds and hears a program until it ends by itself (`None`) or is ended.
fn accompany(
    job: &Job<'_>,
    child: &mut Child,
    receive: &mut impl FnMut(Pipe, &[u8]) -> ControlFlow<()>,
) -> io::Result<Option<End>> {
    let mut pipes = Pipes::of(child, job.input.unwrap_or_default())?;
    // A limit beyond all clocks is none.
    let deadline = job.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let mut silent_since = None;
    let end = loop {
        if job.cancel.is_cancelled() {
            break Some(End::Cancelled);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break Some(End::TimedOut);
        }
        match pipes.exchange(receive)? {
            Exchange::Enough => break Some(End::Stopped),
            Exchange::Data => silent_since = None,
            Exchange::Silence => {}
        }
        if !has_exited(child)? {
            continue;
        }
        let since = *silent_since.get_or_insert_with(Instant::now);
        if pipes.ended() || since.elapsed() >= SILENCE_AFTER_EXIT {
            break None;
        }
    };
    if end.is_some() {
        kill(child, job.own_group);
        let grace = Instant::now();
        // What the program said before its end is worth hearing.
        while matches!(end, Some(End::Cancelled | End::TimedOut))
            && !pipes.ended()
            && grace.elapsed() < SILENCE_AFTER_EXIT
            && !matches!(pipes.exchange(receive)?, Exchange::Enough)
        {}
    }
    Ok(end)
}

/// A command for a program that leads a process group, if possible in a session of its own: then
/// it has no terminal, and asking there fails at once. In the background of our terminal it would
/// be stopped and wait for ever.
pub(crate) fn in_own_session(program: &Path) -> Command {
    match SETSID.iter().map(Path::new).find(|path| path.exists()) {
        Some(setsid) => {
            let mut command = Command::new(setsid);
            command.arg(program);
            command
        }
        None => {
            let mut command = Command::new(program);
            command.process_group(0);
            command
        }
    }
}

/// Ends a program, with all that it started if it leads a group.
pub(crate) fn kill(child: &mut Child, own_group: bool) {
    // What is gone already needs no end.
    if own_group {
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
}

/// Whether the program has ended; it stays a zombie, so that its number stays taken.
pub(crate) fn has_exited(child: &Child) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(Pid::from_child(child)), options)?;
    Ok(status.is_some())
}

enum Exchange {
    Data,
    Silence,
    Enough,
}

struct Pipes<'a> {
    input: Option<ChildStdin>,
    unsent: &'a [u8],
    output: Option<ChildStdout>,
    complaints: Option<ChildStderr>,
    buffer: Vec<u8>,
}

impl<'a> Pipes<'a> {
    fn of(child: &mut Child, unsent: &'a [u8]) -> io::Result<Self> {
        let pipes = Self {
            input: child.stdin.take(),
            unsent,
            output: child.stdout.take(),
            complaints: child.stderr.take(),
            buffer: vec![0; READ_AT_ONCE],
        };
        if let Some(input) = &pipes.input {
            rustix::io::ioctl_fionbio(input, true)?;
        }
        Ok(pipes)
    }

    fn ended(&self) -> bool {
        self.output.is_none() && self.complaints.is_none()
    }

    /// Waits a moment for a pipe to be ready, then writes and reads what is possible.
    fn exchange(
        &mut self,
        receive: &mut impl FnMut(Pipe, &[u8]) -> ControlFlow<()>,
    ) -> io::Result<Exchange> {
        if self.unsent.is_empty() {
            self.input = None;
        }
        let (output, complaints) = (self.output.as_ref(), self.complaints.as_ref());
        let [input, output, complaints] =
            ready(self.input.as_ref(), output, complaints, LOOK_AROUND)?;
        if input {
            self.send();
        }
        let mut heard = Exchange::Silence;
        for (ready, pipe) in [(output, Pipe::Output), (complaints, Pipe::Complaints)] {
            if !ready {
                continue;
            }
            let count = self.read(pipe);
            if count == 0 {
                continue;
            }
            heard = Exchange::Data;
            if receive(pipe, &self.buffer[..count]).is_break() {
                return Ok(Exchange::Enough);
            }
        }
        Ok(heard)
    }

    fn send(&mut self) {
        let Some(input) = &mut self.input else { return };
        match input.write(self.unsent) {
            Ok(count) => self.unsent = &self.unsent[count..],
            Err(error) if is_passing(&error) => {}
            // The program does not want to read on. What it makes of that shows in its answer.
            Err(_) => self.unsent = &[],
        }
    }

    /// Reads from a ready pipe; 0 at its end, which also forgets the pipe.
    fn read(&mut self, pipe: Pipe) -> usize {
        let result = match pipe {
            Pipe::Output => self.output.as_mut().map(|pipe| pipe.read(&mut self.buffer)),
            Pipe::Complaints => self.complaints.as_mut().map(|pipe| pipe.read(&mut self.buffer)),
        };
        match result {
            Some(Ok(count)) if count > 0 => return count,
            Some(Err(error)) if is_passing(&error) => {}
            _ if pipe == Pipe::Output => self.output = None,
            _ => self.complaints = None,
        }
        0
    }
}
