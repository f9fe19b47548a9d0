//! A look at one entry of a session.

use std::borrow::Cow;

use pitree_format::entry::Body as TypedBody;
use pitree_format::js::parse;
use pitree_format::message::Message;
use pitree_format::migrate::{KeptTarget, SourceVersion, V1Place, v1_entry_to_v2, v2_entry_to_v3};
use pitree_format::{EntryKind, Role, Value};

use super::Session;
use crate::error::{Result, SessionError};
use crate::table::{Body, Record};

/// One entry of a [`Session`]. Its envelope is at hand; its body is read on demand.
#[derive(Clone, Copy)]
pub struct EntryRef<'s> {
    session: &'s Session,
    at: usize,
}

impl<'s> EntryRef<'s> {
    pub(crate) fn new(session: &'s Session, at: usize) -> Self {
        Self { session, at }
    }

    pub(super) fn session(&self) -> &'s Session {
        self.session
    }

    fn record(&self) -> &'s Record {
        self.session.table.get(self.at)
    }

    pub(crate) fn session_version(&self) -> SourceVersion {
        self.session.version
    }

    /// Its place in file order, from 0.
    pub fn index(&self) -> usize {
        self.at
    }

    /// Its id; made up, but always the same, where the line has none.
    pub fn id(&self) -> &'s str {
        &self.record().id
    }

    /// Whether the id was made up.
    pub fn has_made_up_id(&self) -> bool {
        self.record().made_up_id
    }

    /// What kind of entry it is.
    pub fn kind(&self) -> EntryKind {
        self.record().kind
    }

    /// The role of its message; [`Role::Other`] for other kinds.
    pub fn role(&self) -> Role {
        match self.record().role {
            // Version 2 called the role by another name.
            Role::HookMessage if self.session.version != SourceVersion::Current => Role::Custom,
            role => role,
        }
    }

    /// Its timestamp in Unix milliseconds, if it is a date.
    pub fn time(&self) -> Option<i64> {
        self.record().time()
    }

    /// Its line in the file, from 1; 0 while there is no file.
    pub fn line(&self) -> u64 {
        self.record().line
    }

    /// Its parent, if it has one that is in the file.
    pub fn parent(&self) -> Option<EntryRef<'s>> {
        self.session.table.parent(self.at).map(|at| Self::new(self.session, at))
    }

    /// The id of its parent, also of one that is not in the file.
    pub fn parent_id(&self) -> Option<&'s str> {
        let table = &self.session.table;
        match table.parent(self.at) {
            Some(parent) => Some(&table.get(parent).id),
            None => table.lost_parent(self.at),
        }
    }

    /// Whether this is a user or an assistant message.
    pub fn is_message(&self, role: Role) -> bool {
        self.kind() == EntryKind::Message && self.role() == role
    }

    /// The line as it stands in the file, without its line feed.
    pub fn raw(&self) -> Result<Cow<'s, [u8]>> {
        match &self.record().body {
            Body::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Body::File { offset, len } => {
                let mut bytes = Vec::new();
                self.session.read_range(*offset, u64::from(*len), &mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// The entry with all its members, brought up to version 3. A line without an id has the one
    /// that [`EntryRef::id`] gives.
    pub fn value(&self) -> Result<Value> {
        let raw = self.raw()?;
        let mut value = parse(&raw).map_err(|error| {
            let path = self.session.path().unwrap_or("(memory)".as_ref()).to_owned();
            SessionError::BadLine { path, line: self.line(), problem: error.to_string() }
        })?;
        if let Some(object) = value.as_object_mut() {
            if self.session.version == SourceVersion::V1 {
                let parent_id = self.parent_id();
                let place = V1Place { id: self.id(), parent_id };
                v1_entry_to_v2(object, &place, |index| self.kept_target(index));
            }
            if self.session.version != SourceVersion::Current {
                v2_entry_to_v3(object);
            }
            if self.has_made_up_id() {
                object.set_after("type", "id", self.id().into());
            }
        }
        Ok(value)
    }

    /// The entry by its kind, decoded.
    pub fn body(&self) -> Result<TypedBody> {
        Ok(TypedBody::decode(&self.value()?))
    }

    /// The message of a `message` entry.
    pub fn message(&self) -> Result<Option<Value>> {
        if self.kind() != EntryKind::Message {
            return Ok(None);
        }
        let mut value = self.value()?;
        Ok(value.as_object_mut().and_then(|object| object.remove("message")))
    }

    /// Whether it tells of something that went wrong, as [`Message::has_failed`] says. The body is
    /// decoded only if the line looks like it, so that a long session is gone through in a moment.
    pub fn has_failed(&self) -> Result<bool> {
        let sign: &[u8] = match self.role() {
            _ if self.kind() != EntryKind::Message => return Ok(false),
            Role::ToolResult => b"\"isError\"",
            Role::Assistant => b"\"error\"",
            Role::BashExecution => b"\"exitCode\"",
            _ => return Ok(false),
        };
        let raw = self.raw()?;
        // Pi writes no spaces, and most results are fine.
        let is_fine = |at: usize| raw[at + sign.len()..].starts_with(b":false");
        let mut places = memchr::memmem::find_iter(&raw, sign);
        if places.all(is_fine) {
            return Ok(false);
        }
        Ok(self.message()?.is_some_and(|message| Message::decode(&message).has_failed()))
    }

    /// What a version 1 index means: it counts the parsed lines, headers included.
    fn kept_target(&self, index: usize) -> KeptTarget<'s> {
        let table = &self.session.table;
        let entry = match self.session.counted_odd.binary_search(&index) {
            Ok(_) => return KeptTarget::None,
            Err(before) => index - before,
        };
        if entry >= table.len() {
            KeptTarget::None
        } else if entry <= self.at {
            KeptTarget::Entry(&table.get(entry).id)
        } else {
            KeptTarget::NotYet
        }
    }
}

impl std::fmt::Debug for EntryRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EntryRef")
            .field("line", &self.line())
            .field("id", &self.id())
            .field("kind", &self.kind())
            .finish_non_exhaustive()
    }
}
