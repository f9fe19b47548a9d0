//! New sessions.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pitree_format::draft::{Dialect, HeaderDraft};
use pitree_format::js::date::{format_iso, parse_iso};
use pitree_format::migrate::SourceVersion;
use pitree_format::{JsString, Object, Value, setters};

use super::{FileState, HeaderLine, Session, Storage};
use crate::blobs::Blobs;
use crate::context::Restored;
use crate::environment::Environment;
use crate::error::{Result, SessionError};
use crate::location::Location;
use crate::paths;
use crate::table::EntryTable;
use crate::write::WriteOptions;

/// What may be chosen about a new session.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NewSession {
    /// Its id; a new one if none is given.
    pub id: Option<String>,
    /// The session it comes from, the parent session to name in the header.
    pub parent_session: Option<String>,
    /// Which program's form the header and the file name have.
    pub dialect: Dialect,
}

impl NewSession {
    /// A session with a new id, in Pi's form.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets its id.
        id: Option<into String>,
        /// Sets the session that it comes from.
        parent_session: Option<into String>,
        /// Sets which program's form the header and the file name have.
        dialect: Dialect,
    }
}

impl Session {
    /// A new session for a working directory, in the folder where that location keeps it. The
    /// file is created with the first message. Pi's `SessionManager.create`.
    pub fn create(
        cwd: impl AsRef<Path>,
        location: &Location,
        new: &NewSession,
        environment: &Environment,
    ) -> Result<Self> {
        let cwd = paths::resolve(cwd.as_ref(), environment);
        let directory = location.directory_for(&cwd);
        Self::create_in(&cwd, directory, new, environment)
    }

    /// A new session in a folder.
    pub fn create_in(
        cwd: impl AsRef<Path>,
        directory: impl Into<PathBuf>,
        new: &NewSession,
        environment: &Environment,
    ) -> Result<Self> {
        let directory = directory.into();
        let mut session = Self::blank(cwd.as_ref(), new, environment)?;
        let header = session.header.decoded.clone();
        let text = |text: Option<_>| text.map(|t: JsString| t.to_string());
        let (id, timestamp) = (text(header.id).unwrap_or_default(), text(header.timestamp));
        let mut timestamp = timestamp.unwrap_or_default();
        let mut path = directory.join(paths::file_name(&timestamp, &id, new.dialect));
        // The port's names hold so little of the id that two sessions of one moment have the same;
        // nobody reads the time in them.
        while new.dialect == Dialect::Port && path.exists() {
            let Some(time) = parse_iso(timestamp.as_bytes()) else { break };
            timestamp = format_iso(time + 1);
            path = directory.join(paths::file_name(&timestamp, &id, new.dialect));
        }
        session.storage = Storage::File(FileState::new(path, directory, None));
        Ok(session)
    }

    /// The most recent session of a working directory, or a new one. Pi's
    /// `SessionManager.continueRecent`.
    pub fn continue_recent(
        cwd: impl AsRef<Path>,
        location: &Location,
        environment: &Environment,
    ) -> Result<Self> {
        let cwd = paths::resolve(cwd.as_ref(), environment);
        match location.most_recent(&cwd, environment) {
            Some(found) => {
                let directory = location.directory_for(&cwd);
                let options = super::OpenOptions::new().cwd(cwd).directory(directory);
                options.open(&found.path, environment)
            }
            None => Self::create(&cwd, location, &NewSession::default(), environment),
        }
    }

    /// A session that is never written to a file. Pi's `SessionManager.inMemory`.
    pub fn in_memory(
        cwd: impl AsRef<Path>,
        new: &NewSession,
        environment: &Environment,
    ) -> Result<Self> {
        Self::blank(cwd.as_ref(), new, environment)
    }

    /// Writes into a header of the Rust port what the session should be resumed with, as far as the
    /// path or the header tells; the port looks there first.
    pub(crate) fn note_settings_in_header(&mut self) -> Result<()> {
        if self.dialect != Dialect::Port {
            return Ok(());
        }
        let settings = self.restored()?;
        self.set_in_header(settings);
        Ok(())
    }

    /// Sets the members of a port header that say what to resume with, where they are strings.
    pub(crate) fn set_in_header(&mut self, settings: Restored) {
        let Value::Object(header) = &self.header.value else { return };
        let Restored { model, thinking_level } = settings;
        let (provider, model_id) = model.map(|model| (model.provider, model.model_id)).unzip();
        let known = [
            ("provider", provider.flatten()),
            ("modelId", model_id.flatten()),
            ("thinkingLevel", thinking_level),
        ];
        let mut members = header.clone().into_members();
        for (name, value) in known {
            let Some(value) = value.filter(|value| value.as_string().is_some()) else { continue };
            let is_parent = |(name, _): &(JsString, Value)| *name == "branchedFrom";
            members.retain(|(there, _)| *there != name);
            let at = members.iter().position(is_parent).unwrap_or(members.len());
            members.insert(at, (name.into(), value));
        }
        self.header = HeaderLine::new(Value::Object(Object::from_members(members)));
    }

    fn blank(cwd: &Path, new: &NewSession, environment: &Environment) -> Result<Self> {
        if new.id.as_ref().is_some_and(|id| !paths::is_valid_session_id(id)) {
            return Err(SessionError::InvalidSessionId);
        }
        let cwd = paths::resolve(cwd, environment);
        let id = new.id.clone().unwrap_or_else(|| environment.session_id());
        let header = HeaderDraft {
            id: &id,
            timestamp: &environment.now_iso(),
            cwd: &cwd.to_string_lossy(),
            parent_session: new.parent_session.as_deref(),
            dialect: new.dialect,
        };
        Ok(Self {
            environment: environment.clone(),
            storage: Storage::Memory,
            header: HeaderLine::new(header.to_value()),
            cwd,
            table: EntryTable::default(),
            odd_lines: Vec::new(),
            counted_odd: Vec::new(),
            version: SourceVersion::Current,
            leaf: None,
            labels: OnceLock::new(),
            blobs: Blobs::default(),
            writing: WriteOptions::default(),
            dialect: new.dialect,
            migration: None,
            unfit: None,
            is_copy: false,
        })
    }
}
