//! Times, sizes and texts in plain form.

use pitree_export::numbers::minute_on_clock;
use pitree_format::js::date::format_iso;
use pitree_format::js::stringify;
use pitree_format::{JsString, Object, Value};

pub(crate) use pitree_export::numbers::{counted, dollars, duration, image_size, number, size};

use crate::text::{clean_block, clean_line, shorten};
use crate::zone;

/// A time to the minute, in the user's zone; empty where it is unknown.
pub(crate) fn minute(ms: Option<i64>) -> String {
    ms.map(|ms| minute_on_clock(zone::local().to_local(ms))).unwrap_or_default()
}

/// A time for JSON.
pub(crate) fn iso(ms: Option<i64>) -> Option<String> {
    ms.map(format_iso)
}

/// The text of a member as it is, or nothing.
pub(crate) fn text_of(text: Option<&JsString>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// A harmless name for one line; `unknown` where there is none.
pub(crate) fn name(text: Option<&JsString>) -> String {
    match text.filter(|text| !text.is_empty()) {
        Some(text) => shorten(&clean_line(&text.to_text()), 200),
        None => "unknown".to_owned(),
    }
}

/// `provider/model`, harmless.
pub(crate) fn model(provider: Option<&JsString>, model: Option<&JsString>) -> String {
    match provider {
        Some(_) => format!("{}/{}", name(provider), name(model)),
        None => name(model),
    }
}

/// Cuts a text and says how much is missing.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => {
            let (shown, rest) = text.split_at(at);
            format!("{shown}… ({} more characters)", rest.chars().count())
        }
    }
}

/// A harmless text over several lines, each indented, so that no text can pass for a heading.
pub(crate) fn block(text: &str, most: usize) -> String {
    let text = cut(text, most).replace("\r\n", "\n");
    let lines: Vec<String> =
        clean_block(text.trim_end()).split('\n').map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// The beginning of a text on one line, runs of white space as one space. Not harmless yet.
pub(crate) fn first_words(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if chars > most {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
            chars += 1;
        }
        // One character more than wanted, so that the cut shows.
        let left = most.saturating_add(1).saturating_sub(chars);
        for c in word.chars().take(left) {
            out.push(c);
            chars += 1;
        }
    }
    shorten(&out, most)
}

/// Cuts every string of a value but ids and times.
pub(crate) fn cut_strings(value: Value, most: usize) -> Value {
    match value {
        Value::String(text) if text.as_bytes().len() > most => {
            Value::text(cut(&text.to_text(), most))
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| cut_strings(item, most)).collect())
        }
        Value::Object(object) if most < usize::MAX => {
            let members = object.iter().map(|(key, value)| {
                let name = key.to_text();
                let whole = name == "id" || name == "timestamp" || name.ends_with("Id");
                let value = value.clone();
                (key.clone(), if whole { value } else { cut_strings(value, most) })
            });
            Object::from_members(members.collect()).into()
        }
        other => other,
    }
}

/// A value as harmless JSON on one line.
pub(crate) fn json_line(value: &Value, most: usize) -> String {
    shorten(&clean_line(&stringify(value)), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sizes_and_texts() {
        assert_eq!(duration(999.0), "999 ms");
        assert_eq!(duration(61_500.0), "1 min 1 s");
        assert_eq!(size(1536.0), "1.5 KiB");
        assert_eq!(cut("äöü", 2), "äö… (1 more characters)");
        assert_eq!(first_words(" a\n\n b  c ", 3), "a b…");
        assert_eq!(first_words("a b", 3), "a b");
        assert_eq!(block("a\r\n── user\u{1b}[0m\n", 100), "  a\n  ── user\u{FFFD}[0m");
    }
}
