//! The fingerprint of a database file: what the file was like when pitree last wrote to it.
//!
//! SQLite notices damage to its own structures, and a value can carry a hash, but the words of the
//! index are neither, and a check of all of them would take longer than the search. So the size, the
//! time of change and the identity of the file are kept next to it. Only copying the log of changes
//! into the file writes to it, and only [`write_alone`] does that: a file that is not as it was left
//! then was changed by somebody else, and nothing in it can be relied on.
//!
//! A disk that returns other bytes without any write goes unnoticed.

use std::fs::TryLockError;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use super::database::{seal, side_files};
use crate::discover::FileStamp;

/// How often, and after which pause, to try again while others compare.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(1);

/// Whether somebody else has written to a database.
pub(crate) fn is_foreign(database: &Path) -> bool {
    let path = path_of(database);
    let Ok(mut file) = fs_err::File::open(&path) else { return false };
    // Whoever writes to the database right now has compared before.
    if file.file().try_lock_shared().is_err() {
        return false;
    }
    let mut kept = Vec::new();
    if file.read_to_end(&mut kept).is_err() || kept.is_empty() {
        return false;
    }
    match take(database) {
        Some(now) => now != kept,
        // The database was deleted, and this is left of it.
        None => {
            let _ = fs_err::remove_file(path);
            false
        }
    }
}

/// Takes the fingerprint of a database that has none.
pub(crate) fn ensure(database: &Path) {
    if fs_err::metadata(path_of(database)).map_or(0, |metadata| metadata.len()) == 0 {
        write_alone(database, || ());
    }
}

/// Runs what writes to the file of a database and takes its fingerprint. While somebody else does
/// that, it is left to them.
pub(crate) fn write_alone(database: &Path, write: impl FnOnce()) {
    let options = &mut fs_err::OpenOptions::new();
    let Ok(file) = options.write(true).create(true).truncate(false).open(path_of(database)) else {
        return write();
    };
    // Where files cannot be locked, nobody compares either.
    let is_alone = (0..TRIES).any(|number| {
        std::thread::sleep(PAUSE * number);
        !matches!(file.file().try_lock(), Err(TryLockError::WouldBlock))
    });
    // If this process is killed meanwhile there is no fingerprint: that is not damage.
    if is_alone && file.set_len(0).is_ok() {
        write();
        if let Some(now) = take(database) {
            let _ = file.file().write_all_at(&now, 0);
        }
    }
}

fn take(database: &Path) -> Option<Vec<u8>> {
    // Its permissions do not count: they do not change what is in it.
    let FileStamp { size, modified_ns, identity, access: _ } = FileStamp::of(database)?;
    let numbers = [size, modified_ns.cast_unsigned(), identity.0, identity.1];
    Some(seal(numbers.into_iter().flat_map(u64::to_le_bytes).collect()))
}

fn path_of(database: &Path) -> std::path::PathBuf {
    let [.., fingerprint] = side_files(database);
    fingerprint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_others_write_is_foreign() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        let write = |bytes: &str| fs_err::write(&path, bytes).unwrap();
        assert!(!is_foreign(&path), "nothing is there");
        write("1");
        assert!(!is_foreign(&path), "nothing is known");
        ensure(&path);
        write("22");
        assert!(is_foreign(&path), "somebody has written");
        ensure(&path);
        assert!(is_foreign(&path), "a fingerprint is not taken twice");
        write_alone(&path, || write("333"));
        assert!(!is_foreign(&path), "we have written");
        fs_err::write(path_of(&path), "noise").unwrap();
        assert!(is_foreign(&path), "a damaged fingerprint fits nothing");
        fs_err::remove_file(&path).unwrap();
        assert!(!is_foreign(&path), "deleted");
        write("1");
        assert!(!is_foreign(&path), "and made by somebody");
    }

    #[test]
    fn while_one_writes_the_others_neither_write_nor_complain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        fs_err::write(&path, "1").unwrap();
        ensure(&path);
        write_alone(&path, || {
            fs_err::write(&path, "22").unwrap();
            assert!(!is_foreign(&path));
            write_alone(&path, || panic!("two at a time"));
        });
        assert!(!is_foreign(&path));
    }
}
