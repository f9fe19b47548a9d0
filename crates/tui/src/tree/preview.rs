//! The entry under the cursor: in full beside or below the tree, for the clipboard, and for the mouse;
//! and the tree above a reader, where nothing is written.

use pitree_host::live::LiveSession;
use pitree_session::Session;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::Span;

use super::line::CURSOR_COLUMNS;
use super::model::TreeAction;
use super::screen::{TreeMode, TreeScreen};
use super::words::copy_text;
use crate::keymap::{Keymap, ReadAction};
use crate::rich::{Line, show};
use crate::screen::{Click, Transition};
use crate::sheet::draw_rule;
use crate::state::{AppState, OpenAt};
use crate::view::entry_rows;

/// From this width on the preview is beside the tree.
const LEAST_WIDTH_BESIDE: u16 = 140;
/// The tree keeps so many rows.
const LEAST_TREE_ROWS: u16 = 10;
/// A preview below the tree has at most so many rows.
const MOST_ROWS_BELOW: u16 = 10;

/// What is shown of the entry under the cursor.
#[derive(Default)]
pub(super) struct Preview {
    /// The entry and the width that the rows are for.
    of: Option<(u32, usize)>,
    rows: Vec<Line>,
    /// The first row that is seen.
    top: usize,
    area: Rect,
}

impl Preview {
    /// Whether the mouse points at it.
    pub(super) fn is_under(&self, pointer: Option<(u16, u16)>) -> bool {
        pointer.is_some_and(|(column, row)| self.area.contains(Position::new(column, row)))
    }

    pub(super) fn scroll(&mut self, rows: i32) {
        let last = self.rows.len().saturating_sub(usize::from(self.area.height).max(1));
        self.top = self.top.saturating_add_signed(rows as isize).min(last);
    }

    /// Takes over another entry, if it is another one.
    fn show(&mut self, entry: u32, session: &Session, width: usize) {
        if self.of != Some((entry, width)) {
            let rows = session.at(entry as usize).map(|entry| entry_rows(entry, width));
            *self = Self { of: Some((entry, width)), rows: rows.unwrap_or_default(), ..*self };
            self.top = 0;
        }
    }
}

impl TreeScreen {
    /// Divides the room for the rows: the tree, and the preview if there is enough.
    pub(super) fn preview_area(&self, area: Rect) -> (Rect, Rect) {
        if area.width >= LEAST_WIDTH_BESIDE {
            let parts = [Constraint::Percentage(60), Constraint::Length(1), Constraint::Min(1)];
            let [tree, _, preview] = Layout::horizontal(parts).areas(area);
            return (tree, preview);
        }
        let below = area.height.saturating_sub(LEAST_TREE_ROWS).min(MOST_ROWS_BELOW);
        if below < 3 || !matches!(self.mode, TreeMode::Browse) {
            return (area, Rect::default());
        }
        let [tree, preview] =
            Layout::vertical([Constraint::Min(1), Constraint::Length(below)]).areas(area);
        (tree, preview)
    }

    pub(super) fn draw_preview(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        self.preview.area = area;
        let (entry, session) = (self.model.selected_entry(), state.session());
        let (Some(entry), Some(session), false) = (entry, session, area.is_empty()) else { return };
        let is_beside = area.width < frame.area().width;
        let [rule, text] = match is_beside {
            true => Layout::horizontal([Constraint::Length(2), Constraint::Min(1)]).areas(area),
            false => Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area),
        };
        let side = || Span::styled("│", state.theme.border);
        match is_beside {
            true => rule.rows().for_each(|row| frame.render_widget(side(), row)),
            false => draw_rule(frame, rule, &state.theme),
        }
        let text = if is_beside { text } else { indented(text) };
        self.preview.show(entry, session, usize::from(text.width));
        self.preview.scroll(0);
        let seen = self.preview.rows.iter().skip(self.preview.top).take(text.height.into());
        show(frame, text, &seen.cloned().collect::<Vec<_>>(), &state.theme);
    }

    /// Selects, folds, or goes there.
    pub(super) fn click_at(&mut self, click: Click, state: &mut AppState) -> Transition {
        let Some(row) = click.row_in(self.rows_area) else { return Transition::Stay };
        let Some(on_fold) = self.select_at(row, click) else { return Transition::Stay };
        match on_fold {
            // However fast they follow each other.
            Some(change) => self.model.act(change),
            None if click.is_double && self.is_read_only => return self.show_in_reader(state),
            None if click.is_double => return self.enter(state),
            None => {}
        }
        Transition::Stay
    }

    /// Puts the cursor on the row at this height of the tree, if there is one and no dialog; gives
    /// the change that is meant if the click is on the mark of a fold.
    fn select_at(&mut self, height: usize, click: Click) -> Option<Option<TreeAction>> {
        let row = self.model.window(self.height).nth(height)?;
        if !matches!(self.mode, TreeMode::Browse) {
            return None;
        }
        self.message = None;
        let column = usize::from(click.column - self.rows_area.x).checked_sub(CURSOR_COLUMNS);
        let mark = column.and_then(|column| self.drawn.get(height)?.chars().nth(column));
        self.model.select_row(row);
        Some(match mark {
            Some('⊟') => Some(TreeAction::FoldOrUp),
            Some('⊞') => Some(TreeAction::UnfoldOrDown),
            _ => None,
        })
    }

    /// Copies the entry under the cursor.
    pub(super) fn copy(&mut self, state: &mut AppState) {
        let entry = self.model.selected_entry();
        let session = state.live.as_ref().map(LiveSession::session);
        let entry = entry.zip(session).and_then(|(entry, session)| session.at(entry as usize));
        match entry.map(|entry| entry.value()) {
            Some(Ok(value)) => match copy_text(&value) {
                Some(copied) => {
                    self.say(&format!("The text was {}", state.copy(copied)));
                }
                None => self.complain("This entry has no text to copy"),
            },
            Some(Err(error)) => self.complain(&error.to_string()),
            None => {}
        }
    }

    /// The same above a reader, with the cursor on the entry that is read there: nothing is written,
    /// and Enter shows the entry in the reader.
    pub(crate) fn read_only(mut self, entry: Option<usize>) -> Self {
        self.is_read_only = true;
        entry.into_iter().for_each(|entry| self.model.begin_at(entry));
        self
    }

    pub(super) fn show_in_reader(&self, state: &mut AppState) -> Transition {
        state.open_at = Some(OpenAt { entry: self.selected_id(state), ..OpenAt::default() });
        Transition::Close
    }

    pub(super) fn refuse_to_write(&mut self, keymap: &Keymap) {
        let write = keymap.read.label(ReadAction::Write);
        self.complain(&format!(
            "The session is open for reading: press {write} in the reader first"
        ));
    }
}

fn indented(area: Rect) -> Rect {
    let margin = area.width.min(2);
    Rect { x: area.x + margin, width: area.width - margin, ..area }
}
