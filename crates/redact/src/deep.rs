//! Values that lie too deep to be decoded: their text, string by string.

use memchr::memchr;
use pitree_format::Value;
use pitree_format::js::{decode_string, print_text};
use pitree_format::scan::string_end;

use crate::path::Path;
use crate::redactor::Member;
use crate::walk::Walk;

/// The value without its secrets; `None` if it has none.
///
/// Each string is looked at decoded, with the name before it, and stays a string. What is then
/// still found lies across several of them; without it the text may be no JSON any more, so the
/// value becomes a string.
pub(crate) fn redacted(
    walk: &mut Walk<'_>,
    text: &[u8],
    name: Option<Member<'_>>,
    path: &Path<'_>,
) -> Option<Value> {
    let by_strings = redacted_strings(walk, text, path);
    let left = by_strings.as_deref().unwrap_or(text);
    if let Some(whole) = walk.text(&String::from_utf8_lossy(left), name, path) {
        return Some(Value::text(whole));
    }
    by_strings.map(|text| Value::Deep(text.into()))
}

fn redacted_strings(walk: &mut Walk<'_>, text: &[u8], path: &Path<'_>) -> Option<Vec<u8>> {
    let (mut out, mut copied, mut at) = (Vec::new(), 0, 0);
    let mut name: Option<String> = None;
    while let Some(start) = memchr(b'"', &text[at..]).map(|found| at + found) {
        let end = string_end(text, start + 1)?;
        let string = decode_string(&text[start + 1..end]);
        let string = string.to_text();
        let after = text[end + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        let clean = match after {
            Some(b':') => walk.text(&string, None, &Path::Name(path)),
            _ => {
                let member = name.as_deref().map(|name| Member { name, outer: None });
                walk.text(&string, member, path)
            }
        };
        name = (after == Some(&b':')).then(|| string.into_owned());
        if let Some(clean) = clean {
            let mut printed = String::new();
            print_text(&clean, &mut printed);
            out.extend_from_slice(&text[copied..start]);
            out.extend_from_slice(printed.as_bytes());
            copied = end + 1;
        }
        at = end + 1;
    }
    (copied > 0).then(|| {
        out.extend_from_slice(&text[copied..]);
        out
    })
}
