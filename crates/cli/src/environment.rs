//! The real environment of the process.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pitree_session::Environment;
use time::{OffsetDateTime, UtcOffset};

/// Reads home, working directory, variables and clock of this process. All variables, since the
/// user's configuration may name any of them as the place of a key.
pub(crate) fn system() -> Environment {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let mut environment = Environment::new(home, cwd, now_ms, fill_random).with_zone(zone_minutes);
    for (name, value) in std::env::vars_os() {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
            environment = environment.with_var(name, value);
        }
    }
    environment
}

fn now_ms() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

/// How far the user's clock is ahead of UTC at a time; nothing if the system does not know.
fn zone_minutes(time_ms: i64) -> i32 {
    let time = OffsetDateTime::from_unix_timestamp(time_ms.div_euclid(1000));
    let offset = time.ok().and_then(|time| UtcOffset::local_offset_at(time).ok());
    offset.map_or(0, |offset| offset.whole_minutes().into())
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
