//! The position of a session in its tree, and the entry that saves it.
//!
//! Every Pi resumes at the last line of a file. A position elsewhere is saved by appending an entry
//! below it that says nothing.

use pitree_format::EntryKind;

use crate::write::Appended;
use crate::{EntryRef, Session, SessionError};

/// The custom type of the entry that saves a position.
const POSITION_TYPE: &str = "pitree.leaf";

impl Session {
    /// Whether the session stands at its last entry, where whoever opens the file resumes. It does
    /// not if it was moved in its tree, or if another program went on elsewhere.
    pub fn is_at_last_entry(&self) -> bool {
        self.leaf().map(|leaf| leaf.index()) == self.len().checked_sub(1)
    }

    /// Makes the position the last line of the file, so that whoever opens it resumes there. The
    /// mark of a position before the first entry is a new root.
    pub fn save_position(&mut self) -> Result<Appended, SessionError> {
        self.append_custom(POSITION_TYPE, None)
    }
}

impl EntryRef<'_> {
    /// Whether the entry saves the position of its parent, and is nothing else.
    pub fn saves_position(self) -> Result<bool, SessionError> {
        if self.kind() != EntryKind::Custom {
            return Ok(false);
        }
        Ok(self.value()?.get_string("customType").is_some_and(|name| *name == POSITION_TYPE))
    }
}
