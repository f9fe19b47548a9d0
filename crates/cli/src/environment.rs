//! The real environment of the process.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pitree_session::Environment;

/// The variables that the engine asks for.
const VARIABLES: [&str; 6] = [
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "PI_SESSIONS_DIR",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
];

/// Reads home, working directory, variables and clock of this process.
pub(crate) fn system() -> Environment {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let mut environment = Environment::new(home, cwd, now_ms, fill_random);
    for name in VARIABLES {
        if let Ok(value) = std::env::var(name) {
            environment = environment.with_var(name, &value);
        }
    }
    environment
}

/// The same with every variable: keys for models may have any name.
pub(crate) fn with_all_variables() -> Environment {
    let variables = std::env::vars_os();
    let texts = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.fold(system(), |environment, (name, value)| environment.with_var(&name, &value))
}

fn now_ms() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

fn fill_random(buffer: &mut [u8]) {
    if getrandom::fill(buffer).is_err() {
        // Without a random source an id only has to be new: the clock and a counter do.
        use std::hash::{BuildHasher, RandomState};
        for chunk in buffer.chunks_mut(8) {
            let bytes = RandomState::new().hash_one(now_ms()).to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }
}

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
