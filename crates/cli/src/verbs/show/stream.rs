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
use pitree_store::subagents::read_messages;

use crate::error::CommandError;
use crate::output::Output;
use crate::target::{Place, ReadTarget};

/// How far the header is looked for.
const MOST_HEADER_BYTES: u64 = 1 << 20;

/// Opens the session that the user means, or the conversation of an event stream.
pub(super) fn open(
    target: &ReadTarget,
    place: &Place,
    output: &mut Output,
) -> Result<Session, CommandError> {
    let path = place.find(&target.target)?;
    match Session::open(&path, &place.environment) {
        Err(SessionError::NotASession {
            looks_like: Some(kind @ LookAlike::JsonModeStream),
            ..
        }) => {
            let session = conversation(&path, place)?;
            output.remark(&format!("{} is {kind}, shown as a session", place.display(&path)))?;
            Ok(session)
        }
        Err(SessionError::NotASession { .. }) if target.lenient => place.open(target),
        opened => Ok(opened?),
    }
}

/// The messages of a stream, each the child of the one before. The same stream has the same ids.
fn conversation(path: &Path, place: &Place) -> Result<Session, CommandError> {
    let name = path.to_string_lossy();
    let header = match read_header(&pitree_session::open_file(path)?, MOST_HEADER_BYTES) {
        Ok(FoundHeader::Header(header)) => header,
        _ => Value::Null,
    };
    let text = |key| header.get_string(key).map(ToString::to_string);
    let session_id = text("id").filter(|id| is_valid_session_id(id));
    let session_id = session_id.unwrap_or_else(|| stable_id(name.as_bytes(), 0, |_| false));
    let cwd = text("cwd").map_or_else(|| place.environment.cwd().to_owned(), PathBuf::from);
    let mut entries: Vec<Value> = Vec::new();
    let mut ids: HashSet<String> = HashSet::new();
    let mut parent: Option<String> = None;
    let mut first_time: Option<i64> = None;
    for (at, message) in read_messages(path)?.into_iter().enumerate() {
        let id = stable_id(session_id.as_bytes(), at, |id| ids.contains(id));
        let time = message.get_number("timestamp").map(|time| time as i64);
        first_time = first_time.or(time);
        let time = time.map(format_iso);
        let entry = Object::new()
            .with("type", "message")
            .with("id", id.as_str())
            .with("parentId", parent.as_deref())
            .with_some("timestamp", time)
            .with("message", message);
        entries.push(entry.into());
        ids.insert(id.clone());
        parent = Some(id);
    }
    // The session began when the stream did, not when it is looked at.
    let begun = text("timestamp").and_then(|time| parse_iso(time.as_bytes())).or(first_time);
    let begun = begun.unwrap_or_else(|| place.environment.now_ms());
    let home = place.environment.home();
    let environment = Environment::new(home, &cwd, move || begun, |bytes| bytes.fill(0));
    let around = (cwd.as_path(), &environment);
    Ok(Session::held_elsewhere(path, &session_id, &entries, parent.as_deref(), around)?)
}
