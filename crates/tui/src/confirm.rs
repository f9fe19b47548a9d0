//! A question with two answers, as a line.

use crossterm::event::KeyCode;

use crate::keys::Key;

/// What the user answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `y` or Enter.
    Yes,
    /// `n`, Esc or Ctrl+C.
    No,
}

/// The answer that a key gives; all other keys give none.
pub fn answer(key: Key) -> Option<Answer> {
    match key {
        Key::Char('y' | 'Y') | Key::Plain(KeyCode::Enter) => Some(Answer::Yes),
        Key::Char('n' | 'N') | Key::Plain(KeyCode::Esc) => Some(Answer::No),
        key if key.is_interrupt() => Some(Answer::No),
        _ => None,
    }
}
