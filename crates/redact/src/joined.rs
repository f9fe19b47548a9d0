//! Private keys whose lines stand in strings of their own.

use std::ops::Range;

use pitree_format::{JsString, Value};

/// A private key has no more lines than this.
const MOST_KEY_LINES: usize = 256;

/// Joins the lines of each private key: all of them are put into the first, where they are found,
/// and the others are left empty. `key` tells where in a text a key is. Says whether there was one.
pub(crate) fn join_lines(items: &mut [Value], key: impl Fn(&str) -> Option<Range<usize>>) -> bool {
    let mut has_joined = false;
    for at in 0..items.len() {
        let Some(window) = lines_of_key(items, at) else { continue };
        let line = |item: &Value| item.as_string().map(|text| text.to_text().into_owned());
        let lines: Vec<String> = items[window.clone()].iter().map_while(line).collect();
        let Some(key) = key(&lines.join("\n")) else { continue };
        let inside = lines_within(&lines, &key);
        if inside.len() > 1 {
            let joined = lines[inside.clone()].join("\n");
            let items = &mut items[window.start + inside.start..window.start + inside.end];
            items.fill(Value::text(""));
            items[0] = Value::text(joined);
            has_joined = true;
        }
    }
    has_joined
}

/// The lines in which a range of the joined text lies.
fn lines_within(lines: &[String], range: &Range<usize>) -> Range<usize> {
    let mut start = 0;
    let mut within = 0..0;
    for (number, line) in lines.iter().enumerate() {
        let end = start + line.len();
        if start < range.end && range.start < end {
            within = if within.is_empty() { number..number + 1 } else { within.start..number + 1 };
        }
        start = end + 1;
    }
    within
}

/// The strings among which the lines of a private key may stand that begins or ends in this one,
/// up to where another begins or ends.
fn lines_of_key(items: &[Value], at: usize) -> Option<Range<usize>> {
    let text = items[at].as_string()?;
    if !has(text, "PRIVATE KEY") {
        return None;
    }
    let is_other = |item: &&Value| {
        item.as_string().is_some_and(|text| !has(text, "-----BEGIN") && !has(text, "-----END"))
    };
    match (has(text, "-----BEGIN"), has(text, "-----END")) {
        (true, false) => {
            let others = items[at + 1..].iter().take(MOST_KEY_LINES).take_while(is_other).count();
            let end = at + 1 + others;
            let ends = |item: &Value| item.as_string().is_some_and(|text| has(text, "-----END"));
            Some(at..end + usize::from(items.get(end).is_some_and(ends)))
        }
        (false, true) => {
            let others = items[..at].iter().rev().take(MOST_KEY_LINES).take_while(is_other).count();
            Some(at - others..at + 1)
        }
        _ => None,
    }
}

fn has(text: &JsString, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}
