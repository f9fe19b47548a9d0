//! The lock of the shared index: a folder that is there while somebody works on it.
//!
//! Whoever holds it touches it every five seconds; one that was not touched for ten was left by a
//! program that died, and may be taken over.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, UNIX_EPOCH};

use pitree_session::Environment;

use super::SharedIndexError;

const STALE_AFTER_MS: i64 = 10_000;
const HEARTBEAT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The lock, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// The folder that was made; another one at the same path is somebody else's.
    identity: (u64, u64),
    stop: Arc<(Mutex<bool>, Condvar)>,
    heartbeat: Option<JoinHandle<()>>,
}

impl Lock {
    /// Takes the lock of a sessions root, and waits for it up to a time.
    pub(crate) fn take(
        root: &Path,
        wait: Duration,
        environment: &Environment,
    ) -> Result<Self, SharedIndexError> {
        let path = root.join("session-index.lock");
        let mut waited = Duration::ZERO;
        let mut pause = FIRST_PAUSE;
        loop {
            match fs_err::create_dir(&path) {
                Ok(()) => return Self::begin(path, environment),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(SharedIndexError::Io { action: "lock", path, source }),
            }
            if is_stale(&path, environment) && remove_stale(&path, environment) {
                continue;
            }
            if waited >= wait {
                return Err(SharedIndexError::Locked { path, seconds: wait.as_secs() });
            }
            let next = pause.min(wait - waited);
            std::thread::sleep(next);
            waited += next;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn begin(path: PathBuf, environment: &Environment) -> Result<Self, SharedIndexError> {
        let Some(identity) = identity_of(&path) else {
            return Err(SharedIndexError::LockLost { path });
        };
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (path_of_beat, stop_of_beat) = (path.clone(), Arc::clone(&stop));
        let environment = environment.clone();
        let heartbeat = std::thread::Builder::new()
            .spawn(move || beat(&path_of_beat, identity, &stop_of_beat, &environment))
            .ok();
        Ok(Self { path, identity, stop, heartbeat })
    }

    /// Fails when somebody else took the lock over, because this process stood still too long.
    pub(crate) fn check(&self) -> Result<(), SharedIndexError> {
        if identity_of(&self.path) == Some(self.identity) {
            Ok(())
        } else {
            Err(SharedIndexError::LockLost { path: self.path.clone() })
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(heartbeat) = self.heartbeat.take() {
            let _ = heartbeat.join();
        }
        if self.check().is_ok() {
            let _ = fs_err::remove_dir(&self.path);
        }
    }
}

/// Touches the lock until it is told to stop.
fn beat(
    path: &Path,
    identity: (u64, u64),
    stop: &(Mutex<bool>, Condvar),
    environment: &Environment,
) {
    let mut stopped = stop.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !*stopped {
        let waited = stop.1.wait_timeout(stopped, HEARTBEAT);
        stopped = waited.unwrap_or_else(PoisonError::into_inner).0;
        if !*stopped && identity_of(path) == Some(identity) {
            let since = Duration::from_millis(environment.now_ms().max(0).unsigned_abs());
            if let Ok(folder) = fs_err::File::open(path) {
                let _ = folder.file().set_modified(UNIX_EPOCH + since);
            }
        }
    }
}

fn identity_of(path: &Path) -> Option<(u64, u64)> {
    fs_err::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Whether nobody touched the lock for long. An old version of the port left a plain file here.
fn is_stale(path: &Path, environment: &Environment) -> bool {
    let Ok(metadata) = fs_err::symlink_metadata(path) else { return false };
    let touched = metadata.mtime().saturating_mul(1000) + metadata.mtime_nsec() / 1_000_000;
    environment.now_ms().saturating_sub(touched) > STALE_AFTER_MS
}

/// Takes a stale lock away. It is moved aside first: of several programs that see it, one gets it,
/// and a fresh lock that was moved by mistake is put back.
fn remove_stale(path: &Path, environment: &Environment) -> bool {
    let mut random = [0; 8];
    environment.fill_random(&mut random);
    let aside = path.with_extension(format!("lock.{:016x}", u64::from_be_bytes(random)));
    if fs_err::rename(path, &aside).is_err() {
        return false;
    }
    if !is_stale(&aside, environment) {
        let _ = fs_err::rename(&aside, path);
        return false;
    }
    fs_err::remove_dir(&aside).or_else(|_| fs_err::remove_file(&aside)).is_ok()
}
