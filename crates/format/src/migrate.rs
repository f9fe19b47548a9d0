//! Versions 1 and 2 brought up to version 3, with Pi's rules.
//!
//! * Version 1 is a plain list: no `id`, no `parentId`; a compaction names the first kept entry
//!   by its index among the lines. Each entry gets an id and the previous entry as parent.
//! * Version 2 calls the role `custom` `hookMessage`.
//!
//! Pi makes up random ids when it migrates. Here the id is a hash of the line and its place, so
//! an old file shows the same ids each time it is read, without being written.

use crate::{Object, Value};

/// Which migrations a file needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceVersion {
    /// No ids: both steps.
    V1,
    /// A tree with old role names: one step.
    V2,
    /// Version 3 or later, or a version nobody can compare: as it is.
    Current,
}

impl SourceVersion {
    /// The number that a header has for it.
    pub fn number(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::Current => 3,
        }
    }
}

/// The version of a header: absent or `null` is 1; a later one is read as version 3.
pub fn source_version(header: &Value) -> SourceVersion {
    let number = match header.get("version") {
        None | Some(Value::Null) => 1.0,
        Some(Value::Number(number)) => *number,
        Some(Value::Bool(flag)) => f64::from(u8::from(*flag)),
        // JavaScript compares a string with a number by its number.
        Some(Value::String(text)) => {
            let text = text.trim();
            if text.is_empty() {
                0.0
            } else {
                text.as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
            }
        }
        Some(_) => f64::NAN,
    };
    if number < 2.0 {
        SourceVersion::V1
    } else if number < 3.0 {
        SourceVersion::V2
    } else {
        SourceVersion::Current
    }
}

/// What the step from version 1 needs to know about an entry.
#[derive(Clone, Copy, Debug)]
pub struct V1Place<'a> {
    /// The id it gets.
    pub id: &'a str,
    /// The id of the entry before it.
    pub parent_id: Option<&'a str>,
}

/// Brings one entry from version 1 to 2. `id_at` gives the new id of the entry at a line index
/// (the header is 0), if that entry comes no later than this one; an index without one means
/// that the compaction keeps nothing, as in Pi.
pub fn v1_entry_to_v2<'a>(
    entry: &mut Object,
    place: &V1Place<'_>,
    id_at: impl FnOnce(usize) -> KeptTarget<'a>,
) {
    entry.set("id", place.id.into());
    entry.set("parentId", place.parent_id.into());
    let is_compaction =
        entry.get("type").and_then(Value::as_string).is_some_and(|t| *t == "compaction");
    let index = entry.get("firstKeptEntryIndex").and_then(Value::as_number);
    if let Some(index) = index.filter(|_| is_compaction) {
        let whole = index >= 0.0 && index.fract() == 0.0 && index < 9e15;
        match if whole { id_at(index as usize) } else { KeptTarget::None } {
            KeptTarget::Entry(id) => entry.set("firstKeptEntryId", id.into()),
            KeptTarget::NotYet => {
                entry.remove("firstKeptEntryId");
            }
            KeptTarget::None => {}
        }
        entry.remove("firstKeptEntryIndex");
    }
}

/// What a version 1 index leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptTarget<'a> {
    /// An entry that has its id already.
    Entry(&'a str),
    /// An entry further down, which has no id at that moment.
    NotYet,
    /// No entry, or a header.
    None,
}

/// Brings one entry from version 2 to 3.
pub fn v2_entry_to_v3(entry: &mut Object) {
    if entry.get("type").and_then(Value::as_string).is_none_or(|t| *t != "message") {
        return;
    }
    if let Some(message) = entry.get_mut("message").and_then(Value::as_object_mut)
        && message.get("role").and_then(Value::as_string).is_some_and(|role| *role == "hookMessage")
    {
        message.set("role", "custom".into());
    }
}

/// A stable id for a line that has none: eight hexadecimal digits from the line's bytes and its
/// place, changed until `taken` does not know it.
pub fn stable_id(line: &[u8], place: usize, mut taken: impl FnMut(&str) -> bool) -> String {
    // FNV-1a: small, and the same on every machine and for ever.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in line.iter().chain(&(place as u64).to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    loop {
        let id = format!("{:08x}", (hash >> 32) as u32);
        if !taken(&id) {
            return id;
        }
        hash = (hash ^ 0x9e37).wrapping_mul(0x0100_0000_01b3);
    }
}
