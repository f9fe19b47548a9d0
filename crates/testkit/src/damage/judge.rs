//! A second opinion on what an entry is, from another JSON reader.

use serde_json::Value;

use super::DamagedFile;

impl DamagedFile {
    /// How many lines are entries: JSON objects whose `type` is not `session`, after invalid
    /// UTF-8 was replaced. Judged by `serde_json`, which needs help where it is stricter than
    /// `JSON.parse`: lone surrogates, numbers beyond a double, and depth.
    pub fn judged_entries(&self) -> usize {
        self.bytes.split(|byte| *byte == b'\n').filter(|line| is_entry(line)).count()
    }
}

fn is_entry(line: &[u8]) -> bool {
    match value_of(without_surrogates(&String::from_utf8_lossy(line))) {
        Some(Value::Object(object)) => {
            object.get("type").and_then(Value::as_str) != Some("session")
        }
        _ => false,
    }
}

/// The value of a text, if it is JSON. What only `serde_json` does not take is `null`.
fn value_of(mut text: String) -> Option<Value> {
    loop {
        match serde_json::from_str(&text) {
            Ok(value) => return Some(value),
            Err(error) => text = relaxed(&text, &error)?,
        }
    }
}

/// The text with an `A` for every escaped half of a surrogate pair.
fn without_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let hex = rest.get(2..6).filter(|_| rest[1..].starts_with('u'));
        let code = hex.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = code.and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let taken = match code {
            Some(0xD800..=0xDFFF) => {
                out.push('A');
                6
            }
            _ => {
                let pair = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..pair]);
                pair
            }
        };
        rest = &rest[taken..];
    }
    out + rest
}

/// The text with the part that only `serde_json` objects to made harmless.
fn relaxed(text: &str, error: &serde_json::Error) -> Option<String> {
    let message = error.to_string();
    let bytes = text.as_bytes();
    let at = error.column().min(bytes.len());
    if message.starts_with("number out of range") {
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let start = at - bytes[..at].iter().rev().take_while(is_part).count();
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        return Some(format!("{}null{}", &text[..start], &text[end..]));
    }
    if message.starts_with("recursion limit exceeded") {
        let start = at.checked_sub(1)?;
        let end = start + container_len(&bytes[start..])?;
        value_of(text[start..end].to_owned())?;
        return Some(format!("{}null{}", &text[..start], &text[end..]));
    }
    None
}

/// How long the array or object is that begins a text, by its brackets.
fn container_len(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(300), "]".repeat(300));
        let torn = format!("{{\"a\":{}1{}}}", "[".repeat(300), "]".repeat(299));
        for (line, entries) in [
            (r#"{"type":"session"}"#, 0),
            (r#"{"type":"x","a":"\ud800"}"#, 1),
            (r#"{"a":1e400,"b":[-1e999999999999]}"#, 1),
            (r#"{"a":1e400.5}"#, 0),
            (r#"{"a":"\ud80"}"#, 0),
            ("[1]", 0),
            (&deep, 1),
            (&torn, 0),
        ] {
            let file = DamagedFile { name: "", bytes: line.into() };
            assert_eq!(file.judged_entries(), entries, "{line}");
        }
    }
}
