//! Texts that were looked at before.
//!
//! The samples of a session repeat each other: each has the context of the one before. A text that
//! was found clean once is clean wherever it stands, so the second scan need not look again. It is
//! known by its hash.
//!
//! What a rule finds in a text may depend on what stands around it: a single word on the name of
//! its member, the line of a key on the lines after it. Such texts are looked at each time, and so
//! are short ones, names of members, and what is nested deeply.

use std::borrow::Cow;
use std::collections::HashSet;

use memchr::{memchr, memmem};
use pitree_format::scan::string_end;

/// Shorter texts are not worth a hash.
const SHORTEST: usize = 256;

/// Deeper values may not be decoded when they are looked at.
const DEEPEST: usize = 16;

/// Where keys are cut into lines.
const KEY_MARK: &[u8] = b"-----";

/// The texts of one session that were found clean.
#[derive(Debug, Default)]
pub struct Seen {
    known: HashSet<TextHash>,
    /// Whether nothing comes twice, so that nothing need be remembered.
    is_once: bool,
}

type TextHash = [u8; 16];

/// JSON without the texts that are known, and the hashes of the others.
pub(super) struct Unseen<'b> {
    pub(super) bytes: Cow<'b, [u8]>,
    pub(super) texts: Vec<TextHash>,
}

impl Seen {
    /// For what comes once only.
    pub(crate) fn once() -> Self {
        Self { is_once: true, ..Self::default() }
    }

    /// Takes known texts out of a JSON value.
    pub(super) fn without_known<'b>(&self, json: &'b [u8]) -> Unseen<'b> {
        let (mut rest, mut texts) = (Vec::new(), Vec::new());
        if self.is_once {
            return Unseen { bytes: Cow::Borrowed(json), texts };
        }
        let (mut at, mut copied, mut depth) = (0, 0, 0_usize);
        while let Some(&byte) = json.get(at) {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    let Some(end) = string_end(json, at + 1) else { break };
                    let text = &json[at + 1..end];
                    if depth <= DEEPEST && stands_alone(text) && json.get(end + 1) != Some(&b':') {
                        let hash = hash(text);
                        if self.known.contains(&hash) {
                            rest.extend_from_slice(&json[copied..=at]);
                            copied = end;
                        } else {
                            texts.push(hash);
                        }
                    }
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
        if copied == 0 {
            return Unseen { bytes: Cow::Borrowed(json), texts };
        }
        rest.extend_from_slice(&json[copied..]);
        Unseen { bytes: Cow::Owned(rest), texts }
    }

    /// Notes that these texts are clean.
    pub(super) fn add(&mut self, texts: Vec<TextHash>) {
        self.known.extend(texts);
    }
}

/// Whether nothing around a text matters to what is found in it.
fn stands_alone(text: &[u8]) -> bool {
    text.len() >= SHORTEST && memchr(b' ', text).is_some() && memmem::find(text, KEY_MARK).is_none()
}

fn hash(text: &[u8]) -> TextHash {
    let mut hash = TextHash::default();
    blake3::Hasher::new().update(text).finalize_xof().fill(&mut hash);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(seen: &mut Seen, json: &str) -> String {
        let unseen = seen.without_known(json.as_bytes());
        let rest = String::from_utf8(unseen.bytes.into_owned()).unwrap();
        let texts = unseen.texts;
        seen.add(texts);
        rest
    }

    #[test]
    fn a_long_text_is_left_out_the_second_time() {
        let mut seen = Seen::default();
        let long = r#"a \"word\" "#.repeat(40);
        let first = format!(r#"{{"a":"{long}","b":"short one"}}"#);
        assert_eq!(rest(&mut seen, &first), first);
        let second = format!(r#"[{{"x":"{long}"}},"{long}","more"]"#);
        assert_eq!(rest(&mut seen, &second), r#"[{"x":""},"","more"]"#);
    }

    #[test]
    fn what_depends_on_its_place_is_always_there() {
        let long = "word ".repeat(100);
        let deep = format!("{}\"{long}\"{}", "[".repeat(20), "]".repeat(20));
        let name = format!(r#"{{"{long}":1}}"#);
        let word = format!(r#"{{"api_key":"{}"}}"#, "x".repeat(600));
        let key = format!(r#"["-----BEGIN {long}"]"#);
        for json in [deep, name, word, key] {
            let mut seen = Seen::default();
            assert_eq!(rest(&mut seen, &json), json);
            assert_eq!(rest(&mut seen, &json), json);
        }
    }

    #[test]
    fn what_is_no_json_is_left_as_it_is() {
        let mut seen = Seen::default();
        for text in ["\"", "\"\\", "\\\"", "plain", "", "}}]]\"a"] {
            assert_eq!(rest(&mut seen, text), text);
        }
    }
}
