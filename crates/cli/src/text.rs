//! Text from session files made harmless for a terminal.
//!
//! A session holds whatever a model or a web page said, escape sequences included. Nothing of it
//! reaches the terminal before control characters and marks that reorder text are replaced.

/// Text for one line: white space becomes a space, anything dangerous becomes `�`.
pub(crate) fn clean_line(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' || c == '\r' || c == '\t' { ' ' } else { harmless(c) })
        .collect()
}

/// Text for several lines: line feeds and tabs stay.
pub(crate) fn clean_block(text: &str) -> String {
    text.chars().map(|c| if c == '\n' || c == '\t' { c } else { harmless(c) }).collect()
}

fn harmless(c: char) -> char {
    let reorders =
        matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    // U+2028 and U+2029 are line ends for some terminals and pagers.
    let separates = matches!(c, '\u{2028}' | '\u{2029}');
    if c.is_control() || reorders || separates { char::REPLACEMENT_CHARACTER } else { c }
}

/// Cuts a text to a number of characters and marks the cut.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_lose_their_teeth() {
        assert_eq!(
            clean_line("a\u{1b}[31mb\nc\u{9b}2J\u{202e}d"),
            "a\u{FFFD}[31mb c\u{FFFD}2J\u{FFFD}d"
        );
        assert_eq!(clean_block("a\tb\nc\r"), "a\tb\nc\u{FFFD}");
    }
}
