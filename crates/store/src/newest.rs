//! The first rows of a list, before all files are looked at.
//!
//! A file's name begins with the time at which its session did, so the names tell which sessions
//! are likely to be the newest. Only of those the metadata is asked for, which is most of a list's
//! work, and only the newest of them are read. An old session that somebody went on with just now
//! may be missing; the whole list has it.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use pitree_session::location::Layout;
use pitree_session::parallel::in_parallel;
use pitree_session::{FoundHeader, open_file, read_header};

use crate::discover::{FileStamp, session_names, subfolders};
use crate::facts::{SessionFacts, read_facts};
use crate::list::{Store, sort_newest_first};
use crate::scope::{Scope, ScopeFilter};

/// So many files are asked for the time of their last change.
const CANDIDATES: usize = 400;

/// Larger files are left to the whole list, and so is what is beyond so much in all.
const LARGEST: u64 = 1 << 20;
const MOST_BYTES: u64 = 8 << 20;

/// A header lies within so many bytes.
const HEADER_BYTES: u64 = 64 << 10;

/// More threads do not pay for so little.
const THREADS: usize = 2;

impl Store {
    /// Sessions of a scope that are likely to be its newest, newest first: quickly found, for a
    /// first screen. [`Store::list_scope`] has all.
    pub fn list_newest(&self, scope: Scope, most: usize) -> Vec<SessionFacts> {
        let mut filter = ScopeFilter::new(scope, &self.environment);
        let folders = self.folders_of(scope, &mut filter);
        let mut files = newest_names(&folders);
        files.sort_unstable_by_key(|(_, stamp)| Reverse(stamp.modified_ns));
        let mut bytes = 0;
        files.retain(|(_, stamp)| {
            let fits = stamp.size <= LARGEST && bytes + stamp.size <= MOST_BYTES;
            bytes += if fits { stamp.size } else { 0 };
            fits
        });
        files.truncate(most);
        let read = |(path, stamp): &(PathBuf, FileStamp)| read_facts(path, *stamp).ok();
        let read = in_parallel(&files, self.threads.min(THREADS), |(_, stamp)| stamp.size, read);
        let mut sessions: Vec<SessionFacts> = read.into_iter().flatten().collect();
        sessions.retain(|facts| filter.contains(facts));
        sort_newest_first(&mut sessions);
        sessions
    }

    /// The folders in which sessions of a scope may lie.
    fn folders_of(&self, scope: Scope, filter: &mut ScopeFilter) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for location in &self.locations {
            match (scope, location.layout) {
                (Scope::Directory, _) => {
                    folders.push(location.directory_for(self.environment.cwd()));
                }
                (_, Layout::Flat) => folders.push(location.path.clone()),
                (Scope::All, Layout::PerDirectory) => folders.extend(subfolders(&location.path)),
                (Scope::Repository, Layout::PerDirectory) => {
                    let here = location.directory_for(self.environment.cwd());
                    let mut all = subfolders(&location.path);
                    all.retain(|folder| *folder == here || is_of(folder, filter));
                    folders.extend(all);
                }
            }
        }
        folders
    }
}

/// Whether a folder holds sessions of a scope, told by one of them.
fn is_of(folder: &Path, filter: &mut ScopeFilter) -> bool {
    let cwd = || {
        let newest = session_names(folder).max()?;
        let file = open_file(&folder.join(newest)).ok()?;
        match read_header(&file, HEADER_BYTES).ok()? {
            FoundHeader::Header(header) => {
                header.get_string("cwd").map(|cwd| cwd.to_text().into_owned())
            }
            _ => None,
        }
    };
    cwd().is_some_and(|cwd| filter.contains_directory(&cwd))
}

/// The files whose names are the latest, of all folders together.
fn newest_names(folders: &[PathBuf]) -> Vec<(PathBuf, FileStamp)> {
    let mut names: Vec<(OsString, usize)> = Vec::new();
    for (at, folder) in folders.iter().enumerate() {
        names.extend(session_names(folder).map(|name| (name, at)));
    }
    if names.len() > CANDIDATES {
        names.select_nth_unstable_by(CANDIDATES, |(a, _), (b, _)| b.as_bytes().cmp(a.as_bytes()));
        names.truncate(CANDIDATES);
    }
    let file = |(name, at): (OsString, usize)| {
        let path = folders[at].join(name);
        FileStamp::of(&path).map(|stamp| (path, stamp))
    };
    names.into_iter().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use pitree_session::Environment;
    use pitree_session::location::{Location, Origin};

    use super::*;

    fn write(folder: &Path, name: &str, cwd: &Path, minute: u32) {
        fs_err::create_dir_all(folder).unwrap();
        let text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"{}\"}}\n\
             {{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:{minute:02}:00.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"hi\"}}}}\n",
            cwd.display()
        );
        fs_err::write(folder.join(format!("2026-01-01T00-00-00-{name}Z_x.jsonl")), text).unwrap();
    }

    fn ids(sessions: &[SessionFacts]) -> Vec<&str> {
        sessions.iter().map(|facts| &*facts.id).collect()
    }

    #[test]
    fn each_scope_has_a_first_screen_that_the_whole_list_agrees_with() {
        let home = tempfile::tempdir().unwrap();
        let (sessions, project) = (home.path().join("sessions"), home.path().join("project"));
        fs_err::create_dir_all(project.join(".git")).unwrap();
        fs_err::create_dir_all(project.join("part")).unwrap();
        let environment = Environment::new(home.path(), &project, || 0, |bytes| bytes.fill(7));
        let (layout, origin) = (Layout::PerDirectory, Origin::SessionsRootFlag);
        let location = Location { path: sessions, layout, origin };
        let elsewhere = home.path().join("elsewhere");
        for (at, cwd) in [&project, &project.join("part"), &elsewhere].into_iter().enumerate() {
            let folder = location.directory_for(cwd);
            (0..3).for_each(|number| {
                write(&folder, &format!("{at}{number}0"), cwd, (at * 10 + number) as u32);
            });
        }
        let store = Store::new(vec![location], &environment);
        for (scope, count) in [(Scope::Directory, 3), (Scope::Repository, 6), (Scope::All, 9)] {
            let newest = store.list_newest(scope, 48);
            assert_eq!(newest.len(), count, "{scope:?}");
            assert_eq!(ids(&newest), ids(&store.list_scope(scope).sessions), "{scope:?}");
            assert_eq!(store.list_newest(scope, 2).len(), 2);
        }
    }

    #[test]
    fn of_very_many_only_the_latest_are_looked_at() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment::new(home.path(), home.path(), || 0, |bytes| bytes.fill(7));
        let path = home.path().join("sessions");
        for number in 0..CANDIDATES + 20 {
            write(&path, &format!("{number:03}"), home.path(), 0);
        }
        let origin = Origin::SessionDirFlag;
        let location = Location { path: path.clone(), layout: Layout::Flat, origin };
        assert_eq!(newest_names(&[path]).len(), CANDIDATES);
        let store = Store::new(vec![location], &environment);
        let newest = store.list_newest(Scope::All, CANDIDATES);
        assert!(newest.iter().all(|facts| &*facts.id >= "020"), "{:?}", ids(&newest));
    }
}
