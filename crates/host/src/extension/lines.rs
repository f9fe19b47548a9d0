//! The pipes of an extension: bytes go in and lines come out, and nothing ever blocks.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::pipes::{is_passing, ready};

const READ_AT_ONCE: usize = 1 << 16;
/// How much of what it complains about is remembered.
const COMPLAINT_BYTES: usize = 2048;
/// How often somebody who waits looks at the clock and the cancel flag.
const LOOK_AROUND: Duration = Duration::from_millis(20);

/// The three pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    complaints: Option<ChildStderr>,
    unsent: Vec<u8>,
    sent: usize,
    /// What came.
    received: Vec<u8>,
    /// Up to here it was handed out.
    taken: usize,
    /// From `taken` up to here there is no line feed.
    searched: usize,
    /// The end of what it wrote to its standard error.
    last_words: Vec<u8>,
    longest_line: usize,
}

/// What came out of the pipe.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Line(Vec<u8>),
    TooLong,
    Nothing,
}

impl Pipes {
    pub(super) fn of(child: &mut Child, longest_line: usize) -> io::Result<Self> {
        let pipes = Self {
            input: child.stdin.take(),
            output: child.stdout.take(),
            complaints: child.stderr.take(),
            unsent: Vec::new(),
            sent: 0,
            received: Vec::new(),
            taken: 0,
            searched: 0,
            last_words: Vec::new(),
            longest_line,
        };
        if let Some(input) = &pipes.input {
            rustix::io::ioctl_fionbio(input, true)?;
        }
        Ok(pipes)
    }

    /// Puts a line into the way; [`Self::exchange`] sends it.
    pub(super) fn queue(&mut self, line: &str) {
        if self.sent == self.unsent.len() {
            self.unsent.clear();
            self.sent = 0;
        }
        self.unsent.extend_from_slice(line.as_bytes());
        self.unsent.push(b'\n');
    }

    pub(super) fn is_all_sent(&self) -> bool {
        self.sent == self.unsent.len()
    }

    /// Whether the program can still be written to.
    pub(super) fn takes_input(&self) -> bool {
        self.input.is_some()
    }

    /// Whether the program may still say something.
    pub(super) fn may_speak(&self) -> bool {
        self.output.is_some()
    }

    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// The next whole line, if it is there.
    pub(super) fn next_line(&mut self) -> Received {
        let fresh = &self.received[self.searched..];
        let Some(end) = fresh.iter().position(|&byte| byte == b'\n') else {
            self.received.drain(..self.taken);
            self.taken = 0;
            self.searched = self.received.len();
            let is_too_long = self.received.len() > self.longest_line;
            return if is_too_long { Received::TooLong } else { Received::Nothing };
        };
        let end = self.searched + end;
        let line = &self.received[self.taken..end];
        let received = if line.len() > self.longest_line {
            Received::TooLong
        } else {
            Received::Line(line.to_vec())
        };
        self.taken = end + 1;
        self.searched = self.taken;
        received
    }

    /// The last line of the program's complaints, to explain its end.
    pub(super) fn last_words(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.last_words);
        let last = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        Some(last.to_owned())
    }

    /// Waits until a pipe is ready, but not for long, and writes and reads what is possible. At
    /// most one read from each, so that a program that never stops writing keeps nobody here.
    pub(super) fn exchange(&mut self, deadline: Instant) -> io::Result<()> {
        let pause = deadline.saturating_duration_since(Instant::now()).min(LOOK_AROUND);
        let input = self.input.as_ref().filter(|_| !self.is_all_sent());
        let output = self.output.as_ref();
        let [input, output, complaints] = ready(input, output, self.complaints.as_ref(), pause)?;
        if input {
            self.send();
        }
        let mut buffer = [0; READ_AT_ONCE];
        if output && let Some(pipe) = &mut self.output {
            match read_some(pipe, &mut buffer) {
                Some(count) => self.received.extend_from_slice(&buffer[..count]),
                None => self.output = None,
            }
        }
        if complaints && let Some(pipe) = &mut self.complaints {
            match read_some(pipe, &mut buffer) {
                Some(count) => self.remember(&buffer[..count]),
                None => self.complaints = None,
            }
        }
        Ok(())
    }

    fn remember(&mut self, words: &[u8]) {
        self.last_words.extend_from_slice(words);
        let surplus = self.last_words.len().saturating_sub(COMPLAINT_BYTES);
        self.last_words.drain(..surplus);
    }

    fn send(&mut self) {
        let Some(input) = &mut self.input else { return };
        match input.write(&self.unsent[self.sent..]) {
            Ok(count) => self.sent += count,
            Err(error) if is_passing(&error) => {}
            // It closed its end. Whether that matters shows in what it answers.
            Err(_) => self.input = None,
        }
    }
}

/// Reads from a ready pipe; `None` at its end.
fn read_some(pipe: &mut impl Read, buffer: &mut [u8]) -> Option<usize> {
    match pipe.read(buffer) {
        Ok(count) if count > 0 => Some(count),
        Err(error) if is_passing(&error) => Some(0),
        _ => None,
    }
}
