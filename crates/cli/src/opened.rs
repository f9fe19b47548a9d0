//! The session that a verb works on: opened for it, or the one that a program has open.

use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use pitree_session::Session;

use crate::caller::Caller;

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
