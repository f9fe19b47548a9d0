//! Where a file goes: the `trash` command, the desktop's trash, or nowhere at all.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::DeleteError;

/// How long a `trash` command may take.
pub const TRASH_TIME_LIMIT: Duration = Duration::from_secs(5);

/// How often a running command is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What may be done with a file that is to go.
#[derive(Clone, Debug)]
pub struct Trash {
    /// The `trash` command, with its whole path; tried first.
    pub command: Option<PathBuf>,
    /// How long the command may take.
    pub time_limit: Duration,
    /// Whether the desktop's trash may be used; tried next.
    pub desktop: bool,
    /// Whether a file that no trash takes is removed for good.
    pub permanent: bool,
}

/// Where a file went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposal {
    /// The `trash` command took it.
    TrashCommand,
    /// It lies in the desktop's trash.
    DesktopTrash,
    /// It is removed for good.
    Removed,
}

impl Trash {
    /// Uses this `trash` command if there is one, else the desktop's trash, and removes nothing
    /// for good.
    pub fn new(command: Option<PathBuf>) -> Self {
        Self { command, time_limit: TRASH_TIME_LIMIT, desktop: true, permanent: false }
    }

    /// Gets a file or folder out of the way. What counts is whether it is gone afterwards, not
    /// what the command says.
    pub fn dispose(&self, path: &Path) -> Result<Disposal, DeleteError> {
        let mut reasons = Vec::new();
        match &self.command {
            Some(command) => match self.run_command(command, path) {
                Ended::Well if is_there(path) => {
                    let (command, path) = (command.clone(), path.to_owned());
                    return Err(DeleteError::StillThere { path, command });
                }
                Ended::Badly(reason) if is_there(path) => {
                    reasons.push(format!("{} {reason}", command.display()));
                }
                Ended::Well | Ended::Badly(_) => return Ok(Disposal::TrashCommand),
            },
            None => reasons.push("the command `trash` was not found".to_owned()),
        }
        if self.desktop {
            match to_desktop_trash(path) {
                Ok(()) if !is_there(path) => return Ok(Disposal::DesktopTrash),
                Ok(()) => reasons.push("the desktop's trash did not take it".to_owned()),
                Err(error) => reasons.push(format!("the desktop's trash failed: {error}")),
            }
        }
        if self.permanent {
            return remove(path).map(|()| Disposal::Removed);
        }
        Err(DeleteError::NoTrash { path: path.to_owned(), reasons: reasons.join("; ") })
    }

    /// Runs the command on a path, for as long as it may take.
    fn run_command(&self, command: &Path, path: &Path) -> Ended {
        let mut call = Command::new(command);
        call.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        own_group(&mut call);
        let mut waited = Duration::ZERO;
        let mut wait = || {
            std::thread::sleep(LOOK_EVERY);
            waited += LOOK_EVERY;
            waited < self.time_limit
        };
        let mut child = loop {
            match call.spawn() {
                Ok(child) => break child,
                // The program is being installed.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && wait() => {}
                Err(error) => return Ended::Badly(format!("cannot be run: {error}")),
            }
        };
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ended::Well,
                Ok(Some(status)) => return Ended::Badly(format!("failed: {status}")),
                Ok(None) if wait() => {}
                Ok(None) => {
                    end_group(&mut child);
                    let _ = child.wait();
                    let seconds = self.time_limit.as_secs_f64();
                    return Ended::Badly(format!("did not end within {seconds} s"));
                }
                Err(error) => return Ended::Badly(format!("was lost: {error}")),
            }
        }
    }
}

/// A command that takes too long is ended with all that it started: what goes on in the background
/// could still take a file that is restored by then.
#[cfg(all(feature = "trash", unix))]
fn own_group(call: &mut Command) {
    std::os::unix::process::CommandExt::process_group(call, 0);
}

#[cfg(not(all(feature = "trash", unix)))]
fn own_group(_call: &mut Command) {}

#[cfg(all(feature = "trash", unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let _ = group
        .map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
}

#[cfg(not(all(feature = "trash", unix)))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(feature = "trash")]
fn to_desktop_trash(path: &Path) -> Result<(), String> {
    check_folder(path)?;
    trash::delete(path).map_err(in_plain_words)
}

/// Nothing can leave a folder that cannot be written, and the trash would learn it too late: it
/// would keep an empty file, or a copy if it is on another disk.
#[cfg(all(feature = "trash", unix))]
fn check_folder(path: &Path) -> Result<(), String> {
    use rustix::fs::{Access, access};
    let Some(folder) = path.parent() else { return Ok(()) };
    access(folder, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| format!("{}: {}", folder.display(), std::io::Error::from(error)))
}

#[cfg(all(feature = "trash", not(unix)))]
fn check_folder(_path: &Path) -> Result<(), String> {
    Ok(())
}

/// What the desktop's trash complains about. Its own words are those of a debugger.
#[cfg(feature = "trash")]
pub(super) fn in_plain_words(error: trash::Error) -> String {
    match error {
        trash::Error::FileSystem { path, source } => format!("{}: {source}", path.display()),
        trash::Error::CouldNotAccess { target } => format!("{target} cannot be accessed"),
        trash::Error::Unknown { description } => description,
        other => other.to_string(),
    }
}

#[cfg(not(feature = "trash"))]
fn to_desktop_trash(_path: &Path) -> Result<(), String> {
    Err("this program was built without it".to_owned())
}

/// How a command ended.
enum Ended {
    Well,
    Badly(String),
}

/// Whether something has this name, be it a link that leads nowhere.
pub(super) fn is_there(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok()
}

fn remove(path: &Path) -> Result<(), DeleteError> {
    let is_folder = fs_err::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let removed = if is_folder { fs_err::remove_dir_all(path) } else { fs_err::remove_file(path) };
    removed.map_err(|source| DeleteError::Io { path: path.to_owned(), source })
}
