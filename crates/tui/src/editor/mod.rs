//! The editor line: several lines if need be, with the earlier ones to be had again.

mod pastes;
mod recall;

use std::ops::Range;

use pitree_export::harmless;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui_textarea::{CursorMove, Scrolling, TextArea, WrapMode};

use crate::keymap::{EditAction, InputAction, Key, Keymap};
use crate::rich::count_rows;
use crate::theme::Theme;

use pastes::Pastes;

pub(crate) use recall::{Recall, Recalled};

/// No matter how much is typed, it takes no more rows of the screen.
const MOST_ROWS: usize = 8;
/// The whole text is laid out again for each key, so more bytes than this stand behind a marker.
const MOST_LAID_OUT: usize = 256 << 10;

/// What became of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// The text or the cursor changed.
    Edited,
    /// Enter: this is to be done.
    Submit(String),
    /// Up in the first line: something earlier is wanted.
    Older,
    /// Down in the last line: something later is wanted.
    Newer,
}

/// The editor.
pub(crate) struct Editor {
    area: TextArea<'static>,
    pastes: Pastes,
}

impl Editor {
    pub(crate) fn new() -> Self {
        Self { area: textarea(Vec::new()), pastes: Pastes::default() }
    }

    /// One that asks for something else than a message.
    pub(crate) fn asking(placeholder: &str) -> Self {
        let mut editor = Self::new();
        editor.ask(placeholder);
        editor
    }

    /// What it says while it is empty.
    pub(crate) fn ask(&mut self, placeholder: &str) {
        self.area.set_placeholder_text(placeholder);
    }

    /// The text, with what was pasted into it.
    pub(crate) fn text(&self) -> String {
        self.pastes.expand(&self.shown())
    }

    /// The text as it is seen: a long paste is a marker.
    pub(crate) fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Replaces the text, which may come from a file.
    pub(crate) fn set(&mut self, text: &str) {
        self.pastes = Pastes::default();
        let lines = self.laid_out(text);
        self.area = textarea(lines.split('\n').map(str::to_owned).collect());
        self.go_to_end();
    }

    /// Puts a text above the one that is there.
    pub(crate) fn put_above(&mut self, text: &str) {
        let above = self.laid_out(text);
        self.area.move_cursor(CursorMove::Top);
        self.area.move_cursor(CursorMove::Head);
        self.area.insert_str(format!("{above}\n\n"));
        self.go_to_end();
    }

    pub(crate) fn clear(&mut self) {
        self.area = textarea(Vec::new());
        self.pastes = Pastes::default();
    }

    /// Inserts what was pasted, as a marker if it is long.
    pub(crate) fn paste(&mut self, text: &str) {
        let shown = self.pastes.fold(harmless_lines(text));
        self.area.insert_str(shown);
    }

    pub(crate) fn go_to_end(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// A text that nobody pasted: it is shown, unless it is too long to be edited.
    fn laid_out(&mut self, text: &str) -> String {
        let lines = harmless_lines(text);
        if lines.len() > MOST_LAID_OUT { self.pastes.fold(lines) } else { lines }
    }

    /// Hears a key that nobody else wanted.
    pub(crate) fn press(&mut self, key: Key, keymap: &Keymap) -> Pressed {
        if let Some(c) = key.typed() {
            self.area.insert_char(c);
            return Pressed::Edited;
        }
        match keymap.input.action(key) {
            Some(InputAction::Submit) if self.ends_in_backslash() => {
                self.area.delete_char();
                self.area.insert_newline();
            }
            Some(InputAction::Submit) => return Pressed::Submit(self.text()),
            Some(InputAction::NewLine) => self.area.insert_newline(),
            None => match keymap.edit.action(key) {
                Some(action) => return self.edit(action),
                None if key.is_tab() => drop(self.area.insert_tab()),
                None => {}
            },
        }
        Pressed::Edited
    }

    fn edit(&mut self, action: EditAction) -> Pressed {
        if self.delete_with_markers(action) {
            return Pressed::Edited;
        }
        let (row, _) = self.cursor();
        let area = &mut self.area;
        match action {
            EditAction::Up if row == 0 => return Pressed::Older,
            EditAction::Down if row + 1 >= area.lines().len() => return Pressed::Newer,
            EditAction::Up => area.move_cursor(CursorMove::Up),
            EditAction::Down => area.move_cursor(CursorMove::Down),
            EditAction::Left => area.move_cursor(CursorMove::Back),
            EditAction::Right => area.move_cursor(CursorMove::Forward),
            EditAction::WordLeft => area.move_cursor(CursorMove::WordBack),
            EditAction::WordRight => area.move_cursor(CursorMove::WordForward),
            EditAction::LineStart => area.move_cursor(CursorMove::Head),
            EditAction::LineEnd => area.move_cursor(CursorMove::End),
            EditAction::PageUp => area.scroll(Scrolling::PageUp),
            EditAction::PageDown => area.scroll(Scrolling::PageDown),
            EditAction::DeleteBefore => drop(area.delete_char()),
            EditAction::DeleteAfter => drop(area.delete_next_char()),
            EditAction::DeleteWordBefore => drop(area.delete_word()),
            EditAction::DeleteWordAfter => drop(area.delete_next_word()),
            EditAction::DeleteToStart => drop(area.delete_line_by_head()),
            EditAction::DeleteToEnd => drop(area.delete_line_by_end()),
            EditAction::Yank => drop(area.paste()),
            EditAction::Undo => drop(area.undo()),
            EditAction::Redo => drop(area.redo()),
        }
        self.leave_marker(matches!(action, EditAction::Right | EditAction::WordRight));
        Pressed::Edited
    }

    /// Deletes what an action deletes of a line with markers, each of which is one character and one
    /// word; `false` if the action can do that itself.
    fn delete_with_markers(&mut self, action: EditAction) -> bool {
        let (row, column) = self.cursor();
        let line = &self.area.lines()[row];
        let markers = self.pastes.markers(line);
        let Some(deleted) = pastes::deletion(line, &markers, column, action) else { return false };
        (deleted.start..column).for_each(|_| self.area.move_cursor(CursorMove::Back));
        self.area.delete_str(deleted.len())
    }

    /// The cursor is never inside a marker: it goes on to its end, or back to its beginning.
    fn leave_marker(&mut self, forward: bool) {
        let (row, column) = self.cursor();
        let markers = self.pastes.markers(&self.area.lines()[row]);
        let is_inside = |marker: &&Range<usize>| marker.start < column && column < marker.end;
        let Some(marker) = markers.iter().find(is_inside) else { return };
        let (step, steps) = match forward {
            true => (CursorMove::Forward, column..marker.end),
            false => (CursorMove::Back, marker.start..column),
        };
        steps.for_each(|_| self.area.move_cursor(step));
    }

    /// A backslash before Enter begins a new line, for terminals that know no Shift+Enter.
    fn ends_in_backslash(&self) -> bool {
        let (row, column) = self.cursor();
        let line = &self.area.lines()[row];
        line.ends_with('\\') && column == line.chars().count()
    }

    fn cursor(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    /// How many rows it wants.
    pub(crate) fn height(&self, width: u16) -> u16 {
        let mut rows = 0;
        for line in self.area.lines() {
            rows += count_rows(line, usize::from(width), MOST_ROWS - rows);
            if rows == MOST_ROWS {
                break;
            }
        }
        rows as u16
    }

    pub(crate) fn view(&mut self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        self.area.set_style(theme.text);
        self.area.set_placeholder_style(theme.dim);
        frame.render_widget(&self.area, area);
    }
}

fn textarea(lines: Vec<String>) -> TextArea<'static> {
    let mut area = if lines.is_empty() { TextArea::default() } else { TextArea::new(lines) };
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(ratatui::style::Style::new());
    area
}

/// Text without control characters. Terminals paste line ends as carriage returns.
fn harmless_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    harmless::clean_block(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn press(editor: &mut Editor, key: &str) -> Pressed {
        editor.press(Key::parse(key).unwrap(), &Keymap::default())
    }

    #[test]
    fn enter_submits_and_some_enters_begin_a_line() {
        let mut editor = Editor::new();
        editor.paste("one\\");
        assert_eq!(press(&mut editor, "enter"), Pressed::Edited);
        editor.paste("two");
        for key in ["shift+enter", "alt+enter", "ctrl+j"] {
            press(&mut editor, key);
        }
        let whole = Pressed::Submit("one\ntwo\n\n\n".to_owned());
        assert_eq!(press(&mut editor, "enter"), whole);
    }

    #[test]
    fn up_and_down_leave_only_at_the_ends() {
        let mut editor = Editor::new();
        assert_eq!(press(&mut editor, "up"), Pressed::Older);
        editor.set("one\ntwo");
        assert_eq!(press(&mut editor, "up"), Pressed::Edited);
        assert_eq!(press(&mut editor, "up"), Pressed::Older);
        assert_eq!(press(&mut editor, "down"), Pressed::Edited);
        assert_eq!(press(&mut editor, "down"), Pressed::Newer);
    }

    #[test]
    fn what_is_pasted_is_harmless() {
        let mut editor = Editor::new();
        editor.paste("a\u{1b}[31m\r\nb\rc\td\u{202e}");
        assert_eq!(editor.text(), "a\u{FFFD}[31m\nb\nc    d\u{FFFD}");
        editor.set("x\u{7}");
        assert_eq!(editor.text(), "x\u{FFFD}");
    }

    #[test]
    fn it_grows_with_its_text_to_a_limit() {
        let mut editor = Editor::new();
        assert_eq!(editor.height(10), 1);
        editor.paste("1234567890");
        assert_eq!(editor.height(10), 2);
        editor.set(&"\n".repeat(100));
        assert_eq!(editor.height(10), 8);
    }

    /// A marker of 21 characters, with an `a` before it and a `b` after it.
    fn with_marker() -> (Editor, String) {
        let mut editor = Editor::new();
        editor.paste("a");
        editor.paste(&"x".repeat(1234));
        press(&mut editor, "b");
        assert_eq!(editor.shown(), "a[paste #1 1234 chars]b");
        let whole = format!("a{}b", "x".repeat(1234));
        (editor, whole)
    }

    #[test]
    fn a_long_paste_is_a_marker_and_is_sent_whole() {
        let (mut editor, whole) = with_marker();
        assert_eq!(editor.text(), whole);
        assert_eq!(press(&mut editor, "enter"), Pressed::Submit(whole));
        editor.clear();
        editor.paste("[paste #1 1234 chars]");
        assert_eq!(editor.text(), "[paste #1 1234 chars]");
    }

    #[test]
    fn a_marker_is_one_character() {
        let (mut editor, _) = with_marker();
        let _ = ["left", "left", "backspace"].map(|key| press(&mut editor, key));
        assert_eq!(editor.shown(), "[paste #1 1234 chars]b");
        for keys in ["left backspace", "home right right left delete", "left ctrl+w"] {
            let (mut editor, whole) = with_marker();
            keys.split(' ').for_each(|key| drop(press(&mut editor, key)));
            assert_eq!(editor.shown(), "ab", "{keys}");
            press(&mut editor, "ctrl+-");
            assert_eq!(editor.text(), whole, "{keys}");
            press(&mut editor, "ctrl+r");
            assert_eq!(editor.text(), "ab", "{keys}");
        }
    }

    #[test]
    fn a_marker_that_was_deleted_can_be_inserted_again() {
        let (mut editor, whole) = with_marker();
        press(&mut editor, "ctrl+u");
        assert_eq!(editor.text(), "");
        editor.paste(&"y".repeat(2000));
        press(&mut editor, "ctrl+y");
        assert_eq!(editor.shown(), "[paste #2 2000 chars]a[paste #1 1234 chars]b");
        assert_eq!(editor.text(), "y".repeat(2000) + &whole);
    }

    #[test]
    fn words_end_at_a_marker() {
        let mut editor = Editor::new();
        editor.paste("x ");
        editor.paste(&"y\n".repeat(20));
        editor.paste("!! ");
        assert_eq!(editor.shown(), "x [paste #1 +21 lines]!! ");
        press(&mut editor, "ctrl+w");
        assert_eq!(editor.shown(), "x [paste #1 +21 lines]");
        for key in ["home", "ctrl+right", "alt+d"] {
            press(&mut editor, key);
        }
        assert_eq!(editor.shown(), "x ");
    }

    #[test]
    fn keys_after_a_huge_paste_are_quick() {
        for text in ["x".repeat(8 << 20), "word word\n".repeat(1 << 20)] {
            let mut editor = Editor::new();
            editor.paste(&text);
            let begun = Instant::now();
            for _ in 0..100 {
                press(&mut editor, "z");
                editor.height(80);
            }
            assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
            assert_eq!(editor.text(), text.clone() + &"z".repeat(100));
            editor.set(&text);
            editor.put_above("above");
            press(&mut editor, "z");
            assert_eq!(editor.text(), format!("above\n\n{text}z"));
        }
    }

    #[test]
    fn the_height_of_a_long_line_needs_only_its_beginning() {
        let mut editor = Editor::new();
        editor.area.insert_str("x".repeat(10 << 20));
        let begun = Instant::now();
        assert_eq!(editor.height(80), 8);
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
}
