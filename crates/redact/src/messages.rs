//! How messages and their blocks are known, wherever they lie.

use pitree_format::{JsString, Object, Role, Value};

/// Types of content blocks that mean something, and the member that each of them has.
const BLOCKS: [(&str, &str); 6] = [
    ("text", "text"),
    ("image", "data"),
    ("media", "data"),
    ("thinking", "thinking"),
    ("redacted_thinking", "data"),
    ("toolCall", "name"),
];

/// Names of tools whose arguments and results are those of a shell.
const SHELLS: [&str; 8] =
    ["bash", "shell", "sh", "exec", "terminal", "powershell", "execute_command", "run_command"];

/// Whether an object is a message, such as those of a sub-agent in the details of a result.
pub(crate) fn is_message(object: &Object) -> bool {
    let Some(role) = object.get("role").and_then(Value::as_string) else { return false };
    let role = Role::from_name(role.as_bytes());
    role == Role::BashExecution || (role != Role::Other && object.get("content").is_some())
}

/// Whether an object is a block of a message.
pub(crate) fn is_block(object: &Object) -> bool {
    let kind = object.get("type").and_then(Value::as_string).and_then(JsString::as_str);
    let known = kind.and_then(|kind| BLOCKS.iter().find(|(known, _)| *known == kind));
    known.is_some_and(|(_, member)| object.get(member).is_some())
}

/// Whether a message is what a shell printed: run by a tool, or by the user.
pub(crate) fn is_of_shell(message: &Value) -> bool {
    names_shell(message.get_string("toolName"))
        || message.get_string("role").is_some_and(|role| *role == "bashExecution")
}

/// Whether a type of block means something.
pub(crate) fn is_known_block(kind: &str) -> bool {
    BLOCKS.iter().any(|(known, _)| *known == kind)
}

/// Whether this is the name of a shell.
pub(crate) fn names_shell(name: Option<&JsString>) -> bool {
    name.is_some_and(|name| SHELLS.iter().any(|shell| *name == *shell))
}
