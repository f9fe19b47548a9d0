//! A line to type in.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_segmentation::UnicodeSegmentation;

use crate::keys::Key;
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

    /// Hears a key; `false` if it is none of an editor's.
    pub fn press(&mut self, key: Key) -> bool {
        match key {
            Key::Char(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            // Some terminals send Ctrl+H for Backspace.
            Key::Plain(KeyCode::Backspace) | Key::Ctrl('h') => self.remove_from(self.before()),
            Key::Plain(KeyCode::Delete) => self.remove_to(self.after()),
            Key::Plain(KeyCode::Left) => self.cursor = self.before(),
            Key::Plain(KeyCode::Right) => self.cursor = self.after(),
            Key::Plain(KeyCode::Home) | Key::Ctrl('a') => self.cursor = 0,
            Key::Plain(KeyCode::End) | Key::Ctrl('e') => self.cursor = self.text.len(),
            Key::Ctrl('w')
            | Key::AltWith(KeyCode::Backspace)
            | Key::CtrlWith(KeyCode::Backspace) => self.remove_from(self.word_before()),
            Key::CtrlWith(KeyCode::Left) | Key::Alt('b') => self.cursor = self.word_before(),
            Key::CtrlWith(KeyCode::Right) | Key::Alt('f') => self.cursor = self.word_after(),
            Key::Ctrl('u') => self.remove_from(0),
            Key::Ctrl('k') => self.remove_to(self.text.len()),
            _ => return false,
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_edits_as_a_shell_does() {
        let mut field = Field::with("one two  three");
        field.press(Key::Ctrl('w'));
        assert_eq!(field.text(), "one two  ");
        field.press(Key::CtrlWith(KeyCode::Left));
        field.press(Key::Char('x'));
        assert_eq!(field.text(), "one xtwo  ");
        field.press(Key::Ctrl('k'));
        field.press(Key::Plain(KeyCode::Home));
        field.press(Key::Plain(KeyCode::Delete));
        assert_eq!(field.text(), "ne x");
        field.press(Key::Plain(KeyCode::End));
        field.press(Key::Ctrl('u'));
        assert!(field.is_empty());
        assert!(!field.press(Key::Plain(KeyCode::Enter)));
    }

    #[test]
    fn what_is_pasted_is_harmless() {
        let mut field = Field::default();
        field.insert("a\u{1b}[2J\nb");
        assert_eq!(field.text(), "a\u{FFFD}[2J b");
    }

    fn key() -> impl Strategy<Value = Key> {
        use KeyCode::{Backspace, Delete, End, Home, Left, Right};
        let codes = [Backspace, Delete, End, Home, Left, Right];
        prop_oneof![
            any::<char>().prop_map(Key::Char),
            proptest::sample::select(codes.map(Key::Plain).to_vec()),
            proptest::sample::select(vec!['w', 'u', 'k', 'a', 'e']).prop_map(Key::Ctrl),
            proptest::sample::select([Left, Right].map(Key::CtrlWith).to_vec()),
        ]
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn no_keys_break_it(keys in proptest::collection::vec(key(), 0..60)) {
            let mut field = Field::default();
            for key in keys {
                field.press(key);
                prop_assert!(field.text.is_char_boundary(field.cursor));
                prop_assert_eq!(&text::line(&field.text), &field.text);
            }
        }
    }
}
