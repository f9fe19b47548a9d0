//! The session that a verb works on: opened for it, or the one that a program has open.

use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use pitree_session::Session;

use crate::caller::Caller;
use crate::error::Result;
use crate::target::{AppendTarget, ReadTarget, Workspace};

impl Workspace {
    /// The session that the user means, for a verb that only looks at it: a program may have it
    /// open.
    pub(crate) fn open_shared(&self, read: &ReadTarget) -> Result<Opened<'_>> {
        Opened::shared(&self.caller).map_or_else(|| self.open(read).map(Opened::Own), Ok)
    }

    /// The same for a verb that only appends.
    pub(crate) fn open_shared_to_append(
        &self,
        append: &AppendTarget,
    ) -> Result<OpenedToAppend<'_>> {
        let is_plain = !append.migrate && append.wait.wait.is_none();
        match OpenedToAppend::shared(&self.caller) {
            // Who wants to wait longer or to migrate gets a session that does.
            Some(mut session) if is_plain => {
                session.refuse_old_version()?;
                // What others have appended meanwhile is there before an entry is looked for.
                session.refresh_to_leaf()?;
                Ok(session)
            }
            _ => self.open_to_append(append).map(OpenedToAppend::Own),
        }
    }
}

/// A session for reading.
#[expect(clippy::large_enum_variant, reason = "there is one of it, on the stack")]
pub(crate) enum Opened<'a> {
    Own(Session),
    Shared(RwLockReadGuard<'a, Session>),
}

impl<'a> Opened<'a> {
    /// The session that the caller has open.
    pub(crate) fn shared(caller: &'a Caller) -> Option<Self> {
        let session = caller.opened()?;
        // Whoever panicked while it was changed has changed the file or not; its memory is sound.
        Some(Self::Shared(session.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Deref for Opened<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        match self {
            Self::Own(session) => session,
            Self::Shared(session) => session,
        }
    }
}

/// A session to append to.
#[expect(clippy::large_enum_variant, reason = "there is one of it, on the stack")]
pub(crate) enum OpenedToAppend<'a> {
    Own(Session),
    Shared(RwLockWriteGuard<'a, Session>),
}

impl<'a> OpenedToAppend<'a> {
    /// The session that the caller has open.
    pub(crate) fn shared(caller: &'a Caller) -> Option<Self> {
        let session = caller.opened()?;
        Some(Self::Shared(session.write().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Deref for OpenedToAppend<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        match self {
            Self::Own(session) => session,
            Self::Shared(session) => session,
        }
    }
}

impl DerefMut for OpenedToAppend<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        match self {
            Self::Own(session) => session,
            Self::Shared(session) => session,
        }
    }
}
