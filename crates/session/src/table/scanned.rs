//! Entries as the scan finds them: records that do not know their parents yet. They become the
//! table as they are, so that opening holds each entry once.

use std::borrow::Cow;
use std::ops::Deref;

use pitree_format::{EntryKind, Role};

use super::{Body, NO_PARENT, NO_TIME, Record};

/// So many bytes of an id need no memory of their own. Pi's have eight.
const INLINE_BYTES: usize = 22;

/// The id of an entry.
#[derive(Clone, Debug)]
pub(crate) enum Id {
    /// Its first so many bytes.
    Inline(u8, [u8; INLINE_BYTES]),
    Long(Box<str>),
}

impl Id {
    pub(crate) fn new(text: &str) -> Self {
        let mut bytes = [0; INLINE_BYTES];
        match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                Self::Inline(text.len() as u8, bytes)
            }
            None => Self::Long(text.into()),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline(len, bytes) => &bytes[..usize::from(*len)],
            Self::Long(text) => text.as_bytes(),
        }
    }
}

impl Default for Id {
    fn default() -> Self {
        Self::new("")
    }
}

impl Deref for Id {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            // They were copied from a text.
            Self::Inline(..) => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }
}

/// The `parentId` of a line, before it is looked up.
#[derive(Debug)]
pub(crate) enum ParentField<'a> {
    /// `null`, or an empty string, which Pi treats alike when it walks.
    Null,
    Absent,
    /// Not a string.
    Invalid,
    /// The id of the line before it in the same segment; by far the most common case.
    Previous,
    Id(Cow<'a, str>),
}

/// What a record remembers of that field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Null,
    Absent,
    Invalid,
    Previous,
    Named,
    /// The entry named itself, and is a root now.
    ToItself,
    /// The link closed a circle and was cut.
    Cut,
}

/// What the scan finds beside the names.
pub(crate) struct Found {
    pub(crate) body: Body,
    pub(crate) line: u64,
    pub(crate) kind: EntryKind,
    pub(crate) role: Role,
    pub(crate) time: Option<i64>,
}

/// The entries of a file, or of a part of it, in order.
#[derive(Debug, Default)]
pub(crate) struct ScannedEntries {
    pub(super) records: Vec<Record>,
    /// The parents that are not simply the entry before, with the place of their child.
    pub(super) named: Vec<(u32, Box<str>)>,
}

impl ScannedEntries {
    pub(crate) fn push(&mut self, found: Found, id: Option<&str>, parent: ParentField<'_>) {
        let link = match parent {
            ParentField::Null => Link::Null,
            ParentField::Absent => Link::Absent,
            ParentField::Invalid => Link::Invalid,
            ParentField::Previous => Link::Previous,
            ParentField::Id(name) => {
                self.named.push((self.records.len() as u32, name.into()));
                Link::Named
            }
        };
        self.records.push(Record {
            id: id.map_or_else(Id::default, Id::new),
            body: found.body,
            line: found.line,
            time: found.time.unwrap_or(NO_TIME),
            parent: NO_PARENT,
            kind: found.kind,
            role: found.role,
            made_up_id: id.is_none(),
            link,
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn first(&self) -> Option<&Record> {
        self.records.first()
    }

    /// The id of the last entry, if it has one.
    pub(crate) fn last_id(&self) -> Option<&[u8]> {
        self.records.last().filter(|last| !last.made_up_id).map(|last| last.id.as_bytes())
    }

    /// Whether any entry has an id.
    pub(crate) fn has_ids(&self) -> bool {
        self.records.iter().any(|record| !record.made_up_id)
    }

    pub(crate) fn reserve_exact(&mut self, more: usize) {
        self.records.reserve_exact(more);
    }

    /// Takes the entries of the part that follows.
    pub(crate) fn append(&mut self, mut next: Self) {
        let before = self.records.len() as u32;
        self.records.append(&mut next.records);
        self.named.extend(next.named.into_iter().map(|(at, name)| (at + before, name)));
    }
}

impl<'a> IntoIterator for &'a mut ScannedEntries {
    type Item = &'a mut Record;
    type IntoIter = std::slice::IterMut<'a, Record>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.iter_mut()
    }
}
