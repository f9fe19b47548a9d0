//! One key with its modifiers: as a terminal reports it, as configuration files spell it, and as
//! the help shows it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The modifiers that make a difference.
const KNOWN: KeyModifiers = KeyModifiers::CONTROL
    .union(KeyModifiers::ALT)
    .union(KeyModifiers::SHIFT)
    .union(KeyModifiers::SUPER);
/// With one of these a letter is not text.
const NOT_TEXT: KeyModifiers =
    KeyModifiers::CONTROL.union(KeyModifiers::ALT).union(KeyModifiers::SUPER);

/// How files spell modifiers, and how the help does.
const MODIFIERS: [(&str, &str, KeyModifiers); 4] = [
    ("ctrl+", "Ctrl+", KeyModifiers::CONTROL),
    ("alt+", "Alt+", KeyModifiers::ALT),
    ("shift+", "Shift+", KeyModifiers::SHIFT),
    ("super+", "Super+", KeyModifiers::SUPER),
];

/// How files spell keys that are not characters, and how the help does. The first spelling of a
/// key is the usual one.
const NAMED: [(&str, &str, KeyCode); 18] = [
    ("escape", "Esc", KeyCode::Esc),
    ("esc", "Esc", KeyCode::Esc),
    ("enter", "Enter", KeyCode::Enter),
    ("return", "Enter", KeyCode::Enter),
    ("tab", "Tab", KeyCode::Tab),
    ("space", "Space", KeyCode::Char(' ')),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Delete", KeyCode::Delete),
    ("insert", "Insert", KeyCode::Insert),
    ("clear", "Clear", KeyCode::KeypadBegin),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pageUp", "PgUp", KeyCode::PageUp),
    ("pageDown", "PgDn", KeyCode::PageDown),
    ("up", "↑", KeyCode::Up),
    ("down", "↓", KeyCode::Down),
    ("left", "←", KeyCode::Left),
    ("right", "→", KeyCode::Right),
];

/// A key with its modifiers. Two events that a user would call the same key are equal: Shift is
/// left out where the letter shows it, and keys for which old terminals send one byte are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Key {
    /// The key that leaves, where no other is left for that.
    pub(super) const CTRL_C: Self =
        Self { code: KeyCode::Char('c'), modifiers: KeyModifiers::CONTROL };

    /// What was pressed.
    pub fn of(event: &KeyEvent) -> Self {
        let modifiers = event.modifiers & KNOWN;
        match event.code {
            KeyCode::BackTab => {
                Self { code: KeyCode::Tab, modifiers: modifiers | KeyModifiers::SHIFT }
            }
            KeyCode::Char(c) => Self::character(c, modifiers),
            code => Self { code, modifiers },
        }
    }

    fn character(c: char, mut modifiers: KeyModifiers) -> Self {
        if !modifiers.intersects(NOT_TEXT) {
            let has_shift = modifiers.contains(KeyModifiers::SHIFT);
            // A digit that is reported with Shift is the key, and types something else.
            if has_shift && c.is_ascii_digit() {
                return Self { code: KeyCode::Char(c), modifiers };
            }
            // A terminal that reports modifiers may send a small letter with Shift.
            let upper = c.to_uppercase().next().filter(|_| has_shift);
            let code = KeyCode::Char(upper.unwrap_or(c));
            return Self { code, modifiers: KeyModifiers::NONE };
        }
        if c.is_uppercase() {
            modifiers |= KeyModifiers::SHIFT;
        }
        let c = c.to_lowercase().next().unwrap_or(c);
        // Old terminals send the same byte for these, and the decoder names the digit.
        let c = match c {
            '4' if modifiers == KeyModifiers::CONTROL => '\\',
            '5' if modifiers == KeyModifiers::CONTROL => ']',
            '6' if modifiers == KeyModifiers::CONTROL => '^',
            '7' | '_' if modifiers.contains(KeyModifiers::CONTROL) => '-',
            c => c,
        };
        Self { code: KeyCode::Char(c), modifiers }
    }

    /// The key that a configuration file names, in Pi's spelling: `ctrl+shift+x`, `pageUp`, `f5`.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut rest, mut modifiers) = (text, KeyModifiers::NONE);
        while let Some((after, modifier)) = MODIFIERS.iter().find_map(|(name, _, modifier)| {
            let after = rest.strip_prefix(name).filter(|after| !after.is_empty());
            after.map(|after| (after, *modifier))
        }) {
            if modifiers.contains(modifier) {
                return None;
            }
            modifiers |= modifier;
            rest = after;
        }
        let mut letters = rest.chars();
        let code = match (letters.next(), letters.next()) {
            (Some(c), None) if c.is_ascii_graphic() && !c.is_ascii_uppercase() => KeyCode::Char(c),
            _ => match NAMED.iter().find(|(name, ..)| *name == rest) {
                Some((_, _, code)) => *code,
                None => {
                    let number = rest.strip_prefix('f').and_then(|rest| rest.parse().ok());
                    KeyCode::F(number.filter(|number| (1..=12).contains(number))?)
                }
            },
        };
        Some(Self::of(&KeyEvent::new(code, modifiers)))
    }

    /// How the help and the documentation call it.
    pub fn label(self) -> String {
        let mut label: String = MODIFIERS
            .iter()
            .filter(|(_, _, modifier)| self.modifiers.contains(*modifier))
            .map(|(_, shown, _)| *shown)
            .collect();
        if let Some((_, shown, _)) = NAMED.iter().find(|(_, _, code)| *code == self.code) {
            return label + shown;
        }
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() && c.is_uppercase() => {
                label.push_str("Shift+");
                label.push(c);
            }
            KeyCode::Char(c) if self.modifiers.is_empty() => label.push(c),
            KeyCode::Char(c) => label.extend(c.to_uppercase()),
            KeyCode::F(number) => label.push_str(&format!("F{number}")),
            code => label.push_str(&code.to_string()),
        }
        label
    }

    /// The letter that it types; `None` if it types nothing.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Whether every terminal sends it, and it is never text: only new ones send Super, or Shift
    /// with Ctrl and a letter, and Ctrl with a digit or a symbol is a matter of luck.
    pub(super) fn is_everywhere(self) -> bool {
        let is_super = self.modifiers.contains(KeyModifiers::SUPER);
        match self.code {
            KeyCode::Char(c) => {
                let ctrl = self.modifiers == KeyModifiers::CONTROL && c.is_ascii_lowercase();
                // Old terminals send these for Tab, Enter and Backspace.
                ctrl && !"imh".contains(c) || self.modifiers == KeyModifiers::ALT
            }
            KeyCode::Insert | KeyCode::KeypadBegin => false,
            _ => !is_super && self.modifiers.is_empty(),
        }
    }

    /// Whether it is Tab.
    pub(crate) fn is_tab(self) -> bool {
        self.code == KeyCode::Tab && self.modifiers.is_empty()
    }

    /// Whether it is an arrow alone.
    pub(crate) fn is_arrow(self) -> bool {
        let arrows = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right];
        self.modifiers.is_empty() && arrows.contains(&self.code)
    }

    /// What a terminal reports when it is pressed.
    pub fn event(self) -> KeyEvent {
        let shift = match self.code {
            KeyCode::Char(c) if c.is_uppercase() => KeyModifiers::SHIFT,
            _ => KeyModifiers::NONE,
        };
        KeyEvent::new(self.code, self.modifiers | shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spelled_as_in_pi_and_shown_as_on_a_keyboard() {
        for (spelled, shown) in [
            ("a", "a"),
            ("shift+l", "Shift+L"),
            ("ctrl+s", "Ctrl+S"),
            ("shift+ctrl+o", "Ctrl+Shift+O"),
            ("ctrl+-", "Ctrl+-"),
            ("ctrl+_", "Ctrl+-"),
            ("ctrl++", "Ctrl++"),
            ("alt+enter", "Alt+Enter"),
            ("shift+tab", "Shift+Tab"),
            ("ctrl+shift+up", "Ctrl+Shift+↑"),
            ("pageDown", "PgDn"),
            ("esc", "Esc"),
            ("f12", "F12"),
            ("super+k", "Super+K"),
            ("+", "+"),
            ("?", "?"),
            ("space", "Space"),
            ("shift+1", "Shift+1"),
        ] {
            let key = Key::parse(spelled).unwrap_or_else(|| panic!("{spelled}"));
            assert_eq!(key.label(), shown);
            assert_eq!(Key::of(&key.event()), key, "{spelled}");
        }
        for wrong in ["", "ctrl+", "Ctrl+x", "ctrl+ctrl+x", "X", "f13", "f0", "pageup", "hyper+x"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_key_is_one_however_a_terminal_reports_it() {
        let key = |code, modifiers| Key::of(&KeyEvent::new(code, modifiers));
        let (shift, ctrl) = (KeyModifiers::SHIFT, KeyModifiers::CONTROL);
        let same = [
            (key(KeyCode::Char('l'), shift), key(KeyCode::Char('L'), KeyModifiers::NONE)),
            (key(KeyCode::Char('O'), ctrl), key(KeyCode::Char('o'), ctrl | shift)),
            (key(KeyCode::BackTab, shift), key(KeyCode::Tab, shift)),
            (key(KeyCode::Char('7'), ctrl), key(KeyCode::Char('-'), ctrl)),
        ];
        for (one, other) in same {
            assert_eq!(one, other);
        }
        assert_eq!(key(KeyCode::Char('l'), shift).typed(), Some('L'));
        assert_eq!(key(KeyCode::Char('l'), ctrl).typed(), None);
        assert_eq!(key(KeyCode::Char('!'), shift).typed(), Some('!'));
        assert_eq!(key(KeyCode::Char('1'), shift).typed(), None);
        assert_ne!(key(KeyCode::Char('1'), shift), key(KeyCode::Char('1'), KeyModifiers::NONE));
    }
}
