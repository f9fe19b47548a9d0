//! The facts of the sessions that were asked for.

use std::collections::HashSet;
use std::path::PathBuf;

use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_store::{FileStamp, Listing, NotListed, read_facts, shared_index};

use super::SourcesError;

/// The facts of files that were named.
pub(super) fn of_files(files: &[PathBuf]) -> Listing {
    let mut found = Found::default();
    files.iter().for_each(|file| found.add(file.clone()));
    found.listing
}

/// The facts of the sessions that the shared indexes name. A row is a hint of another program: only
/// what lies in the location itself is taken.
pub(super) fn of_shared_indexes(
    locations: &[Location],
    environment: &Environment,
) -> Result<Listing, SourcesError> {
    let mut found = Found::default();
    let mut is_there = false;
    for location in locations {
        let index = shared_index::path_below(&location.path);
        if fs_err::symlink_metadata(&index).is_err() {
            continue;
        }
        is_there = true;
        let Some(rows) = shared_index::read(&location.path, environment) else {
            return Err(SourcesError::DamagedIndex { path: index });
        };
        let root = fs_err::canonicalize(&location.path).unwrap_or_else(|_| location.path.clone());
        for row in rows.rows {
            let path = location.path.join(&row.path);
            match fs_err::canonicalize(&path) {
                Ok(real) if real.starts_with(&root) => found.add(path),
                Ok(_) => found.refuse(path, "the index names it, but it leads out of the sessions"),
                Err(_) => found.refuse(path, "the index names it, but the file does not exist"),
            }
        }
    }
    if is_there {
        return Ok(found.listing);
    }
    Err(SourcesError::NoIndex)
}

/// Files that were named, each one once, by whatever names.
#[derive(Default)]
struct Found {
    listing: Listing,
    /// The devices and numbers of the files.
    seen: HashSet<(u64, u64)>,
}

impl Found {
    fn add(&mut self, path: PathBuf) {
        let Some(stamp) = FileStamp::of(&path) else {
            return self.refuse(path, "it is not a regular file");
        };
        if !self.seen.insert(stamp.identity) {
            return;
        }
        match read_facts(&path, stamp) {
            Ok(facts) => self.listing.sessions.push(facts),
            Err(why) => self.listing.left_out.push((path, why)),
        }
    }

    fn refuse(&mut self, path: PathBuf, why: &str) {
        self.listing.left_out.push((path, NotListed::Unreadable(why.to_owned())));
    }
}
