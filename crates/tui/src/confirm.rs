//! A question with two answers, as a line.

use crate::keymap::{DialogAction, Key, Keymap};

/// What the user answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No, or cancel.
    No,
}

/// The answer that a key gives; all other keys give none. Enter, which is pressed all the time, is
/// one of them, so the line of the question need not name it.
pub fn answer(key: Key, keymap: &Keymap) -> Option<YesNo> {
    match keymap.dialog.action(key)? {
        DialogAction::Yes => Some(YesNo::Yes),
        DialogAction::No | DialogAction::Cancel => Some(YesNo::No),
        DialogAction::Accept
        | DialogAction::Up
        | DialogAction::Down
        | DialogAction::First
        | DialogAction::Last => None,
    }
}

/// The keys that answer, for the line of the question: `y yes · n no`.
pub(crate) fn hint(keymap: &Keymap) -> String {
    let label = |action| keymap.dialog.label(action);
    format!("{} yes · {} no", label(DialogAction::Yes), label(DialogAction::No))
}
