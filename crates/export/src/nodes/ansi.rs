//! The output of programs: colors of the terminal become classes, and nothing else of an escape
//! sequence does anything.
//!
//! Sequences that only move the cursor or set modes are left out. Those that carry text (titles,
//! links) lose their introducer, so that nothing hides in them.

use super::{Class, Element, Node, Tag, push_text, text_of};
use crate::harmless::clean_beginning;

/// Changes of color after so many are not shown.
const MOST_SPANS: usize = 20_000;

/// What the text looks like at a point.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    foreground: Option<u8>,
    background: Option<u8>,
    bold: bool,
    dim: bool,
    italic: bool,
    underlined: bool,
    struck: bool,
    reversed: bool,
}

/// The output of a program.
pub(crate) fn output(text: &str) -> Vec<Node> {
    let (mut nodes, mut style, mut spans) = (Vec::new(), Style::default(), 0);
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(['\u{1b}', '\u{9b}', '\r']).unwrap_or(rest.len());
        let (plain, from) = rest.split_at(at);
        if spans > MOST_SPANS {
            style = Style::default();
        }
        spans += usize::from(style != Style::default());
        style.push(plain, &mut nodes);
        rest = match from.strip_prefix('\r') {
            // The line is written again from its beginning: what was there stays legible.
            Some(after) if after.starts_with('\n') => after,
            Some(after) => {
                push_text(&mut nodes, "\n");
                after
            }
            None if from.is_empty() => from,
            None => escape(from, &mut style, &mut nodes),
        };
    }
    nodes
}

/// The beginning of what a program wrote, in one line and without its colors: at most so many
/// characters, and a mark where it is cut.
pub fn output_beginning(text: &str, most: usize) -> String {
    // With some room for what is left out; of a long output the rest is not looked at.
    let end = text.floor_char_boundary(most * 8 + 1024);
    if !text[..end].contains(['\u{1b}', '\u{9b}']) {
        return clean_beginning(text, most);
    }
    let mut plain = text_of(&output(&text[..end]));
    plain.push_str(if end < text.len() { "…" } else { "" });
    clean_beginning(&plain, most)
}

/// Goes over an escape sequence; gives what follows it.
fn escape<'t>(text: &'t str, style: &mut Style, nodes: &mut Vec<Node>) -> &'t str {
    let sequence = text.strip_prefix("\u{1b}[").or_else(|| text.strip_prefix('\u{9b}'));
    let is_inner = |c: char| ('\u{20}'..='\u{3f}').contains(&c);
    if let Some(sequence) = sequence {
        let end = sequence.find(|c| !is_inner(c)).unwrap_or(sequence.len());
        let (parameters, from_end) = sequence.split_at(end);
        match from_end.chars().next() {
            Some('m') => style.change(parameters),
            Some('\u{40}'..='\u{7e}') => {}
            // It is not finished, so it is none.
            _ => {
                push_text(nodes, "\u{FFFD}[");
                return sequence;
            }
        }
        return &from_end[1..];
    }
    let after = &text[text.chars().next().map_or(0, char::len_utf8)..];
    match after.chars().next() {
        // The end of a sequence that carried text, and what has no parameters.
        Some('\\' | '=' | '>' | '7' | '8' | 'c' | 'D' | 'E' | 'H' | 'M') => &after[1..],
        Some('(' | ')') if after.len() > 1 && after.is_char_boundary(2) => &after[2..],
        _ => {
            push_text(nodes, "\u{FFFD}");
            after
        }
    }
}

impl Style {
    /// Adds text that looks like this.
    fn push(self, text: &str, nodes: &mut Vec<Node>) {
        let color =
            [self.foreground.map(Class::Foreground), self.background.map(Class::Background)];
        let marks = [
            (self.bold, Class::Bold),
            (self.dim, Class::Dim),
            (self.italic, Class::Italic),
            (self.underlined, Class::Underlined),
            (self.struck, Class::Struck),
            (self.reversed, Class::Reversed),
        ];
        let marks = marks.into_iter().filter_map(|(is, class)| is.then_some(class));
        let mut classes = color.into_iter().flatten().chain(marks);
        match classes.next() {
            _ if text.is_empty() => {}
            None => push_text(nodes, text),
            Some(first) => {
                let inner = Element::new(Tag::Span).class(first).text(text);
                let span = |inner, class| Element::new(Tag::Span).class(class).child(inner);
                nodes.push(classes.fold(inner, span).into());
            }
        }
    }

    /// Takes the parameters of a sequence that ends with `m`.
    fn change(&mut self, parameters: &str) {
        let numbers: Vec<u16> = parameters
            .split([';', ':'])
            .take(32)
            .map(|number| if number.is_empty() { 0 } else { number.parse().unwrap_or(u16::MAX) })
            .collect();
        let mut at = 0;
        while let Some(number) = numbers.get(at) {
            at += 1;
            match *number {
                0 => *self = Self::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 | 21 => self.underlined = true,
                7 => self.reversed = true,
                9 => self.struck = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underlined = false,
                27 => self.reversed = false,
                29 => self.struck = false,
                color @ 30..=37 => self.foreground = Some((color - 30) as u8),
                39 => self.foreground = None,
                color @ 40..=47 => self.background = Some((color - 40) as u8),
                49 => self.background = None,
                color @ 90..=97 => self.foreground = Some((color - 82) as u8),
                color @ 100..=107 => self.background = Some((color - 92) as u8),
                which @ (38 | 48) => {
                    let (color, used) = extended(&numbers[at..]);
                    at += used;
                    match which {
                        38 => self.foreground = color.or(self.foreground),
                        _ => self.background = color.or(self.background),
                    }
                }
                _ => {}
            }
        }
    }
}

/// A color of 256 or of 16 million, as the nearest of 16; and how many numbers it took.
fn extended(numbers: &[u16]) -> (Option<u8>, usize) {
    match *numbers {
        [5, color, ..] => (Some(nearest_of_256(color)), 2),
        [2, red, green, blue, ..] => (Some(nearest(red, green, blue)), 4),
        _ => (None, numbers.len()),
    }
}

fn nearest_of_256(color: u16) -> u8 {
    let level = |step: u16| if step == 0 { 0 } else { 55 + 40 * step };
    match color {
        0..=15 => color as u8,
        16..=231 => {
            let cube = color - 16;
            nearest(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        _ => {
            let gray = 8 + 10 * (color.min(255) - 232);
            nearest(gray, gray, gray)
        }
    }
}

fn nearest(red: u16, green: u16, blue: u16) -> u8 {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    if most.saturating_sub(least) < 40 {
        return match most {
            0..=60 => 0,
            61..=140 => 8,
            141..=210 => 7,
            _ => 15,
        };
    }
    let middle = least + (most - least) / 2;
    let bit = |value: u16, bit: u8| if value > middle { bit } else { 0 };
    let hue = bit(red, 1) | bit(green, 2) | bit(blue, 4);
    if most > 210 { hue + 8 } else { hue }
}

#[cfg(test)]
mod tests {
    use super::super::to_json;
    use super::*;
    use pitree_format::js::stringify;

    #[test]
    fn the_beginning_of_an_output_has_no_colors() {
        let text = "\u{1b}[1mrunning 4 tests\u{1b}[0m\ntest a ... \u{1b}[31mFAILED\u{1b}[0m";
        assert_eq!(output_beginning(text, 80), "running 4 tests test a ... FAILED");
        assert_eq!(output_beginning(text, 15), "running 4 tests…");
        assert_eq!(output_beginning("plain\ntext", 80), "plain text");
        assert_eq!(output_beginning("\u{1b}]0;title\u{7}", 80), "\u{FFFD}]0;title\u{FFFD}");
        let long = format!("\u{1b}[1m{}end", " ".repeat(5000));
        assert_eq!(output_beginning(&long, 20), "…");
    }

    fn json(text: &str) -> String {
        stringify(&to_json(&output(text)))
    }

    #[test]
    fn colors_become_classes() {
        assert_eq!(
            json("a\u{1b}[1;31mb\u{1b}[22mc\u{1b}[md"),
            r#"["a",["span",{"c":"ansi-bold"},["span",{"c":"ansi-fg-1"},"b"]],["span",{"c":"ansi-fg-1"},"c"],"d"]"#
        );
        for (sequence, class) in [
            ("38;5;9", "ansi-fg-9"),
            ("38;2;10;200;20", "ansi-fg-2"),
            ("48:5:196", "ansi-bg-9"),
            ("97", "ansi-fg-15"),
            ("38;5;240", "ansi-fg-8"),
        ] {
            let text = format!("\u{1b}[{sequence}mx");
            assert_eq!(json(&text), format!(r#"[["span",{{"c":"{class}"}},"x"]]"#));
        }
    }

    #[test]
    fn other_sequences_do_nothing_and_hide_nothing() {
        assert_eq!(json("a\u{1b}[2K\u{1b}[?25lb"), r#"["ab"]"#);
        assert_eq!(json("10%\r20%\r\nx"), r#"["10%\n20%\nx"]"#);
        let hidden = json("a\u{1b}]0;title\u{7}b\u{1b}[31");
        assert_eq!(hidden, "[\"a\u{FFFD}]0;title\u{FFFD}b\u{FFFD}[31\"]");
        assert_eq!(json("\u{1b}"), "[\"\u{FFFD}\"]");
        assert_eq!(json("\u{1b}(B\u{1b}(é"), "[\"\u{FFFD}(é\"]");
    }
}
