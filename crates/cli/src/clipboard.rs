//! The programs of the desktop and of tmux that take the clipboard from standard input.
//!
//! Each has a few seconds: one that hangs, as `xclip` does on a display that does not answer, is
//! ended. What a program says when it fails is kept for the user, since a clipboard that did not take
//! the text is not one that is missing.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use pitree_session::cause;
use pitree_tui::clipboard::Copied;

use crate::environment::{find_program, variable};
use crate::text::{clean_line, shorten};

/// A clipboard program: its name, its arguments, and the variable without which what it belongs to is
/// not there.
type Program = (&'static str, &'static [&'static str], Option<&'static str>);

const PROGRAMS: [Program; 4] = [
    ("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard"], Some("DISPLAY")),
    ("pbcopy", &[], None),
    ("clip.exe", &[], None),
];

/// tmux ignores what a program inside it asks of the terminal's clipboard (OSC 52), unless
/// `set-clipboard` is `on`, which is not its default. With `-w`, from version 3.2, it passes its
/// buffer on to the terminal.
const TMUX: Program = ("tmux", &["load-buffer", "-w", "-"], Some("TMUX"));

/// How long a program may take to take the text.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How much is shown of what a program says.
const MOST_CHARACTERS: usize = 200;

/// The program that took a text: one of the desktop, else tmux.
pub(crate) fn taken_by(copied: &Copied) -> Option<&'static str> {
    copied.program.or(copied.is_in_tmux.then_some(TMUX.0))
}

/// Gives the text to the first program of the desktop that takes it, and to the tmux around this
/// program, whose terminal may be elsewhere.
pub(crate) fn copy(text: &str) -> Copied {
    let mut failures = Vec::new();
    let mut takes = |(name, arguments, place): Program| {
        let is_there = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let program = find_program(name).filter(|_| place.is_none_or(is_there))?;
        match give(&program, arguments, text) {
            Ok(()) => Some(name),
            Err(why) => {
                failures.push(format!("`{name}` {why}"));
                None
            }
        }
    };
    let program = PROGRAMS.into_iter().find_map(&mut takes);
    let is_in_tmux = takes(TMUX).is_some();
    Copied { program, is_in_tmux, failures }
}

/// Gives the text to one program, or says why it did not take it.
fn give(program: &Path, arguments: &[&str], text: &str) -> Result<(), String> {
    let cannot_run = |error| format!("cannot be run: {}", cause(&error));
    // It may stay in the background as the owner of the clipboard: nobody must wait for it at the end
    // of a pipe, so what it says goes to a file.
    let mut said = tempfile::tempfile().map_err(cannot_run)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(said.try_clone().map_err(cannot_run)?)
        .spawn()
        .map_err(cannot_run)?;
    let start = Instant::now();
    let written = write(&mut child, text);
    let Some(status) = wait(&mut child, start).map_err(cannot_run)? else {
        let seconds = LONGEST_WAIT.as_secs();
        return Err(format!("did not take the text within {seconds} seconds{}", words(&mut said)));
    };
    if !status.success() {
        return Err(format!("{}{}", ending(status), words(&mut said)));
    }
    match written.recv_timeout(LONGEST_WAIT.saturating_sub(start.elapsed())) {
        Ok(true) => Ok(()),
        _ => Err(format!("did not read all of the text{}", words(&mut said))),
    }
}

/// Writes the text beside the program, which may never read it; tells whether all was read.
fn write(child: &mut Child, text: &str) -> Receiver<bool> {
    let (tell, written) = channel();
    let (input, text) = (child.stdin.take(), text.to_owned());
    thread::spawn(move || {
        let is_whole = input.is_some_and(|mut input| input.write_all(text.as_bytes()).is_ok());
        // Nobody may be waiting any more.
        let _ = tell.send(is_whole);
    });
    written
}

/// Waits for the program; `None` if it took too long and was ended.
fn wait(child: &mut Child, start: Instant) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= LONGEST_WAIT {
            // It may have ended by itself just now.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}

fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("failed with exit code {code}"),
        None => format!("failed: {status}"),
    }
}

/// What the program said, behind a colon.
fn words(said: &mut File) -> String {
    let mut bytes = Vec::new();
    let most = MOST_CHARACTERS as u64 * 4;
    let read = said.rewind().and_then(|()| said.take(most).read_to_end(&mut bytes));
    let text = clean_line(String::from_utf8_lossy(&bytes).trim());
    match read {
        Ok(_) if !text.is_empty() => format!(": {}", shorten(&text, MOST_CHARACTERS)),
        _ => String::new(),
    }
}
