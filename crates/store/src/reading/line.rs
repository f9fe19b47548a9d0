//! A line with what is read from it: every consumer of a pass takes its members from here.

use std::borrow::Cow;

use pitree_format::js::decode_string;
use pitree_format::scan::{Envelope, Field, Level};

use super::raw::{raw_number, raw_string};
use crate::hash::Mixer;

/// An entry of a file.
pub(crate) struct EntryLine<'l> {
    pub(crate) bytes: &'l [u8],
    /// Where the line begins in the file.
    pub(crate) offset: u64,
    /// Its number, from 1.
    pub(crate) number: u32,
    pub(crate) envelope: Envelope<'l>,
    pub(crate) members: Members<'l>,
}

impl EntryLine<'_> {
    /// Equal for all copies of the entry: its id, its time and what else tells it from others;
    /// without an id the line.
    pub(crate) fn key(&self, kind: u64, what: u64) -> u64 {
        let Field::Text(id @ [_, ..]) = self.envelope.id else {
            return Mixer::new(kind).number(1).bytes(self.bytes).number(what).finish();
        };
        let mixer = Mixer::new(kind).bytes(id).number(what);
        match (self.envelope.time(), self.envelope.timestamp) {
            (Some(time), _) => mixer.number(time.cast_unsigned()).finish(),
            (None, Field::Text(text)) => mixer.bytes(text).finish(),
            (None, _) => mixer.finish(),
        }
    }

    /// When the entry was written, or its message was said.
    pub(crate) fn time(&self) -> Option<i64> {
        self.envelope.time().or_else(|| self.members.message.time())
    }
}

/// The raw members of an entry that anybody needs.
#[derive(Default)]
pub(crate) struct Members<'l> {
    pub(crate) name: Option<&'l [u8]>,
    pub(crate) label: Option<&'l [u8]>,
    pub(crate) summary: Option<&'l [u8]>,
    pub(crate) replacement: Option<&'l [u8]>,
    pub(crate) usage: Option<&'l [u8]>,
    pub(crate) provider: Option<&'l [u8]>,
    pub(crate) model: Option<&'l [u8]>,
    pub(crate) custom_type: Option<&'l [u8]>,
    pub(crate) content: Option<&'l [u8]>,
    pub(crate) message: MessageMembers<'l>,
}

/// The raw members of its message.
#[derive(Default)]
pub(crate) struct MessageMembers<'l> {
    pub(crate) content: Option<&'l [u8]>,
    pub(crate) timestamp: Option<&'l [u8]>,
    pub(crate) usage: Option<&'l [u8]>,
    pub(crate) provider: Option<&'l [u8]>,
    pub(crate) model: Option<&'l [u8]>,
    pub(crate) response_model: Option<&'l [u8]>,
    pub(crate) stop_reason: Option<&'l [u8]>,
    pub(crate) error_message: Option<&'l [u8]>,
    pub(crate) is_error: Option<&'l [u8]>,
    pub(crate) details: Option<&'l [u8]>,
    pub(crate) tool_call_id: Option<&'l [u8]>,
    pub(crate) summary: Option<&'l [u8]>,
    pub(crate) attachments: Option<&'l [u8]>,
}

impl<'l> Members<'l> {
    /// Takes a member that a scan shows. Of equal names the last one counts.
    pub(crate) fn take(&mut self, level: Level, name: &'l [u8], value: &'l [u8]) {
        // A name may be spelled with escapes; nobody does, but it is allowed.
        if !self.take_plain(level, name, value) && name.contains(&b'\\') {
            self.take_plain(level, &plain(name), value);
        }
    }

    /// The same for a name without escapes; `false` if nobody needs it.
    fn take_plain(&mut self, level: Level, name: &[u8], value: &'l [u8]) -> bool {
        let message = &mut self.message;
        let slot = match (level, name) {
            // A message begins: what an earlier one of the same line said does not count.
            (Level::Entry, b"message") => {
                *message = MessageMembers::default();
                return true;
            }
            (Level::Entry, b"name") => &mut self.name,
            (Level::Entry, b"label") => &mut self.label,
            (Level::Entry, b"summary") => &mut self.summary,
            (Level::Entry, b"replacement") => &mut self.replacement,
            (Level::Entry, b"usage") => &mut self.usage,
            (Level::Entry, b"provider") => &mut self.provider,
            (Level::Entry, b"model") => &mut self.model,
            (Level::Entry, b"customType") => &mut self.custom_type,
            (Level::Entry, b"content") => &mut self.content,
            (Level::Message, b"content") => &mut message.content,
            (Level::Message, b"timestamp") => &mut message.timestamp,
            (Level::Message, b"usage") => &mut message.usage,
            (Level::Message, b"provider") => &mut message.provider,
            (Level::Message, b"model") => &mut message.model,
            (Level::Message, b"responseModel") => &mut message.response_model,
            (Level::Message, b"stopReason") => &mut message.stop_reason,
            (Level::Message, b"errorMessage") => &mut message.error_message,
            (Level::Message, b"isError") => &mut message.is_error,
            (Level::Message, b"details") => &mut message.details,
            (Level::Message, b"toolCallId") => &mut message.tool_call_id,
            (Level::Message, b"summary") => &mut message.summary,
            (Level::Message, b"attachments") => &mut message.attachments,
            _ => return false,
        };
        *slot = Some(value);
        true
    }
}

impl<'l> MessageMembers<'l> {
    /// When the message was said, by its own account.
    pub(crate) fn time(&self) -> Option<i64> {
        self.timestamp.and_then(raw_number).map(|time| time as i64)
    }

    /// The raw name of the model that answered, as
    /// [`AssistantMessage::answered_by`](pitree_format::message::AssistantMessage::answered_by)
    /// has it.
    pub(crate) fn answered_by(&self) -> Option<&'l [u8]> {
        let is_name = |raw: &&[u8]| raw.first() == Some(&b'"') && raw.len() > 2;
        self.response_model.filter(is_name).or(self.model)
    }

    /// Whether the message is the answer of a model that failed.
    pub(crate) fn failed(&self) -> bool {
        self.stop_reason.and_then(raw_string).is_some_and(|stop| stop == "error")
    }
}

/// A name without escapes.
pub(crate) fn plain(name: &[u8]) -> Cow<'_, [u8]> {
    match name.contains(&b'\\') {
        false => Cow::Borrowed(name),
        true => Cow::Owned(decode_string(name).as_bytes().to_vec()),
    }
}
