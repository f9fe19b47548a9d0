//! A question with two answers, as a line.

use crate::keymap::{DialogAction, Key, Keymap};

/// What the user answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Yes,
    /// No, or cancel.
    No,
}

/// The answer that a key gives; all other keys give none.
pub fn answer(key: Key, keymap: &Keymap) -> Option<Answer> {
    match keymap.dialog.action(key)? {
        DialogAction::Yes | DialogAction::Accept => Some(Answer::Yes),
        DialogAction::No | DialogAction::Cancel => Some(Answer::No),
        DialogAction::Up | DialogAction::Down | DialogAction::First | DialogAction::Last => None,
    }
}

/// The same about what cannot be undone: that needs the key for yes, and no other one.
pub fn answer_for_good(key: Key, keymap: &Keymap) -> Option<Answer> {
    answer(key, keymap).filter(|_| !keymap.dialog.is(key, DialogAction::Accept))
}

/// The keys that answer, for the line of the question: `y yes · n no`.
pub(crate) fn hint(keymap: &Keymap) -> String {
    let label = |action| keymap.dialog.label(action);
    format!("{} yes · {} no", label(DialogAction::Yes), label(DialogAction::No))
}
