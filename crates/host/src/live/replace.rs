//! One session takes the place of another: new, switch, import, fork, clone, and the end.

use std::path::Path;

use crate::events::{ForkPosition, SessionEvent, ShutdownReason, StartReason, SwitchReason};
use pitree_format::message::Content;
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::summary::Cancel;
use pitree_session::{NewSession, OpenOptions, Session};

use super::{LiveError, LiveSession, StartingModel};

/// What became of a switch. Pi's answer to `new_session` and `switch_session`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Whether an observer cancelled it; then all is as it was.
    pub cancelled: bool,
}

impl Replaced {
    /// The shape of Pi's answer.
    pub fn to_value(self) -> Value {
        Object::new().with("cancelled", self.cancelled).into()
    }
}

/// What became of a fork. Pi's answer to `fork`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// Whether an observer cancelled it; then all is as it was.
    pub cancelled: bool,
    /// The text of the message to edit and resend; none for a clone.
    pub text: Option<JsString>,
}

impl Forked {
    /// The shape of Pi's answer.
    pub fn to_value(&self) -> Value {
        Object::new().with_some("text", self.text.clone()).with("cancelled", self.cancelled).into()
    }
}

/// How a session came about that somebody else has made or opened, such as an attached agent.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// It is new.
    New,
    /// It was there.
    Resumed,
    /// It was forked from the one before.
    Forked {
        /// The entry that was named.
        entry_id: String,
        /// The message to edit and resend; empty for a clone.
        text: JsString,
    },
}

impl LiveSession {
    /// Asks the observers about something that somebody else is going to do; `false` if one of
    /// them does not want it.
    pub fn allows(&mut self, before: &SessionEvent) -> bool {
        !self.is_refused(before)
    }

    /// Leaves the session for one that somebody else has made or opened, and tells everybody.
    /// Nothing is written into it.
    pub fn arrive(&mut self, next: Session, arrival: Arrival) {
        let previous_session_file = self.session_file();
        let session_id = self.session.id();
        let target_session_file = next.path().map(|path| path.to_string_lossy().into_owned());
        let (shutdown, start) = arrival.reasons();
        self.tell(&SessionEvent::Shutdown {
            reason: shutdown,
            target_session_file: target_session_file.clone(),
        });
        self.session = next;
        self.go_by_session();
        self.is_started = true;
        self.tell(&SessionEvent::Start {
            reason: start,
            previous_session_file: previous_session_file.clone(),
        });
        let switched = |reason| SessionEvent::Switch {
            reason,
            previous_session_file: previous_session_file.clone(),
            target_session_file: target_session_file.clone(),
            session_id: self.session.id(),
        };
        let after = match arrival {
            Arrival::New => switched(SwitchReason::New),
            Arrival::Resumed => switched(SwitchReason::Resume),
            Arrival::Forked { entry_id, text } => SessionEvent::Fork {
                entry_id,
                summary: text,
                session_id,
                new_session_id: self.session.id(),
                previous_session_file,
            },
        };
        self.tell(&after);
    }

    /// Begins a new session in the same folder. In memory if this one is.
    pub fn new_session(&mut self, parent_session: Option<&str>) -> Result<Replaced, LiveError> {
        let before =
            SessionEvent::BeforeSwitch { reason: SwitchReason::New, target_session_file: None };
        if self.is_refused(&before) {
            return Ok(Replaced { cancelled: true });
        }
        let mut new = NewSession::new();
        new.parent_session = parent_session.filter(|path| !path.is_empty()).map(str::to_owned);
        let next = self.beside(&new)?;
        self.replace(next, Arrival::New)?;
        Ok(Replaced { cancelled: false })
    }

    /// Goes on with another session. A path without a file is a new session there; a file that
    /// is none, or whose folder is gone, is refused.
    pub fn switch_session(&mut self, path: &str) -> Result<Replaced, LiveError> {
        self.switch_with(path, self.open_options())
    }

    /// The same for a session whose own folder is gone or not wanted.
    pub fn switch_session_into(&mut self, path: &str, cwd: &Path) -> Result<Replaced, LiveError> {
        self.switch_with(path, self.open_options().cwd(cwd))
    }

    fn switch_with(&mut self, path: &str, options: OpenOptions) -> Result<Replaced, LiveError> {
        self.resume_with(path.to_owned(), |live| {
            Ok(options.create(true).open(Path::new(path), live.environment())?)
        })
    }

    /// Goes on with a file that `copy` puts at `destination`, after the observers had their say.
    /// Where it goes and how it is copied is up to the caller.
    pub fn import_session(
        &mut self,
        destination: &Path,
        cwd: Option<&Path>,
        copy: impl FnOnce(&Path) -> Result<(), LiveError>,
    ) -> Result<Replaced, LiveError> {
        self.resume_with(destination.to_string_lossy().into_owned(), |live| {
            copy(destination)?;
            let options = match cwd {
                Some(cwd) => live.open_options().cwd(cwd),
                None => live.open_options(),
            };
            Ok(options.open(destination, live.environment())?)
        })
    }

    /// Goes on with a session that exists, unless an observer refuses.
    fn resume_with(
        &mut self,
        target: String,
        open: impl FnOnce(&Self) -> Result<Session, LiveError>,
    ) -> Result<Replaced, LiveError> {
        let before = SessionEvent::BeforeSwitch {
            reason: SwitchReason::Resume,
            target_session_file: Some(target),
        };
        if self.is_refused(&before) {
            return Ok(Replaced { cancelled: true });
        }
        let next = open(self)?;
        self.ensure_cwd_exists(&next)?;
        self.replace(next, Arrival::Resumed)?;
        Ok(Replaced { cancelled: false })
    }

    /// Goes on with a fork: the way to the parent of a user message, whose text comes back to be
    /// said anew, or the way to any entry.
    pub fn fork(&mut self, entry_id: &str, position: ForkPosition) -> Result<Forked, LiveError> {
        let before = SessionEvent::BeforeFork { entry_id: entry_id.to_owned(), position };
        if self.is_refused(&before) {
            return Ok(Forked { cancelled: true, text: None });
        }
        let entry = self.session.entry(entry_id).ok_or(LiveError::InvalidForkEntry)?;
        let has_way = match position {
            ForkPosition::At => true,
            ForkPosition::Before if entry.is_message(Role::User) => entry.parent().is_some(),
            ForkPosition::Before => return Err(LiveError::InvalidForkEntry),
        };
        if has_way && self.session.path().is_some_and(|path| !path.exists()) {
            return Err(LiveError::NotSaved);
        }
        let options = &self.options.forks;
        let (next, text) = match position {
            ForkPosition::At => (self.session.create_branched_session(entry_id, options)?, None),
            ForkPosition::Before => {
                let message = entry.message()?.unwrap_or(Value::Null);
                let text = Content::decode(message.get("content")).to_js_text();
                (self.session.fork_before(entry_id, options)?, Some(text))
            }
        };
        let entry_id = entry_id.to_owned();
        let arrival = Arrival::Forked { entry_id, text: text.clone().unwrap_or_default() };
        self.replace(next, arrival)?;
        Ok(Forked { cancelled: false, text })
    }

    /// Goes on with a copy of the active branch.
    pub fn clone_session(&mut self) -> Result<Replaced, LiveError> {
        let leaf = self.session.leaf_id().ok_or(LiveError::NothingToClone)?.to_owned();
        let Forked { cancelled, .. } = self.fork(&leaf, ForkPosition::At)?;
        Ok(Replaced { cancelled })
    }

    /// Tells the observers that the session is left, if they heard of it at all.
    pub fn shutdown(&mut self) {
        if std::mem::take(&mut self.is_started) {
            self.tell(&SessionEvent::Shutdown {
                reason: ShutdownReason::Quit,
                target_session_file: None,
            });
        }
    }

    fn is_refused(&mut self, before: &SessionEvent) -> bool {
        self.want(before.kind())
            && self.ask(before, &Cancel::new()).is_some_and(|reply| reply.cancel)
    }

    /// An empty session in the same folder.
    fn beside(&self, new: &NewSession) -> Result<Session, LiveError> {
        let (cwd, environment) = (self.session.cwd(), self.environment());
        let mut beside = match self.session.directory() {
            Some(folder) => Session::create_in(cwd, folder.to_owned(), new, environment)?,
            None => Session::in_memory(cwd, new, environment)?,
        };
        beside.set_write_options(self.session.write_options().clone());
        Ok(beside)
    }

    /// How other sessions are opened: they are written as this one is.
    fn open_options(&self) -> OpenOptions {
        OpenOptions::new().writing(self.session.write_options().clone())
    }

    fn ensure_cwd_exists(&self, next: &Session) -> Result<(), LiveError> {
        if next.cwd().exists() {
            return Ok(());
        }
        Err(LiveError::MissingCwd {
            path: next.path().map(Path::to_owned).unwrap_or_default(),
            cwd: next.cwd().to_owned(),
            fallback: self.session.cwd().to_owned(),
        })
    }

    /// Leaves the session for another one and tells everybody.
    fn replace(&mut self, mut next: Session, arrival: Arrival) -> Result<(), LiveError> {
        let is_made_now = matches!(arrival, Arrival::Forked { .. });
        begin_with(&mut next, &self.options.starting_model, is_made_now)?;
        self.arrive(next, arrival);
        Ok(())
    }
}

impl Arrival {
    fn reasons(&self) -> (ShutdownReason, StartReason) {
        match self {
            Self::New => (ShutdownReason::New, StartReason::New),
            Self::Resumed => (ShutdownReason::Resume, StartReason::Resume),
            Self::Forked { .. } => (ShutdownReason::Fork, StartReason::Fork),
        }
    }
}

/// Gives a session what Pi gives one that begins: its model and thinking level if nobody has
/// spoken, else only a thinking level that is missing. A session that is in a file already is not
/// changed by being opened, unless the file was made just now.
pub(super) fn begin_with(
    session: &mut Session,
    start: &StartingModel,
    is_made_now: bool,
) -> Result<(), LiveError> {
    let is_on_disk = session.path().is_some_and(Path::exists);
    if is_on_disk && !is_made_now {
        return Ok(());
    }
    let has_messages = session.has_context()?;
    if let Some((provider, model_id)) = start.model.as_ref().filter(|_| !has_messages) {
        session.append_model_change(provider.clone(), model_id.clone())?;
    }
    let path = session.active_path();
    let has_level = path.iter().any(|entry| entry.kind() == EntryKind::ThinkingLevelChange);
    if let Some(level) = start.thinking_level.as_ref().filter(|_| !(has_messages && has_level)) {
        session.append_thinking_level_change(level.clone())?;
    }
    Ok(())
}
