//! By what a reply and its copies in other files are known.
//!
//! - By its path: a hash chain of all that was said on the path to it, and the reply itself. Entry
//!   ids are not part of it: a fork may renew them, Pi's migration makes them up for files of
//!   version 1, and both are copies all the same.
//! - By itself: what it says, and its id if it has one. So a copy is known too if something before
//!   it was edited or is damaged.
//!
//! Times are part of both: the same words at another time are another reply. Both are taken from
//! the file itself, before redaction: what is redacted in a line may depend on the rest of the
//! session, and a copy may have more of it.

use std::collections::HashMap;

use memchr::memmem;
use pitree_format::js::parse;
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::{EntryRef, Session};
use serde::{Deserialize, Serialize};

/// What one line says, hashed; `None` if it says nothing to the model.
pub(crate) type Spoken = Option<[u8; 16]>;

/// What a reply and its copies in other files have in common: one of these is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplyKey {
    /// By its path. Unique in its session, unless something was said twice there.
    pub path: u64,
    /// By itself.
    pub own: u64,
}

impl ReplyKey {
    /// Both.
    pub(crate) fn both(self) -> [u64; 2] {
        [self.path, self.own]
    }
}

/// The keys of the replies of a session, by the ids of their entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplyKeys {
    /// Several entries may share an id.
    by_id: HashMap<String, Vec<ReplyKey>>,
}

impl ReplyKeys {
    /// The keys of a session, of which `spoken` has what each line says.
    pub(crate) fn of(session: &Session, spoken: &[Spoken]) -> Self {
        let says = |entry: EntryRef<'_>| {
            let line = usize::try_from(entry.line()).ok()?.checked_sub(1)?;
            spoken.get(line).copied().flatten()
        };
        let mut chains: Vec<Option<[u8; 16]>> = vec![None; session.len()];
        let mut by_id: HashMap<String, Vec<ReplyKey>> = HashMap::new();
        let mut path = Vec::new();
        for entry in session.entries() {
            // Most parents stand before their children, so this climbs one step.
            let above = std::iter::successors(Some(entry), EntryRef::parent);
            path.extend(above.take_while(|above| chains[above.index()].is_none()));
            while let Some(next) = path.pop() {
                let before = next.parent().and_then(|parent| chains[parent.index()]);
                let before = before.unwrap_or_default();
                chains[next.index()] = Some(says(next).map_or(before, |said| link(before, said)));
            }
            if let Some(chain) = chains[entry.index()].filter(|_| entry.is_message(Role::Assistant))
            {
                let path = first_word(&chain);
                let own = says(entry).map_or(path, |said| own_key(entry, &said));
                by_id.entry(entry.id().to_owned()).or_default().push(ReplyKey { path, own });
            }
        }
        Self { by_id }
    }

    /// The key of a reply by the id of its entry and what it says. Only of entries that share
    /// their id, or are in no file, does what it says make a difference.
    pub(crate) fn get(&self, id: &str, says: &blake3::Hash) -> ReplyKey {
        let keys = self.by_id.get(id).map(Vec::as_slice).unwrap_or_default();
        if let [only] = keys {
            return *only;
        }
        let mixed = |part: fn(&ReplyKey) -> u64| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(says.as_bytes());
            keys.iter().for_each(|key| {
                hasher.update(&part(key).to_le_bytes());
            });
            if keys.is_empty() {
                hasher.update(id.as_bytes());
            }
            first_word(hasher.finalize().as_bytes())
        };
        ReplyKey { path: mixed(|key| key.path), own: mixed(|key| key.own) }
    }
}

/// A reply by itself. An id that was made up for it says nothing.
fn own_key(entry: EntryRef<'_>, said: &[u8; 16]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"own").update(said);
    hasher.update(&entry.time().unwrap_or_default().to_le_bytes());
    if !entry.has_made_up_id() {
        hasher.update(entry.id().as_bytes());
    }
    first_word(hasher.finalize().as_bytes())
}

/// What a line of a session file says to the model.
pub(crate) fn spoken(line: &[u8]) -> Spoken {
    // Most long lines without these are what extensions have stored.
    if memmem::find(line, b"essage").is_none() && memmem::find(line, b"\"summary\"").is_none() {
        return None;
    }
    let entry = parse(line).ok()?;
    let kind = entry.get_string("type")?.as_str()?.to_owned();
    let mut hasher = blake3::Hasher::new();
    match kind.as_str() {
        "message" => {
            let message = entry.get("message")?.as_object()?;
            hash_message(message, &mut hasher);
            if message.get("timestamp").is_none_or(|time| *time == Value::Null) {
                hash_value(entry.get("timestamp").unwrap_or(&Value::Null), &mut hasher);
            }
        }
        "custom_message" => hash_value(entry.get("content")?, &mut hasher),
        "compaction" | "branch_summary" => hash_value(entry.get("summary")?, &mut hasher),
        _ => return None,
    }
    hasher.update(kind.as_bytes());
    Some(first_half(&hasher))
}

/// All members of a message. Version 2 called one role by another name.
fn hash_message(message: &Object, hasher: &mut blake3::Hasher) {
    let role = |name: &JsString| *name == *"hookMessage";
    hash_members(message, hasher, |name, value| {
        match value.as_string().filter(|_| *name == *"role") {
            Some(old) if role(old) => Some(Value::from("custom")),
            _ => None,
        }
    });
}

fn hash_members(
    object: &Object,
    hasher: &mut blake3::Hasher,
    instead: impl Fn(&JsString, &Value) -> Option<Value>,
) {
    // Another program may have written them in another order, and `null` for what is not there.
    let mut members: Vec<(&JsString, &Value)> =
        object.iter().filter(|(_, value)| **value != Value::Null).collect();
    members.sort_by(|one, other| one.0.as_bytes().cmp(other.0.as_bytes()));
    hash_len(members.len(), hasher);
    for (name, value) in members {
        hash_bytes(name.as_bytes(), hasher);
        match instead(name, value) {
            Some(other) => hash_value(&other, hasher),
            None => hash_value(value, hasher),
        }
    }
}

/// Values nest at most as deep as the parser allows.
fn hash_value(value: &Value, hasher: &mut blake3::Hasher) {
    match value {
        Value::Null => {
            hasher.update(b"n");
        }
        Value::Bool(bool) => {
            hasher.update(if *bool { b"t" } else { b"f" });
        }
        Value::Number(number) => {
            hasher.update(b"d").update(&number.to_bits().to_le_bytes());
        }
        Value::String(text) => {
            hasher.update(b"s");
            hash_bytes(text.as_bytes(), hasher);
        }
        Value::Deep(text) => {
            hasher.update(b"x");
            hash_bytes(text, hasher);
        }
        Value::Array(items) => {
            hasher.update(b"a");
            hash_len(items.len(), hasher);
            items.iter().for_each(|item| hash_value(item, hasher));
        }
        Value::Object(object) => {
            hasher.update(b"o");
            hash_members(object, hasher, |_, _| None);
        }
    }
}

fn hash_len(len: usize, hasher: &mut blake3::Hasher) {
    hasher.update(&(len as u64).to_le_bytes());
}

fn hash_bytes(bytes: &[u8], hasher: &mut blake3::Hasher) {
    hash_len(bytes.len(), hasher);
    hasher.update(bytes);
}

/// The chain with one more link.
fn link(before: [u8; 16], said: [u8; 16]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&before).update(&said);
    first_half(&hasher)
}

/// The first 16 bytes of a hash.
pub(crate) fn first_half(hasher: &blake3::Hasher) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    half
}

/// The first 8 bytes of a hash as a number.
pub(crate) fn first_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_does_not_depend_on_ids_order_or_version() {
        let same = [
            r#"{"type":"message","id":"a","parentId":"b","timestamp":"x","message":{"role":"custom","content":"hi","timestamp":5}}"#,
            r#"{"id":"c","message":{"content":"hi","details":null,"role":"custom","timestamp":5.0},"parentId":null,"timestamp":"y","type":"message"}"#,
            r#"{"type":"message","message":{"role":"hookMessage","content":"hi","timestamp":5}}"#,
        ];
        let said = spoken(same[0].as_bytes());
        assert!(said.is_some());
        for line in same {
            assert_eq!(spoken(line.as_bytes()), said, "{line}");
        }
        let other = same[0].replace("\"timestamp\":5", "\"timestamp\":6");
        assert_ne!(spoken(other.as_bytes()), said, "the same words at another time");
        let without = |time: &str| {
            let line = r#"{"type":"message","timestamp":"T","message":{"role":"user"}}"#;
            spoken(line.replace('T', time).as_bytes())
        };
        assert_ne!(
            without("1"),
            without("2"),
            "the time of the entry counts where there is no other"
        );
    }

    #[test]
    fn what_is_not_sent_is_not_said() {
        for line in [
            r#"{"type":"custom","data":{"message":1}}"#,
            r#"{"type":"label","label":"message"}"#,
            r#"{"type":"message"}"#,
            "message",
            "",
        ] {
            assert_eq!(spoken(line.as_bytes()), None, "{line}");
        }
    }
}
