//! What keys mean in the picker.

use crossterm::event::KeyCode;

use crate::keys::Key;
use crate::screen::KeyHelp;

/// For the help on `?`.
pub(super) const HELP: &[KeyHelp] = &[
    ("↑ ↓  k j", "move"),
    ("PgUp PgDn", "move by ten"),
    ("Home End", "first and last"),
    ("→ ←", "unfold and fold forks and sub-agents"),
    ("Enter", "open the session"),
    ("/  or a letter", "search: words, \"a phrase\", re:expression"),
    ("Esc", "leave the search field, empty it, close"),
    ("Tab  Shift+Tab", "this directory, repository, all"),
    ("Ctrl+S", "order: threaded, recent, relevance"),
    ("Ctrl+N", "only sessions with a name"),
    ("Ctrl+P", "show paths"),
    ("Ctrl+R", "rename"),
    ("Ctrl+O", "open in Pi"),
    ("Ctrl+D", "delete, after y"),
    ("Ctrl+C", "close"),
];

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Move by so many rows.
    Move(isize),
    First,
    Last,
    Choose,
    /// Esc: leave the field, empty it, or close.
    Back,
    Close,
    NextScope,
    PreviousScope,
    NextSort,
    NamedOnly,
    Paths,
    Rename,
    OpenInPi,
    Delete,
    /// Deletes if the query is empty.
    DeleteOrEdit,
    Unfold,
    Fold,
    /// Give the field the focus, and type this.
    Search(Option<char>),
    /// Let the field have the key.
    Edit,
}

/// So many rows a page is, as in Pi.
const PAGE: isize = 10;

/// What a key means, depending on whether the search field has the focus.
pub(super) fn action(key: Key, in_field: bool) -> Action {
    match key {
        Key::Plain(KeyCode::Up) => Action::Move(-1),
        Key::Plain(KeyCode::Down) => Action::Move(1),
        Key::Plain(KeyCode::PageUp) => Action::Move(-PAGE),
        Key::Plain(KeyCode::PageDown) => Action::Move(PAGE),
        Key::Plain(KeyCode::Enter) => Action::Choose,
        Key::Plain(KeyCode::Esc) => Action::Back,
        Key::Plain(KeyCode::Tab) => Action::NextScope,
        Key::ShiftWith(KeyCode::Tab) => Action::PreviousScope,
        Key::CtrlWith(KeyCode::Backspace) => Action::DeleteOrEdit,
        Key::Ctrl('c') => Action::Close,
        Key::Ctrl('d') => Action::Delete,
        Key::Ctrl('n') => Action::NamedOnly,
        Key::Ctrl('o') => Action::OpenInPi,
        Key::Ctrl('p') => Action::Paths,
        Key::Ctrl('r') => Action::Rename,
        Key::Ctrl('s') => Action::NextSort,
        _ if in_field => Action::Edit,
        Key::Plain(KeyCode::Home) => Action::First,
        Key::Plain(KeyCode::End) => Action::Last,
        Key::Plain(KeyCode::Right) => Action::Unfold,
        Key::Plain(KeyCode::Left) => Action::Fold,
        Key::Char('k') => Action::Move(-1),
        Key::Char('j') => Action::Move(1),
        Key::Char('/') => Action::Search(None),
        Key::Char(c) => Action::Search(Some(c)),
        _ => Action::Edit,
    }
}
