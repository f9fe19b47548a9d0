//! What is said in an entry, taken from its raw line: the conversation, without decoding the
//! rest. It is what [`EntryText`] finds there too.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;
use pitree_format::js::decode_string;
use pitree_format::scan::{Envelope, Level, Scanned, scan_members, skip_value};
use pitree_format::{EntryKind, Role};
use regex::bytes::Regex;

use super::hash::Hash;
use super::pieces::{EntryText, Field, HitRole, Piece};
use crate::facts::content::{raw_number, raw_string};

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
    models: [&'l [u8]; 3],
    is_error: bool,
}

/// Members of an entry and of its message, raw; empty ones are not there.
#[derive(Default)]
struct Members<'l> {
    content: &'l [u8],
    summary: &'l [u8],
    label: &'l [u8],
    name: &'l [u8],
    replacement: &'l [u8],
    message: MessageMembers<'l>,
}

#[derive(Default)]
struct MessageMembers<'l> {
    content: &'l [u8],
    summary: &'l [u8],
    attachments: &'l [u8],
    error: &'l [u8],
    stop_reason: &'l [u8],
    models: [&'l [u8]; 3],
    timestamp: &'l [u8],
}

impl<'l> Members<'l> {
    fn take(&mut self, level: Level, name: &[u8], value: &'l [u8]) {
        let message = &mut self.message;
        let slot = match (level, &*plain(name)) {
            (Level::Entry, b"message") => return *message = MessageMembers::default(),
            (Level::Entry, b"content") => &mut self.content,
            (Level::Entry, b"summary") => &mut self.summary,
            (Level::Entry, b"label") => &mut self.label,
            (Level::Entry, b"name") => &mut self.name,
            (Level::Entry, b"replacement") => &mut self.replacement,
            (Level::Message, b"content") => &mut message.content,
            (Level::Message, b"summary") => &mut message.summary,
            (Level::Message, b"attachments") => &mut message.attachments,
            (Level::Message, b"errorMessage") => &mut message.error,
            (Level::Message, b"stopReason") => &mut message.stop_reason,
            (Level::Message, b"provider") => &mut message.models[0],
            (Level::Message, b"model") => &mut message.models[1],
            (Level::Message, b"responseModel") => &mut message.models[2],
            (Level::Message, b"timestamp") => &mut message.timestamp,
            _ => return,
        };
        *slot = value;
    }
}

/// A name without escapes.
fn plain(name: &[u8]) -> Cow<'_, [u8]> {
    match name.contains(&b'\\') {
        false => Cow::Borrowed(name),
        true => Cow::Owned(decode_string(name).as_bytes().to_vec()),
    }
}

impl<'l> Said<'l> {
    /// Takes what is said out of a line; `None` for a line in which nothing is.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        let mut members = Members::default();
        let scanned = scan_members(line, |level, name, value| members.take(level, name, value));
        let Scanned::Object(envelope) = scanned else { return None };
        let (role, time) = (HitRole::Custom, envelope.time());
        let (pieces, models) = (Vec::new(), [&b""[..]; 3]);
        let mut said = Self { envelope, role, time, pieces, models, is_error: false };
        match envelope.kind() {
            EntryKind::Message => said.message(&members.message)?,
            EntryKind::Compaction | EntryKind::BranchSummary => {
                said.role = HitRole::Summary;
                said.add(Field::Summary, members.summary);
            }
            EntryKind::CustomMessage => said.content(Field::Custom, members.content),
            EntryKind::ContextEdit => {
                let mut content = &b""[..];
                each_member(members.replacement, |name, value| {
                    if name == b"content" {
                        content = value;
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
            self.time = raw_number(message.timestamp).map(|ms| ms as i64);
        }
        match self.envelope.role() {
            Role::User => {
                self.role = HitRole::User;
                self.content(Field::User, message.content);
                each_element(message.attachments, |file| {
                    let (mut name, mut text) = (&b""[..], &b""[..]);
                    each_member(file, |member, value| match member {
                        b"fileName" => name = value,
                        b"extractedText" => text = value,
                        _ => {}
                    });
                    self.add(Field::User, name);
                    self.add(Field::User, text);
                });
            }
            Role::Assistant => {
                self.role = HitRole::Assistant;
                self.content(Field::Assistant, message.content);
                self.add(Field::Assistant, message.error);
                self.models = message.models;
                self.is_error = raw_string(message.stop_reason).is_some_and(|stop| stop == "error");
            }
            Role::Custom | Role::HookMessage => self.content(Field::Custom, message.content),
            Role::BranchSummary | Role::CompactionSummary => {
                self.role = HitRole::Summary;
                self.add(Field::Summary, message.summary);
            }
            Role::ToolResult | Role::BashExecution | Role::System | Role::Other => return None,
        }
        Some(())
    }

    fn add(&mut self, field: Field, raw: &'l [u8]) {
        if let [b'"', inside @ .., b'"'] = raw
            && !inside.is_empty()
        {
            self.pieces.push((field, inside));
        }
    }

    fn content(&mut self, field: Field, raw: &'l [u8]) {
        self.add(field, raw);
        // Most of what an assistant does has no text; a name may be spelled with escapes.
        let may_have = |name: &[u8]| memmem::find(raw, name).is_some();
        if !may_have(b"\"text\"") && !may_have(br"\u00") {
            return;
        }
        each_element(raw, |block| {
            let (mut kind, mut text) = (&b""[..], &b""[..]);
            each_member(block, |name, value| match name {
                b"type" => kind = value,
                b"text" => text = value,
                _ => {}
            });
            if raw_string(kind).is_some_and(|kind| kind == "text") {
                self.add(field, text);
            }
        });
    }

    /// Equal for copies of an entry in other sessions: the id, the time and the words are the
    /// same. An entry without an id, as in version 1, is known by its line.
    pub(crate) fn key(&self, words: &str, line: &[u8]) -> u64 {
        let mut hash = Hash::new();
        match self.envelope.id.to_js() {
            Some(id) => {
                hash.add(id.as_bytes());
                let time = self.envelope.timestamp.to_js().unwrap_or_default();
                hash.add(time.as_bytes());
                hash.add(words.as_bytes());
            }
            None => hash.add(line),
        }
        hash.value()
    }

    /// The same, decoded.
    pub(crate) fn decode(&self) -> EntryText<'static> {
        let piece = |(field, raw): &(Field, &[u8])| Piece {
            field: *field,
            text: Cow::Owned(decode_string(raw).to_text().into_owned()),
            tool: None,
        };
        let models = self.models.iter().filter_map(|raw| raw_string(raw));
        let models: Vec<String> = models.map(|model| model.to_string()).collect();
        EntryText {
            role: self.role,
            pieces: self.pieces.iter().map(piece).collect(),
            time: self.time,
            model: (self.role == HitRole::Assistant).then(|| models.join("/")),
            is_error: self.is_error,
        }
    }
}

/// Shows the members of a raw object that is known to be valid, by their decoded names; of equal
/// names the last one counts. Other values have none.
fn each_member<'l>(raw: &'l [u8], mut see: impl FnMut(&[u8], &'l [u8])) {
    if raw.starts_with(b"{") {
        scan_members(raw, |level, name, value| {
            if level == Level::Entry {
                see(&plain(name), value);
            }
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
