//! Text for the clipboard: what of a session is copied, and how the terminal is asked to take it.
//! The screens and the command both go by this. What of a single entry is copied is
//! [`copy_text`](crate::tree::copy_text).

use std::io::{self, Write};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use pitree_format::Role;
use pitree_format::message::Message;
use pitree_session::{EntryRef, Session};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

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
    fn the_terminal_gets_nothing_but_letters() {
        let mut out = Vec::new();
        send("a\u{1b}]0;x\u{7}", &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\u{1b}]52;c;YRtdMDt4Bw==\u{1b}\\");
    }
}
