//! What may be appended: what Pi can read back. Pi takes every value when it appends, and throws
//! when it builds or measures the context, so that the session can no longer be used; a file that
//! is only appended to keeps such a line for ever.

use pitree_format::draft::Draft;
use pitree_format::{Role, Value};

use crate::error::{Result, SessionError};
use crate::read::MAX_LINE_BYTES;

/// Refuses entries that Pi would stumble over.
pub(super) fn check_drafts(drafts: &[Draft]) -> Result<()> {
    drafts.iter().try_for_each(|draft| match draft {
        Draft::Message(message) => check_message(message),
        Draft::CustomMessage { content, .. } => check_content(Role::Custom, Some(content)),
        _ => Ok(()),
    })
}

/// Refuses a line that nobody could read back.
pub(super) fn check_length(bytes: u64) -> Result<()> {
    match bytes <= MAX_LINE_BYTES {
        true => Ok(()),
        false => Err(SessionError::LineTooLong { bytes, most: MAX_LINE_BYTES }),
    }
}

/// Refuses a message that Pi could not put into a context: what is not an object with a `role`,
/// and what lacks the members by which Pi measures it. [`Session::append_message`] asks this.
///
/// [`Session::append_message`]: crate::Session::append_message
pub fn check_message(message: &Value) -> Result<()> {
    if message.as_object().is_none() {
        return bad("it is not an object");
    }
    let Some(role) = message.get_string("role").filter(|role| !role.is_empty()) else {
        return bad("it has no `role`");
    };
    let role = Role::from_name(role.as_bytes());
    let strings: &[&str] = match role {
        Role::BashExecution => &["command", "output"],
        Role::BranchSummary | Role::CompactionSummary => &["summary"],
        _ => &[],
    };
    for name in strings {
        require_string(message, name)?;
    }
    check_content(role, message.get("content"))
}

/// Pi repairs content that is missing, except for what extensions say.
fn check_content(role: Role, content: Option<&Value>) -> Result<()> {
    match content {
        None | Some(Value::Null) if role != Role::Custom => Ok(()),
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(blocks)) => blocks.iter().try_for_each(|block| check_block(role, block)),
        _ => bad("its `content` is neither a string nor a list of blocks"),
    }
}

fn check_block(role: Role, block: &Value) -> Result<()> {
    if block.as_object().is_none() {
        return bad("a block of its `content` is not an object");
    }
    if role != Role::Assistant {
        return Ok(());
    }
    match block.get_string("type").map(|kind| kind.to_text().into_owned()).as_deref() {
        Some("text") => require_string(block, "text"),
        Some("thinking") => require_string(block, "thinking"),
        Some("toolCall") if block.get("arguments").is_none() => {
            bad("a tool call has no `arguments`")
        }
        Some("toolCall") => require_string(block, "name"),
        _ => Ok(()),
    }
}

fn require_string(value: &Value, name: &str) -> Result<()> {
    match value.get_string(name) {
        Some(_) => Ok(()),
        None => bad(&format!("it needs `{name}`, a string")),
    }
}

fn bad(problem: &str) -> Result<()> {
    Err(SessionError::BadMessage { problem: problem.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_as_long_as_the_longest_that_can_be_read() {
        assert!(check_length(MAX_LINE_BYTES).is_ok());
        let error = check_length(MAX_LINE_BYTES + 1).unwrap_err();
        assert!(matches!(error, SessionError::LineTooLong { .. }), "{error}");
    }
}
