//! What the picker does about keys.

use super::{AfterMigration, ChosenFor, MovingLetters, PickedFor, Picker, PickerMode};
use crate::confirm::{YesNo, answer};
use crate::keymap::{DialogAction, InputAction, Key, PickerAction};
use crate::screen::Transition;
use crate::state::AppState;

/// So many rows a page is, as in Pi.
const PAGE: isize = 10;

/// Letters that come faster than this, in milliseconds, are one word.
const ONE_WORD_MS: i64 = 500;

/// So many lines the preview scrolls at a time.
const PREVIEW_LINES: isize = 3;

impl Picker {
    pub(super) fn press(&mut self, key: Key, state: &mut AppState) -> Transition {
        self.notice = None;
        self.wanted_use = None;
        match &mut self.mode {
            PickerMode::List | PickerMode::Search => return self.browse(key, state),
            PickerMode::Rename(paths, field) => {
                let (is_text, keymap) = (key.typed().is_some(), &state.keymap);
                if !is_text && keymap.input.is(key, InputAction::Submit) {
                    let (paths, name) = (paths.clone(), field.text().trim().to_owned());
                    self.mode = PickerMode::List;
                    self.rename_all(&paths, &name, state);
                } else if !is_text && keymap.dialog.is(key, DialogAction::Cancel) {
                    self.mode = PickerMode::List;
                } else {
                    field.press(key, keymap);
                }
            }
            PickerMode::Export(paths) => match answer(key, &state.keymap) {
                Some(YesNo::Yes) => {
                    self.threads.export(std::mem::take(paths));
                    self.list.clear_marks();
                    self.mode = PickerMode::List;
                    self.say("Exporting…");
                }
                Some(YesNo::No) => self.mode = PickerMode::List,
                None => {}
            },
            PickerMode::Delete(deleting) => match answer(key, &state.keymap) {
                Some(YesNo::Yes) if !deleting.confirm() => {}
                Some(YesNo::Yes) => {
                    if let PickerMode::Delete(deleting) =
                        std::mem::replace(&mut self.mode, PickerMode::List)
                    {
                        deleting.begin(&self.threads, state);
                        self.say("Deleting…");
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
            self.note_moving(key, action, state);
            return self.act(action, state);
        }
        if in_field || key.typed().is_some() {
            if !in_field && let Some(moving) = self.moving.take() {
                self.begin_with(&moving, state);
            }
            self.mode = PickerMode::Search;
            if self.field.press(key, &state.keymap) {
                self.typed();
            }
        }
        Transition::Stay
    }

    /// Remembers letters that move: whoever types `json` at once means a word.
    fn note_moving(&mut self, key: Key, action: PickerAction, state: &AppState) {
        let moves = matches!(action, PickerAction::Up | PickerAction::Down);
        let letter = key.typed().filter(|_| moves);
        let (Some(letter), at_ms) = (letter, state.environment.now_ms()) else {
            self.moving = None;
            return;
        };
        let from = self.list.selection();
        let fresh = || MovingLetters { letters: String::new(), at_ms, from };
        let earlier = self.moving.take().filter(|moving| at_ms - moving.at_ms <= ONE_WORD_MS);
        let mut moving = earlier.unwrap_or_else(fresh);
        moving.letters.push(letter);
        moving.at_ms = at_ms;
        self.moving = Some(moving);
    }

    /// Takes letters that came just now into the search, and undoes the moves.
    fn begin_with(&mut self, moving: &MovingLetters, state: &AppState) {
        if state.environment.now_ms() - moving.at_ms <= ONE_WORD_MS {
            self.field.insert(&moving.letters);
            self.list.select(moving.from);
        }
    }

    /// Whether the field has a key while it has the focus, although the list would have it too.
    fn is_edit(&self, key: Key, state: &AppState) -> bool {
        use PickerAction::{DeleteIfEmpty, First, Fold, Last, Mark, Search, Unfold};
        key.typed().is_some()
            || match state.keymap.picker.action(key) {
                Some(First | Last | Fold | Unfold | Search | Mark) => true,
                Some(DeleteIfEmpty) => !self.field.is_empty(),
                _ => false,
            }
    }

    pub(super) fn act(&mut self, action: PickerAction, state: &mut AppState) -> Transition {
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
            PickerAction::Choose => {
                let use_ = match self.picked_for {
                    PickedFor::Reading => ChosenFor::Read,
                    PickedFor::Resuming => ChosenFor::Resume,
                };
                return self.choose(use_, state);
            }
            PickerAction::OpenInPi => {
                let use_ = match self.picked_for {
                    PickedFor::Reading => ChosenFor::OpenInPi,
                    PickedFor::Resuming => ChosenFor::Read,
                };
                return self.choose(use_, state);
            }
            PickerAction::Mark => self.list.toggle_mark(),
            PickerAction::MarkRange => self.list.mark_range(),
            PickerAction::Export => self.ask_export(),
            PickerAction::PreviewUp => self.preview_scroll -= PREVIEW_LINES,
            PickerAction::PreviewDown => self.preview_scroll += PREVIEW_LINES,
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

    /// Esc leaves the field, then takes marks away, then empties the field, then closes.
    fn back(&mut self) -> Transition {
        if matches!(self.mode, PickerMode::Search) {
            self.mode = PickerMode::List;
        } else if self.list.clear_marks() {
        } else if self.field.is_empty() {
            return Transition::Close;
        } else {
            self.field.clear();
            self.typed();
        }
        Transition::Stay
    }
}
