//! A saved event stream, such as the record of a sub-agent's run, shown as the conversation that
//! it tells.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pitree_format::dialect::LookAlike;
use pitree_format::js::date::{format_iso, parse_iso};
use pitree_format::migrate::stable_id;
use pitree_format::{Object, Value};
use pitree_session::paths::is_valid_session_id;
use pitree_session::{Environment, FoundHeader, Session, SessionError, read_header};
use pitree_store::subagents::{message_time, read_messages};

use crate::error::Result;
use crate::output::Output;
use crate::target::{ReadTarget, Workspace};
use crate::verbs::entries::MOST_HEADER_BYTES;

/// Opens the session that the user means, or the conversation of an event stream.
pub(super) fn open(
    target: &ReadTarget,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Session> {
    let path = workspace.find(&target.target)?;
    match Session::open(&path, &workspace.environment) {
        Err(SessionError::NotASession {
            looks_like: Some(kind @ LookAlike::JsonModeStream),
            ..
        }) => {
            let session = conversation(&path, workspace)?;
            output
                .remark(&format!("{} is {kind}, shown as a session", workspace.display(&path)))?;
            Ok(session)
        }
        Err(SessionError::NotASession { .. }) if target.lenient => workspace.open(target),
        opened => Ok(opened?),
    }
}

/// The messages of a stream.
fn conversation(path: &Path, workspace: &Workspace) -> Result<Session> {
    let header = match read_header(&pitree_session::open_file(path)?, MOST_HEADER_BYTES) {
        Ok(FoundHeader::Header(header)) => header,
        _ => Value::Null,
    };
    let text = |key| header.get_string(key).map(ToString::to_string);
    let messages = read_messages(path)?;
    // The session began when the stream did, not when it is looked at.
    let begun = text("timestamp").and_then(|time| parse_iso(time.as_bytes()));
    let begun = begun.or_else(|| messages.iter().find_map(message_time));
    let record = Record {
        path,
        id: text("id").filter(|id| is_valid_session_id(id)),
        cwd: text("cwd").map_or_else(|| workspace.environment.cwd().to_owned(), PathBuf::from),
        begun: begun.unwrap_or_else(|| workspace.environment.now_ms()),
        messages,
    };
    record.into_session(workspace)
}

/// Messages that are kept in another form than a session file.
pub(crate) struct Record<'p> {
    /// The file that holds them.
    pub(crate) path: &'p Path,
    /// The session's id, if it has one.
    pub(crate) id: Option<String>,
    pub(crate) cwd: PathBuf,
    /// The time of the header, and of messages that have none before the first one that has.
    pub(crate) begun: i64,
    /// The messages. Some tools keep whole entries.
    pub(crate) messages: Vec<Value>,
}

impl Record<'_> {
    /// A session in which each message is the child of the one before. The same record has the
    /// same ids each time.
    pub(crate) fn into_session(self, workspace: &Workspace) -> Result<Session> {
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
        let home = workspace.environment.home();
        let environment = Environment::new(home, &self.cwd, move || begun, |bytes| bytes.fill(0));
        let around = (self.cwd.as_path(), &environment);
        Ok(Session::held_elsewhere(self.path, &session_id, &entries, parent.as_deref(), around)?)
    }
}
