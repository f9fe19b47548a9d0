//! Text from session files made harmless for a terminal.
//!
//! A session holds whatever a model or a web page said, escape sequences included. Nothing of it
//! reaches the terminal before control characters and marks that reorder text are replaced.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use pitree_export::harmless;
pub(crate) use pitree_export::numbers::count as counted;
use pitree_tui::text::width;

/// Text for one line: white space becomes a space, anything dangerous becomes `�`.
pub(crate) fn clean_line(text: &str) -> String {
    harmless::clean_line(text).into_owned()
}

/// Text for several lines: line feeds and tabs stay.
pub(crate) fn clean_block(text: &str) -> String {
    harmless::clean_block(text).into_owned()
}

/// Cuts a text to a number of characters and marks the cut.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Breaks a line between words, so that a terminal need not break it within one. Lines after the
/// first are indented. A word that is too long, such as a path, stays whole, and so does a command in
/// backticks: it is there to be copied.
pub(crate) fn fold(line: &str, columns: usize, indent: usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut used = 0;
    for (at, word) in words(line).into_iter().enumerate() {
        let wide = shown_width(word);
        if at > 0 && used + 1 + wide > columns && used > indent {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if at > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    out
}

/// The parts of a line between which it may be broken: at spaces, but not within backticks. A backtick
/// in the middle of a word, as in a file name, neither begins nor ends a command.
fn words(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let mut words = Vec::new();
    let (mut begin, mut in_command) = (0, false);
    for (at, byte) in bytes.iter().enumerate() {
        let (before, after) = (at.checked_sub(1).map(|at| bytes[at]), bytes.get(at + 1));
        match byte {
            b'`' if !in_command => in_command = matches!(before, None | Some(b' ' | b'(')),
            b'`' => {
                in_command = !matches!(after, None | Some(b' ' | b',' | b'.' | b';' | b':' | b')'));
            }
            b' ' if !in_command => {
                words.push(&line[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[begin..]);
    words
}

/// How many columns a text takes, without our own colors and links.
fn shown_width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, width);
    // The end of an address, `ESC \`, is a part of its own.
    let shown = |part: &str| match part.as_bytes().first() {
        Some(b'[') => width(part.split_once('m').map_or("", |(_, shown)| shown)),
        Some(b'\\') => width(&part[1..]),
        _ => 0,
    };
    first + parts.map(shown).sum::<usize>()
}

/// The first of some things, a line each, and how many more there are.
pub(crate) fn first_lines<T>(
    all: &[T],
    most: usize,
    line: impl FnMut(&T) -> String,
) -> Vec<String> {
    let more = all.len().saturating_sub(most);
    let last = (more > 0).then(|| format!("… and {more} more"));
    all.iter().take(most).map(line).chain(last).collect()
}

/// A number and the unit behind it, which may be empty, as in `2GiB` or `1.5 s`.
pub(crate) fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim()))
}

/// Bytes of a session on their way to a terminal, such as JSON: what could take the terminal over
/// is escaped as JSON writes it. So valid JSON stays the same JSON.
#[derive(Debug, Default)]
struct TerminalText {
    /// The beginning of a character whose end has not come yet.
    held: Vec<u8>,
}

impl TerminalText {
    /// The next piece, as far as its characters are whole.
    fn harmless(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            // Bytes that are not UTF-8 may come before an unfinished character.
            Err(_) => all.len() - unfinished(&all),
            Ok(_) => all.len(),
        };
        self.held = all.split_off(whole);
        escaped(&all)
    }

    /// What is left at the end.
    fn finish(&mut self) -> String {
        escaped(&std::mem::take(&mut self.held))
    }
}

/// A writer that sends bytes through [`TerminalText`] if they go to a terminal.
#[derive(Debug)]
pub(crate) struct TerminalWriter<W> {
    out: W,
    terminal: Option<TerminalText>,
}

impl<W> TerminalWriter<W> {
    pub(crate) fn new(out: W, on_terminal: bool) -> Self {
        Self { out, terminal: on_terminal.then(TerminalText::default) }
    }
}

impl<W: Write> TerminalWriter<W> {
    /// Writes what is left of a character that never became whole, and gives the writer for text
    /// that is known to be harmless.
    pub(crate) fn harmless_text(&mut self) -> io::Result<&mut W> {
        let rest = self.terminal.as_mut().map(TerminalText::finish).unwrap_or_default();
        self.out.write_all(rest.as_bytes())?;
        Ok(&mut self.out)
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.terminal {
            // What is escaped is longer, so all of it is written or the writer has failed.
            Some(terminal) => self.out.write_all(terminal.harmless(bytes).as_bytes())?,
            None => return self.out.write(bytes),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How many bytes at the end begin a character that is not whole.
fn unfinished(bytes: &[u8]) -> usize {
    (1..=3.min(bytes.len()))
        .find(|&count| {
            let end = &bytes[bytes.len() - count..];
            std::str::from_utf8(end)
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

fn escaped(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' || harmless::is_harmless(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// A word as it is typed in a shell, quoted so that sh, bash, zsh and fish read it alike. A backslash
/// stands outside the quotes, since fish knows escapes within them; what could harm a terminal, and
/// bytes that are not text, are spelled out for `printf`, which every shell has.
pub(crate) fn shell_word(word: &OsStr) -> String {
    // In zsh a word that begins with `=` is a program.
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./:@+=,-".contains(byte);
    let bytes = word.as_bytes();
    if !bytes.is_empty() && bytes[0] != b'=' && bytes.iter().all(plain) {
        return word.to_string_lossy().into_owned();
    }
    match word.to_str() {
        Some(text) if clean_line(text) == text => quoted(text),
        _ => spelled_out(bytes),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\'', '\\', c, '\'']),
            _ => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// What `printf` prints of it. The shells cut off line feeds at its end, so they are left to a `*`.
fn spelled_out(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |at| at + 1);
    let mut out = "\"$(printf '".to_owned();
    for (at, chunk) in bytes[..end].utf8_chunks().enumerate() {
        for (index, c) in chunk.valid().char_indices() {
            let harmless = clean_line(c.encode_utf8(&mut [0; 4])).chars().eq([c]);
            match c {
                '%' => out.push_str("%%"),
                // It would begin an option of `printf`.
                '-' if at + index == 0 => octal(b'-', &mut out),
                _ if harmless && !"\\'\"`$!".contains(c) => out.push(c),
                // Its bytes, so that the locale does not count.
                _ => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| octal(byte, &mut out)),
            }
        }
        chunk.invalid().iter().for_each(|byte| octal(*byte, &mut out));
    }
    out.push_str("')\"");
    if end < bytes.len() {
        out.push('*');
    }
    out
}

/// Three octal digits, so that no digit behind them is taken for a part of it.
fn octal(byte: u8, out: &mut String) {
    out.push_str(&format!("\\{byte:03o}"));
}

/// An option with its value, as [`command`] takes it.
pub(crate) fn shell_option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{between}{}", shell_word(value.as_ref()))
}

/// A command for the user to run: a verb, what it works on, and options. What begins with a dash is
/// taken for an option unless it comes last, behind `--`.
pub(crate) fn command(verb: &str, operands: &[&OsStr], options: &str) -> String {
    let is_like_option = |word: &&OsStr| word.as_bytes().starts_with(b"-");
    let words: Vec<String> = operands.iter().map(|word| shell_word(word)).collect();
    let words = words.join(" ");
    let parts = match operands.iter().any(is_like_option) {
        true => ["pitree", verb, options, "--", &words],
        false => ["pitree", verb, &words, options, ""],
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_say_how_many_more_there_are() {
        let lines = |most| first_lines(&[1, 2, 3], most, i32::to_string);
        assert_eq!(lines(3), ["1", "2", "3"]);
        assert_eq!(lines(2), ["1", "2", "… and 1 more"]);
    }

    #[test]
    fn a_writer_escapes_for_a_terminal_alone() {
        let line = "{\"a\":\"x\u{9d}0;T\u{9c}\u{202e}é\"}\n";
        for (on_terminal, expected) in
            [(false, line), (true, "{\"a\":\"x\\u009d0;T\\u009c\\u202eé\"}\n")]
        {
            let mut out = Vec::new();
            let mut writer = TerminalWriter::new(&mut out, on_terminal);
            // A character may come in two pieces.
            line.as_bytes().chunks(1).for_each(|piece| writer.write_all(piece).unwrap());
            writer.flush().unwrap();
            assert_eq!(out, expected.as_bytes());
        }
    }

    #[test]
    fn json_on_a_terminal_is_the_same_json_however_it_is_cut() {
        let json = "{\"a\":\"é\u{9d}0;x\u{9c}漢\u{202e}😀\u{61c}\u{7f}\"}\n";
        let expected = "{\"a\":\"é\\u009d0;x\\u009c漢\\u202e😀\\u061c\\u007f\"}\n".to_owned();
        for size in 1..=json.len() {
            let mut terminal = TerminalText::default();
            let pieces = json.as_bytes().chunks(size).map(|piece| terminal.harmless(piece));
            let mut text: String = pieces.collect();
            text.push_str(&terminal.finish());
            assert_eq!(text, expected, "{size}");
        }
        let value = |text: &str| pitree_format::js::parse(text.trim().as_bytes()).unwrap();
        assert_eq!(value(&expected), value(json));
    }

    #[test]
    fn bytes_that_are_not_text_do_no_harm() {
        for size in 1..=3 {
            let mut terminal = TerminalText::default();
            let bytes = b"\x1b]0;x\x07\x9d\xc2\xff\xe2\x82";
            let mut text: String = bytes.chunks(size).map(|one| terminal.harmless(one)).collect();
            text.push_str(&terminal.finish());
            assert_eq!(text, "\\u001b]0;x\\u0007\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}", "{size}");
        }
    }

    #[test]
    fn lines_are_folded_between_words() {
        assert_eq!(fold("one two three", 8, 2), "one two\n  three");
        assert_eq!(fold("one two three", 80, 2), "one two three");
        assert_eq!(fold("file  /a/long/path here", 10, 6), "file  /a/long/path\n      here");
        assert_eq!(fold("\u{1b}[31mone\u{1b}[0m two", 7, 2), "\u{1b}[31mone\u{1b}[0m two");
        assert_eq!(fold("", 7, 2), "");
        let command = "`pitree export 'a`b c' -o d`";
        assert_eq!(
            fold(&format!("run {command}; then"), 9, 2),
            format!("run\n  {command};\n  then")
        );
        assert_eq!(fold("a` b c `d e", 4, 0), "a` b\nc\n`d e");
        let link = crate::links::to_path("/a/b".as_ref(), "b");
        assert_eq!(fold(&format!("{link} two"), 5, 2), format!("{link} two"));
        assert_eq!(fold(&format!("{link} two"), 4, 0), format!("{link}\ntwo"));
    }

    #[test]
    fn words_for_the_shell() {
        let quoted = |bytes: &[u8]| shell_word(OsStr::from_bytes(bytes));
        assert_eq!(quoted(b"/a/b-c.jsonl"), "/a/b-c.jsonl");
        assert_eq!(quoted(b""), "''");
        assert_eq!(quoted(b"/a b/$(c)"), "'/a b/$(c)'");
        assert_eq!(quoted(b"it's"), r"'it'\''s'");
        assert_eq!(quoted(br"a\b c"), r"'a'\\'b c'");
        assert_eq!(quoted(b"=a"), "'=a'");
        assert_eq!(quoted(b"a\x1b[2J\n1'\\%"), r#""$(printf 'a\033[2J\0121\047\134%%')""#);
        assert_eq!(quoted(b"a\xff"), r#""$(printf 'a\377')""#);
        assert_eq!(quoted("a\u{202e}".as_bytes()), r#""$(printf 'a\342\200\256')""#);
        assert_eq!(quoted(b"-\n"), r#""$(printf '\055')"*"#);
    }

    #[test]
    fn what_begins_with_a_dash_comes_last() {
        let of = |operands: &[&str], options| {
            let operands: Vec<&OsStr> = operands.iter().map(OsStr::new).collect();
            command("goto", &operands, options)
        };
        assert_eq!(of(&["a b", "c"], "--wait 1s"), "pitree goto 'a b' c --wait 1s");
        assert_eq!(of(&["a", "-c"], "--wait 1s"), "pitree goto --wait 1s -- a -c");
        assert_eq!(of(&["-a"], ""), "pitree goto -- -a");
        assert_eq!(shell_option("--at", "a b"), "--at 'a b'");
        assert_eq!(shell_option("--at", "-a"), "--at=-a");
    }
}
