//! Text from session files made harmless for a terminal.
//!
//! A session holds whatever a model or a web page said, escape sequences included. Nothing of it
//! reaches the terminal before control characters and marks that reorder text are replaced.

use pitree_export::harmless;

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
