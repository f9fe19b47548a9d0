//! The bytes of the file as they were when it was opened.

use super::{Session, Storage};
use crate::error::Result;

impl Session {
    /// How many bytes of the file belong to the session as it is known; 0 without a file.
    pub fn file_len(&self) -> u64 {
        match &self.storage {
            Storage::File(state) => state.len,
            Storage::Memory => 0,
        }
    }

    /// The device and the number of the file that was read, which change when another file has
    /// taken its name and was read; `None` without a file.
    pub fn file_identity(&self) -> Option<(u64, u64)> {
        match &self.storage {
            Storage::File(state) => state.number,
            Storage::Memory => None,
        }
    }

    /// A part of the file, as it stands there. Ask for [`Session::file_len`] bytes piece by piece
    /// to copy a file of any size; what was appended since stays out.
    pub fn file_bytes(&self, offset: u64, len: u64) -> Result<Vec<u8>> {
        let len = len.min(self.file_len().saturating_sub(offset));
        let mut bytes = Vec::new();
        self.read_range(offset, len, &mut bytes)?;
        Ok(bytes)
    }
}
