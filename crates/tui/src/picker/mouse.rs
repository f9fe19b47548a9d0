//! What the picker does about the mouse.

use ratatui::layout::{Position, Rect};

use super::{Picker, PickerMode};
use crate::keymap::PickerAction;
use crate::screen::{Click, Transition};
use crate::state::AppState;

/// Where the parts of the picker were drawn last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PickerAreas {
    /// The search field.
    pub(super) field: Rect,
    /// The rows of the list.
    pub(super) list: Rect,
    /// The preview, if there is room for it.
    pub(super) preview: Rect,
}

impl Picker {
    /// The wheel scrolls the preview if it is over it, else it moves the selection.
    pub(super) fn wheel(&mut self, lines: i32, pointer: Option<(u16, u16)>) {
        let preview = self.areas.preview;
        let is_over_preview =
            pointer.is_some_and(|(column, row)| preview.contains(Position::new(column, row)));
        if is_over_preview {
            self.preview_scroll += lines as isize;
        } else if self.is_browsing() {
            self.list.move_by(lines as isize);
        }
        // Otherwise there is a question about the row that is selected.
    }

    /// A click selects a row, on its mark it unfolds or folds it; a double click does what the key
    /// that chooses does. A click on the search field gives it the focus.
    pub(super) fn click_at(&mut self, click: Click, state: &mut AppState) -> Transition {
        // What was typed since the last drawing makes it another list.
        if !self.is_browsing() || self.is_typed {
            return Transition::Stay;
        }
        if click.row_in(self.areas.field).is_some() {
            return self.act(PickerAction::Search, state);
        }
        let place = click.row_in(self.areas.list).and_then(|row| self.list.place_at(row));
        let Some(place) = place else { return Transition::Stay };
        (self.notice, self.wanted_use, self.moving) = (None, None, None);
        self.mode = PickerMode::List;
        // The list may have changed between two clicks.
        let was_selected = self.list.selection() == place;
        self.list.select(place);
        let column = usize::from(click.column - self.areas.list.x);
        if let Some(fold) = super::view::fold_at(self, place, column) {
            return self.act(fold, state);
        }
        match click.is_double && was_selected {
            true => self.act(PickerAction::Choose, state),
            false => Transition::Stay,
        }
    }

    fn is_browsing(&self) -> bool {
        matches!(self.mode, PickerMode::List | PickerMode::Search)
    }
}
