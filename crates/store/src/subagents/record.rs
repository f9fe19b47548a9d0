//! Messages that are kept in another form than a session file, as a session.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pitree_format::js::date::format_iso;
use pitree_format::message::Message;
use pitree_format::migrate::stable_id;
use pitree_format::{Object, Role, Value};
use pitree_session::{EntryRef, Environment, Session, SessionError};

use super::details::SubagentCall;
use super::messages::{message_time, read_messages};
use super::resolve::{Form, PlaceState, RunPlace};

/// Messages that are kept in another form than a session file.
#[derive(Clone, Debug)]
pub struct Record<'p> {
    /// The file that holds them.
    pub path: &'p Path,
    /// The session's id, if it has one.
    pub id: Option<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The time of the header, and of messages that have none before the first one that has.
    pub begun: i64,
    /// The messages. Some tools keep whole entries.
    pub messages: Vec<Value>,
}

impl Record<'_> {
    /// A session in memory in which each message is the child of the one before. The same record
    /// has the same ids each time.
    pub fn into_session(self, environment: &Environment) -> Result<Session, SessionError> {
        let name = self.path.to_string_lossy();
        let session_id = self.id.unwrap_or_else(|| stable_id(name.as_bytes(), 0, |_| false));
        let mut entries: Vec<Value> = Vec::new();
        let mut ids: HashSet<String> = HashSet::new();
        let (mut parent, mut time) = (None::<String>, self.begun);
        for (at, message) in self.messages.into_iter().enumerate() {
            time = message_time(&message).unwrap_or(time);
            let message = message.get("message").cloned().unwrap_or(message);
            if message.get_string("role").is_none() {
                continue;
            }
            let id = stable_id(session_id.as_bytes(), at, |id| ids.contains(id));
            let entry = Object::new()
                .with("type", "message")
                .with("id", id.as_str())
                .with("parentId", parent.as_deref())
                .with("timestamp", format_iso(time))
                .with("message", message);
            entries.push(entry.into());
            ids.insert(id.clone());
            parent = Some(id);
        }
        let begun = self.begun;
        let environment =
            Environment::new(environment.home(), &self.cwd, move || begun, |bytes| bytes.fill(0));
        let around = (self.cwd.as_path(), &environment);
        Session::from_snapshot(self.path, &session_id, &entries, parent.as_deref(), around)
    }
}

impl SubagentCall {
    /// What a tool result says about the agents that it sent out; `None` if it sent out none.
    pub fn of(entry: EntryRef<'_>) -> Result<Option<Self>, SessionError> {
        if !entry.is_message(Role::ToolResult) {
            return Ok(None);
        }
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::ToolResult(result) = Message::decode(&message) else { return Ok(None) };
        Ok(result.details.as_ref().and_then(Self::decode))
    }

    /// The record of a run of this call at one of its places. Messages that are in no session file
    /// become a session in memory. `None` if there is no such run, or the place cannot be read.
    pub fn open(
        &self,
        number: usize,
        place: &RunPlace,
        entry: EntryRef<'_>,
        environment: &Environment,
    ) -> Result<Option<Session>, SessionError> {
        let Some(run) = self.runs.get(number) else { return Ok(None) };
        let messages = match (&place.path, &place.state) {
            (Some(path), PlaceState::There(Form::Session)) => {
                return Session::open(path, environment).map(Some);
            }
            (Some(path), PlaceState::There(Form::Messages)) => read_messages(path)?,
            (None, PlaceState::There(_)) => run.messages.clone(),
            _ => return Ok(None),
        };
        let called_at = entry.time().unwrap_or_default();
        let name = format!("{}-{number}", entry.id());
        let record = Record {
            path: place.path.as_deref().unwrap_or(Path::new(&name)),
            id: None,
            cwd: environment.cwd().to_owned(),
            begun: messages.iter().find_map(message_time).unwrap_or(called_at),
            messages,
        };
        record.into_session(environment).map(Some)
    }
}
