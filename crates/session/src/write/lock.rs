//! Locks between programs: taking one within a limit, and saying who has it.
//!
//! A lock is `flock`'s, so it vanishes with the process that holds it. Where a file system has no
//! locks, writing goes on without one: a single program is the usual case there, and refusing to
//! write would help nobody.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::{IoContext, Result, SessionError};

/// The pauses between two tries, from the first on and at most.
const FIRST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// A program that holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process id.
    pub pid: u32,
    /// Its name, where the system tells it.
    pub name: Option<String>,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} (process {})", self.pid),
            None => write!(f, "process {}", self.pid),
        }
    }
}

/// Locks a file, and waits no longer than `wait` for another program to give it back.
pub(crate) fn lock_within(file: &File, path: &Path, wait: Duration) -> Result<()> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if has_no_locks(&error) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error).on("lock", path),
            Err(TryLockError::WouldBlock) if start.elapsed() >= wait => {
                return Err(SessionError::Locked {
                    path: path.to_owned(),
                    holder: holder_of(file),
                    waited: start.elapsed(),
                });
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause.min(wait.saturating_sub(start.elapsed())));
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Whether the answer means that the file system knows no locks, not that somebody has one.
pub fn has_no_locks(error: &io::Error) -> bool {
    // ENOLCK, ENOSYS, EOPNOTSUPP.
    matches!(error.raw_os_error(), Some(37 | 38 | 95)) || error.kind() == io::ErrorKind::Unsupported
}

/// Who holds a lock of this file: the system's list of locks names the file's number, and a look
/// at the open files of a candidate makes sure that it is this file and not one of another disk.
fn holder_of(file: &File) -> Option<LockHolder> {
    let ours = file.metadata().ok()?;
    let locks = fs_err::read_to_string("/proc/locks").ok()?;
    let holder = locks.lines().filter_map(|line| parse_lock(line, ours.ino())).find(|&pid| {
        let folder = format!("/proc/{pid}/fd");
        fs_err::read_dir(folder).is_ok_and(|mut open| {
            open.any(|one| {
                let there = one.ok().and_then(|one| fs_err::metadata(one.path()).ok());
                there.is_some_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()))
            })
        })
    })?;
    let name = fs_err::read_to_string(format!("/proc/{holder}/comm")).ok();
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    Some(LockHolder { pid: holder, name })
}

/// The process of a line such as `1: FLOCK  ADVISORY  WRITE 4711 fd:01:1835010 0 EOF`, if it is
/// about a file with this number. A line with `->` is of one that waits.
fn parse_lock(line: &str, inode: u64) -> Option<u32> {
    let mut words = line.split_whitespace().skip(1);
    if words.next()? != "FLOCK" {
        return None;
    }
    let pid = words.nth(2)?.parse().ok()?;
    let number: u64 = words.next()?.rsplit(':').next()?.parse().ok()?;
    (number == inode).then_some(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_list_of_locks_are_read() {
        let line = "1: FLOCK  ADVISORY  WRITE 4711 fd:01:1835010 0 EOF";
        assert_eq!(parse_lock(line, 1_835_010), Some(4711));
        assert_eq!(parse_lock(line, 1_835_011), None);
        let odd = [
            "1: -> FLOCK  ADVISORY  WRITE 4711 fd:01:1835010 0 EOF",
            "2: POSIX  ADVISORY  WRITE 4711 fd:01:1835010 0 EOF",
            "3: FLOCK  ADVISORY  WRITE -1 fd:01:1835010 0 EOF",
            "3: FLOCK",
            "",
        ];
        assert!(odd.iter().all(|line| parse_lock(line, 1_835_010).is_none()));
    }

    #[test]
    fn a_file_system_without_locks_is_recognised() {
        for code in [37, 38, 95] {
            assert!(has_no_locks(&io::Error::from_raw_os_error(code)), "{code}");
        }
        assert!(!has_no_locks(&io::Error::from_raw_os_error(11)));
    }

    #[test]
    fn who_holds_a_lock_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        fs_err::write(&path, "x").unwrap();
        let open = || fs_err::File::open(&path).unwrap().into_parts().0;
        let (ours, other) = (open(), open());
        other.lock().unwrap();
        let error = lock_within(&ours, &path, Duration::ZERO).unwrap_err();
        let SessionError::Locked { holder, .. } = &error else { panic!("{error}") };
        assert_eq!(holder.as_ref().map(|holder| holder.pid), Some(std::process::id()), "{error}");
        other.unlock().unwrap();
        lock_within(&ours, &path, Duration::ZERO).unwrap();
    }
}
