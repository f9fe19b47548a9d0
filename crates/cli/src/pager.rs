//! Standard output by way of a pager, as git does it.
//!
//! Text waits until it is longer than the screen; only then is the pager started. The pager is the
//! user's own, named by a variable and split by the shell. If it cannot be started, the text is
//! printed without it, and also if it fails without having read anything, as `PAGER=false` does.
//! Nothing is printed behind the back of a user who has left the pager: he gets a broken pipe, as from
//! any program that has read enough.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, StdoutLock, Write};
use std::process::{Child, Command};

use pitree_tui::text::width;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{ioctl_fionbio, ioctl_fionread};

use crate::environment::{ScreenSize, find_program};
use crate::links::WithoutLinks;
use crate::{interrupt, progress};

/// The pager of a user who names none.
const DEFAULT: &str = "less -FRX";

/// What `less` is told if the user tells it nothing: quit if it fits the screen, show our colors,
/// leave the text on the screen.
const LESS: &str = "FRX";

/// What the shell says of a program that cannot be run, and of one that is not there.
const NOT_STARTED: [i32; 2] = [126, 127];

/// So much of what went to the pager is kept, to be printed if there turns out to be none. It is
/// more than a pipe takes before somebody reads it.
const MOST_KEPT: usize = 1 << 20;

/// How often it is looked whether a pager that does not read is still there.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Standard output, with a pager in between if there is one and the text is long.
pub(crate) struct PagedStdout {
    out: StdoutLock<'static>,
    state: State,
}

enum State {
    /// There is no pager.
    Direct,
    /// The text fits the screen so far.
    Waiting {
        held: Vec<u8>,
        screen: ScreenSize,
        command: OsString,
    },
    Running(Pager),
    /// The user has left the pager.
    Left,
}

struct Pager {
    child: Child,
    input: PipeWriter,
    /// The other end of it: what is in it when the pager has ended was not read.
    unread: PipeReader,
    /// All that it was given, as long as it is not much.
    given: Option<Vec<u8>>,
    /// How many bytes the pipe has taken.
    sent: u64,
    /// Few pagers know links.
    links: WithoutLinks,
}

impl PagedStdout {
    pub(crate) fn unpaged() -> Self {
        Self { out: io::stdout().lock(), state: State::Direct }
    }

    /// Starts the user's pager, if there is one, once the text is longer than the screen.
    pub(crate) fn longer_than(screen: ScreenSize) -> Self {
        let state = match command(|name| std::env::var_os(name)).0 {
            Some(command) => State::Waiting { held: Vec::new(), screen, command },
            None => State::Direct,
        };
        Self { state, ..Self::unpaged() }
    }

    /// Whether all that was written is where the user sees it.
    pub(crate) fn is_direct(&self) -> bool {
        match &self.state {
            State::Direct => true,
            State::Waiting { held, .. } => held.is_empty(),
            State::Running(_) | State::Left => false,
        }
    }

    /// Prints what is held, or waits until the user leaves the pager.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Direct) {
            State::Direct => {}
            State::Waiting { held, .. } => self.out.write_all(&held)?,
            State::Running(pager) => self.end(pager).map(|_| ())?,
            State::Left => self.state = State::Left,
        }
        self.out.flush()
    }

    /// Starts the pager with what was held.
    fn start(&mut self, held: &[u8], command: &OsStr) -> io::Result<()> {
        progress::end();
        let Ok(pager) = Pager::start(command) else {
            self.state = State::Direct;
            return self.out.write_all(held);
        };
        // Ctrl+C is for the pager now.
        interrupt::leave_to_others();
        self.state = State::Running(pager);
        self.write_all(held)
    }

    /// Waits for the pager; gives whether text has to be printed without it, as there was none.
    fn end(&mut self, pager: Pager) -> io::Result<bool> {
        let mut pager = pager;
        let end = pager.links.finish();
        // Somebody who has left the pager does not miss it.
        let _ = pager.send(&end);
        let Pager { mut child, input, unread, given, sent, .. } = pager;
        drop(input);
        let code = child.wait()?.code();
        let was_started = code.is_none_or(|code| !NOT_STARTED.contains(&code));
        let has_read = ioctl_fionread(&unread).is_ok_and(|unread| unread != sent);
        let has_failed = code.is_some_and(|code| code != 0);
        match given {
            Some(given) if !was_started || (has_failed && !has_read) => {
                self.state = State::Direct;
                self.out.write_all(&given)?;
                Ok(true)
            }
            _ => {
                self.state = State::Left;
                Ok(false)
            }
        }
    }
}

impl Write for PagedStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Direct => self.out.write(bytes),
            State::Left => Err(ErrorKind::BrokenPipe.into()),
            State::Waiting { held, screen, command } => {
                held.extend_from_slice(bytes);
                if !fits(held, *screen) {
                    let (held, command) = (std::mem::take(held), std::mem::take(command));
                    self.start(&held, &command)?;
                }
                Ok(bytes.len())
            }
            State::Running(pager) => match pager.write(bytes) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    let left = std::mem::replace(&mut self.state, State::Left);
                    let State::Running(pager) = left else { return Err(error) };
                    if self.end(pager)? { self.out.write(bytes) } else { Err(error) }
                }
                written => written,
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Direct => self.out.flush(),
            State::Waiting { .. } | State::Left => Ok(()),
            State::Running(_) => Ok(()),
        }
    }
}

impl Pager {
    fn start(command: &OsStr) -> io::Result<Self> {
        let (unread, input) = io::pipe()?;
        // Nobody is told that the reader has gone while there is a second one.
        ioctl_fionbio(&input, true)?;
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).stdin(unread.try_clone()?);
        if std::env::var_os("LESS").is_none() {
            shell.env("LESS", LESS);
        }
        let (child, links) = (shell.spawn()?, WithoutLinks::default());
        Ok(Self { child, input, unread, given: Some(Vec::new()), sent: 0, links })
    }

    /// Sends bytes, as long as the pager is there to read them.
    fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.child.try_wait()?.is_some() {
                return Err(ErrorKind::BrokenPipe.into());
            }
            match self.input.write(bytes) {
                Ok(count) => {
                    self.sent += count as u64;
                    bytes = &bytes[count..];
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let mut asked = [PollFd::new(&self.input, PollFlags::OUT)];
                    // A signal may come in between; then it is looked at again.
                    let _ = poll(&mut asked, Some(&LOOK_EVERY));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown = self.links.take(bytes);
        self.send(&shown)?;
        self.given = self.given.take().filter(|given| given.len() < MOST_KEPT);
        if let Some(given) = &mut self.given {
            given.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }
}

/// The command of the pager, and what names it; `None` if the user wants none, or has none.
pub(crate) fn command(
    variable: impl Fn(&str) -> Option<OsString>,
) -> (Option<OsString>, &'static str) {
    let named =
        ["PITREE_PAGER", "PAGER"].into_iter().find_map(|name| Some((variable(name)?, name)));
    if let Some((named, name)) = named {
        let is_none = matches!(named.to_string_lossy().trim(), "" | "cat");
        return ((!is_none).then_some(named), name);
    }
    // On a terminal that cannot move its cursor a pager is only in the way.
    let is_dumb = variable("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    let less = find_program("less").filter(|_| !is_dumb);
    (less.map(|_| DEFAULT.into()), "default")
}

/// Whether text leaves a row of the screen for the prompt that follows.
fn fits(text: &[u8], screen: ScreenSize) -> bool {
    let room = screen.rows.saturating_sub(1);
    let lines = text.split(|byte| *byte == b'\n').count();
    // Nothing that fits has so many bytes, and to measure all of a large file takes time.
    if lines > room + 1 || text.len() > screen.rows.saturating_mul(screen.columns) * 16 {
        return false;
    }
    let text = WithoutLinks::default().take(text);
    let text = String::from_utf8_lossy(&text);
    let rows = |line: &str| columns(line).div_ceil(screen.columns).max(1);
    text.lines().map(rows).sum::<usize>() <= room
}

/// How many columns a line takes; our colors take none.
fn columns(line: &str) -> usize {
    let mut parts = line.split("\u{1b}[");
    let plain = |text: &str| width(text) + text.matches('\t').count() * 7;
    let first = parts.next().map_or(0, plain);
    first
        + parts
            .map(|part| plain(part.split_once('m').map_or(part, |(_, rest)| rest)))
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_pager() {
        let of = |variables: &[(&str, &str)]| {
            command(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            })
            .0
        };
        assert_eq!(of(&[("PITREE_PAGER", "a -b"), ("PAGER", "c")]), Some("a -b".into()));
        assert_eq!(of(&[("PAGER", "c | d")]), Some("c | d".into()));
        for none in ["", " ", "cat", " cat "] {
            assert_eq!(of(&[("PITREE_PAGER", none), ("PAGER", "c")]), None, "{none:?}");
            assert_eq!(of(&[("PAGER", none), ("TERM", "xterm")]), None, "{none:?}");
        }
        for dumb in [&[("TERM", "dumb")][..], &[("TERM", "")], &[]] {
            assert_eq!(of(dumb), None);
        }
        let less = find_program("less").map(|_| DEFAULT.into());
        assert_eq!(of(&[("TERM", "xterm")]), less);
    }

    #[test]
    fn a_text_fits_if_the_prompt_is_below_it() {
        let screen = ScreenSize { columns: 10, rows: 4 };
        for (text, is_short) in [
            ("", true),
            ("a\nb\nc\n", true),
            ("a\nb\nc\nd\n", false),
            ("a\nb\nc\nd", false),
            ("0123456789\n0123456789\n0123456789\n", true),
            ("0123456789x\n0123456789\n", true),
            ("0123456789x\n0123456789x\n", false),
            ("\u{6f22}\u{6f22}\u{6f22}\u{6f22}\u{6f22}\u{6f22}\nb\n", true),
            ("\u{6f22}\u{6f22}\u{6f22}\u{6f22}\u{6f22}\u{6f22}\nb\nc\n", false),
            ("\u{1b}[1m0123456789\u{1b}[0m\nb\nc\n", true),
            ("\u{1b}]8;;file:///a/long/path\u{1b}\\0123456789\u{1b}]8;;\u{1b}\\\nb\nc\n", true),
            ("a\tb\tc\nb\nc\n", false),
        ] {
            assert_eq!(fits(text.as_bytes(), screen), is_short, "{text:?}");
        }
        assert!(!fits(&vec![b'x'; 1 << 20], screen));
    }
}
