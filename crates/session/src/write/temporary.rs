//! Temporary files, and what killed programs have left of theirs.
//!
//! A temporary file lies beside the file that it will become. Its name holds the number of the
//! process that makes it, and that process holds its lock. A program that is killed leaves its
//! temporary files; the next one that makes one in the same folder removes them. A file is removed
//! only if its name is one of ours, its process is gone, nobody holds its lock, and it has lain
//! there for a while, so that nobody can be about to lock it.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

use crate::error::without_temporary_name;

const PREFIX: &str = ".pitree-";
const SUFFIX: &str = ".tmp";

/// How many random characters are in a name.
const RANDOM_CHARS: usize = 6;

/// Between making a file and locking it nobody takes so long.
const LEAST_AGE: Duration = Duration::from_secs(60);

/// Version 0.1.0 wrote no process into the name, and took no lock.
const LEAST_AGE_WITHOUT_PROCESS: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes a temporary file for the user alone, whose name no program takes for a session, and
/// removes those that killed programs have left in the folder. It is locked until it is closed.
pub fn temporary_file_in(directory: &Path) -> io::Result<NamedTempFile> {
    let file = tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", std::process::id()))
        .suffix(SUFFIX)
        .rand_bytes(RANDOM_CHARS)
        .tempfile_in(directory)
        .map_err(without_temporary_name)?;
    // Where there are no locks nothing is removed.
    let _ = file.as_file().try_lock();
    if let Ok(own) = file.as_file().metadata() {
        remove_left(directory, &own);
    }
    Ok(file)
}

/// Removes what killed programs have left. What cannot be removed lies in nobody's way.
fn remove_left(directory: &Path, own: &Metadata) {
    let Ok(entries) = fs_err::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(maker) = name.to_str().and_then(parse_name) else { continue };
        let path = entry.path();
        // A link is not followed, and a file of another user is not ours to judge.
        let there = fs_err::symlink_metadata(&path).ok();
        let is_old = there.is_some_and(|there| {
            there.is_file() && there.uid() == own.uid() && is_older(&there, own, maker.least_age())
        });
        if is_old && !maker.is_alive() && is_unlocked(&path) {
            let _ = fs_err::remove_file(&path);
        }
    }
}

/// Who made a temporary file.
#[derive(Debug, PartialEq, Eq)]
enum Maker {
    Process(u32),
    Unknown,
}

impl Maker {
    fn least_age(&self) -> Duration {
        match self {
            Self::Process(_) => LEAST_AGE,
            Self::Unknown => LEAST_AGE_WITHOUT_PROCESS,
        }
    }

    /// Whether a process of that number is there. It may be another one by now; then the file
    /// stays a little longer. One of another machine or container cannot be seen, but its lock can.
    fn is_alive(&self) -> bool {
        match self {
            Self::Process(id) => Path::new(&format!("/proc/{id}")).exists(),
            Self::Unknown => false,
        }
    }
}

/// Reads `.pitree-<process>-<random>.tmp`, or the same without the process.
fn parse_name(name: &str) -> Option<Maker> {
    let middle = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (maker, random) = match middle.split_once('-') {
        Some((process, random)) => (Maker::Process(process.parse().ok()?), random),
        None => (Maker::Unknown, middle),
    };
    let is_random =
        random.len() == RANDOM_CHARS && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_random.then_some(maker)
}

/// Whether a file was last written so long before `own`, by the clock of the file system.
fn is_older(there: &Metadata, own: &Metadata, age: Duration) -> bool {
    let time = |metadata: &Metadata| metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    time(own).duration_since(time(there)).is_ok_and(|since| since >= age)
}

fn is_unlocked(path: &Path) -> bool {
    fs_err::File::open(path).is_ok_and(|file| file.file().try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a process that has ended.
    fn dead_process() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    fn aged(path: &Path, seconds: u64) -> std::fs::File {
        fs_err::write(path, "half a fork").unwrap();
        let file = fs_err::File::open(path).unwrap().into_parts().0;
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        file
    }

    #[test]
    fn only_files_of_programs_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (dead, own) = (dead_process(), std::process::id());
        let gone = [format!(".pitree-{dead}-aB3dEf.tmp"), ".pitree-x1y2z3.tmp".to_owned()];
        let day = 25 * 60 * 60;
        gone.iter().for_each(|name| drop(aged(&at(name), day)));

        let locked = aged(&at(&format!(".pitree-{dead}-locked.tmp")), day);
        locked.lock().unwrap();
        let stay = [
            format!(".pitree-{dead}-locked.tmp"),
            format!(".pitree-{own}-living.tmp"),
            ".pitree-notes of mine.tmp".to_owned(),
            format!(".pitree-{dead}-aB3dEf.tmp.jsonl"),
            format!(".pitree-{dead}-toolong.tmp"),
            "session.jsonl".to_owned(),
        ];
        stay[1..].iter().for_each(|name| drop(aged(&at(name), day)));
        let young = [format!(".pitree-{dead}-young1.tmp"), ".pitree-young2.tmp".to_owned()];
        drop(aged(&at(&young[0]), 5));
        drop(aged(&at(&young[1]), 60 * 60));
        let link = at(&format!(".pitree-{dead}-linked.tmp"));
        fs_err::os::unix::fs::symlink(at("session.jsonl"), &link).unwrap();
        fs_err::create_dir(at(&format!(".pitree-{dead}-folder.tmp"))).unwrap();

        let made = temporary_file_in(folder.path()).unwrap();
        assert!(made.path().exists());
        for name in &gone {
            assert!(!at(name).exists(), "{name} stayed");
        }
        for name in stay.iter().chain(&young) {
            assert!(at(name).exists(), "{name} was removed");
        }
        assert!(link.is_symlink() && at(&format!(".pitree-{dead}-folder.tmp")).is_dir());
    }

    #[test]
    fn a_temporary_file_is_recognised_by_its_name_and_locked() {
        let folder = tempfile::tempdir().unwrap();
        let made = temporary_file_in(folder.path()).unwrap();
        let name = made.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(parse_name(name), Some(Maker::Process(std::process::id())));
        assert!(!is_unlocked(made.path()));
    }
}
