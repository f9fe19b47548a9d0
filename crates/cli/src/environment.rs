//! What the command asks the system for, beyond [`pitree_session::Environment::system`].

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
