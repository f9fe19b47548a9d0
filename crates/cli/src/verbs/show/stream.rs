//! A saved event stream, such as the record of a sub-agent's run, shown as the conversation that
//! it tells.

use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::dialect::LookAlike;
use pitree_format::js::date::parse_iso;
use pitree_session::paths::is_valid_session_id;
use pitree_session::{FoundHeader, Session, SessionError, read_header};
use pitree_store::subagents::{Record, message_time, read_messages};

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
    Ok(record.into_session(&workspace.environment)?)
}
