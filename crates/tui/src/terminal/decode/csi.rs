//! Control sequences: `ESC [`, numbers, and a letter that says what it is.

use crossterm::event::{KeyCode, KeyModifiers};

use super::{Decoded, LONGEST_SEQUENCE, key};
use crate::screen::{Event, Mouse, MouseAction};
use crate::theme::TerminalAnswer;

/// So many lines a turn of the wheel scrolls.
const WHEEL_LINES: i32 = 3;

/// What the bytes behind `ESC [` are.
pub(super) fn part(bytes: &[u8]) -> Decoded {
    // The oldest form of a mouse report has three bytes behind its letter.
    if let [b'M', rest @ ..] = bytes {
        return match rest.get(..3) {
            Some(&[button, column, row]) => {
                let number = |byte: u8| u32::from(byte).wrapping_sub(32);
                with_len(mouse(number(button), number(column), number(row)), 4)
            }
            _ => Decoded::Incomplete,
        };
    }
    let Some(end) = bytes.iter().position(|byte| !matches!(byte, 0x20..=0x3F)) else {
        let too_long = bytes.len() > LONGEST_SEQUENCE;
        return if too_long { Decoded::Nothing(bytes.len()) } else { Decoded::Incomplete };
    };
    let (numbers, last) = (&bytes[..end], bytes[end]);
    // Another sequence begins where this one should go on.
    if !matches!(last, 0x40..=0x7E) {
        return Decoded::Nothing(end);
    }
    if (numbers, last) == (b"200", b'~') {
        return Decoded::Paste(end + 1);
    }
    with_len(event(numbers, last), end + 1)
}

fn with_len(event: Option<Event>, len: usize) -> Decoded {
    match event {
        Some(event) => Decoded::Event(event, len),
        None => Decoded::Nothing(len),
    }
}

fn event(numbers: &[u8], last: u8) -> Option<Event> {
    if let [b'<', report @ ..] = numbers {
        let report = Numbers::of(report);
        let (button, column, row) = (report.get(0)?, report.get(1)?, report.get(2)?);
        // A small letter is the release of a button.
        return if last == b'M' { mouse(button, column, row) } else { None };
    }
    if let ([b'?', ..], b'c') = (numbers, last) {
        return Some(Event::Answer(TerminalAnswer::End));
    }
    let numbers = Numbers::of(numbers);
    // 3 is the release of a key.
    if numbers.sub(1) == Some(3) {
        return None;
    }
    let modifiers = modifiers(numbers.get(1));
    match last {
        b'Z' => Some(key(KeyCode::BackTab, modifiers | KeyModifiers::SHIFT)),
        b'~' if numbers.get(0) == Some(27) => unicode_key(numbers.get(2)?, modifiers),
        b'~' => Some(key(numbered_key(numbers.get(0)?)?, modifiers)),
        // With Shift, what the key types may stand behind the colon.
        b'u' => {
            let typed = numbers.sub(0).filter(|_| modifiers == KeyModifiers::SHIFT);
            unicode_key(typed.or(numbers.get(0))?, modifiers)
        }
        letter => Some(key(letter_key(letter)?, modifiers)),
    }
}

/// The numbers of a sequence, as text: `1;5`, where each may have more behind a colon.
struct Numbers<'n>(Vec<&'n [u8]>);

impl<'n> Numbers<'n> {
    fn of(bytes: &'n [u8]) -> Self {
        Self(bytes.split(|byte| *byte == b';').collect())
    }

    fn get(&self, at: usize) -> Option<u32> {
        self.part(at, 0)
    }

    /// What stands behind the colon.
    fn sub(&self, at: usize) -> Option<u32> {
        self.part(at, 1)
    }

    fn part(&self, at: usize, sub: usize) -> Option<u32> {
        let part = self.0.get(at)?.split(|byte| *byte == b':').nth(sub)?;
        std::str::from_utf8(part).ok()?.parse().ok()
    }
}

fn modifiers(number: Option<u32>) -> KeyModifiers {
    let bits = number.unwrap_or(1).saturating_sub(1);
    let mut modifiers = KeyModifiers::NONE;
    let held = [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL];
    for (bit, modifier) in held.into_iter().enumerate() {
        if bits & (1 << bit) != 0 {
            modifiers |= modifier;
        }
    }
    modifiers
}

/// What a mouse did. Places are counted from one.
fn mouse(button: u32, column: u32, row: u32) -> Option<Event> {
    // Shift, Alt and Ctrl are bits of their own.
    let action = match button & !0b1_1100 {
        0 => MouseAction::Press,
        64 => MouseAction::Wheel(-WHEEL_LINES),
        65 => MouseAction::Wheel(WHEEL_LINES),
        _ => return None,
    };
    let place = |number: u32| u16::try_from(number.checked_sub(1)?).ok();
    Some(Event::Mouse(Mouse { action, column: place(column)?, row: place(row)? }))
}

/// Keys that are told by the letter at the end.
pub(super) fn letter_key(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// Keys that are told by a number.
fn numbered_key(number: u32) -> Option<KeyCode> {
    let function = |key: u32| u8::try_from(key).ok().map(KeyCode::F);
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => return function(number - 10),
        17..=21 => return function(number - 11),
        23..=24 => return function(number - 12),
        _ => return None,
    })
}

/// Keys that are told by the number of their character.
fn unicode_key(number: u32, modifiers: KeyModifiers) -> Option<Event> {
    /// The keypad's Enter.
    const KEYPAD_ENTER: u32 = 57_414;
    let code = match number {
        9 if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 | KEYPAD_ENTER => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        // Keys without a character have numbers of the private use area.
        0xE000..=0xF8FF => return None,
        _ => KeyCode::Char(char::from_u32(number).filter(|c| !c.is_control())?),
    };
    Some(key(code, modifiers))
}
