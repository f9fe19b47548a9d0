//! The cursor of the reader: the row that is read, and what can be done with its message.
//!
//! The cursor is always on a row that exists and is seen. At the end it stays at the end while the
//! session grows.

use pitree_session::{EntryRef, Session};
use pitree_store::search::Query;

use super::{RowPosition, Transcript};
use crate::rich::{Line, has_any};
use crate::screen::Click;

/// What rows begin with that can be folded or unfolded.
const FOLD_MARKS: [char; 5] = ['▸', '▾', '└', '∴', '…'];

impl Transcript {
    /// The entry that the cursor is at.
    pub(crate) fn current_entry(&mut self, session: &Session) -> Option<usize> {
        let at = self.cursor_row(session).item;
        self.items.get(at).map(|item| item.entry)
    }

    /// The text of the row that the cursor is at.
    pub(crate) fn current_text(&mut self, session: &Session) -> String {
        let at = self.cursor_row(session);
        match self.items.get(at.item) {
            Some(_) => self.laid_out(session, at.item).get(at.row).map(Line::text),
            None => None,
        }
        .unwrap_or_default()
    }

    /// The rows of the message that the cursor is at, as text.
    pub(crate) fn current_rows(&mut self, session: &Session) -> String {
        let at = self.cursor_row(session).item;
        if at >= self.items.len() {
            return String::new();
        }
        let rows = self.laid_out(session, at);
        let rows: Vec<String> = rows.iter().map(Line::text).collect();
        rows.join("\n").trim().to_owned()
    }

    /// Moves the cursor by rows; downwards is positive.
    pub(crate) fn move_cursor(&mut self, session: &Session, by: isize) {
        let from = self.cursor_row(session);
        let to = match by {
            by if by < 0 => self.above(session, from, by.unsigned_abs()),
            by => self.below(session, from, by.unsigned_abs()),
        };
        self.put_cursor(session, to);
    }

    /// Moves the cursor and the screen to the beginning.
    pub(crate) fn read_from_start(&mut self, session: &Session) {
        self.put_cursor(session, RowPosition { item: 0, row: 0 });
    }

    /// A click puts the cursor on the row, and unfolds or folds it if it is what is seen of
    /// something folded; a double click does that to any message.
    pub(crate) fn click(&mut self, session: &Session, click: Click) {
        let Some(height) = click.row_in(self.area) else { return };
        let Some(position) = self.shown.get(height).copied() else { return };
        self.put_cursor(session, position);
        let row = self.current_text(session);
        let is_fold = FOLD_MARKS.iter().any(|mark| row.trim_start().starts_with(*mark));
        if is_fold != click.is_double {
            self.fold_current(session);
        }
    }

    /// Goes to an entry, or to what is shown above the place where it is.
    pub(crate) fn go_to_entry(&mut self, session: &Session, entry: usize) {
        let wanted = session.path_to(entry);
        let mut above = wanted.iter().rev().map(EntryRef::index);
        let items = &self.items;
        let found = above.find_map(|entry| items.iter().rposition(|item| item.entry == entry));
        match found {
            Some(item) => self.read_item(session, item),
            None => self.read_from_start(session),
        }
    }

    /// Puts the first row of a message at the top, and the cursor on it.
    pub(super) fn read_item(&mut self, session: &Session, item: usize) {
        // The blank row above it is no part of it.
        let is_apart = self.laid_out(session, item).first().is_some_and(Line::is_empty);
        let position = RowPosition { item, row: usize::from(is_apart) };
        self.go_to(session, position);
        self.put_cursor(session, position);
    }

    /// Goes to the next error below the cursor, or to the previous one above it; `false` if there
    /// is none.
    pub(crate) fn go_to_error(&mut self, session: &Session, down: bool) -> bool {
        let at = self.cursor_row(session).item;
        let is_error = |item: &usize| {
            let entry = self.items.get(*item).and_then(|item| session.at(item.entry));
            entry.is_some_and(|entry| entry.has_failed().unwrap_or(true))
        };
        let found = match down {
            true => (at + 1..self.items.len()).find(is_error),
            false => (0..at).rev().find(is_error),
        };
        found.into_iter().for_each(|item| self.read_item(session, item));
        found.is_some()
    }

    /// Unfolds or folds the message at the cursor.
    pub(crate) fn fold_current(&mut self, session: &Session) {
        let at = self.cursor_row(session).item;
        let Some(item) = self.items.get(at).copied() else { return };
        let is_unfolded = self.unfolded_for(item.entry);
        let all = is_unfolded.tools && is_unfolded.thinking;
        self.set_fold(at, Some(!all));
        let kept = self.cursor_row(session);
        self.put_cursor(session, RowPosition { item: at, row: kept.row });
    }

    /// Unfolds or folds an item; with `None` it is as the others are. The rows of the others do
    /// not depend on it, and stay.
    fn set_fold(&mut self, item: usize, unfolded: Option<bool>) {
        let entry = self.items[item].entry;
        match unfolded {
            Some(unfolded) => self.folds.insert(entry, unfolded),
            None => self.folds.remove(&entry),
        };
        self.layout.forget(item);
    }

    /// The entries of the conversation, those from the cursor on first.
    pub(crate) fn entries_from_cursor(&mut self, session: &Session) -> Vec<usize> {
        let at = self.cursor_row(session).item.min(self.items.len());
        let (before, after) = self.items.split_at(at);
        after.iter().chain(before).map(|item| item.entry).collect()
    }

    /// Which of some entries of the conversation the cursor is at, counted from one.
    pub(crate) fn rank_among(&mut self, session: &Session, entries: &[usize]) -> Option<usize> {
        let current = self.current_entry(session)?;
        entries.binary_search(&current).ok().map(|at| at + 1)
    }

    /// Goes to the next row that has a term of the query, in the message at the cursor or in the next
    /// of these entries, which are in the order of the file; `false` if there is none in that
    /// direction. `also_here` counts the row at the cursor.
    pub(crate) fn go_to_found(
        &mut self,
        session: &Session,
        entries: &[usize],
        query: &Query,
        down: bool,
        also_here: bool,
    ) -> bool {
        let from = self.cursor_row(session);
        let in_item = self.items.get(from.item).map(|item| item.entry);
        if in_item.is_some_and(|entry| entries.binary_search(&entry).is_ok()) {
            if also_here {
                self.unfold_for(session, from.item, query);
            }
            let rows = self.laid_out(session, from.item);
            let mut found = (0..rows.len()).filter(|row| has_any(&rows[*row], query));
            let row = match down {
                true => found.find(|row| *row > from.row || (also_here && *row == from.row)),
                false => found.rfind(|row| *row < from.row || (also_here && *row == from.row)),
            };
            if let Some(row) = row {
                self.show_row(session, RowPosition { item: from.item, row });
                return true;
            }
        }
        let is_hit = |item: &usize| entries.binary_search(&self.items[*item].entry).is_ok();
        let item = match down {
            true => (from.item + 1..self.items.len()).find(is_hit),
            false => (0..from.item.min(self.items.len())).rev().find(is_hit),
        };
        let Some(item) = item else { return false };
        let row = self.found_row(session, item, query, down);
        self.show_row(session, RowPosition { item, row });
        true
    }

    /// The first or last row of a message with a term of the query. What is folded away is unfolded
    /// if the terms are nowhere else.
    fn found_row(&mut self, session: &Session, item: usize, query: &Query, first: bool) -> usize {
        let find = |rows: &[Line]| match first {
            true => rows.iter().position(|row| has_any(row, query)),
            false => rows.iter().rposition(|row| has_any(row, query)),
        };
        self.unfold_for(session, item, query);
        let rows = self.laid_out(session, item);
        // A phrase that goes over the end of a row is not in any row.
        find(&rows).unwrap_or_else(|| usize::from(rows.first().is_some_and(Line::is_empty)))
    }

    /// Unfolds a message if the terms of a query are nowhere else.
    fn unfold_for(&mut self, session: &Session, item: usize, query: &Query) {
        let has = |rows: &[Line]| rows.iter().any(|row| has_any(row, query));
        if has(&self.laid_out(session, item)) {
            return;
        }
        let before = self.folds.get(&self.items[item].entry).copied();
        self.set_fold(item, Some(true));
        if !has(&self.laid_out(session, item)) {
            self.set_fold(item, before);
        }
    }

    /// Goes to the words in an entry that has them. Elsewhere they are looked for later.
    pub(crate) fn go_to_words(&mut self, session: &Session, entry: usize, query: &Query) {
        let within = query.within(session);
        let is_hit = session.at(entry).is_some_and(|it| within.has(it).unwrap_or(false));
        if is_hit && self.current_entry(session) == Some(entry) {
            self.go_to_found(session, &[entry], query, true, true);
        }
    }

    /// Puts the cursor on a row, with some rows around it in sight.
    fn show_row(&mut self, session: &Session, position: RowPosition) {
        let top = self.top.unwrap_or_else(|| self.end(session));
        let lowest = self.below(session, top, self.height.saturating_sub(1));
        if position < top || position > lowest {
            let above = self.above(session, position, self.height / 3);
            self.go_to(session, above);
        }
        self.put_cursor(session, position);
    }

    /// The row of the cursor.
    pub(super) fn cursor_row(&mut self, session: &Session) -> RowPosition {
        let last = self.last_row(session);
        match self.cursor {
            Some(cursor) if cursor.item < self.items.len() => {
                let rows = self.laid_out(session, cursor.item).len();
                let row = cursor.row.min(rows.saturating_sub(1));
                RowPosition { row, ..cursor }.min(last)
            }
            _ => last,
        }
    }

    /// Puts the cursor on a row, and moves the screen if it is not seen there.
    pub(super) fn put_cursor(&mut self, session: &Session, to: RowPosition) {
        let last = self.last_row(session);
        let to = to.min(last);
        self.cursor = (to < last).then_some(to);
        let top = self.top.unwrap_or_else(|| self.end(session));
        if to < top {
            return self.go_to(session, to);
        }
        let most = self.height.saturating_sub(1);
        if to > self.below(session, top, most) {
            let top = self.above(session, to, most);
            self.go_to(session, top);
        }
    }

    /// Moves the cursor to a row that is seen.
    pub(super) fn keep_cursor_in_sight(&mut self, session: &Session, wanted: RowPosition) {
        let last = self.last_row(session);
        let top = self.top.unwrap_or_else(|| self.end(session));
        let lowest = self.below(session, top, self.height.saturating_sub(1)).min(last);
        let seen = wanted.max(top).min(lowest);
        self.cursor = (seen < last).then_some(seen);
    }

    pub(super) fn last_row(&mut self, session: &Session) -> RowPosition {
        let after = RowPosition { item: self.items.len(), row: 0 };
        self.above(session, after, 1)
    }
}
