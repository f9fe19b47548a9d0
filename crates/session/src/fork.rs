//! New sessions from old ones: a branch of its own (fork, clone), or everything for another
//! directory.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_format::dialect::LookAlike;
use pitree_format::draft::{Dialect, Draft, Stamp};
use pitree_format::edit::{member, set_member};
use pitree_format::entry::Compaction;
use pitree_format::js::date::parse_iso;
use pitree_format::js::{parse, stringify};
use pitree_format::migrate::SourceVersion;
use pitree_format::scan::{Scanned, scan};
use pitree_format::{EntryKind, Role, Value, setters};

use crate::context::{ModelChoice, Restored};
use crate::environment::Environment;
use crate::error::{IoContext, Result, SessionError};
use crate::paths;
use crate::read::{LineProblem, OddLine};
use crate::session::{EntryKey, EntryRef, NewSession, Session, Storage};
use crate::write::{Durability, NewLine, WriteOptions, write_line};

/// Where a new session goes and in which form.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ForkOptions {
    /// The new session's id.
    pub id: Option<String>,
    /// Its folder; that of the source if none is given.
    pub directory: Option<PathBuf>,
    /// Which program's form the header and the file name have; that of the source if none is
    /// given.
    pub dialect: Option<Dialect>,
    /// How sure the new file is when it is there.
    pub durability: Durability,
}

impl ForkOptions {
    /// A fork beside its source, in the same form.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the new session's id.
        id: Option<into String>,
        /// Sets its folder.
        directory: Option<into PathBuf>,
        /// Sets which program's form the header and the file name have.
        dialect: Option<Dialect>,
        /// Sets how sure the new file is when it is there.
        durability: Durability,
    }
}

impl Session {
    /// A new session with the way from the root to an entry, and nothing else of the tree. Labels
    /// of entries on the way are set again at its end. The file is written at once if a user or
    /// an assistant has spoken on the way, else with the first message. Pi's
    /// `createBranchedSession`; the source is left as it is.
    pub fn create_branched_session(
        &self,
        leaf: impl EntryKey,
        options: &ForkOptions,
    ) -> Result<Self> {
        if let (Some(unfit), Some(path)) = (&self.unfit, self.path())
            && matches!(
                unfit.looks_like,
                Some(LookAlike::JsonModeStream | LookAlike::SequencedHarness)
            )
        {
            // Events behind a new header are still no session. Entries that lost their header
            // are, so forking is the way to save them.
            return Err(unfit.error(path));
        }
        let leaf = self.require(leaf)?;
        let mut fork = self.sibling(options)?;
        let path = self.path_to(leaf.index());
        let speaks = |entry: &EntryRef<'_>| {
            entry.is_message(Role::User) || entry.is_message(Role::Assistant)
        };
        match (fork.path().map(Path::to_owned), path.iter().any(speaks)) {
            // A long conversation goes from file to file, line by line.
            (Some(file), true) => {
                if fork.dialect == Dialect::Port {
                    fork.set_in_header(self.restored_at(Some(leaf.index()))?);
                }
                let header = fork.header.value.clone();
                fork.fill(&file, |out| {
                    write_line(&file, out, stringify(&header).as_bytes())?;
                    self.copy_branch(&path, |line| write_line(&file, out, &line.raw))
                })
            }
            _ => {
                self.copy_branch(&path, |line| {
                    fork.adopt_copy(line);
                    Ok(())
                })?;
                Ok(fork)
            }
        }
    }

    /// The new session for `/fork` at a user message: the way up to its parent, so that the
    /// message can be said anew. A message without a parent gives an empty session.
    pub fn fork_before(&self, entry: impl EntryKey, options: &ForkOptions) -> Result<Self> {
        let entry = self.require(entry)?;
        if !entry.is_message(Role::User) {
            return Err(SessionError::Refused("Invalid entry ID for forking".to_owned()));
        }
        match entry.parent() {
            Some(parent) => self.create_branched_session(parent.id(), options),
            None => self.sibling(options),
        }
    }

    /// An empty session beside this one that names it as its parent.
    fn sibling(&self, options: &ForkOptions) -> Result<Self> {
        let parent_session = self.path().map(|path| path.to_string_lossy().into_owned());
        let dialect = options.dialect.unwrap_or(self.dialect);
        let new = NewSession { id: options.id.clone(), parent_session, dialect };
        let directory = options.directory.clone().or_else(|| self.directory().map(Path::to_owned));
        let mut fork = match (self.path(), directory) {
            (Some(_), Some(directory)) => {
                Self::create_in(&self.cwd, directory, &new, &self.environment)?
            }
            _ => Self::in_memory(&self.cwd, &new, &self.environment)?,
        };
        if dialect == Dialect::Port {
            // What the path says replaces it when the file is written.
            fork.set_in_header(self.restored_by_header());
        }
        fork.writing = WriteOptions { durability: options.durability, ..self.writing.clone() };
        Ok(fork)
    }

    /// Writes the file of a new session and opens it.
    fn fill(self, path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<Self> {
        let directory = self.directory().map(Path::to_owned).unwrap_or_default();
        crate::write::make_private_directory(path.parent().unwrap_or(&directory))?;
        crate::write::new_file_with(path, self.writing.durability, write)?;
        let options = crate::OpenOptions::new().cwd(self.cwd).directory(directory);
        let opened = options.open(path, &self.environment);
        // A copy that nobody was told of is not left behind.
        let mut opened = opened.inspect_err(|_| drop(fs_err::remove_file(path)))?;
        (opened.writing, opened.dialect) = (self.writing, self.dialect);
        Ok(opened)
    }

    /// What the header alone says about resuming.
    fn restored_by_header(&self) -> Restored {
        let text = |name: &str| self.header.value.get(name).cloned();
        let model = ModelChoice { provider: text("provider"), model_id: text("modelId") };
        Restored { model: Some(model), thinking_level: text("thinkingLevel") }
    }

    /// Gives the lines of a path without its label entries, each the child of the one before, and
    /// then the labels of those entries again.
    fn copy_branch(
        &self,
        path: &[EntryRef<'_>],
        mut take: impl FnMut(CopiedLine) -> Result<()>,
    ) -> Result<()> {
        let mut last: Option<String> = None;
        let mut next_of_label: HashMap<String, String> = HashMap::new();
        let mut pending_labels: Vec<String> = Vec::new();
        let mut ids: HashSet<String> = HashSet::with_capacity(path.len());
        for entry in path {
            if entry.kind() == EntryKind::Label {
                pending_labels.push(entry.id().to_owned());
                continue;
            }
            for label in pending_labels.drain(..) {
                next_of_label.insert(label, entry.id().to_owned());
            }
            let mut raw = entry.copied(last.as_deref())?;
            if entry.kind() == EntryKind::Compaction {
                raw = moved_boundary(raw, entry.id(), &next_of_label)?;
            }
            let id = entry.id().to_owned();
            ids.insert(id.clone());
            last = Some(id.clone());
            take(CopiedLine { id, raw, time: entry.time() })?;
        }
        for label in self.labels()?.iter().filter(|label| ids.contains(&label.target_id)) {
            let id = self.environment.entry_id(|id| ids.contains(id));
            let timestamp = label.timestamp.as_ref().map(ToString::to_string).unwrap_or_default();
            let time = parse_iso(timestamp.as_bytes()).unwrap_or(0);
            let stamp =
                Stamp { id: &id, parent_id: last.as_deref(), timestamp: &timestamp, time_ms: time };
            let target_id = label.target_id.as_str().into();
            let draft = Draft::Label { target_id, label: Some(label.text.clone()) };
            let raw = stringify(&draft.to_value(&stamp)).into_bytes();
            last = Some(id.clone());
            take(CopiedLine { id, raw, time: Some(time) })?;
        }
        Ok(())
    }

    fn adopt_copy(&mut self, line: CopiedLine) {
        let (kind, role) = match scan(&line.raw) {
            Scanned::Object(envelope) => (envelope.kind(), envelope.role()),
            _ => (EntryKind::Other, Role::Other),
        };
        let new = NewLine {
            id: line.id.into(),
            parent: self.leaf,
            text: String::new(),
            kind,
            role: if kind == EntryKind::Message { role } else { Role::Other },
            label: None,
            time: line.time,
        };
        self.adopt(&new, crate::table::Body::Memory(line.raw.into()), 0);
    }

    /// A session that another program keeps in memory until it writes it to `path`, as that
    /// program tells it: the entries in their order, and where it stands. It is there to be looked
    /// at; what was appended to it would be lost when the other program writes.
    pub fn from_snapshot(
        path: &Path,
        id: &str,
        entries: &[Value],
        leaf_id: Option<&str>,
        (cwd, environment): (&Path, &Environment),
    ) -> Result<Self> {
        let new = NewSession { id: Some(id.to_owned()), ..NewSession::default() };
        let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut session = Self::create_in(cwd, directory, &new, environment)?;
        if let Storage::File(file) = &mut session.storage {
            file.path = path.to_owned();
        }
        for entry in entries {
            let text = |name: &str| entry.get_string(name).map(ToString::to_string);
            let id = text("id").unwrap_or_default();
            let time = text("timestamp").and_then(|time| parse_iso(time.as_bytes()));
            session.leaf = text("parentId").and_then(|parent| session.table.find(&parent));
            session.adopt_copy(CopiedLine { id, raw: stringify(entry).into_bytes(), time });
        }
        session.leaf = leaf_id.and_then(|leaf| session.table.find(leaf));
        Ok(session)
    }

    /// A new session for another working directory with everything of the source: every branch,
    /// and also lines that are not entries. Pi's `forkFrom`, except that an old version is
    /// migrated on the way instead of losing its history.
    pub fn fork_from(
        source: impl AsRef<Path>,
        target_cwd: impl AsRef<Path>,
        directory: impl Into<PathBuf>,
        options: &ForkOptions,
        environment: &Environment,
    ) -> Result<Self> {
        let source = Self::open(source, environment)?;
        let parent_session = source.path().map(|path| path.to_string_lossy().into_owned());
        let dialect = options.dialect.unwrap_or(source.dialect);
        let new = NewSession { id: options.id.clone(), parent_session, dialect };
        let cwd = paths::resolve(target_cwd.as_ref(), environment);
        let mut fork = Self::create_in(&cwd, directory, &new, environment)?;
        fork.writing.durability = options.durability;
        if dialect == Dialect::Port {
            fork.set_in_header(source.restored()?);
        }
        let Some(path) = fork.path().map(Path::to_owned) else { return Ok(fork) };
        let header = fork.header.value.clone();
        fork.fill(&path, |out| {
            write_line(&path, out, stringify(&header).as_bytes())?;
            source.write_lines_to(&path, out)
        })
    }

    /// All lines but the headers.
    fn write_lines_to(&self, path: &Path, out: &mut dyn Write) -> Result<()> {
        let mut odd = self.odd_lines.iter().peekable();
        for entry in self.entries() {
            while let Some(line) = odd.next_if(|odd| odd.line < entry.line()) {
                self.copy_odd(line, path, out)?;
            }
            let raw = entry.raw()?;
            if self.version == SourceVersion::Current {
                write_line(path, out, &raw)?;
            } else {
                write_line(path, out, &crate::migrate::migrated_line(entry, &raw)?)?;
            }
        }
        odd.try_for_each(|line| self.copy_odd(line, path, out))
    }

    /// Copies a line that is not an entry, so that a fork loses nothing.
    fn copy_odd(&self, line: &OddLine, path: &Path, out: &mut dyn Write) -> Result<()> {
        if matches!(line.what, LineProblem::Header) {
            return Ok(());
        }
        // It may be longer than any line that is decoded.
        self.copy_range(line.offset, line.len, |piece| out.write_all(piece).on("write", path))?;
        out.write_all(b"\n").on("write", path)
    }
}

/// An entry on its way into another session.
struct CopiedLine {
    id: String,
    raw: Vec<u8>,
    time: Option<i64>,
}

impl EntryRef<'_> {
    /// The line for another session, with another parent. Nothing else changes, unless the version
    /// is old or the line has no id of its own.
    pub fn copied(&self, parent: Option<&str>) -> Result<Vec<u8>> {
        let mut raw = if self.session_version() == SourceVersion::Current {
            self.raw()?.into_owned()
        } else {
            crate::migrate::migrated_line(*self, &self.raw()?)?
        };
        let json = |text: Option<&str>| stringify(&Value::from(text));
        if self.has_made_up_id() {
            raw = edited(&raw, "id", &json(Some(self.id())))?;
        }
        let parent = json(parent);
        if member(&raw, "parentId") != Some(parent.as_bytes()) {
            raw = edited(&raw, "parentId", &parent)?;
        }
        Ok(raw)
    }
}

fn edited(raw: &[u8], name: &str, json: &str) -> Result<Vec<u8>> {
    set_member(raw, name, json).map_err(|error| SessionError::Refused(error.to_string()))
}

/// A compaction whose first kept entry was a label keeps from the entry after it.
fn moved_boundary(
    raw: Vec<u8>,
    own_id: &str,
    next_of_label: &HashMap<String, String>,
) -> Result<Vec<u8>> {
    let first_kept = parse(&raw).ok().map(|value| Compaction::decode(&value));
    let first_kept = first_kept.and_then(|compaction| compaction.first_kept_entry_id);
    match first_kept.filter(|id| *id != own_id).and_then(|id| next_of_label.get(&*id.to_text())) {
        Some(next) => edited(&raw, "firstKeptEntryId", &stringify(&next.as_str().into())),
        None => Ok(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session that another program tells in these lines.
    fn held(lines: &[&str], leaf_id: Option<&str>) -> Session {
        let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
        let entries: Vec<Value> =
            lines.iter().map(|line| parse(line.as_bytes()).unwrap()).collect();
        let path = Path::new("/srv/nowhere/held.jsonl");
        let around = (Path::new("/srv"), &environment);
        let session = Session::from_snapshot(path, "held-id", &entries, leaf_id, around).unwrap();
        assert_eq!((session.path(), session.id()), (Some(path), "held-id".to_owned()));
        assert!(!path.exists());
        session
    }

    #[test]
    fn a_session_in_the_memory_of_another_program_can_be_looked_at() {
        let message = |id: &str, parent: &str, text: &str| {
            format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-02-03T22:52:06.410Z","message":{{"role":"user","content":"{text}"}}}}"#
            )
        };
        let lines =
            [message("a", "null", "one"), message("b", "\"a\"", "two"), message("c", "\"a\"", "x")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let session = held(&lines, Some("b"));
        let path: Vec<&str> = session.active_path().iter().map(EntryRef::id).collect();
        assert_eq!(path, ["a", "b"]);
        assert_eq!(session.context().unwrap().messages.len(), 2);
        assert_eq!(session.entry("c").unwrap().parent_id(), Some("a"));
        assert!(held(&lines, None).leaf().is_none());
    }

    #[test]
    fn nonsense_of_another_program_does_no_harm() {
        let odd = [
            "null",
            "7",
            "[]",
            "{}",
            r#"{"id":7}"#,
            r#"{"id":"a","parentId":"a"}"#,
            r#"{"id":"a","parentId":"later"}"#,
            r#"{"id":"later","parentId":"a","type":[]}"#,
        ];
        let session = held(&odd, Some("gone"));
        assert_eq!(session.len(), odd.len());
        assert!(session.leaf().is_none());
        let _ = session.tree();
        assert!(session.context().is_ok() && session.findings().is_ok());
    }
}
