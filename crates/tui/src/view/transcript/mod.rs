//! The transcript: the conversation of the active branch, which rows of it are seen, what is
//! folded, and what can be copied from it.
//!
//! Only what is seen is read and laid out, so the length of a session does not matter. The position
//! is kept as an entry and a row of it: what is appended below, folded or drawn in another width
//! does not move it further than it must.

mod entry;

use std::collections::HashMap;
use std::rc::Rc;

use pitree_format::Role;
use pitree_format::message::{Content, Message};
use pitree_session::Session;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::keymap::{Keymap, ViewAction};
use crate::rich::{Line, Tone, show};
use crate::text;
use crate::theme::Theme;
use crate::view::numbers;
use entry::{EntryGroup, Unfolded, group_of, rows_of};

/// How many rows are kept laid out.
const MOST_ROWS_KEPT: usize = 50_000;
/// No screen is higher.
const MOST_HEIGHT: usize = 2_000;

/// An entry of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TranscriptItem {
    /// Its place in the file.
    entry: usize,
    group: EntryGroup,
    is_user: bool,
}

/// The row at the top of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowPosition {
    item: usize,
    row: usize,
}

/// The rows of entries that were laid out.
#[derive(Default)]
struct LaidOutRows {
    width: usize,
    rows: HashMap<usize, Rc<Vec<Line>>>,
    kept: usize,
}

/// The transcript and the part of it that is seen.
#[derive(Default)]
pub(crate) struct Transcript {
    items: Vec<TranscriptItem>,
    /// The top row; none while the end is seen, which then stays in sight as it grows.
    top: Option<RowPosition>,
    unfolded: Unfolded,
    layout: LaidOutRows,
    height: usize,
    /// What was drawn last, to be drawn again while a thread has the session.
    drawn: Vec<Line>,
}

impl Transcript {
    /// Takes over what the session holds now. The position stays if the conversation only grew.
    pub(crate) fn sync(&mut self, session: &Session) {
        let path = session.active_path();
        let items: Vec<TranscriptItem> = path
            .iter()
            .filter_map(|entry| {
                let is_user = entry.is_message(Role::User);
                Some(TranscriptItem { entry: entry.index(), group: group_of(*entry)?, is_user })
            })
            .collect();
        let only_grew = items.starts_with(&self.items) && !self.items.is_empty();
        if !only_grew {
            self.top = None;
        }
        self.items = items;
        // Labels may have changed.
        self.layout.clear();
    }

    /// The rows that are seen, from the top.
    pub(crate) fn rows(&mut self, session: &Session, width: usize, height: usize) -> Vec<Line> {
        self.height = height.min(MOST_HEIGHT);
        if self.layout.width != width {
            self.layout.clear();
            self.layout.width = width;
        }
        let end = self.end(session);
        if self.top.is_some_and(|top| top >= end) {
            self.top = None;
        }
        let mut position = self.top.unwrap_or(end);
        let mut seen = Vec::with_capacity(self.height);
        while seen.len() < self.height && position.item < self.items.len() {
            let rows = self.laid_out(session, position.item);
            // An entry that is folded now may have fewer rows than the position remembers.
            let from = position.row.min(rows.len());
            seen.extend(rows[from..].iter().take(self.height - seen.len()).cloned());
            position = RowPosition { item: position.item + 1, row: 0 };
        }
        seen
    }

    /// Draws the rows that are seen; at the end, `below` them what an agent is saying.
    pub(crate) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        session: Option<&Session>,
        below: impl FnOnce(usize, usize) -> Vec<Line>,
        theme: &Theme,
    ) {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        if let Some(session) = session {
            let mut rows = self.rows(session, width, height);
            if self.is_at_end() {
                rows.extend(below(width, height));
                rows.drain(..rows.len().saturating_sub(height));
            }
            self.drawn = rows;
        }
        show(frame, area, &self.drawn, theme);
    }

    /// The line below it: how much is below, or a title.
    pub(crate) fn separator(&self, title: Option<&str>, width: usize, keymap: &Keymap) -> Line {
        let rule = |text: &str| {
            let rest = width.saturating_sub(text::width(text));
            Line::of(&format!("{text}{}", "─".repeat(rest)), Tone::Dim)
        };
        if self.is_at_end() {
            let title = title.map(|title| format!("── {} ", text::fit(title, width / 2)));
            return rule(&title.unwrap_or_default());
        }
        let below = numbers::count(self.entries_below());
        let end = keymap.view.label(ViewAction::Bottom);
        rule(&format!("── {below} entries from here to the end, {end} "))
    }

    /// Moves or folds; `false` if an action does something else.
    pub(crate) fn act(&mut self, action: ViewAction, session: &Session) -> bool {
        match action {
            ViewAction::PageUp => self.scroll_page(session, false),
            ViewAction::PageDown => self.scroll_page(session, true),
            ViewAction::LineUp => self.scroll(session, -1),
            ViewAction::LineDown => self.scroll(session, 1),
            ViewAction::PreviousPrompt => self.go_to_user(session, false),
            ViewAction::NextPrompt => self.go_to_user(session, true),
            ViewAction::Top => self.go_to_start(session),
            ViewAction::Bottom => self.go_to_end(),
            ViewAction::Tools => self.fold_tools(),
            ViewAction::Thinking => self.fold_thinking(),
            _ => return false,
        }
        true
    }

    /// What the user said, the last first.
    pub(crate) fn said(&self, session: &Session, at: usize) -> Option<String> {
        let entry = self.user_entries().nth(at)?;
        let message = session.at(entry)?.message().ok()??;
        match Message::decode(&message) {
            Message::User(user) => Some(Content::to_text(&user.content, "\n")),
            _ => None,
        }
    }

    /// Moves by rows; downwards is positive.
    pub(crate) fn scroll(&mut self, session: &Session, by: isize) {
        let top = self.top.unwrap_or_else(|| self.end(session));
        let moved = if by < 0 {
            self.above(session, top, by.unsigned_abs())
        } else {
            self.below(session, top, by.unsigned_abs())
        };
        self.go_to(session, moved);
    }

    /// Moves by screens, with two rows of the old one still in sight.
    fn scroll_page(&mut self, session: &Session, down: bool) {
        let page = isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        self.scroll(session, if down { page } else { -page });
    }

    fn go_to_start(&mut self, session: &Session) {
        self.go_to(session, RowPosition { item: 0, row: 0 });
    }

    pub(crate) fn go_to_end(&mut self) {
        self.top = None;
    }

    /// Moves to the user's message before or after what is at the top.
    fn go_to_user(&mut self, session: &Session, down: bool) {
        let top = self.top.unwrap_or_else(|| self.end(session));
        let is_user = |at: &usize| self.items[*at].is_user;
        let found = if down {
            (top.item + 1..self.items.len()).find(is_user)
        } else {
            let is_inside = top.row > 1;
            (0..top.item + usize::from(is_inside)).rev().find(is_user)
        };
        match found {
            // The blank row above it is no part of it.
            Some(item) => {
                let row =
                    usize::from(self.laid_out(session, item).first().is_some_and(Line::is_empty));
                self.go_to(session, RowPosition { item, row });
            }
            None if down => self.go_to_end(),
            None => self.go_to_start(session),
        }
    }

    fn fold_tools(&mut self) {
        self.unfolded.tools = !self.unfolded.tools;
        self.layout.clear();
    }

    fn fold_thinking(&mut self) {
        self.unfolded.thinking = !self.unfolded.thinking;
        self.layout.clear();
    }

    /// Whether the end is in sight.
    fn is_at_end(&self) -> bool {
        self.top.is_none()
    }

    /// How many entries lie below the top of the screen.
    fn entries_below(&self) -> usize {
        self.top.map_or(0, |top| self.items.len().saturating_sub(top.item))
    }

    /// The user's messages, the last one first, by their places in the file.
    fn user_entries(&self) -> impl Iterator<Item = usize> + '_ {
        self.items.iter().rev().filter(|item| item.is_user).map(|item| item.entry)
    }

    fn go_to(&mut self, session: &Session, position: RowPosition) {
        let (position, end) = (self.normal(session, position), self.end(session));
        self.top = (position < end).then_some(position);
    }

    /// The top row when the last row is at the bottom of the screen.
    fn end(&mut self, session: &Session) -> RowPosition {
        let after = RowPosition { item: self.items.len(), row: 0 };
        let end = self.above(session, after, self.height);
        self.normal(session, end)
    }

    /// The one name of a position that may have several: after the last row of an entry is before
    /// the first of the next, and an entry may have no rows at all.
    fn normal(&mut self, session: &Session, mut position: RowPosition) -> RowPosition {
        while position.item < self.items.len()
            && position.row >= self.laid_out(session, position.item).len()
        {
            position = RowPosition { item: position.item + 1, row: 0 };
        }
        position
    }

    fn above(&mut self, session: &Session, from: RowPosition, mut rows: usize) -> RowPosition {
        let mut position = from;
        loop {
            if position.row >= rows {
                return RowPosition { item: position.item, row: position.row - rows };
            }
            rows -= position.row;
            let Some(item) = position.item.checked_sub(1) else {
                return RowPosition { item: 0, row: 0 };
            };
            position = RowPosition { item, row: self.laid_out(session, item).len() };
        }
    }

    fn below(&mut self, session: &Session, from: RowPosition, mut rows: usize) -> RowPosition {
        let mut position = from;
        while position.item < self.items.len() {
            let left = self.laid_out(session, position.item).len().saturating_sub(position.row);
            if left > rows {
                return RowPosition { item: position.item, row: position.row + rows };
            }
            rows -= left;
            position = RowPosition { item: position.item + 1, row: 0 };
        }
        position
    }

    fn laid_out(&mut self, session: &Session, at: usize) -> Rc<Vec<Line>> {
        if let Some(rows) = self.layout.rows.get(&at) {
            return Rc::clone(rows);
        }
        let (item, after) =
            (self.items[at], at.checked_sub(1).map(|above| self.items[above].group));
        let rows = session.at(item.entry).map(|entry| {
            let label = session.label(entry.id()).ok().flatten().map(|label| label.to_string());
            rows_of(entry, label.as_deref(), after, self.unfolded, self.layout.width)
        });
        self.layout.keep(at, Rc::new(rows.unwrap_or_default()))
    }
}

impl LaidOutRows {
    fn clear(&mut self) {
        self.rows.clear();
        self.kept = 0;
    }

    fn keep(&mut self, at: usize, rows: Rc<Vec<Line>>) -> Rc<Vec<Line>> {
        if self.kept > MOST_ROWS_KEPT {
            self.clear();
        }
        self.kept += rows.len() + 1;
        self.rows.insert(at, Rc::clone(&rows));
        rows
    }
}

#[cfg(test)]
mod tests;
