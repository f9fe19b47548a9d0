//! Copying from the reader: the message at the cursor, a code block of it, or the command that was
//! run there.

use pitree_format::Role;
use pitree_session::Session;

use crate::clipboard;
use crate::state::AppState;
use crate::view::SessionView;
use crate::view::transcript::commands_of;

/// A part of a message that is copied for itself.
enum Snippet {
    Code(String),
    Command(String),
}

impl Snippet {
    fn text(&self) -> &str {
        let (Self::Code(text) | Self::Command(text)) = self;
        text
    }

    /// Whether it is what a row shows.
    fn has_row(&self, row: &str) -> bool {
        !row.is_empty()
            && match self {
                Self::Code(text) => text.lines().any(|line| line.trim().starts_with(row)),
                Self::Command(text) => {
                    text.lines().next().is_some_and(|line| row.ends_with(line.trim()))
                }
            }
    }
}

impl SessionView {
    pub(super) fn copy_message(&mut self, state: &mut AppState) {
        match self.current_message(state) {
            Some((_, text)) => {
                self.say(&format!("The message was {}.", state.copy(text)));
            }
            None => self.complain("No message to copy."),
        }
    }

    /// Copies the code block or the command at the cursor; elsewhere in the message one after the
    /// other.
    pub(super) fn copy_code(&mut self, state: &mut AppState) {
        let Some((entry, text)) = self.current_message(state) else { return };
        let Some(session) = state.session() else { return };
        let row = self.transcript.current_text(session);
        let snippets = snippets(session, entry, &text);
        if snippets.is_empty() {
            return self.complain("This message has no code block and no command.");
        }
        let next = match self.reader.copied {
            Some((of, at)) if of == entry => (at + 1) % snippets.len(),
            _ => 0,
        };
        let at = snippets.iter().position(|it| it.has_row(row.trim())).unwrap_or(next);
        self.reader.copied = Some((entry, at));
        let codes = snippets.iter().filter(|it| matches!(it, Snippet::Code(_))).count();
        let what = match snippets[at] {
            Snippet::Code(_) => format!("Code block {} of {codes}", at + 1),
            Snippet::Command(_) => "The command".to_owned(),
        };
        self.say(&format!("{what} was {}.", state.copy(snippets[at].text().to_owned())));
    }
}

/// The code blocks of a message, then the commands that it runs. What a tool has written is no
/// Markdown.
fn snippets(session: &Session, entry: usize, text: &str) -> Vec<Snippet> {
    let is_result = session.at(entry).is_some_and(|entry| entry.is_message(Role::ToolResult));
    let blocks = if is_result { Vec::new() } else { clipboard::code_blocks(text) };
    let blocks = blocks.into_iter().map(Snippet::Code);
    blocks.chain(commands_of(session, entry).into_iter().map(Snippet::Command)).collect()
}
