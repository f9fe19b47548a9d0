//! What names an entry: an id, a place in file order, or the entry itself.

use std::borrow::Cow;
use std::path::Path;

use pitree_format::JsString;

use sealed::Key;

use super::{EntryRef, Session};
use crate::error::{Result, SessionError};
use crate::write::Appended;

/// What names an entry of a session. Every call that is about one entry takes any of these:
///
/// * its **id**, as `&str`, `String` or [`JsString`]. It stays right whatever happens to the
///   file, so it is what a program keeps.
/// * its **place** in file order, a `usize`, as [`EntryRef::index`], [`Tree`](crate::Tree) and
///   [`TreeStep`](crate::TreeStep) give it. It costs nothing to look up. Entries are only added, so
///   it stays right as long as the [`Session`] is open, unless the file is replaced by another.
/// * an [`EntryRef`], which cannot outlive the session it came from. In another session, such as
///   a fork, it names the entry with the same id.
/// * an [`Appended`], for the entry that an append has made.
///
/// Whatever names no entry is an error, or an empty answer where the call says so; nothing panics.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pitree_session::{Environment, Message, NewSession, Session};
///
/// let environment = Environment::new("/home/u", "/home/u/p", || 0, |bytes| bytes.fill(1));
/// let mut session = Session::in_memory("/home/u/p", &NewSession::default(), &environment)?;
/// let hello = session.append_message(Message::user("Hello"))?;
/// assert_eq!(session.path_to(&hello).len(), 1);
/// assert_eq!(session.path_to(&hello.id).len(), 1);
/// assert_eq!(session.path_to("not there").len(), 0);
/// assert_eq!(session.path_to(0).len(), 1);
/// # Ok(())
/// # }
/// ```
pub trait EntryKey: Key {}

impl<K: Key + ?Sized> EntryKey for K {}

pub(crate) mod sealed {
    use super::Session;

    /// How an entry is found.
    pub trait Key {
        /// Its place in the session.
        fn place(&self, session: &Session) -> Option<usize>;

        /// How an error names it.
        fn name(&self) -> String;
    }
}

impl Key for usize {
    fn place(&self, session: &Session) -> Option<usize> {
        (*self < session.len()).then_some(*self)
    }

    fn name(&self) -> String {
        format!("number {self}")
    }
}

impl Key for str {
    fn place(&self, session: &Session) -> Option<usize> {
        session.table.find(self)
    }

    fn name(&self) -> String {
        self.to_owned()
    }
}

impl Key for String {
    fn place(&self, session: &Session) -> Option<usize> {
        self.as_str().place(session)
    }

    fn name(&self) -> String {
        self.clone()
    }
}

impl Key for Cow<'_, str> {
    fn place(&self, session: &Session) -> Option<usize> {
        str::place(self, session)
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

impl Key for JsString {
    fn place(&self, session: &Session) -> Option<usize> {
        str::place(&self.to_text(), session)
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

impl Key for EntryRef<'_> {
    fn place(&self, session: &Session) -> Option<usize> {
        match std::ptr::eq(self.session(), session) {
            true => Some(self.index()),
            false => self.id().place(session),
        }
    }

    fn name(&self) -> String {
        self.id().to_owned()
    }
}

impl Key for Appended {
    fn place(&self, session: &Session) -> Option<usize> {
        self.id.place(session)
    }

    fn name(&self) -> String {
        self.id.clone()
    }
}

impl<K: Key + ?Sized> Key for &K {
    fn place(&self, session: &Session) -> Option<usize> {
        (**self).place(session)
    }

    fn name(&self) -> String {
        (**self).name()
    }
}

impl Session {
    /// The place of an entry in file order, or an error that names it.
    pub(crate) fn place_of(&self, key: &(impl EntryKey + ?Sized)) -> Result<usize> {
        key.place(self).ok_or_else(|| self.no_entry(key.name()))
    }

    /// That no entry has this id.
    pub(crate) fn no_entry(&self, id: String) -> SessionError {
        SessionError::EntryNotFound { id, path: self.path().map(Path::to_owned) }
    }
}
