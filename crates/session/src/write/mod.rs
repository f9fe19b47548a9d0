//! Appending. One call, one write; nothing that was acknowledged is lost.
//!
//! * A new file is created whole with its first user or assistant message, as in Pi; until then
//!   an append is [`AppendOutcome::Deferred`].
//! * Later lines go to the end of the file in one write, under a lock between pitree processes.
//!   What another program (a running Pi takes no lock) appended in the meantime is read first.
//! * A write that fails leaves file and memory as they were.

mod append;
pub(crate) mod backup;
mod bytes;
mod check;
mod create;
pub(crate) mod file;
mod lock;
mod options;
mod replace;
mod temporary;

use std::collections::HashSet;

use pitree_format::draft::{Draft, Stamp};
use pitree_format::migrate::SourceVersion;
use pitree_format::{EntryKind, Role};

use crate::error::{Result, SessionError};
use crate::labels::Label;
use crate::session::{Session, Storage};
use crate::table::{Body, NewRecord};

pub use append::{NewUsage, UsageValue};
pub use backup::{Rewrite, UndoOptions, Undone, backup_directory, last_rewrite, undo_last};
pub(crate) use bytes::{unsure, write_line};
pub use check::check_message;
pub use create::make_private_directory;
pub(crate) use create::new_file_with;
pub(crate) use file::read_at;
pub(crate) use lock::lock_within;
pub use lock::{LockHolder, has_no_locks};
pub use options::{Durability, LOCK_WAIT, OldVersion, WriteOptions};
pub(crate) use replace::replace_file_with;
pub use temporary::temporary_file_in;

/// Room for a line of usual length.
const LINE_BYTES: usize = 2048;

/// What became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// The line is in the file, whole, once.
    Written,
    /// There is no file before the first user or assistant message; the entry waits in memory.
    Deferred,
    /// The session is never written.
    InMemory,
}

/// A new entry and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The id of the new entry.
    pub id: String,
    /// What became of it.
    pub outcome: AppendOutcome,
}

/// A line that is ready to be written.
pub(crate) struct NewLine {
    pub(crate) id: Box<str>,
    pub(crate) parent: Option<usize>,
    pub(crate) text: String,
    pub(crate) kind: EntryKind,
    pub(crate) role: Role,
    /// What a label entry says.
    pub(crate) label: Option<Label>,
    pub(crate) time: Option<i64>,
}

impl Session {
    /// Appends an entry as a child of the leaf and moves the leaf to it.
    pub fn append(&mut self, draft: &Draft) -> Result<Appended> {
        let mut appended = self.append_all(std::slice::from_ref(draft))?;
        appended.pop().ok_or_else(|| SessionError::Refused("nothing to append".to_owned()))
    }

    /// Appends several entries, each the child of the one before, with one write and, if the
    /// session is durable, one flush to the disk. Nothing is appended if one of them is a message
    /// that Pi could not read back.
    pub fn append_all(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>> {
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        check::check_drafts(drafts)?;
        self.append_after(drafts, |_, _| Ok(()))
    }

    /// The same without a look at what is in them: raw JSON, which Pi may be unable to read.
    pub fn append_all_unchecked(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>> {
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        self.append_after(drafts, |_, _| Ok(()))
    }

    /// Appends entries whose making took long. Refused if another program has continued from
    /// `left` in the meantime; nobody can do so between that check and the write, since both are
    /// done under one lock.
    pub(crate) fn append_unless_continued(
        &mut self,
        draft: &Draft,
        left: Option<usize>,
    ) -> Result<Appended> {
        let mut appended = self.append_after(std::slice::from_ref(draft), |session, known| {
            match (known..session.table.len()).any(|at| session.table.parent(at) == left) {
                true => Err(session.changed("another program continued the conversation")),
                false => Ok(()),
            }
        })?;
        appended.pop().ok_or_else(|| SessionError::Refused("nothing to append".to_owned()))
    }

    /// Takes the lock, reads what others have added, asks `check` (which is given the number of
    /// entries known before) and writes.
    fn append_after(
        &mut self,
        drafts: &[Draft],
        check: impl FnOnce(&Self, usize) -> Result<()>,
    ) -> Result<Vec<Appended>> {
        let known = self.table.len();
        let (lines, outcome) = if self.needs_migration() {
            self.refuse_old_version()?;
            // Nobody has added anything: a file that changed is not rewritten.
            let lines = self.new_lines(drafts)?;
            self.migration = self.migrate_with(&lines)?;
            (lines, AppendOutcome::Written)
        } else {
            let held = self.hold_file()?;
            check(self, known)?;
            let lines = self.new_lines(drafts)?;
            let outcome = self.write_lines(&lines, held.as_ref())?;
            (lines, outcome)
        };
        Ok(lines.iter().map(|line| Appended { id: line.id.to_string(), outcome }).collect())
    }

    /// The migration that an append has run since this was last asked: the rewrite, with its
    /// backup. For callers that say what was done.
    pub fn take_migration(&mut self) -> Option<Rewrite> {
        self.migration.take()
    }

    /// Whether an append would be refused because the file is version 1 or 2; for callers that
    /// have much to do before they append.
    pub fn refuse_old_version(&self) -> Result<()> {
        match (self.writing.old_version, self.path()) {
            (OldVersion::Refuse, Some(path)) if self.needs_migration() => {
                Err(SessionError::NeedsMigration {
                    path: path.to_owned(),
                    version: if self.version == SourceVersion::V1 { 1 } else { 2 },
                })
            }
            _ => Ok(()),
        }
    }

    /// Sets how sure an append is when it returns.
    pub fn set_durability(&mut self, durability: Durability) {
        self.writing.durability = durability;
    }

    /// Sets what an append does to a file of version 1 or 2.
    pub fn set_old_version(&mut self, policy: OldVersion) {
        self.writing.old_version = policy;
    }

    /// How this session is written, for another session that is to be written alike.
    pub fn write_options(&self) -> &WriteOptions {
        &self.writing
    }

    /// Sets how this session is written.
    pub fn set_write_options(&mut self, options: WriteOptions) {
        self.writing = options;
    }

    /// Gives the entries their ids, parents and times.
    pub(super) fn new_lines(&self, drafts: &[Draft]) -> Result<Vec<NewLine>> {
        let time = self.environment.now_ms();
        let timestamp = pitree_format::js::date::format_iso(time);
        let mut lines: Vec<NewLine> = Vec::with_capacity(drafts.len());
        let mut in_batch: HashSet<String> = HashSet::new();
        for draft in drafts {
            let taken = |id: &str| self.table.find(id).is_some() || in_batch.contains(id);
            let id = self.environment.entry_id(taken);
            let parent = match lines.len() {
                0 => self.leaf,
                earlier => Some(self.table.len() + earlier - 1),
            };
            let parent_id = match lines.last() {
                Some(line) => Some(&*line.id),
                None => self.leaf_id(),
            };
            let stamp = Stamp { id: &id, parent_id, timestamp: &timestamp, time_ms: time };
            let mut text = String::with_capacity(LINE_BYTES);
            draft.print(&stamp, &mut text);
            check::check_length(text.len() as u64)?;
            let label = match draft {
                Draft::Label { target_id, label } => Some(Label {
                    target_id: target_id.to_text().into_owned(),
                    text: label.clone().unwrap_or_default(),
                    timestamp: Some(timestamp.as_str().into()),
                }),
                _ => None,
            };
            if drafts.len() > 1 {
                in_batch.insert(id.clone());
            }
            let (kind, role) = (draft.kind(), draft.role());
            lines.push(NewLine {
                id: id.into(),
                parent,
                text,
                kind,
                role,
                label,
                time: Some(time),
            });
        }
        Ok(lines)
    }

    /// Takes a written (or waiting) line into memory.
    pub(crate) fn adopt(&mut self, line: &NewLine, body: Body, number: u64) {
        let at = self.table.push(NewRecord {
            id: line.id.clone(),
            body,
            line: number,
            time: line.time,
            parent: line.parent,
            kind: line.kind,
            role: line.role,
        });
        self.leaf = Some(at);
        // Labels that were read before stay in step.
        if let (Some(label), Some(labels)) = (&line.label, self.labels.get_mut()) {
            labels.apply(label.clone());
        }
    }

    /// Writes lines to wherever the session is kept.
    fn write_lines(
        &mut self,
        lines: &[NewLine],
        held: Option<&file::LockedFile>,
    ) -> Result<AppendOutcome> {
        if let Some(held) = held {
            return self.write_to_end(lines, held);
        }
        let before = self.leaf;
        for line in lines {
            self.adopt(line, Body::Memory(line.text.as_bytes().into()), 0);
        }
        let persists = matches!(self.storage, Storage::File(_));
        if !persists {
            return Ok(AppendOutcome::InMemory);
        }
        if !self.has_conversation() {
            return Ok(AppendOutcome::Deferred);
        }
        if let Err(error) = self.create_file() {
            for _ in lines {
                self.table.pop();
            }
            self.leaf = before;
            self.labels.take();
            return Err(error);
        }
        Ok(AppendOutcome::Written)
    }
}
