//! Files and folders that could not be read: what they hold is missing in the answer.

use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_store::Unreadable;

use crate::error::Result;
use crate::output::Output;
use crate::target::Workspace;

/// How many are named one by one.
const MOST_NAMED: usize = 10;

/// Says what could not be read, and why.
pub(crate) fn remark_unreadable(
    unreadable: &[Unreadable],
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    for (path, reason) in unreadable.iter().take(MOST_NAMED) {
        output.remark(&format!("cannot read {}: {reason}", workspace.display(path)))?;
    }
    match unreadable.len().saturating_sub(MOST_NAMED) {
        0 => Ok(()),
        more => output.remark(&format!("cannot read {more} more files and folders")),
    }
}

/// The same as a line of JSON, for an answer that has no place for it.
pub(crate) fn remark_unreadable_json(unreadable: &[Unreadable], output: &mut Output) -> Result<()> {
    if unreadable.is_empty() {
        return Ok(());
    }
    let line = Object::new().with("unreadable", unreadable_value(unreadable));
    output.remark(&stringify(&line.into()))
}

/// The member `unreadable` of an answer.
pub(crate) fn unreadable_value(unreadable: &[Unreadable]) -> Vec<Value> {
    let value = |(path, reason): &Unreadable| {
        let path = path.to_string_lossy().into_owned();
        Object::new().with("path", path).with("reason", reason.as_str()).into()
    };
    unreadable.iter().map(value).collect()
}
