//! Writing an old version as version 3.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use pitree_format::edit::set_member;
use pitree_format::js::stringify;
use pitree_format::migrate::SourceVersion;
use pitree_format::{EntryKind, Role, Value};

use crate::error::{IoContext, Result, SessionError};
use crate::read::{LineProblem, LineReader, Next};
use crate::session::{EntryRef, Session, Storage};
use crate::write::backup::{Fingerprinter, Rewrite, back_up, forget};
use crate::write::{NewLine, replace_file_with, unsure, write_line};

impl Session {
    /// Writes the file as version 3 and keeps a backup that [`crate::undo_last`] brings back.
    /// `None` when the file is version 3 already. Lines that are not entries stay as they are,
    /// which Pi would drop.
    pub fn migrate(&mut self) -> Result<Option<Rewrite>> {
        self.migrate_with(&[])
    }

    /// Whether the file has to be rewritten as version 3 before anything can be appended.
    pub fn needs_migration(&self) -> bool {
        self.version != SourceVersion::Current && self.unfit.is_none() && self.path().is_some()
    }

    /// Migrates and appends in one rewrite, so that the file is never migrated for an append that
    /// fails.
    pub(crate) fn migrate_with(&mut self, lines: &[NewLine]) -> Result<Option<Rewrite>> {
        let Some(path) = self.path().map(Path::to_owned).filter(|_| self.needs_migration()) else {
            return Ok(None);
        };
        let held = self.hold_for_rewrite()?;
        // Written three times rather than held once: for its fingerprint, the backup and the file.
        // The fingerprint is that of the file without the new lines, so that undoing sees them as
        // what was added.
        let mut new = Fingerprinter::default();
        self.write_migrated(&path, &mut new)?;
        let old = |backup: &mut dyn Write| self.write_as_it_is(&path, backup);
        let rewrite = back_up("migrate", &path, old, &new, &self.environment)?;
        let replaced = replace_file_with(&path, self.file_len(), |file| {
            self.write_migrated(&path, file)?;
            lines.iter().try_for_each(|line| write_line(&path, file, line.text.as_bytes()))
        });
        let file = match replaced {
            Ok(file) => file,
            // The new file is there, so its backup is needed.
            Err(error @ SessionError::WrittenUnsure { .. }) => return Err(error),
            Err(error) => {
                forget(&rewrite);
                return Err(error);
            }
        };
        drop(held);
        let leaf = match lines.is_empty() {
            true => self.leaf,
            false => Some(self.table.len() + lines.len() - 1),
        };
        let fresh = self.open_again(&path, Some(file));
        *self = fresh.map_err(|error| unsure(&path, "read back", std::io::Error::other(error)))?;
        self.leaf = leaf;
        Ok(Some(rewrite))
    }

    /// Writes the file as it is.
    fn write_as_it_is(&self, path: &Path, out: &mut dyn Write) -> Result<()> {
        let write = |piece: &[u8]| out.write_all(piece).on("write a backup of", path);
        self.copy_range(0, self.file_len(), write)
    }

    /// Writes the file as it will be.
    fn write_migrated(&self, path: &Path, new: &mut dyn Write) -> Result<()> {
        let Storage::File(state) = &self.storage else { return Ok(()) };
        let Some(file) = &state.file else { return Ok(()) };
        let mut entries = self.entries().peekable();
        let mut reader = LineReader::new(file, 0, state.len);
        let mut number = 0;
        loop {
            let bytes = match reader.next_line().on("read", path)? {
                Next::End => break,
                Next::TooLong { .. } => {
                    let problem = "a line too long to rewrite".to_owned();
                    return Err(SessionError::BadLine {
                        path: path.to_owned(),
                        line: number + 1,
                        problem,
                    });
                }
                Next::Line { bytes, .. } => bytes,
            };
            number += 1;
            let line = match entries.next_if(|entry| entry.line() == number) {
                Some(entry) => migrated_line(entry, bytes)?.into(),
                None if self.is_header_line(number) => {
                    let header = set_member(bytes, "version", "3");
                    let header = header.map_err(|error| SessionError::BadLine {
                        path: path.to_owned(),
                        line: number,
                        problem: error.to_string(),
                    })?;
                    header.into()
                }
                None => Cow::Borrowed(bytes),
            };
            write_line(path, new, &line)?;
        }
        if reader.position() != state.len {
            let what = "it is shorter than it was";
            return Err(SessionError::Changed { path: path.to_owned(), what });
        }
        Ok(())
    }

    fn is_header_line(&self, number: u64) -> bool {
        self.odd_lines
            .binary_search_by_key(&number, |odd| odd.line)
            .is_ok_and(|at| self.odd_lines[at].what == LineProblem::Header)
    }
}

/// One entry in version 3. Only what has to change is changed; a line whose members change their
/// meaning is printed anew, as Pi does with all of them.
pub(crate) fn migrated_line(entry: EntryRef<'_>, raw: &[u8]) -> Result<Vec<u8>> {
    let reworded = entry.kind() == EntryKind::Compaction || entry.role() == Role::Custom;
    if reworded || entry.session_version() == SourceVersion::V2 {
        return Ok(if reworded { stringify(&entry.value()?).into_bytes() } else { raw.to_vec() });
    }
    let text = |value: Option<&str>| stringify(&Value::from(value));
    let bad = |error: pitree_format::js::JsonError| SessionError::Refused(error.to_string());
    let line = set_member(raw, "id", &text(Some(entry.id()))).map_err(bad)?;
    set_member(&line, "parentId", &text(entry.parent_id())).map_err(bad)
}
