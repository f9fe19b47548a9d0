//! Names for keys, so that a screen reads as its help does.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, as screens match it. Shift is left out where the letter shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter that was typed, shifted or not.
    Char(char),
    /// Ctrl and a letter, in lower case.
    Ctrl(char),
    /// Ctrl, Shift and a letter, in lower case.
    CtrlShift(char),
    /// Alt and a letter.
    Alt(char),
    /// Any other key alone.
    Plain(KeyCode),
    /// Shift and a key that is no letter.
    ShiftWith(KeyCode),
    /// Ctrl and a key that is no letter.
    CtrlWith(KeyCode),
    /// Alt and a key that is no letter.
    AltWith(KeyCode),
}

impl Key {
    /// What was pressed.
    pub fn of(event: &KeyEvent) -> Self {
        let held = |modifier| event.modifiers.contains(modifier);
        let (ctrl, alt) = (held(KeyModifiers::CONTROL), held(KeyModifiers::ALT));
        let shift = held(KeyModifiers::SHIFT);
        match event.code {
            KeyCode::Char(c) if ctrl && (shift || c.is_uppercase()) => {
                Self::CtrlShift(c.to_ascii_lowercase())
            }
            KeyCode::Char(c) if ctrl => Self::Ctrl(c),
            KeyCode::Char(c) if alt => Self::Alt(c),
            // A terminal that reports modifiers may send a small letter with Shift.
            KeyCode::Char(c) if shift => Self::Char(c.to_uppercase().next().unwrap_or(c)),
            KeyCode::Char(c) => Self::Char(c),
            code if ctrl => Self::CtrlWith(code),
            code if alt => Self::AltWith(code),
            KeyCode::BackTab => Self::ShiftWith(KeyCode::Tab),
            code if shift => Self::ShiftWith(code),
            code => Self::Plain(code),
        }
    }

    /// Ctrl+C.
    pub fn is_interrupt(self) -> bool {
        self == Self::Ctrl('c')
    }
}
