//! What is said in an entry, taken from its raw line: the conversation, without decoding the
//! rest. It is what [`EntryText`] finds there too.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;
use pitree_format::js::decode_string;
use pitree_format::scan::{self, Envelope, Scanned, scan_members, skip_value};
use pitree_format::{EntryKind, Role};
use regex::bytes::Regex;

use super::entry_text::{EntryPart, EntryText, Field, HitRole};
use crate::hash::Mixer;
use crate::reading::raw::raw_string;
use crate::reading::{Members, MessageMembers};

/// How far into a line the role is looked for.
const BEGIN: usize = 256;

/// What a line must hold to be more than its beginning says: a second message, role or type. Each
/// is spelled like this, for a quote inside a text is escaped, or with an escape for a letter.
static SECOND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?-u)"(?:message|role|custom_message|compaction|branch_summary|label|session_info|context_edit)"|\\u00[2-7]"#,
    )
    .ok()
});

/// Whether a line is the output of a tool or a shell, told from its beginning. A line that does
/// not look so may be one all the same.
pub(crate) fn is_plain_output(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(br#"{"type":"message","#) else { return false };
    let begin = &rest[..rest.len().min(BEGIN)];
    let Some(message) = memmem::find(begin, br#""message":{"role":""#) else { return false };
    let (before, after) = (&rest[..message], &rest[message + br#""message":{"role":""#.len()..]);
    let names = [&br#"toolResult","#[..], br#"bashExecution","#];
    let Some(after) = names.iter().find_map(|name| after.strip_prefix(*name)) else { return false };
    let Some(second) = SECOND.as_ref() else { return false };
    !second.is_match(before) && !second.is_match(after)
}

/// What is said in an entry, still as it is spelled.
#[derive(Debug)]
pub(crate) struct Said<'l> {
    envelope: Envelope<'l>,
    role: HitRole,
    pub(crate) time: Option<i64>,
    /// Strings as they stand between their quotes.
    pub(crate) pieces: Vec<(Field, &'l [u8])>,
    /// Provider, model, and the model that answered.
    models: [Option<&'l [u8]>; 3],
    is_error: bool,
}

impl<'l> Said<'l> {
    /// Takes what is said out of a line; `None` for a line in which nothing is.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        let mut members = Members::default();
        let scanned = scan_members(line, |level, name, value| members.take(level, name, value));
        let Scanned::Object(envelope) = scanned else { return None };
        Self::in_entry(envelope, &members)
    }

    /// The same for a line that was scanned.
    pub(crate) fn in_entry(envelope: Envelope<'l>, members: &Members<'l>) -> Option<Self> {
        let (role, time) = (HitRole::Custom, envelope.time());
        let (pieces, models) = (Vec::new(), [None; 3]);
        let mut said = Self { envelope, role, time, pieces, models, is_error: false };
        match envelope.kind() {
            EntryKind::Message => said.message(&members.message)?,
            EntryKind::Compaction | EntryKind::BranchSummary => {
                said.role = HitRole::Summary;
                said.add(Field::Summary, members.summary);
            }
            EntryKind::CustomMessage => said.content(Field::Custom, members.content),
            EntryKind::ContextEdit => {
                let mut content = None;
                each_member(members.replacement.unwrap_or_default(), |name, value| {
                    if name == b"content" {
                        content = Some(value);
                    }
                });
                said.content(Field::Custom, content);
            }
            EntryKind::Label => {
                said.role = HitRole::Label;
                said.add(Field::Label, members.label);
            }
            EntryKind::SessionInfo => {
                said.role = HitRole::Name;
                said.add(Field::Name, members.name);
            }
            _ => return None,
        }
        (!said.pieces.is_empty()).then_some(said)
    }

    fn message(&mut self, message: &MessageMembers<'l>) -> Option<()> {
        if self.time.is_none() {
            self.time = message.time();
        }
        match self.envelope.role() {
            Role::User => {
                self.role = HitRole::User;
                self.content(Field::User, message.content);
                each_element(message.attachments.unwrap_or_default(), |file| {
                    let (mut name, mut text) = (None, None);
                    each_member(file, |member, value| match member {
                        b"fileName" => name = Some(value),
                        b"extractedText" => text = Some(value),
                        _ => {}
                    });
                    self.add(Field::User, name);
                    self.add(Field::User, text);
                });
            }
            Role::Assistant => {
                self.role = HitRole::Assistant;
                self.content(Field::Assistant, message.content);
                self.add(Field::Assistant, message.error_message);
                self.models = [message.provider, message.model, message.response_model];
                self.is_error = message.failed();
            }
            Role::Custom | Role::HookMessage => self.content(Field::Custom, message.content),
            Role::BranchSummary | Role::CompactionSummary => {
                self.role = HitRole::Summary;
                self.add(Field::Summary, message.summary);
            }
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, field: Field, raw: Option<&'l [u8]>) {
        if let Some([b'"', inside @ .., b'"']) = raw
            && !inside.is_empty()
        {
            self.pieces.push((field, inside));
        }
    }

    fn content(&mut self, field: Field, raw: Option<&'l [u8]>) {
        self.add(field, raw);
        let raw = raw.unwrap_or_default();
        // Most of what an assistant does has no text; a name may be spelled with escapes.
        let may_have = |name: &[u8]| memmem::find(raw, name).is_some();
        if !may_have(b"\"text\"") && !may_have(br"\u00") {
            return;
        }
        each_element(raw, |block| {
            let (mut kind, mut text) = (None, None);
            each_member(block, |name, value| match name {
                b"type" => kind = Some(value),
                b"text" => text = Some(value),
                _ => {}
            });
            if kind.and_then(raw_string).is_some_and(|kind| kind == "text") {
                self.add(field, text);
            }
        });
    }

    /// Equal for copies of an entry in other sessions: the id, the time and the words are the
    /// same. An entry without an id, as in version 1, is known by its line.
    pub(crate) fn key(&self, words: &str, line: &[u8]) -> u64 {
        let Some(id) = self.envelope.id.to_js() else {
            return Mixer::new(9).bytes(line).finish();
        };
        let time = self.envelope.timestamp.to_js().unwrap_or_default();
        let mixer = Mixer::new(8).bytes(id.as_bytes()).bytes(time.as_bytes());
        mixer.bytes(words.as_bytes()).finish()
    }

    /// The same, decoded.
    pub(crate) fn decode(&self) -> EntryText<'static> {
        let piece = |(field, raw): &(Field, &[u8])| EntryPart {
            field: *field,
            text: Cow::Owned(decode_string(raw).to_text().into_owned()),
            tool: None,
        };
        let models = self.models.into_iter().flatten().filter_map(raw_string);
        let models: Vec<String> = models.map(|model| model.to_string()).collect();
        EntryText {
            role: self.role,
            pieces: self.pieces.iter().map(piece).collect(),
            time: self.time,
            model: (self.role == HitRole::Assistant).then(|| models.join("/")),
            is_error: self.is_error,
            is_first: false,
        }
    }
}

/// Shows the members of a raw object that is known to be valid, by their decoded names; of equal
/// names the last one counts. Other values have none.
fn each_member<'l>(raw: &'l [u8], mut see: impl FnMut(&[u8], &'l [u8])) {
    if raw.starts_with(b"{") {
        let _ = scan::each_member(raw, 0, |name, at| {
            let end = skip_value(raw, at)?;
            see(name, &raw[at..end]);
            Ok(end)
        });
    }
}

/// Shows the elements of a raw array that is known to be valid. Other values have none.
fn each_element<'l>(raw: &'l [u8], mut see: impl FnMut(&'l [u8])) {
    if !raw.starts_with(b"[") {
        return;
    }
    let space = |at: usize| {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',');
        at + raw[at..].iter().take_while(is_space).count()
    };
    let mut at = space(1);
    while raw.get(at).is_some_and(|byte| *byte != b']')
        && let Ok(end) = skip_value(raw, at)
    {
        see(&raw[at..end]);
        at = space(end);
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;

    use super::*;

    const LINES: [&str; 15] = [
        r#"{"type":"message","id":"a","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"x \"y\""}}"#,
        r#"{"type":"message","message":{"role":"user","content":[ {"type":"text","text":"a"} , {"type":"image","data":"text"},{"text":"b","type":"te\u0078t"}],"attachments":[{"fileName":"f","extractedText":"g"},3],"timestamp":5}}"#,
        r#"{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"toolCall","arguments":{"type":"text","text":"no"}},{"type":"text","text":""},{"type":"text","text":"yes"}],"provider":"p","model":"m","stopReason":"error","errorMessage":"bad"}}"#,
        r#"{"type":"message","message":{"role":"user","content":"first"},"message":{"role":"assistant"}}"#,
        r#"{"type":"message","message":{"role":"toolResult","content":"out"},"message":{"role":"user","content":"said"}}"#,
        r#"{"type":"message","message":{"role":"toolResult","content":"out"},"type":"label","label":"l"}"#,
        r#"{"type":"message","type":"label","label":"l","message":{"role":"toolResult","content":"out"}}"#,
        r#"{"type":"message","message":{"role":"toolResult","content":"out","r\u006fle":"user"}}"#,
        r#"{"type":"message","message":{"role":"toolResult","toolName":"bash","content":[{"type":"text","text":"out \"role\""}]}}"#,
        r#"{"type":"context_edit","replacement":{"content":[{"type":"text","text":"c"}]}}"#,
        r#"{"type":"compaction","summary":"s"}"#,
        r#"{"type":"session_info","name":7}"#,
        r#"{"type":"session_info","n\u0061me":"n"}"#,
        r#"{"type":"message","message":{"role":"compactionSummary","summary":"s"}}"#,
        r#"{"type":"message","message":{"role":"user","content":"broken}}"#,
    ];

    #[test]
    fn it_is_the_conversation_of_the_decoded_entry() {
        for line in LINES {
            let value = parse(line.as_bytes()).ok();
            let expected = value.as_ref().and_then(EntryText::of).map(|mut text| {
                text.pieces.retain(|piece| piece.field.is_conversation());
                text
            });
            let expected = expected.filter(|text| !text.pieces.is_empty());
            let said = Said::of(line.as_bytes()).map(|said| said.decode());
            assert_eq!(format!("{said:?}"), format!("{expected:?}"), "{line}");
            let silent = is_plain_output(line.as_bytes());
            assert!(!(silent && expected.is_some()), "{line}");
        }
        assert!(is_plain_output(LINES[8].as_bytes()));
    }
}
