//! Files and folders that could not be read: what they hold is missing in the answer.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_session::open_file;
use pitree_store::{Unreadable, discover_all};

use crate::error::{CommandError, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::{clean_line, command, counted, first_lines};

/// How many are named one by one.
const MOST_NAMED: usize = 10;

/// Says what could not be read, and why.
pub(crate) fn remark_unreadable(
    unreadable: &[Unreadable],
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    for (path, reason) in unreadable.iter().take(MOST_NAMED) {
        let path = workspace.display(path);
        output.warn(&clean_line(&format!("skipped {path}: cannot be read: {reason}")))?;
    }
    match unreadable.len().saturating_sub(MOST_NAMED) {
        0 => Ok(()),
        more => {
            let more = counted(more, "more file or folder", "more files and folders");
            output.warn(&format!("skipped {more} that cannot be read"))
        }
    }
}

/// What cannot be read where sessions are looked for.
pub(crate) fn all(workspace: &Workspace) -> Vec<Unreadable> {
    let found = discover_all(&workspace.locations);
    let mut unreadable = found.unreadable;
    unreadable.extend(found.files.into_iter().filter_map(|file| {
        let reason = open_file(&file.path).err()?.io_reason()?;
        Some((file.path, reason))
    }));
    unreadable
}

/// The file whose name says that it is the session with this id, or with one that begins so.
pub(crate) fn with_id<'u>(unreadable: &'u [Unreadable], id: &str) -> Option<&'u Unreadable> {
    unreadable.iter().find(|(path, _)| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        // Before the id stands the time at which the session was begun.
        let own = stem.rsplit_once('_').map_or(&*stem, |(_, own)| own);
        !id.is_empty() && own.starts_with(id)
    })
}

/// That the session which somebody wants is there and cannot be read.
pub(crate) fn error((path, reason): &Unreadable, workspace: &Workspace) -> CommandError {
    let hint = match fs_err::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => "it is a symbolic link; correct it".to_owned(),
        Ok(about) => format!(
            "its permissions are {:03o}; make it readable, then run the command again",
            about.mode() & 0o777
        ),
        Err(_) => "check the permissions of its folder".to_owned(),
    };
    let message = format!("Cannot read {}: {reason}", workspace.display(path));
    CommandError::BadData { message, hint: Some(hint) }
}

/// What cannot be read, a line each; a count comes first.
pub(crate) fn lines(unreadable: &[Unreadable], workspace: &Workspace) -> Vec<String> {
    if unreadable.is_empty() {
        return Vec::new();
    }
    let count = counted(unreadable.len(), "file or folder", "files and folders");
    let name = |(path, reason): &Unreadable| format!("{} ({reason})", workspace.display(path));
    let named = first_lines(unreadable, MOST_NAMED, name);
    let head = format!("{count} could not be read:");
    std::iter::once(head).chain(named.iter().map(|line| format!("  {line}"))).collect()
}

/// How many files that are not sessions are named.
pub(crate) const MOST_NOT_SESSIONS: usize = 3;

/// Says how many files among the sessions are not sessions, and names the first of them.
pub(crate) fn remark_not_sessions(
    others: &[&Path],
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let count = match others.len() {
        0 => return Ok(()),
        1 => "skipped 1 file that is not a session".to_owned(),
        count => format!("skipped {count} files that are not sessions"),
    };
    let named = others.iter().take(MOST_NOT_SESSIONS).map(|path| workspace.display(path));
    let named = named.collect::<Vec<_>>().join(", ");
    let (more, what) = match others.len() > MOST_NOT_SESSIONS {
        true => (", …", "lists them all"),
        false => ("", "says why"),
    };
    let check = match others {
        [one] => command("check", &[one.as_os_str()], ""),
        _ => workspace.command("check", &[], "--scope all"),
    };
    output.warn(&clean_line(&format!("{count} ({named}{more}); `{check}` {what}")))
}

/// The same as a line of JSON, for an answer that has no place for it.
pub(crate) fn remark_unreadable_json(unreadable: &[Unreadable], output: &mut Output) -> Result<()> {
    if unreadable.is_empty() {
        return Ok(());
    }
    let line = Object::new().with("unreadable", unreadable_value(unreadable));
    output.warn(&stringify(&line.into()))
}

/// The member `unreadable` of an answer.
pub(crate) fn unreadable_value(unreadable: &[Unreadable]) -> Vec<Value> {
    let value = |(path, reason): &Unreadable| {
        let path = path.to_string_lossy().into_owned();
        Object::new().with("path", path).with("reason", reason.as_str()).into()
    };
    unreadable.iter().map(value).collect()
}
