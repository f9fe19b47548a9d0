//! A line to type in.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_segmentation::UnicodeSegmentation;

use crate::keymap::{EditAction, Key, Keymap};
use crate::text;
use crate::theme::Theme;

/// A line of text with a cursor. The text is harmless at all times.
#[derive(Clone, Debug, Default)]
pub struct Field {
    text: String,
    /// A byte index, between two graphemes.
    cursor: usize,
}

impl Field {
    /// A field with a text, the cursor behind it.
    pub fn with(text: &str) -> Self {
        let text = text::line(text).into_owned();
        Self { cursor: text.len(), text }
    }

    /// What is typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Types text, or pastes it.
    pub fn insert(&mut self, text: &str) {
        let text = text::line(text);
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Empties it.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Hears a key; `false` if it does nothing in a field.
    pub fn press(&mut self, key: Key, keymap: &Keymap) -> bool {
        if let Some(c) = key.typed() {
            self.insert(c.encode_utf8(&mut [0; 4]));
            return true;
        }
        let Some(action) = keymap.edit.action(key) else { return false };
        match action {
            EditAction::DeleteBefore => self.remove_from(self.before()),
            EditAction::DeleteAfter => self.remove_to(self.after()),
            EditAction::Left => self.cursor = self.before(),
            EditAction::Right => self.cursor = self.after(),
            EditAction::LineStart => self.cursor = 0,
            EditAction::LineEnd => self.cursor = self.text.len(),
            EditAction::DeleteWordBefore => self.remove_from(self.word_before()),
            EditAction::DeleteWordAfter => self.remove_to(self.word_after()),
            EditAction::WordLeft => self.cursor = self.word_before(),
            EditAction::WordRight => self.cursor = self.word_after(),
            EditAction::DeleteToStart => self.remove_from(0),
            EditAction::DeleteToEnd => self.remove_to(self.text.len()),
            EditAction::Up
            | EditAction::Down
            | EditAction::PageUp
            | EditAction::PageDown
            | EditAction::Yank
            | EditAction::Undo
            | EditAction::Redo => return false,
        }
        true
    }

    /// Draws it behind a prompt, with the cursor if it has the focus.
    pub fn view(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        prompt: Span<'_>,
        focused: bool,
        theme: &Theme,
    ) {
        let prompt_width = prompt.width();
        let room = usize::from(area.width).saturating_sub(prompt_width + 1);
        let before = text::cut_start(&self.text[..self.cursor], room);
        let column = prompt_width + text::width(&before);
        let after = text::cut(&self.text[self.cursor..], room - text::width(&before)).into_owned();
        let typed = Span::styled(format!("{before}{after}"), theme.text);
        frame.render_widget(Paragraph::new(Line::from_iter([prompt, typed])), area);
        if focused && area.width > 0 && area.height > 0 {
            let column = u16::try_from(column).unwrap_or(u16::MAX).min(area.width - 1);
            frame.set_cursor_position(Position::new(area.x + column, area.y));
        }
    }

    fn before(&self) -> usize {
        let last = self.text[..self.cursor].graphemes(true).next_back();
        self.cursor - last.map_or(0, str::len)
    }

    fn after(&self) -> usize {
        let next = self.text[self.cursor..].graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let text = self.text[..self.cursor].trim_end();
        text.rfind(char::is_whitespace)
            .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8))
    }

    fn word_after(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let spaces = rest.len() - rest.trim_start().len();
        let word = &rest[spaces..];
        self.cursor + spaces + word.find(char::is_whitespace).unwrap_or(word.len())
    }

    fn remove_from(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    fn remove_to(&mut self, end: usize) {
        self.text.replace_range(self.cursor..end, "");
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_edits_as_a_shell_does() {
        let keymap = Keymap::default();
        let mut field = Field::with("one two  three");
        let press = |field: &mut Field, keys: &str| {
            keys.split(' ').all(|key| field.press(Key::parse(key).unwrap(), &keymap))
        };
        press(&mut field, "ctrl+w");
        assert_eq!(field.text(), "one two  ");
        press(&mut field, "ctrl+left x");
        assert_eq!(field.text(), "one xtwo  ");
        press(&mut field, "ctrl+k home delete");
        assert_eq!(field.text(), "ne x");
        press(&mut field, "alt+d");
        assert_eq!(field.text(), " x");
        press(&mut field, "end ctrl+u");
        assert!(field.is_empty());
        assert!(!press(&mut field, "enter"));
    }

    #[test]
    fn what_is_pasted_is_harmless() {
        let mut field = Field::default();
        field.insert("a\u{1b}[2J\nb");
        assert_eq!(field.text(), "a\u{FFFD}[2J b");
    }

    fn key() -> impl Strategy<Value = Key> {
        let typed = any::<char>().prop_map(|c| Key::of(&KeyEvent::from(KeyCode::Char(c))));
        let keymap = Keymap::default();
        let rows = keymap.edit.rows().flat_map(|row| row.keys);
        prop_oneof![typed, proptest::sample::select(rows.collect::<Vec<_>>())]
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn no_keys_break_it(keys in proptest::collection::vec(key(), 0..60)) {
            let mut field = Field::default();
            for key in keys {
                field.press(key, &Keymap::default());
                prop_assert!(field.text.is_char_boundary(field.cursor));
                prop_assert_eq!(&text::line(&field.text), &field.text);
            }
        }
    }
}
