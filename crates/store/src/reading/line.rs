//! A line with what is read from it: every consumer of a pass takes its members from here.

use std::cell::OnceCell;

use pitree_format::scan::{Envelope, Field, Level};
use pitree_format::{EntryKind, Role};

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
    pub(crate) members: &'l Members<'l>,
    pub(crate) kind: EntryKind,
    /// Of a message, or of an event with one.
    pub(crate) role: Role,
    /// Read when it is first asked for.
    written_at: OnceCell<Option<i64>>,
}

impl<'l> EntryLine<'l> {
    /// The line that begins at an offset and has a number.
    pub(crate) fn new(
        bytes: &'l [u8],
        (offset, number): (u64, u32),
        envelope: Envelope<'l>,
        members: &'l Members<'l>,
    ) -> Self {
        let (kind, role, written_at) = (envelope.kind(), envelope.role(), OnceCell::new());
        Self { bytes, offset, number, envelope, members, kind, role, written_at }
    }

    /// When the entry was written.
    pub(crate) fn written_at(&self) -> Option<i64> {
        *self.written_at.get_or_init(|| self.envelope.time())
    }

    /// Equal for all copies of the entry: its id, its time and what else tells it from others;
    /// without an id the line.
    pub(crate) fn key(&self, kind: u64, what: u64) -> u64 {
        let Field::Text(id @ [_, ..]) = self.envelope.id else {
            return Mixer::new(kind).number(1).bytes(self.bytes).number(what).finish();
        };
        let mixer = Mixer::new(kind).bytes(id).number(what);
        match (self.written_at(), self.envelope.timestamp) {
            (Some(time), _) => mixer.number(time.cast_unsigned()).finish(),
            (None, Field::Text(text)) => mixer.bytes(text).finish(),
            (None, _) => mixer.finish(),
        }
    }

    /// When the entry was written, or its message was said.
    pub(crate) fn time(&self) -> Option<i64> {
        self.written_at().or_else(|| self.members.message.time())
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
    pub(crate) tool_name: Option<&'l [u8]>,
    pub(crate) command: Option<&'l [u8]>,
    pub(crate) exit_code: Option<&'l [u8]>,
    pub(crate) summary: Option<&'l [u8]>,
    pub(crate) attachments: Option<&'l [u8]>,
}

impl<'l> Members<'l> {
    /// Takes a member that a scan shows. Of equal names the last one counts.
    #[inline]
    pub(crate) fn take(&mut self, level: Level, name: &[u8], value: &'l [u8]) {
        let slot = match level {
            Level::Entry => self.entry_slot(name),
            Level::Message => self.message.slot(name),
        };
        if let Some(slot) = slot {
            *slot = Some(value);
        }
    }

    #[inline]
    fn entry_slot(&mut self, name: &[u8]) -> Option<&mut Option<&'l [u8]>> {
        Some(match name {
            // A message begins: what an earlier one of the same line said does not count.
            b"message" => {
                self.message = MessageMembers::default();
                return None;
            }
            b"name" => &mut self.name,
            b"label" => &mut self.label,
            b"summary" => &mut self.summary,
            b"replacement" => &mut self.replacement,
            b"usage" => &mut self.usage,
            b"provider" => &mut self.provider,
            b"model" => &mut self.model,
            b"customType" => &mut self.custom_type,
            b"content" => &mut self.content,
            _ => return None,
        })
    }
}

impl<'l> MessageMembers<'l> {
    #[inline]
    fn slot(&mut self, name: &[u8]) -> Option<&mut Option<&'l [u8]>> {
        Some(match name {
            b"content" => &mut self.content,
            b"timestamp" => &mut self.timestamp,
            b"usage" => &mut self.usage,
            b"provider" => &mut self.provider,
            b"model" => &mut self.model,
            b"responseModel" => &mut self.response_model,
            b"stopReason" => &mut self.stop_reason,
            b"errorMessage" => &mut self.error_message,
            b"isError" => &mut self.is_error,
            b"details" => &mut self.details,
            b"toolCallId" => &mut self.tool_call_id,
            b"toolName" => &mut self.tool_name,
            b"command" => &mut self.command,
            b"exitCode" => &mut self.exit_code,
            b"summary" => &mut self.summary,
            b"attachments" => &mut self.attachments,
            _ => return None,
        })
    }

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
        self.stopped_by("error")
    }

    /// Whether the message is an answer that the user stopped.
    pub(crate) fn was_aborted(&self) -> bool {
        self.stopped_by("aborted")
    }

    fn stopped_by(&self, reason: &str) -> bool {
        let Some(raw) = self.stop_reason else { return false };
        if raw.contains(&b'\\') {
            return raw_string(raw).is_some_and(|stop| stop == reason);
        }
        let quoted = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\""));
        quoted == Some(reason.as_bytes())
    }
}
