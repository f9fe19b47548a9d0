//! Text for the clipboard: what of a session is copied, and how the terminal is asked to take it.
//! The screens and the command both go by this. What of a single entry is copied is
//! [`copy_text`](crate::tree::copy_text).

use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use pitree_format::Role;
use pitree_format::message::Message;
use pitree_session::{EntryRef, Session};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// How long a screen waits for these programs, which are quick unless a display does not answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Gives a text to the clipboard programs of the desktop and of the tmux around this program.
pub type ClipboardPrograms = fn(&str) -> Copied;

/// What the clipboard programs did with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// The one of the desktop that took it.
    pub program: Option<&'static str>,
    /// Whether tmux took it, and passes it on to the terminal. It ignores what a program inside it
    /// asks of the terminal, so the terminal need not be asked.
    pub is_in_tmux: bool,
    /// Why others did not, a sentence each.
    pub failures: Vec<String>,
}

impl Copied {
    /// What these programs do with a text. If they take too long the terminal is still asked.
    pub(crate) fn with(programs: Option<ClipboardPrograms>, text: &str) -> Self {
        let Some(programs) = programs else { return Self::default() };
        let (tell, told) = channel();
        let text = text.to_owned();
        // Nobody may be waiting any more.
        thread::spawn(move || drop(tell.send(programs(&text))));
        told.recv_timeout(PATIENCE).unwrap_or_default()
    }

    /// Where the text went, as what was done to it.
    pub(crate) fn what_was_done(&self) -> String {
        match self.program {
            Some(program) => return format!("copied with {program}"),
            None if self.is_in_tmux => return "copied to tmux's buffer and the clipboard".into(),
            None => {}
        }
        let sent = "sent to the terminal's clipboard";
        match self.failures.is_empty() {
            true => sent.to_owned(),
            false => format!("{sent}; {}", self.failures.join("; ")),
        }
    }
}

/// Asks the terminal to put a text into the clipboard (OSC 52). It goes there encoded, so nothing
/// in it reaches the terminal.
pub fn send(text: &str, out: &mut impl Write) -> io::Result<()> {
    execute!(out, CopyToClipboard::to_clipboard_from(text))
}

/// The last reply on the active path that has text, and its text.
pub fn last_reply(session: &Session) -> Option<(EntryRef<'_>, String)> {
    let path = session.active_path();
    let replies = path.into_iter().rev().filter(|entry| entry.is_message(Role::Assistant));
    replies
        .filter_map(|entry| {
            let message = entry.message().ok().flatten()?;
            match Message::decode(&message) {
                Message::Assistant(reply) => Some((entry, reply.content.to_text("\n"))),
                _ => None,
            }
        })
        .find(|(_, text)| !text.trim().is_empty())
}

/// The code blocks of a message, without their fences.
pub fn code_blocks(markdown: &str) -> Vec<String> {
    let (mut blocks, mut is_code) = (Vec::new(), false);
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                is_code = true;
                blocks.push(String::new());
            }
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(text) if is_code => {
                blocks.last_mut().into_iter().for_each(|block| block.push_str(&text));
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_blocks_are_what_is_between_the_fences() {
        let text = "First `not this`:\n\n```rust\nfn a() {}\n\n// ~~~\n```\n\n- in a list:\n\n  ~~~\n  ```\n  b\n  ~~~\n\n````\nnever closed";
        assert_eq!(
            code_blocks(text),
            ["fn a() {}\n\n// ~~~\n", "```\nb\n", "never closed"].map(str::to_owned)
        );
        assert!(code_blocks("no `code` at all").is_empty());
    }

    #[test]
    fn a_program_that_hangs_does_not_keep_the_screen() {
        fn hangs(_: &str) -> Copied {
            loop {
                thread::park();
            }
        }
        let copied = Copied::with(Some(hangs), "text");
        assert_eq!(copied, Copied::default());
        assert_eq!(copied.what_was_done(), "sent to the terminal's clipboard");
    }

    #[test]
    fn what_was_done_names_who_took_the_text() {
        let copied = |program, is_in_tmux, failures: &[&str]| {
            let failures = failures.iter().map(|&why| why.to_owned()).collect();
            Copied { program, is_in_tmux, failures }.what_was_done()
        };
        assert_eq!(copied(Some("xclip"), true, &["`wl-copy` failed"]), "copied with xclip");
        let in_tmux = "copied to tmux's buffer and the clipboard";
        assert_eq!(copied(None, true, &[]), in_tmux);
        let sent = "sent to the terminal's clipboard; `tmux` failed with exit code 1";
        assert_eq!(copied(None, false, &["`tmux` failed with exit code 1"]), sent);
    }

    #[test]
    fn the_terminal_gets_nothing_but_letters() {
        let mut out = Vec::new();
        send("a\u{1b}]0;x\u{7}", &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\u{1b}]52;c;YRtdMDt4Bw==\u{1b}\\");
    }
}
