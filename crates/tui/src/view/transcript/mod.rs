//! The transcript: the conversation of the active branch, which rows of it are seen, what is
//! folded, and what can be copied from it.
//!
//! Only what is seen is read and laid out, so the length of a session does not matter. The position
//! is kept as an entry and a row of it: what is appended below, folded or drawn in another width
//! does not move it further than it must.

mod batch;
mod cursor;
mod entry;
mod first_page;

use std::collections::HashMap;
use std::rc::Rc;

use pitree_format::Role;
use pitree_format::message::{Content, Message};
use pitree_session::{EntryRef, Session, outline_of};
use pitree_store::search::Query;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::keymap::ViewAction;
use crate::rich::{Line, Look, Tone, mark_found, show};
use crate::text;
use crate::theme::Theme;
use crate::view::numbers;
use batch::Batch;
pub(crate) use batch::commands_of;
use entry::{EntryGroup, ToolPairing, Unfolded, group_of, rows_of};

/// How many rows are kept laid out.
const MOST_ROWS_KEPT: usize = 50_000;
/// No screen is higher.
const MOST_HEIGHT: usize = 2_000;
/// The columns at the left that show where the cursor is.
const GUTTER: usize = 2;
/// A screen that is narrower has no room for them.
const LEAST_WIDTH_WITH_GUTTER: usize = 20;
/// The line below it has so many columns that are no title.
const LEAST_RULE: usize = 8;
/// The width that is assumed before anything was drawn.
const USUAL_WIDTH: usize = 80;
/// The rows below it while a session is read.
const ROWS_BELOW: usize = 3;

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

/// What is marked in the rows that are drawn.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks<'m> {
    /// Whether the cursor is shown.
    pub(crate) cursor: bool,
    /// What stands out.
    pub(crate) found: Option<&'m Query>,
}

/// The transcript and the part of it that is seen.
#[derive(Default)]
pub(crate) struct Transcript {
    items: Vec<TranscriptItem>,
    /// The top row; none while the end is seen, which then stays in sight as it grows.
    top: Option<RowPosition>,
    /// The row that is read; none at the last one, which it then stays at as more is appended.
    cursor: Option<RowPosition>,
    unfolded: Unfolded,
    /// Entries that were unfolded or folded on their own.
    folds: HashMap<usize, bool>,
    layout: LaidOutRows,
    /// The calls and results that were paired last.
    batch: Option<Batch>,
    height: usize,
    /// Where they were drawn.
    area: Rect,
    /// The positions of the rows that are seen, from the top.
    shown: Vec<RowPosition>,
    /// What was drawn last, to be drawn again while a thread has the session.
    drawn: Vec<Line>,
}

impl Transcript {
    /// An empty one on a screen of this size, on which places are right before it is drawn.
    pub(crate) fn of_size((columns, rows): (u16, u16)) -> Self {
        let (width, height) = (usize::from(columns), usize::from(rows));
        let mut transcript = Self::default();
        transcript.layout.width = width - gutter_width(width);
        transcript.height = height.saturating_sub(ROWS_BELOW).min(MOST_HEIGHT);
        transcript
    }

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
            (self.top, self.cursor) = (None, None);
            self.folds.clear();
        }
        (self.items, self.batch) = (items, None);
        // Labels may have changed.
        self.layout.clear();
    }

    /// The rows that are seen, from the top.
    pub(crate) fn rows(&mut self, session: &Session, width: usize, height: usize) -> Vec<Line> {
        self.height = height.min(MOST_HEIGHT);
        if self.layout.width != width.max(1) {
            self.layout.clear();
            self.layout.width = width.max(1);
        }
        let end = self.end(session);
        if self.top.is_some_and(|top| top >= end) {
            self.top = None;
        }
        let mut position = self.top.unwrap_or(end);
        let mut seen = Vec::with_capacity(self.height);
        self.shown.clear();
        while seen.len() < self.height && position.item < self.items.len() {
            let rows = self.laid_out(session, position.item);
            // An entry that is folded now may have fewer rows than the position remembers.
            let from = position.row.min(rows.len());
            let until = rows.len().min(from + self.height - seen.len());
            let shown = (from..until).map(|row| RowPosition { row, ..position });
            self.shown.extend(shown);
            seen.extend_from_slice(&rows[from..until]);
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
        marks: Marks<'_>,
        theme: &Theme,
    ) {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        self.area = area;
        if let Some(session) = session {
            let gutter = gutter_width(width);
            let mut rows = self.rows(session, width - gutter, height);
            let cursor = self.cursor_row(session);
            if marks.cursor && !self.shown.contains(&cursor) {
                // The screen has become smaller.
                self.put_cursor(session, cursor);
                rows = self.rows(session, width - gutter, height);
            }
            if gutter > 0 {
                self.mark(session, &mut rows, marks);
            }
            if self.is_at_end() {
                let said = below(width - gutter, height);
                let margin = Line::of(&" ".repeat(gutter), Tone::Plain);
                rows.extend(said.iter().map(|row| margin.clone().followed_by(row)));
                let too_many = rows.len().saturating_sub(height);
                rows.drain(..too_many);
                self.shown.drain(..too_many.min(self.shown.len()));
            }
            self.drawn = rows;
        }
        show(frame, area, &self.drawn, theme);
    }

    /// Puts the gutter before the rows, and marks what was found in them.
    fn mark(&mut self, session: &Session, rows: &mut [Line], marks: Marks<'_>) {
        let cursor = self.cursor_row(session);
        for (row, position) in rows.iter_mut().zip(&self.shown) {
            let is_current = marks.cursor && position.item == cursor.item;
            let gutter = match is_current && !row.is_empty() {
                _ if marks.cursor && *position == cursor => gutter(true),
                true => Line::of("│ ", Tone::Dim),
                false => gutter(false),
            };
            *row = match marks.found {
                None => gutter.followed_by(row),
                Some(query) => gutter.followed_by(&mark_found(row, query)),
            };
        }
    }

    /// The line below it: how much is below, or a title.
    pub(crate) fn separator(&self, title: Option<&str>, width: usize, end: &str) -> Line {
        let below = (!self.is_at_end()).then(|| {
            let below = numbers::count(self.entries_below(), "entry", "entries");
            format!("── {below} from here to the end, {end} ")
        });
        let room = if below.is_some() { width / 2 } else { width.saturating_sub(LEAST_RULE) };
        let title = title.map(|title| format!("── {} ", text::fit(title, room)));
        rule(&(title.unwrap_or_default() + &below.unwrap_or_default()), width)
    }

    /// Moves or folds; `false` if an action does something else.
    pub(crate) fn act(&mut self, action: ViewAction, session: &Session) -> bool {
        match action {
            ViewAction::PageUp => self.scroll_page(session, false),
            ViewAction::PageDown => self.scroll_page(session, true),
            ViewAction::LineUp => self.scroll(session, -1),
            ViewAction::LineDown => self.scroll(session, 1),
            ViewAction::PreviousPrompt | ViewAction::NextPrompt => {
                let top = self.top.unwrap_or_else(|| self.end(session));
                self.go_to_user_from(session, top, action == ViewAction::NextPrompt);
            }
            ViewAction::Top => self.read_from_start(session),
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

    /// Moves by rows; downwards is positive. The cursor stays where it is, if that is seen.
    pub(crate) fn scroll(&mut self, session: &Session, by: isize) {
        let cursor = self.cursor_row(session);
        self.scroll_top(session, by);
        self.keep_cursor_in_sight(session, cursor);
    }

    fn scroll_top(&mut self, session: &Session, by: isize) {
        let top = self.top.unwrap_or_else(|| self.end(session));
        let moved = self.moved(session, top, by);
        self.go_to(session, moved);
    }

    /// Moves by screens, with two rows of the old one still in sight. The cursor moves along.
    pub(crate) fn scroll_page(&mut self, session: &Session, down: bool) {
        let page = isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        let by = if down { page } else { -page };
        let cursor = self.cursor_row(session);
        let moved = self.moved(session, cursor, by);
        self.scroll_top(session, by);
        self.keep_cursor_in_sight(session, moved);
    }

    fn moved(&mut self, session: &Session, from: RowPosition, by: isize) -> RowPosition {
        match by < 0 {
            true => self.above(session, from, by.unsigned_abs()),
            false => self.below(session, from, by.unsigned_abs()),
        }
    }

    pub(crate) fn go_to_end(&mut self) {
        (self.top, self.cursor) = (None, None);
    }

    /// Moves to the user's message before or after the cursor.
    pub(crate) fn go_to_user(&mut self, session: &Session, down: bool) {
        let at = self.cursor_row(session);
        self.go_to_user_from(session, at, down);
    }

    fn go_to_user_from(&mut self, session: &Session, at: RowPosition, down: bool) {
        let is_user = |at: &usize| self.items[*at].is_user;
        let found = if down {
            (at.item + 1..self.items.len()).find(is_user)
        } else {
            let is_inside = at.row > 1;
            let before = (at.item + usize::from(is_inside)).min(self.items.len());
            (0..before).rev().find(is_user)
        };
        match found {
            Some(item) => self.read_item(session, item),
            None if down => self.go_to_end(),
            None => self.read_from_start(session),
        }
    }

    fn fold_tools(&mut self) {
        self.unfolded.tools = !self.unfolded.tools;
        self.folds.clear();
        self.layout.clear();
    }

    fn fold_thinking(&mut self) {
        self.unfolded.thinking = !self.unfolded.thinking;
        self.folds.clear();
        self.layout.clear();
    }

    /// What is unfolded of an entry.
    fn unfolded_for(&self, entry: usize) -> Unfolded {
        match self.folds.get(&entry) {
            Some(&all) => Unfolded { tools: all, thinking: all },
            None => self.unfolded,
        }
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
        if self.layout.width == 0 {
            self.layout.width = USUAL_WIDTH;
        }
        let (item, after) =
            (self.items[at], at.checked_sub(1).map(|above| self.items[above].group));
        let rows = session.at(item.entry).map(|entry| {
            let label = session.label(entry.id()).ok().flatten().map(|label| label.to_string());
            let unfolded = self.unfolded_for(item.entry);
            let pairing = self.pairing(session, at);
            rows_of(entry, label.as_deref(), after, pairing, unfolded, self.layout.width)
        });
        self.layout.keep(at, Rc::new(rows.unwrap_or_default()))
    }
}

pub(crate) use first_page::FirstPage;

/// All that an entry shows, unfolded; for an entry without a place in the conversation, what it is.
pub(crate) fn entry_rows(entry: EntryRef<'_>, width: usize) -> Vec<Line> {
    let unfolded = Unfolded { tools: true, thinking: true };
    let rows = rows_of(entry, None, None, ToolPairing::default(), unfolded, width);
    if !rows.is_empty() {
        return rows;
    }
    let outline = entry.value().map(|value| outline_of(&value)).unwrap_or_default();
    vec![Line::of(&outline, Tone::Dim).truncated(width)]
}

impl LaidOutRows {
    fn clear(&mut self) {
        self.rows.clear();
        self.kept = 0;
    }

    fn forget(&mut self, at: usize) {
        if let Some(rows) = self.rows.remove(&at) {
            self.kept -= rows.len() + 1;
        }
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

/// How many columns the gutter takes.
fn gutter_width(width: usize) -> usize {
    if width < LEAST_WIDTH_WITH_GUTTER { 0 } else { GUTTER }
}

/// What stands before a row.
fn gutter(is_cursor: bool) -> Line {
    match is_cursor {
        true => Line::of("› ", Look::bold(Tone::User)),
        false => Line::of("  ", Tone::Plain),
    }
}

/// The line below a transcript, which begins with a title.
pub(super) fn rule(title: &str, width: usize) -> Line {
    let rest = width.saturating_sub(text::width(title));
    Line::of(&format!("{title}{}", "─".repeat(rest)), Tone::Dim)
}

#[cfg(test)]
mod tests;
