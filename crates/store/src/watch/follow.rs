//! One file that is followed: what was read of it, and what came since.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use pitree_format::js::date::time_of;
use pitree_format::js::parse;
use pitree_format::{JsString, Value};
use pitree_session::location::read_session;
use pitree_session::{LineReader, Next, SessionError, open_file};

use super::WatchChange;
use crate::discover::FileStamp;

/// How many bytes before the place up to which a file was read must still be the same.
const TAIL_BYTES: u64 = 64;

/// How large the steps are in which the end of the last whole line is looked for.
const BACK_STEP: u64 = 64 << 10;

/// A new file with more entries than this was not written just now: they are only counted.
const MOST_FIRST_ENTRIES: usize = 50;

/// What the header says.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub(super) id: String,
    pub(super) cwd: String,
    parent: Option<String>,
    created_ms: Option<i64>,
}

impl Head {
    /// `Ok(None)` for a file that a list leaves out.
    fn read(path: &Path) -> Result<Option<Self>, SessionError> {
        let Some(found) = read_session(path)? else { return Ok(None) };
        let text = |text: &Option<JsString>| text.as_ref().map(|text| text.to_text().into_owned());
        let time = found.header.timestamp.clone().map(Value::String);
        Ok(Some(Self {
            id: found.id(),
            cwd: text(&found.header.cwd).unwrap_or_default(),
            parent: text(&found.header.parent_session),
            created_ms: time_of(time.as_ref()),
        }))
    }
}

/// A file that is followed.
#[derive(Debug)]
pub(super) struct Followed {
    /// How the file looked when it was looked at last.
    pub(super) stamp: FileStamp,
    /// Its header; `None` as long as it has none.
    pub(super) head: Option<Head>,
    /// Up to where whole lines were read.
    offset: u64,
    /// The last bytes before that.
    tail: Vec<u8>,
}

impl Followed {
    /// A file that was there before: only what comes from now on counts.
    pub(super) fn from_end(path: &Path, stamp: FileStamp) -> Self {
        let mut followed = Self::from_start(stamp);
        followed.head = Head::read(path).ok().flatten();
        if followed.head.is_some() {
            followed.go_to_end(path);
        }
        followed
    }

    /// A new file.
    pub(super) fn from_start(stamp: FileStamp) -> Self {
        Self { stamp, head: None, offset: 0, tail: Vec::new() }
    }

    fn go_to_end(&mut self, path: &Path) {
        let Ok(file) = open_file(path) else { return };
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        self.offset = end_of_last_line(&file, size).unwrap_or(size);
        self.remember_tail(&file);
    }

    fn remember_tail(&mut self, file: &File) {
        let start = self.offset.saturating_sub(TAIL_BYTES);
        self.tail = read_part(file, start, self.offset).unwrap_or_default();
    }

    /// Whether the part that was read is as it was.
    fn is_same(&self, file: &File, size: u64) -> io::Result<bool> {
        let start = self.offset.saturating_sub(TAIL_BYTES);
        Ok(size >= self.offset && read_part(file, start, self.offset)? == self.tail)
    }

    /// Tells what came since the file was last looked at. A line that is not finished waits. If
    /// the file cannot be read now, the next look tries again, whether it has changed or not.
    pub(super) fn look(
        &mut self,
        path: &Path,
        stamp: FileStamp,
        tell: &mut dyn FnMut(&Head, WatchChange),
    ) {
        self.stamp = stamp;
        if self.try_look(path, tell).is_err() {
            // No file has this time.
            self.stamp.modified_ns = i64::MIN;
        }
    }

    fn try_look(
        &mut self,
        path: &Path,
        tell: &mut dyn FnMut(&Head, WatchChange),
    ) -> Result<(), SessionError> {
        let failed = |source| SessionError::Io { action: "read", path: path.to_owned(), source };
        let file = open_file(path)?;
        let size = file.metadata().map_err(failed)?.len();
        let Some(head) = self.head.clone() else {
            let Some(head) = Head::read(path)? else { return Ok(()) };
            self.head = Some(head.clone());
            return self.look_first(&file, size, &head, tell).map_err(failed);
        };
        if self.is_same(&file, size).map_err(failed)? {
            return self.read_lines(&file, size, |change| tell(&head, change)).map_err(failed);
        }
        // Cut off or written anew: what is there now counts as read. A file that has no header
        // is just being written; it is told when it has one.
        if let Some(new) = Head::read(path)? {
            self.go_to_end(path);
            self.head = Some(new.clone());
            tell(&new, WatchChange::Rewritten);
        }
        Ok(())
    }

    /// A session that is new: itself, then what was said in it. Entries from before its time were
    /// copied by a fork.
    fn look_first(
        &mut self,
        file: &File,
        size: u64,
        head: &Head,
        tell: &mut dyn FnMut(&Head, WatchChange),
    ) -> io::Result<()> {
        let (mut entries, mut new) = (0, Vec::new());
        let read = self.read_lines(file, size, |change| {
            entries += usize::from(change.entry().is_some());
            let time = change.entry().and_then(|entry| time_of(entry.get("timestamp")));
            let copied =
                matches!((time, head.created_ms), (Some(time), Some(created)) if time < created);
            if !copied && new.len() <= MOST_FIRST_ENTRIES {
                new.push(change);
            }
        });
        tell(head, WatchChange::Created { parent: head.parent.clone(), entries });
        if new.len() <= MOST_FIRST_ENTRIES {
            new.into_iter().for_each(|change| tell(head, change));
        }
        read
    }

    /// Reads the whole lines up to `size`.
    fn read_lines(
        &mut self,
        file: &File,
        size: u64,
        mut tell: impl FnMut(WatchChange),
    ) -> io::Result<()> {
        let mut reader = LineReader::new(file, self.offset, size);
        let mut read = Ok(());
        loop {
            match reader.next_line() {
                Ok(Next::Line { offset, bytes, terminated: true }) => {
                    self.offset = offset + bytes.len() as u64 + 1;
                    if let Some(change) = change_of(offset, bytes) {
                        tell(change);
                    }
                }
                Ok(Next::TooLong { offset, len, terminated: true }) => {
                    self.offset = offset + len + 1;
                    tell(WatchChange::Damaged { offset });
                }
                // The rest is not finished; it is read when the file has grown.
                Ok(Next::End | Next::Line { .. } | Next::TooLong { .. }) => break,
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        self.remember_tail(file);
        read
    }
}

fn change_of(offset: u64, bytes: &[u8]) -> Option<WatchChange> {
    if bytes.trim_ascii().is_empty() {
        return None;
    }
    let Some(entry) = parse(bytes).ok().filter(|value| value.as_object().is_some()) else {
        return Some(WatchChange::Damaged { offset });
    };
    let text = |key| entry.get_string(key).cloned().filter(|text| !text.is_empty());
    let kind = entry.get_string("type").map(|kind| kind.to_text().into_owned());
    match kind.as_deref() {
        Some("session") => None,
        Some("session_info") => Some(WatchChange::Named { name: text("name"), entry }),
        Some("label") => {
            let (target, label) = (text("targetId"), text("label"));
            Some(WatchChange::Labelled { target, label, entry })
        }
        _ => Some(WatchChange::Appended { entry }),
    }
}

fn read_part(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (end - start) as usize];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}

/// Where the last line that is finished ends.
fn end_of_last_line(file: &File, size: u64) -> io::Result<u64> {
    let mut end = size;
    while end > 0 {
        let start = end.saturating_sub(BACK_STEP);
        if let Some(at) = memchr::memrchr(b'\n', &read_part(file, start, end)?) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_failed_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        fs_err::write(&path, "{\"type\":\"session\",\"id\":\"s\"}\n").unwrap();
        let stamp = FileStamp::of(&path).unwrap();
        let mut followed = Followed::from_start(stamp);
        let mut told = 0;
        // A folder in its place cannot be read.
        followed.look(folder.path(), stamp, &mut |_, _| told += 1);
        assert_ne!(followed.stamp, stamp, "so the next scan looks again");
        followed.look(&path, stamp, &mut |_, _| told += 1);
        assert_eq!((followed.stamp, told), (stamp, 1));
    }
}
