//! Pi's `keybindings.json`: the keys that the user has given to actions.

use pitree_format::{Object, Value};
use pitree_session::Environment;
use pitree_session::location::agent_directory;

use crate::file;

/// What is in the user's `keybindings.json`: keys by the names of actions. `None` if there is no
/// such file, or if it cannot be read, which Pi passes over as well.
pub fn pi_keybindings(environment: &Environment) -> Option<Object> {
    let path = agent_directory(environment).join("keybindings.json");
    match file::read_json(&path).ok()?? {
        Value::Object(members) => Some(members),
        _ => None,
    }
}
