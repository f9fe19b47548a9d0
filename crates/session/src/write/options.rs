//! How a session is written: how sure, how patient, and whether an old version may be rewritten.

use std::time::Duration;

use pitree_format::setters;

/// How long an append waits for another program's lock, unless the caller says otherwise.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How sure an append is when it returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// In the file; the system writes it to the disk when it likes. As Pi does.
    #[default]
    Fast,
    /// On the disk.
    Durable,
}

/// What an append does to a file of version 1 or 2, which has to be rewritten as version 3 before
/// anything can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldVersion {
    /// Refuse with [`SessionError::NeedsMigration`]; the file stays as it is.
    ///
    /// [`SessionError::NeedsMigration`]: crate::SessionError::NeedsMigration
    #[default]
    Refuse,
    /// Rewrite the file together with the new lines, and keep a backup. Pi's `SessionManager` does
    /// so (without the backup) as soon as it opens such a file.
    Migrate,
}

/// How a session is written. Reopening, migrating and switching keep it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// How sure an append is when it returns.
    pub durability: Durability,
    /// What an append does to a file of version 1 or 2.
    pub old_version: OldVersion,
    /// How long to wait for another program's lock.
    pub lock_wait: Duration,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            old_version: OldVersion::default(),
            lock_wait: LOCK_WAIT,
        }
    }
}

impl WriteOptions {
    /// As Pi writes: fast, and no old version.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets how sure an append is when it returns.
        durability: Durability,
        /// Sets what an append does to a file of version 1 or 2.
        old_version: OldVersion,
        /// Sets how long to wait for another program's lock.
        lock_wait: Duration,
    }
}
