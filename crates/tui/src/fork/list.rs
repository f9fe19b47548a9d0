//! The user's messages and the cursor among them.

use std::ops::Range;

use pitree_export::harmless;
use pitree_format::message::Content;
use pitree_format::{Role, Value};
use pitree_session::{EntryRef, Session};

/// How much of a message is kept to be looked at, in characters.
const MOST_OF_A_MESSAGE: usize = 4000;

/// A message that can be said anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkMessage {
    /// The id of its entry.
    pub id: String,
    /// Its beginning, harmless, with its lines.
    pub text: String,
    /// Whether it lies between the root and the leaf.
    pub is_active: bool,
}

/// The messages, oldest first.
#[derive(Clone, Debug, Default)]
pub struct ForkList {
    messages: Vec<ForkMessage>,
    selected: usize,
}

impl ForkList {
    /// The messages of the user that have a text, on every branch, as Pi lists them. What cannot
    /// be read is left out. The last one is selected.
    pub fn read(session: &Session) -> Self {
        let is_active = session.active_flags();
        let messages: Vec<ForkMessage> = session
            .entries()
            .filter(|entry| entry.is_message(Role::User))
            .filter_map(|entry| ForkMessage::of(entry, is_active[entry.index()]))
            .collect();
        let selected = messages.len().saturating_sub(1);
        Self { messages, selected }
    }

    /// All messages.
    pub fn messages(&self) -> &[ForkMessage] {
        &self.messages
    }

    /// The place of the cursor.
    pub fn at(&self) -> usize {
        self.selected
    }

    /// The message under the cursor.
    pub fn selected(&self) -> Option<&ForkMessage> {
        self.messages.get(self.selected)
    }

    /// One up; from the first to the last.
    pub fn up(&mut self) {
        self.selected = self.selected.checked_sub(1).unwrap_or(self.last());
    }

    /// One down; from the last to the first.
    pub fn down(&mut self) {
        self.selected = if self.selected >= self.last() { 0 } else { self.selected + 1 };
    }

    /// So many up or down, without going round.
    pub fn go(&mut self, messages: isize) {
        self.selected = self.selected.saturating_add_signed(messages).min(self.last());
    }

    /// Goes to the message with an id, if it is there.
    pub fn select(&mut self, id: &str) {
        let place = self.messages.iter().position(|message| message.id == id);
        self.selected = place.unwrap_or(self.selected);
    }

    fn last(&self) -> usize {
        self.messages.len().saturating_sub(1)
    }

    /// The messages that are seen in so many lines.
    pub fn window(&self, height: usize) -> Range<usize> {
        let start = self.selected.saturating_sub(height / 2);
        let start = start.min(self.messages.len().saturating_sub(height));
        start..(start + height).min(self.messages.len())
    }
}

impl ForkMessage {
    fn of(entry: EntryRef<'_>, is_active: bool) -> Option<Self> {
        let message = entry.message().ok()?.unwrap_or(Value::Null);
        let text = Content::decode(message.get("content")).to_text("");
        if text.is_empty() {
            return None;
        }
        let end = text.char_indices().nth(MOST_OF_A_MESSAGE).map_or(text.len(), |(at, _)| at);
        let text = harmless::clean_block(&text[..end]).into_owned();
        Some(Self { id: entry.id().to_owned(), text, is_active })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> ForkList {
        let message = |at: usize| ForkMessage {
            id: at.to_string(),
            text: format!("message {at}"),
            is_active: true,
        };
        ForkList { messages: (0..count).map(message).collect(), selected: count.saturating_sub(1) }
    }

    #[test]
    fn the_cursor_goes_round_but_pages_do_not() {
        let mut list = list(5);
        list.down();
        assert_eq!(list.at(), 0);
        list.up();
        assert_eq!(list.at(), 4);
        list.go(-10);
        list.go(-1);
        assert_eq!(list.at(), 0);
        list.go(100);
        assert_eq!((list.at(), list.window(3)), (4, 2..5));
        list.go(-2);
        assert_eq!(list.window(3), 1..4);
    }

    #[test]
    fn nothing_to_say_anew() {
        let mut list = list(0);
        list.up();
        list.down();
        list.go(-1);
        list.go(1);
        assert_eq!((list.at(), list.selected(), list.window(10)), (0, None, 0..0));
    }
}
