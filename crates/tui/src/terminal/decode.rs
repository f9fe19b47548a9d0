//! From the bytes that a terminal sends to keys, pastes and what the mouse does.
//!
//! Nothing here reads or waits, so no byte can make the loop hang: a sequence that stops half-way
//! stays in the buffer until more comes, or until [`Decoder::give_up`] takes it for what it is. How
//! long that takes is counted from its last byte, whatever else wakes the loop meanwhile. A
//! sequence that nobody knows is passed over.

mod csi;

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::screen::Event;
use crate::theme::{Rgb, TerminalAnswer};

const ESCAPE: u8 = 0x1B;
const PASTE_END: &[u8] = b"\x1b[201~";

/// The Esc key and the beginning of a sequence look alike; what belongs together comes together.
const SEQUENCE_PAUSE: Duration = Duration::from_millis(30);

/// A paste may come in pieces over a slow line. What comes after it would count as typed.
const PASTE_PAUSE: Duration = Duration::from_secs(3);

/// A longer sequence is none.
const LONGEST_SEQUENCE: usize = 256;

/// Nobody types so many letters between two looks: that is a paste, in a terminal that does not
/// mark one. Taken letter by letter, or piece by piece as it is read, a long one would keep the
/// loop busy for minutes, since each time all of it is laid out.
const LEAST_UNMARKED_PASTE: usize = 256;

/// Makes events of bytes.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    /// How much of them is done.
    done: usize,
    /// Whether a paste has begun and not ended.
    is_pasting: bool,
    /// How much of the paste was searched for its end, so that a long one is searched once. Without
    /// a mark its end is a control character, or a pause.
    searched: usize,
    /// When the last bytes came.
    heard: Option<Instant>,
}

/// What the beginning of some bytes is.
enum Decoded {
    /// An event, and how many bytes it took.
    Event(Event, usize),
    /// So many bytes that mean nothing.
    Nothing(usize),
    /// The beginning of a paste, so many bytes long.
    Paste(usize),
    /// Not all of it is there yet.
    Incomplete,
}

impl Decoder {
    /// Takes bytes that were read now.
    pub(super) fn push(&mut self, bytes: &[u8], now: Instant) {
        self.heard = Some(now);
        self.bytes.drain(..self.done);
        self.done = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next event that is whole.
    pub(super) fn next(&mut self) -> Option<Event> {
        loop {
            let rest = &self.bytes[self.done..];
            if self.is_pasting {
                let ends = |bytes: &[u8]| bytes == PASTE_END;
                let Some(end) = rest[self.searched..].windows(PASTE_END.len()).position(ends)
                else {
                    self.searched = (rest.len() + 1).saturating_sub(PASTE_END.len());
                    return None;
                };
                return Some(self.end_paste(self.searched + end, PASTE_END.len()));
            }
            if is_unmarked_paste(rest) {
                let Some(end) = rest[self.searched..].iter().position(is_control) else {
                    self.searched = rest.len();
                    return None;
                };
                return Some(self.end_paste(self.searched + end, 0));
            }
            match part(rest) {
                Decoded::Event(event, len) => {
                    self.done += len;
                    return Some(event);
                }
                Decoded::Nothing(len) => self.done += len,
                Decoded::Paste(len) => {
                    self.done += len;
                    self.is_pasting = true;
                }
                Decoded::Incomplete => return None,
            }
        }
    }

    /// How much longer to wait for the rest of what has begun; `None` if nothing has.
    pub(super) fn patience(&self, now: Instant) -> Option<Duration> {
        let pause = match self.is_pasting {
            true => PASTE_PAUSE,
            false if self.done < self.bytes.len() => SEQUENCE_PAUSE,
            false => return None,
        };
        let waited = self.heard.map(|heard| now.saturating_duration_since(heard));
        Some(pause.saturating_sub(waited.unwrap_or_default()))
    }

    /// No more came: what is there is all.
    pub(super) fn give_up(&mut self) -> Option<Event> {
        let rest = &self.bytes[self.done..];
        if self.is_pasting || is_unmarked_paste(rest) {
            let whole = whole_letters(rest);
            return Some(self.end_paste(whole, 0));
        }
        let first = *rest.first()?;
        self.done += 1;
        if first != ESCAPE {
            return None;
        }
        // With something behind it, as `ESC [`, it is a letter with Alt.
        match self.bytes.get(self.done) {
            Some(&letter) if letter.is_ascii_graphic() => {
                self.done += 1;
                Some(key(KeyCode::Char(letter.into()), KeyModifiers::ALT))
            }
            _ => Some(key(KeyCode::Esc, KeyModifiers::NONE)),
        }
    }

    fn end_paste(&mut self, len: usize, mark: usize) -> Event {
        let text = String::from_utf8_lossy(&self.bytes[self.done..self.done + len]).into_owned();
        self.done += len + mark;
        (self.is_pasting, self.searched) = (false, 0);
        Event::Paste(text)
    }
}

/// Whether some bytes begin with more letters than anybody types.
fn is_unmarked_paste(bytes: &[u8]) -> bool {
    let Some(letters) = bytes.get(..LEAST_UNMARKED_PASTE) else { return false };
    let whole = &letters[..whole_letters(letters)];
    !letters.iter().any(is_control) && std::str::from_utf8(whole).is_ok()
}

/// How many bytes there are without a last letter that is cut; the rest of it may come.
fn whole_letters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(cut) if cut.error_len().is_none() => cut.valid_up_to(),
        _ => bytes.len(),
    }
}

fn is_control(byte: &u8) -> bool {
    *byte < 0x20 || *byte == 0x7F
}

fn part(bytes: &[u8]) -> Decoded {
    match bytes {
        [] | [ESCAPE] => Decoded::Incomplete,
        [ESCAPE, ESCAPE, ..] => Decoded::Event(key(KeyCode::Esc, KeyModifiers::NONE), 1),
        [ESCAPE, b'[', rest @ ..] => csi::part(rest).after(2),
        [ESCAPE, b'O', rest @ ..] => match rest.first() {
            None => Decoded::Incomplete,
            Some(last) => match csi::letter_key(*last) {
                Some(code) => Decoded::Event(key(code, KeyModifiers::NONE), 3),
                None => Decoded::Nothing(3),
            },
        },
        // Answers of the terminal; only its colors were asked for.
        [ESCAPE, b']' | b'P' | b'_' | b'^', ..] => answer(bytes),
        [ESCAPE, rest @ ..] => match letter(rest) {
            Decoded::Event(Event::Key(mut pressed), len) => {
                pressed.modifiers |= KeyModifiers::ALT;
                Decoded::Event(Event::Key(pressed), len + 1)
            }
            other => other.after(1),
        },
        _ => letter(bytes),
    }
}

impl Decoded {
    /// The same with so many bytes before it.
    fn after(self, bytes: usize) -> Self {
        match self {
            Self::Event(event, len) => Self::Event(event, len + bytes),
            Self::Nothing(len) => Self::Nothing(len + bytes),
            Self::Paste(len) => Self::Paste(len + bytes),
            Self::Incomplete => Self::Incomplete,
        }
    }
}

/// A string that the terminal sends, up to its end.
fn answer(bytes: &[u8]) -> Decoded {
    let bell = bytes.iter().position(|byte| *byte == 0x07).map(|at| at + 1);
    let string_end = bytes.windows(2).position(|pair| pair == b"\x1b\\").map(|at| at + 2);
    match bell.into_iter().chain(string_end).min() {
        Some(len) => match color(&bytes[..len]) {
            Some(color) => Decoded::Event(Event::Answer(color), len),
            None => Decoded::Nothing(len),
        },
        None if bytes.len() > LONGEST_SEQUENCE => Decoded::Nothing(2),
        None => Decoded::Incomplete,
    }
}

/// The color in an answer such as `ESC ] 11 ; rgb:1e1e/1e1e/1e1e`.
fn color(answer: &[u8]) -> Option<TerminalAnswer> {
    let text = std::str::from_utf8(answer).ok()?.strip_prefix("\u{1b}]")?;
    let (what, color) = text.trim_end_matches(['\u{7}', '\u{1b}', '\\']).rsplit_once(';')?;
    let color = Rgb::of_terminal(color)?;
    match what {
        "10" => Some(TerminalAnswer::Foreground(color)),
        "11" => Some(TerminalAnswer::Background(color)),
        _ => Some(TerminalAnswer::Palette(what.strip_prefix("4;")?.parse().ok()?, color)),
    }
}

/// A key that sends a character or a control character.
fn letter(bytes: &[u8]) -> Decoded {
    let plain = |code| Decoded::Event(key(code, KeyModifiers::NONE), 1);
    let control = |c: u8| Decoded::Event(key(KeyCode::Char(c.into()), KeyModifiers::CONTROL), 1);
    match bytes[0] {
        b'\r' => plain(KeyCode::Enter),
        b'\t' => plain(KeyCode::Tab),
        0x7F => plain(KeyCode::Backspace),
        0 => control(b' '),
        byte @ 1..=0x1A => control(byte - 1 + b'a'),
        byte @ 0x1C..=0x1F => control(byte - 0x1C + b'4'),
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Decoded {
    let start = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => match (error.valid_up_to(), error.error_len()) {
            (0, None) => return Decoded::Incomplete,
            (0, Some(bad)) => return Decoded::Nothing(bad),
            (valid, _) => std::str::from_utf8(&start[..valid]).unwrap_or_default(),
        },
    };
    match valid.chars().next() {
        Some(c) if c.is_uppercase() => {
            Decoded::Event(key(KeyCode::Char(c), KeyModifiers::SHIFT), c.len_utf8())
        }
        Some(c) => Decoded::Event(key(KeyCode::Char(c), KeyModifiers::NONE), c.len_utf8()),
        None => Decoded::Nothing(1),
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::keymap::Key;

    /// All events of some bytes, given up at the end, in words.
    fn events(bytes: &[u8]) -> Vec<String> {
        let mut decoder = Decoder::default();
        let now = Instant::now();
        decoder.push(bytes, now);
        let mut events: Vec<Event> = std::iter::from_fn(|| decoder.next()).collect();
        while decoder.patience(now).is_some() {
            events.extend(decoder.give_up());
            events.extend(std::iter::from_fn(|| decoder.next()));
        }
        let words = events.iter().map(|event| match event {
            Event::Key(key) => Key::of(key).label(),
            other => format!("{other:?}"),
        });
        words.collect()
    }

    #[test]
    fn keys_as_terminals_send_them() {
        let cases: &[(&[u8], &str)] = &[
            (b"a", "a"),
            (b"L", "Shift+L"),
            ("日".as_bytes(), "日"),
            (b"\r", "Enter"),
            (b"\x04", "Ctrl+D"),
            (b"\x7f", "Backspace"),
            (b"\x1b", "Esc"),
            (b"\x1b[A", "↑"),
            (b"\x1bOB", "↓"),
            (b"\x1b[1;5D", "Ctrl+←"),
            (b"\x1b[1;3C", "Alt+→"),
            (b"\x1b[5~", "PgUp"),
            (b"\x1b[6~", "PgDn"),
            (b"\x1b[H", "Home"),
            (b"\x1b[4~", "End"),
            (b"\x1b[3;5~", "Ctrl+Delete"),
            (b"\x1b[Z", "Shift+Tab"),
            (b"\x1bf", "Alt+F"),
            (b"\x1b\x7f", "Alt+Backspace"),
            (b"\x1b[127;5u", "Ctrl+Backspace"),
            (b"\x1b[27u", "Esc"),
            (b"\x1b[111;6u", "Ctrl+Shift+O"),
            (b"\x1b[13;2u", "Shift+Enter"),
            (b"\x1b[49;2u", "Shift+1"),
            (b"\x1b[49:33;2u", "!"),
            (b"\x1b[108:76;2u", "Shift+L"),
            (b"\x1b[27;5;13~", "Ctrl+Enter"),
            (b"\x1b[", "Alt+["),
            (b"\x1b[200~a\x1b[31mb\r\x1b[201~", "Paste(\"a\\u{1b}[31mb\\r\")"),
            (b"\x1b[<64;10;5M", "Mouse(Mouse { action: Wheel(-3), column: 9, row: 4 })"),
            (b"\x1b[<65;10;5M", "Mouse(Mouse { action: Wheel(3), column: 9, row: 4 })"),
            (b"\x1b[<0;10;5M", "Mouse(Mouse { action: Press, column: 9, row: 4 })"),
            (b"\x1b]11;rgb:1e1e/2020/ffff\x1b\\", "Answer(Background(Rgb(30, 32, 255)))"),
            (b"\x1b]11;rgb:1e/20/ff\x07", "Answer(Background(Rgb(30, 32, 255)))"),
            (b"\x1b]10;rgba:f/0/8/f\x07", "Answer(Foreground(Rgb(255, 0, 136)))"),
            (b"\x1b]4;12;#1e20ff\x07", "Answer(Palette(12, Rgb(30, 32, 255)))"),
            (b"\x1b[?62;22c", "Answer(End)"),
            (b"\x1b[M\x61!!", "Mouse(Mouse { action: Wheel(3), column: 0, row: 0 })"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(events(bytes), [*expected], "{bytes:?}");
        }
    }

    #[test]
    fn what_nobody_knows_is_passed_over() {
        for bytes in [
            &b"\x1b]11;rgb:00/00\x1b\\"[..],
            b"\x1b]11;rgb:0000/0000/00zz\x1b\\",
            b"\x1b]12;rgb:0000/0000/0000\x1b\\",
            b"\x1b]4;300;rgb:0000/0000/0000\x1b\\",
            b"\x1b[<0;10;5m",
            b"\x1b[<0;0;5M",
            b"\x1b[<2;10;5M",
            b"\x1b[97;1:3u",
            b"\x1b[I",
            b"\xff\xfe",
        ] {
            assert_eq!(events(bytes), Vec::<String>::new(), "{bytes:?}");
        }
        assert_eq!(events(b"\x1b[?1ux\x1b\x1b"), ["x", "Esc", "Esc"]);
    }

    #[test]
    fn the_wait_for_the_rest_of_a_key_ends_whatever_wakes_the_loop() {
        let begun = Instant::now();
        for (bytes, pause) in [(&b"\x1b"[..], SEQUENCE_PAUSE), (b"\x1b[200~a", PASTE_PAUSE)] {
            let mut decoder = Decoder::default();
            decoder.push(bytes, begun);
            assert!(decoder.next().is_none());
            // The loop is woken again and again, by messages that are not keys.
            let step = pause / 10;
            let left = (0..=12).map(|wakeups| decoder.patience(begun + step * wakeups));
            let left: Vec<Duration> = left.map(Option::unwrap).collect();
            assert!(left.is_sorted_by(|before, after| before >= after), "{left:?}");
            assert_eq!((left[0], left[10], left[12]), (pause, Duration::ZERO, Duration::ZERO));
            // More bytes are a reason to wait on.
            decoder.push(b"[", begun + pause);
            assert_eq!(decoder.patience(begun + pause), Some(pause));
        }
    }

    #[test]
    fn an_open_paste_does_not_keep_the_keys_for_ever() {
        assert_eq!(events(b"\x1b[200~abc"), ["Paste(\"abc\")"]);
    }

    #[test]
    fn more_letters_than_anybody_types_are_one_paste() {
        let letters = "é日x".repeat(LEAST_UNMARKED_PASTE);
        let words = events([letters.as_bytes(), b"\rab"].concat().as_slice());
        let paste = format!("Paste({letters:?})");
        assert_eq!(words, [&paste, "Enter", "a", "b"]);
        // It is read in pieces, which may end in the middle of a letter.
        let mut decoder = Decoder::default();
        for bytes in letters.as_bytes().chunks(LEAST_UNMARKED_PASTE + 1) {
            decoder.push(bytes, Instant::now());
            assert!(decoder.next().is_none(), "more may come");
        }
        assert!(decoder.patience(Instant::now()).is_some());
        assert_eq!(format!("{:?}", decoder.give_up().unwrap()), paste);
        // After a pause the next letters are typed, also the rest of one that was cut.
        let (first, rest) = letters.as_bytes().split_at(letters.len() - 3);
        decoder.push(first, Instant::now());
        assert!(decoder.next().is_none());
        let pasted = &letters[..letters.len() - "日x".len()];
        assert_eq!(format!("{:?}", decoder.give_up().unwrap()), format!("Paste({pasted:?})"));
        decoder.push(rest, Instant::now());
        let typed = std::iter::from_fn(|| decoder.next());
        let typed = typed.map(|event| match event {
            Event::Key(key) => Key::of(&key).label(),
            other => format!("{other:?}"),
        });
        assert_eq!(typed.collect::<Vec<_>>(), ["日", "x"]);
        let few = "x".repeat(LEAST_UNMARKED_PASTE - 1);
        assert_eq!(events(few.as_bytes()).len(), few.len());
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let pieces =
            [&b"\x1b"[..], b"[", b"O", b"1;5", b"~", b"u", b"M", b"200~", b"a", b"]", b"<"];
        let piece = prop_oneof![
            proptest::sample::select(pieces.map(<[u8]>::to_vec).to_vec()),
            proptest::collection::vec(any::<u8>(), 1..4),
        ];
        proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn no_bytes_hurt_and_pieces_make_no_difference(bytes in bytes(), cut in any::<usize>()) {
            let mut whole = Decoder::default();
            whole.push(&bytes, Instant::now());
            let all: Vec<String> =
                std::iter::from_fn(|| whole.next()).map(|event| format!("{event:?}")).collect();
            let mut pieces = Decoder::default();
            let mut some = Vec::new();
            for part in [&bytes[..cut % (bytes.len() + 1)], &bytes[cut % (bytes.len() + 1)..]] {
                pieces.push(part, Instant::now());
                some.extend(std::iter::from_fn(|| pieces.next()).map(|event| format!("{event:?}")));
            }
            prop_assert_eq!(all, some);
            let _ = events(&bytes);
        }
    }
}
