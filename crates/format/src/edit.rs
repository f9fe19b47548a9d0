//! Changing one member of a line without touching the rest.
//!
//! A fork re-chains entries, so their `parentId` changes. Printing the decoded entry again would
//! change other bytes (spaces, number forms, damaged UTF-8), so the new value is put into the
//! old text instead.

use crate::js::{JsonError, decode_string};
use crate::scan::skip_value;

/// Sets a top-level member of a line that is a JSON object to `json`. A member that is not there
/// is added at the end.
pub fn set_member(line: &[u8], name: &str, json: &str) -> Result<Vec<u8>, JsonError> {
    let members = Members::of(line)?;
    let mut out = Vec::with_capacity(line.len() + name.len() + json.len() + 4);
    match members.value_of(line, name) {
        Some((start, end)) => {
            out.extend_from_slice(&line[..start]);
            out.extend_from_slice(json.as_bytes());
            out.extend_from_slice(&line[end..]);
        }
        None => {
            out.extend_from_slice(&line[..members.close]);
            if !members.spans.is_empty() {
                out.push(b',');
            }
            out.extend_from_slice(format!("\"{name}\":{json}").as_bytes());
            out.extend_from_slice(&line[members.close..]);
        }
    }
    Ok(out)
}

/// The text of a top-level member.
pub fn member<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let members = Members::of(line).ok()?;
    let (start, end) = members.value_of(line, name)?;
    Some(&line[start..end])
}

/// Where the members of an object lie in its text.
struct Members {
    /// Start and end of each name (with quotes) and value.
    spans: Vec<(usize, usize, usize, usize)>,
    /// The closing brace.
    close: usize,
}

impl Members {
    fn of(line: &[u8]) -> Result<Self, JsonError> {
        // The whole object is validated first, so the walk below only has to find its way.
        let open = space(line, 0);
        if line.get(open) != Some(&b'{') {
            return Err(JsonError { at: open, problem: "not an object" });
        }
        let end = skip_value(line, open)?;
        let mut spans = Vec::new();
        let mut at = space(line, open + 1);
        while at < end && line[at] == b'"' {
            let name_end = skip_value(line, at)?;
            let value = space(line, space(line, name_end) + 1);
            let value_end = skip_value(line, value)?;
            spans.push((at, name_end, value, value_end));
            at = space(line, value_end);
            if line.get(at) == Some(&b',') {
                at = space(line, at + 1);
            }
        }
        Ok(Self { spans, close: end - 1 })
    }

    /// The last member of this name counts, as in `JSON.parse`.
    fn value_of(&self, line: &[u8], name: &str) -> Option<(usize, usize)> {
        let hit = |span: &&(usize, usize, usize, usize)| {
            let raw = &line[span.0 + 1..span.1 - 1];
            raw == name.as_bytes() || (raw.contains(&b'\\') && decode_string(raw) == name)
        };
        self.spans.iter().rev().find(hit).map(|span| (span.2, span.3))
    }
}

fn space(line: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = line.get(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_member_changes() {
        let line = br#"{ "type":"x", "parentId" : null ,"n":1.50}"#;
        let changed = set_member(line, "parentId", "\"abc\"").unwrap();
        assert_eq!(changed, br#"{ "type":"x", "parentId" : "abc" ,"n":1.50}"#);
    }

    #[test]
    fn a_missing_member_goes_to_the_end() {
        assert_eq!(set_member(b"{\"a\":1}", "b", "2").unwrap(), b"{\"a\":1,\"b\":2}");
        assert_eq!(set_member(b"{}", "b", "2").unwrap(), b"{\"b\":2}");
    }

    #[test]
    fn the_last_of_equal_names_is_the_one() {
        let line = br#"{"a":1,"\u0061":2}"#;
        assert_eq!(member(line, "a"), Some(&b"2"[..]));
        assert_eq!(set_member(line, "a", "3").unwrap(), br#"{"a":1,"\u0061":3}"#);
    }
}
