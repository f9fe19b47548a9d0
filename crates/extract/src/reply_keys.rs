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
//!
//! Both need every line decoded. A redaction does that anyway; without one it would be a fifth of
//! the whole work, and most sessions share nothing with any other. So there is a third key, the
//! mark, which costs nothing: the time of the reply and the tokens that it took. Replies that are
//! copies of each other always have the same mark, and hardly any others do. Of a session whose
//! marks no other one has, nothing but the marks is ever needed.

use std::collections::HashMap;

use memchr::memmem;
use pitree_format::{JsString, Object, Role, Value};
use pitree_sample::ChatMessage;
use pitree_session::{EntryRef, Session};
use serde::{Deserialize, Serialize};

use crate::batch::BatchHasher;
use crate::guard::SourceLine;

/// What one line says, hashed; `None` if it says nothing to the model.
pub(crate) type Spoken = Option<[u8; 16]>;

/// By what a reply is known for certain. In a data set of ten billion replies two of them would have
/// the same 64 bits.
pub(crate) type TargetKey = [u8; 16];

/// What a reply and its copies in other files have in common: its path or itself is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplyKey {
    /// Every copy has the same one; others may have it too.
    pub mark: u64,
    /// By its path. Unique in its session, unless something was said twice there.
    pub path: [u8; 16],
    /// By itself.
    pub own: [u8; 16],
}

impl ReplyKey {
    /// A reply that is known by nothing but its mark.
    pub(crate) fn marked(mark: u64) -> Self {
        let mut key = TargetKey::default();
        key[..8].copy_from_slice(&mark.to_le_bytes());
        Self { mark, path: key, own: key }
    }

    /// The keys by which copies are known for certain.
    pub(crate) fn both(self) -> [TargetKey; 2] {
        [self.path, self.own]
    }
}

/// The keys of the replies of a session, by the ids of their entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplyKeys {
    /// Several entries may share an id.
    by_id: HashMap<String, Vec<PathAndOwn>>,
    /// Whether nothing but marks is known.
    is_marks_only: bool,
}

#[derive(Clone, Copy, Debug)]
struct PathAndOwn {
    path: TargetKey,
    own: TargetKey,
}

impl ReplyKeys {
    /// Marks alone, which need nothing of the session.
    pub(crate) fn marks() -> Self {
        Self { is_marks_only: true, ..Self::default() }
    }

    /// The keys of a session, of which `spoken` has what each line says.
    pub(crate) fn of(session: &Session, spoken: &[Spoken]) -> Self {
        let says = |entry: EntryRef<'_>| {
            let line = usize::try_from(entry.line()).ok()?.checked_sub(1)?;
            spoken.get(line).copied().flatten()
        };
        let mut chains: Vec<Option<[u8; 16]>> = vec![None; session.len()];
        let mut by_id: HashMap<String, Vec<PathAndOwn>> = HashMap::new();
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
                let path = chain;
                let own = says(entry).map_or(path, |said| own_key(entry, &said));
                by_id.entry(entry.id().to_owned()).or_default().push(PathAndOwn { path, own });
            }
        }
        Self { by_id, is_marks_only: false }
    }

    /// The key of a reply, which says this. Only of entries that share their id, or are in no
    /// file, does what it says make a difference.
    pub(crate) fn get(&self, reply: &ChatMessage, says: &blake3::Hash) -> ReplyKey {
        let mark = mark(reply);
        if self.is_marks_only {
            return ReplyKey::marked(mark);
        }
        let id = reply.entry_id.as_deref().unwrap_or_default();
        let keys = self.by_id.get(id).map(Vec::as_slice).unwrap_or_default();
        if let [PathAndOwn { path, own }] = *keys {
            return ReplyKey { mark, path, own };
        }
        let mixed = |part: fn(&PathAndOwn) -> TargetKey| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(says.as_bytes());
            keys.iter().for_each(|key| {
                hasher.update(&part(key));
            });
            if keys.is_empty() {
                hasher.update(id.as_bytes());
            }
            first_half(&hasher.finalize())
        };
        ReplyKey { mark, path: mixed(|key| key.path), own: mixed(|key| key.own) }
    }
}

/// What replies that say the same at the same time have in common, wherever they stand and however
/// they are written: so nothing counts here that depends on what stands around a reply, such as
/// the ids of its calls, or on the order of members.
fn mark(reply: &ChatMessage) -> u64 {
    let speaker = reply.speaker.as_ref();
    let usage = speaker.and_then(|speaker| speaker.usage).unwrap_or_default();
    let time = speaker.and_then(|speaker| speaker.time_ms).unwrap_or(f64::NAN);
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"mark");
    for number in [time, usage.input, usage.output, usage.cache_read, usage.cache_write] {
        hasher.update(&number.to_bits().to_le_bytes());
    }
    first_word(hasher.finalize().as_bytes())
}

/// A reply by itself. An id that was made up for it says nothing.
fn own_key(entry: EntryRef<'_>, said: &[u8; 16]) -> TargetKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"own").update(said);
    hasher.update(&entry.time().unwrap_or_default().to_le_bytes());
    if !entry.has_made_up_id() {
        hasher.update(entry.id().as_bytes());
    }
    first_half(&hasher.finalize())
}

/// What the lines of a session file say to the model, in their order.
#[derive(Default)]
pub(crate) struct SpokenLines {
    said: Said,
    lines: Vec<Spoken>,
}

impl SpokenLines {
    /// Adds a line.
    pub(crate) fn push(&mut self, line: &SourceLine<'_>) {
        let spoken = self.said.spoken(line);
        self.lines.push(spoken);
    }

    /// Adds a line that is too long to be an entry.
    pub(crate) fn push_nothing(&mut self) {
        self.lines.push(None);
    }

    /// What each line says.
    pub(crate) fn into_lines(self) -> Vec<Spoken> {
        self.lines
    }
}

/// Hashes what is said, however it is written.
///
/// The hash is a cryptographic one, since anybody may have written a session: with a weaker one a
/// file could be made whose replies pass for copies of somebody else's, which would then not be
/// learned.
#[derive(Default)]
struct Said {
    hasher: BatchHasher,
}

impl Said {
    /// What a line says.
    fn spoken(&mut self, line: &SourceLine<'_>) -> Spoken {
        let bytes = line.bytes();
        // Most long lines without these are what extensions have stored.
        if memmem::find(bytes, b"essage").is_none() && memmem::find(bytes, b"\"summary\"").is_none()
        {
            return None;
        }
        let entry = line.value()?;
        let kind = entry.get_string("type")?.as_str()?;
        match kind {
            "message" => {
                let message = entry.get("message")?.as_object()?;
                self.message(message);
                if message.get("timestamp").is_none_or(|time| *time == Value::Null) {
                    self.value(entry.get("timestamp").unwrap_or(&Value::Null));
                }
            }
            "custom_message" => self.value(entry.get("content")?),
            "compaction" | "branch_summary" => self.value(entry.get("summary")?),
            _ => return None,
        }
        self.hasher.push(kind.as_bytes());
        Some(first_half(&self.hasher.finish()))
    }

    /// All members of a message. Version 2 called one role by another name.
    fn message(&mut self, message: &Object) {
        self.members(message, |name, value| {
            *name == *"role" && value.as_string().is_some_and(|role| *role == *"hookMessage")
        });
    }

    fn members(&mut self, object: &Object, is_custom: impl Fn(&JsString, &Value) -> bool) {
        // Another program may have written them in another order, and `null` for what is not there.
        let mut members: Vec<(&JsString, &Value)> =
            object.iter().filter(|(_, value)| **value != Value::Null).collect();
        members.sort_by(|one, other| one.0.as_bytes().cmp(other.0.as_bytes()));
        self.len(members.len());
        for (name, value) in members {
            self.hasher.push_sized(name.as_bytes());
            if is_custom(name, value) {
                self.text(b"custom");
            } else {
                self.value(value);
            }
        }
    }

    /// Values nest at most as deep as the parser allows.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.hasher.push(b"n"),
            Value::Bool(bool) => self.hasher.push(if *bool { b"t" } else { b"f" }),
            Value::Number(number) => {
                self.hasher.push(b"d");
                self.hasher.push(&number.to_bits().to_le_bytes());
            }
            Value::String(text) => self.text(text.as_bytes()),
            Value::Deep(text) => {
                self.hasher.push(b"x");
                self.hasher.push_sized(text);
            }
            Value::Array(items) => {
                self.hasher.push(b"a");
                self.len(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(object) => {
                self.hasher.push(b"o");
                self.members(object, |_, _| false);
            }
        }
    }

    fn text(&mut self, text: &[u8]) {
        self.hasher.push(b"s");
        self.hasher.push_sized(text);
    }

    fn len(&mut self, len: usize) {
        self.hasher.push(&(len as u64).to_le_bytes());
    }
}

/// The chain with one more link.
fn link(before: [u8; 16], said: [u8; 16]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&before).update(&said);
    first_half(&hasher.finalize())
}

/// The first 16 bytes of a hash.
pub(crate) fn first_half(hash: &blake3::Hash) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
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
    use std::path::Path;

    use pitree_redact::FoundSecrets;
    use pitree_sample::turns::{ContextMessage, MessageOrigin};
    use pitree_session::{Environment, ForkOptions, OpenOptions};
    use pitree_testkit::{session, session_v1, session_v2, working_session};

    use super::*;
    use crate::copy::{Speech, copy_knowing};
    use crate::guard::Unguarded;

    fn said(line: &str) -> Spoken {
        Said::default().spoken(&SourceLine::new(line.as_bytes()))
    }

    #[test]
    fn what_is_said_does_not_depend_on_ids_order_or_version() {
        let same = [
            r#"{"type":"message","id":"a","parentId":"b","timestamp":"x","message":{"role":"custom","content":"hi","timestamp":5}}"#,
            r#"{"id":"c","message":{"content":"hi","details":null,"role":"custom","timestamp":5.0},"parentId":null,"timestamp":"y","type":"message"}"#,
            r#"{"type":"message","message":{"role":"hookMessage","content":"hi","timestamp":5}}"#,
        ];
        let first = said(same[0]);
        assert!(first.is_some());
        for line in same {
            assert_eq!(said(line), first, "{line}");
        }
        let other = same[0].replace("\"timestamp\":5", "\"timestamp\":6");
        assert_ne!(said(&other), first, "the same words at another time");
        let without = |time: &str| {
            let line = r#"{"type":"message","timestamp":"T","message":{"role":"user"}}"#;
            said(&line.replace('T', time))
        };
        assert_ne!(
            without("1"),
            without("2"),
            "the time of the entry counts where there is no other"
        );
    }

    /// The keys of all replies of a session, by the places of their entries.
    fn keys(path: &Path) -> Vec<(usize, ReplyKey)> {
        let (nothing, folder) = (FoundSecrets::default(), path.parent().unwrap());
        let copy = copy_knowing(path, &Unguarded, &nothing, Speech::Hashed, folder, &environment());
        let copy = copy.unwrap();
        let keys = ReplyKeys::of(&copy.session, copy.spoken.as_ref().unwrap());
        let mut found = Vec::new();
        for entry in copy.session.entries() {
            let origin = MessageOrigin { entry_id: Some(entry.id()), ..MessageOrigin::default() };
            for message in copy.session.messages_of(entry).unwrap() {
                if let Some(ContextMessage::Reply(reply)) = ContextMessage::read(&message, origin) {
                    let says = blake3::hash(b"the same");
                    found.push((entry.index(), keys.get(&reply.message, &says)));
                }
            }
        }
        found
    }

    fn environment() -> Environment {
        Environment::new("/home/ana", "/srv/p", || 1_790_000_000_000, |bytes| bytes.fill(7))
    }

    /// Compares the replies at the same places of a session and a copy of it, up to the end of the
    /// shorter one; gives how many there are.
    fn are_copies(path: &Path, copy: &Path, told: &str) -> usize {
        let (keys, copied) = (keys(path), keys(copy));
        for ((at, key), (_, copy)) in keys.iter().zip(&copied) {
            assert_eq!(key.mark, copy.mark, "{told} {at}");
            assert!(key.path == copy.path || key.own == copy.own, "{told} {at}");
        }
        keys.len().min(copied.len())
    }

    #[test]
    fn forks_growing_files_and_migrations_have_the_same_keys_and_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (mut compared, mut all) = ([0; 3], HashMap::new());
        for seed in 0..60 {
            let made = match seed % 4 {
                0 => session_v1(seed),
                1 => session_v2(seed),
                2 => session(seed),
                _ => working_session(seed),
            };
            let (whole, part) = (path(&format!("{seed}.jsonl")), path("part.jsonl"));
            fs_err::write(&whole, &made.bytes).unwrap();
            let half = made.bytes.len() / 2;
            let end = made.bytes[half..].iter().position(|byte| *byte == b'\n').unwrap();
            fs_err::write(&part, &made.bytes[..=half + end]).unwrap();
            compared[0] += are_copies(&whole, &part, &format!("seed {seed}, growing"));
            for (at, key) in keys(&whole) {
                for key in key.both() {
                    let other = *all.entry(key).or_insert((seed, at));
                    assert_eq!(other, (seed, at), "two replies have the same key");
                }
            }
            let mut session = OpenOptions::new().open(&whole, &environment()).unwrap();
            if let Some(leaf) = session.leaf().map(|leaf| leaf.index()) {
                let into = ForkOptions::new().id(format!("fork-{seed}")).directory(folder.path());
                let fork = session.create_branched_session(leaf, &into).unwrap();
                let old = keys(&whole);
                for (at, key) in fork.path().map(keys).unwrap_or_default() {
                    let same = |(_, it): &&(usize, ReplyKey)| it.path == key.path;
                    let original = old.iter().find(same);
                    assert_eq!(original.map(|it| it.1.mark), Some(key.mark), "fork {seed} {at}");
                    compared[1] += 1;
                }
            }
            fs_err::copy(&whole, &part).unwrap();
            if session.migrate().unwrap().is_some() {
                compared[2] += are_copies(&part, &whole, &format!("seed {seed}, migrated"));
            }
        }
        assert!(compared.iter().all(|count| *count > 100), "{compared:?}");
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
            assert_eq!(said(line), None, "{line}");
        }
    }
}
