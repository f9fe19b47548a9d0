//! The conversation of a run, from a record that is no session: the events that an agent prints
//! while it runs.

use std::path::Path;

use pitree_format::Value;
use pitree_format::js::date::time_of;
use pitree_format::js::parse;
use pitree_format::scan::{Field, Scanned, scan};
use pitree_session::{LineReader, Next, SessionError, open_file};

/// The messages of a record, in order: those of `message` entries and of `message_end` events.
pub fn read_messages(path: &Path) -> Result<Vec<Value>, SessionError> {
    let file = open_file(path)?;
    let failed = |source| SessionError::Io { action: "read", path: path.to_owned(), source };
    let mut reader = LineReader::new(&file, 0, u64::MAX);
    let mut messages = Vec::new();
    loop {
        match reader.next_line().map_err(failed)? {
            Next::End => return Ok(messages),
            Next::TooLong { .. } => {}
            Next::Line { bytes, .. } => messages.extend(message_of(bytes)),
        }
    }
}

fn message_of(line: &[u8]) -> Option<Value> {
    let Scanned::Object(envelope) = scan(line) else { return None };
    let told = matches!(envelope.type_name, Field::Text(b"message" | b"message_end"));
    if !told {
        return None;
    }
    let mut value = parse(line).ok()?;
    value.as_object_mut()?.remove("message").filter(|message| message.as_object().is_some())
}

/// When a message of a run was said: its own time, or that of the entry that some tools keep
/// around it.
pub fn message_time(message: &Value) -> Option<i64> {
    let inner = message.get("message").unwrap_or(message);
    let time = inner.get_number("timestamp").filter(|time| time.is_finite());
    time.map(|time| time as i64).or_else(|| time_of(message.get("timestamp")))
}
