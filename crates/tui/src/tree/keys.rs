//! What the keys of the tree navigator do.

use crossterm::event::KeyCode;

use super::filter::Filter;
use super::model::TreeAction;
use crate::keys::Key;
use crate::screen::KeyHelp;

pub(super) const KEYS: &[KeyHelp] = &[
    ("↑ ↓", "move; round at the ends"),
    ("← →, PgUp PgDn", "a page up or down"),
    ("Home End", "the first or last row"),
    ("Ctrl+← , Alt+←", "fold, or to where the branch begins"),
    ("Ctrl+→ , Alt+→", "unfold, or to the next branching"),
    ("Enter", "go there; a message of yours can be edited and resent"),
    ("Ctrl+S", "go there and save the position, so that Pi resumes there"),
    ("Shift+L", "set the label; an empty one removes it"),
    ("Shift+T", "show when labels were set"),
    ("Ctrl+X", "copy what the entry says"),
    ("Ctrl+D", "filter: messages and summaries"),
    ("Ctrl+T", "filter: without tool results"),
    ("Ctrl+U", "filter: only yours"),
    ("Ctrl+L", "filter: only labeled ones"),
    ("Ctrl+A", "filter: everything"),
    ("Ctrl+O, Alt+O", "the next filter, the one before (Ctrl+Shift+O too)"),
    ("letters", "search: all words, anywhere"),
    ("Backspace", "take a letter back"),
    ("Esc", "end the search; then close"),
];

/// What the tree itself does on a key.
pub(super) fn action_of(key: Key, page: isize) -> Option<TreeAction> {
    use KeyCode::{Backspace, Down, End, Home, Left, PageDown, PageUp, Right, Up};
    Some(match key {
        Key::Plain(Up) => TreeAction::Up,
        Key::Plain(Down) => TreeAction::Down,
        Key::Plain(Left | PageUp) => TreeAction::Move(-page),
        Key::Plain(Right | PageDown) => TreeAction::Move(page),
        Key::Plain(Home) => TreeAction::First,
        Key::Plain(End) => TreeAction::Last,
        Key::CtrlWith(Left) | Key::AltWith(Left) => TreeAction::FoldOrUp,
        Key::CtrlWith(Right) | Key::AltWith(Right) => TreeAction::UnfoldOrDown,
        Key::Ctrl('d') => TreeAction::Toggle(Filter::Default),
        Key::Ctrl('t') => TreeAction::Toggle(Filter::NoTools),
        Key::Ctrl('u') => TreeAction::Toggle(Filter::UserOnly),
        Key::Ctrl('l') => TreeAction::Toggle(Filter::LabeledOnly),
        Key::Ctrl('a') => TreeAction::Toggle(Filter::All),
        Key::Ctrl('o') => TreeAction::NextFilter,
        Key::CtrlShift('o') | Key::Alt('o') => TreeAction::PreviousFilter,
        Key::Char('T') => TreeAction::ToggleLabelTimes,
        Key::Plain(Backspace) => TreeAction::Erase,
        Key::Char(letter) => TreeAction::Type(letter.to_string()),
        _ => return None,
    })
}

/// Whether a key leaves what is going on.
pub(super) fn is_cancel(key: Key) -> bool {
    key == Key::Plain(KeyCode::Esc) || key.is_interrupt()
}
