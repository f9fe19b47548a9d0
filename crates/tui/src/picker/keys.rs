//! What the picker does about keys.

use super::{AfterMigration, ChosenFor, Picker, PickerMode};
use crate::confirm::{YesNo, answer, answer_deliberately};
use crate::keymap::{DialogAction, InputAction, Key, PickerAction};
use crate::screen::Transition;
use crate::state::AppState;

/// So many rows a page is, as in Pi.
const PAGE: isize = 10;

impl Picker {
    pub(super) fn press(&mut self, key: Key, state: &mut AppState) -> Transition {
        self.notice = None;
        self.wanted_use = None;
        match &mut self.mode {
            PickerMode::List | PickerMode::Search => return self.browse(key, state),
            PickerMode::Rename(path, field) => {
                let (is_text, keymap) = (key.typed().is_some(), &state.keymap);
                if !is_text && keymap.input.is(key, InputAction::Submit) {
                    let (path, name) = (path.clone(), field.text().trim().to_owned());
                    self.mode = PickerMode::List;
                    self.rename(&path, &name, state);
                } else if !is_text && keymap.dialog.is(key, DialogAction::Cancel) {
                    self.mode = PickerMode::List;
                } else {
                    field.press(key, keymap);
                }
            }
            PickerMode::Delete(_) => match answer_deliberately(key, &state.keymap) {
                Some(YesNo::Yes) => {
                    if let PickerMode::Delete(deleting) =
                        std::mem::replace(&mut self.mode, PickerMode::List)
                    {
                        deleting.begin(&self.threads, state);
                        self.say("deleting…");
                    }
                }
                Some(YesNo::No) => self.mode = PickerMode::List,
                None => {}
            },
            PickerMode::Migrate { path, next, .. } => match answer(key, &state.keymap) {
                Some(YesNo::Yes) => {
                    match next {
                        AfterMigration::Rename(name) => self.threads.rename(path, name, true),
                        AfterMigration::OpenInPi(chosen) => self.threads.migrate(chosen.clone()),
                    }
                    self.mode = PickerMode::List;
                }
                Some(YesNo::No) => self.mode = PickerMode::List,
                None => {}
            },
            PickerMode::Elsewhere(chosen, use_) => match answer(key, &state.keymap) {
                Some(YesNo::Yes) => {
                    let (chosen, use_) = (chosen.clone(), *use_);
                    self.mode = PickerMode::List;
                    return self.hand_on(chosen, use_, state);
                }
                Some(YesNo::No) => self.mode = PickerMode::List,
                None => {}
            },
        }
        Transition::Stay
    }

    /// A key for the list or the search field. What is typed goes into the field, which gets the
    /// focus by that.
    fn browse(&mut self, key: Key, state: &mut AppState) -> Transition {
        let in_field = matches!(self.mode, PickerMode::Search);
        let action = match state.keymap.picker.action(key) {
            Some(_) if in_field && self.is_edit(key, state) => None,
            action => action,
        };
        if let Some(action) = action {
            return self.act(action, state);
        }
        if in_field || key.typed().is_some() {
            self.mode = PickerMode::Search;
            if self.field.press(key, &state.keymap) {
                self.typed();
            }
        }
        Transition::Stay
    }

    /// Whether the field has a key while it has the focus, although the list would have it too.
    fn is_edit(&self, key: Key, state: &AppState) -> bool {
        use PickerAction::{DeleteIfEmpty, First, Fold, Last, Search, Unfold};
        key.typed().is_some()
            || match state.keymap.picker.action(key) {
                Some(First | Last | Fold | Unfold | Search) => true,
                Some(DeleteIfEmpty) => !self.field.is_empty(),
                _ => false,
            }
    }

    fn act(&mut self, action: PickerAction, state: &mut AppState) -> Transition {
        if action != PickerAction::Search {
            self.settle();
        }
        match action {
            PickerAction::Up => self.list.move_by(-1),
            PickerAction::Down => self.list.move_by(1),
            PickerAction::PageUp => self.list.move_by(-PAGE),
            PickerAction::PageDown => self.list.move_by(PAGE),
            PickerAction::First => self.list.move_by(isize::MIN),
            PickerAction::Last => self.list.move_by(isize::MAX),
            PickerAction::Choose => return self.choose(ChosenFor::Open, state),
            PickerAction::OpenInPi => return self.choose(ChosenFor::OpenInPi, state),
            PickerAction::Close => return Transition::Close,
            PickerAction::Back => return self.back(),
            PickerAction::NextScope => self.change_scope(1),
            PickerAction::PreviousScope => self.change_scope(-1),
            PickerAction::NextSort => self.list.next_sort(),
            PickerAction::NamedOnly => self.list.toggle_named_only(),
            PickerAction::Paths => self.show_paths = !self.show_paths,
            PickerAction::Rename => self.ask_name(),
            PickerAction::Delete => self.ask_delete(state),
            PickerAction::DeleteIfEmpty => {
                if self.field.is_empty() {
                    self.ask_delete(state);
                }
            }
            PickerAction::Unfold => {
                if let Some(path) = self.list.unfold() {
                    self.threads.runs(&path);
                }
            }
            PickerAction::Fold => self.list.fold(),
            PickerAction::Search => {
                self.mode = PickerMode::Search;
                self.typed();
            }
        }
        Transition::Stay
    }

    /// Esc leaves the field, then empties it, then closes.
    fn back(&mut self) -> Transition {
        if matches!(self.mode, PickerMode::Search) {
            self.mode = PickerMode::List;
        } else if self.field.is_empty() {
            return Transition::Close;
        } else {
            self.field.clear();
            self.typed();
        }
        Transition::Stay
    }
}
