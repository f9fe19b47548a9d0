//! What the command asks the system for, beyond [`pitree_session::Environment::system`].

use std::io::{IsTerminal, stdout};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The path of a program that can be run, from the folders of `PATH`. Only whole paths count, so
/// that no project directory can slip one in.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
}

/// Whether a path leads to a file that may be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    let metadata = fs_err::metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
}

/// A variable of the environment, as text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// How much a terminal shows at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenSize {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// The size of the terminal that standard output is; `None` if it is not one, or does not say.
pub(crate) fn screen_size() -> Option<ScreenSize> {
    let out = stdout();
    let size = rustix::termios::tcgetwinsize(&out).ok().filter(|_| out.is_terminal())?;
    let size = ScreenSize { columns: size.ws_col.into(), rows: size.ws_row.into() };
    (size.columns > 0 && size.rows > 0).then_some(size)
}
