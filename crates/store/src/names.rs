//! The names of session files, looked through for an id.
//!
//! To ask the system for a hundred thousand names takes longer than all else that is done to find
//! one session. So the names of folders with many files are kept, with the time at which the folder
//! last changed: no name comes or goes without a change of that time.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use memchr::{memchr, memmem, memrchr};
use pitree_session::location::{Layout, Location};
use pitree_session::parallel::in_parallel;

use crate::cache::{FolderRow, FolderStamp, SessionCache, is_settled, seal, unseal};
use crate::discover::{session_names, subfolders};
use crate::hash::Map;
use crate::list::Store;

/// The names of folders with fewer files are not kept: to list them is as quick.
const FEWEST_NAMES: usize = 128;

/// What stands behind each name that is kept: no name holds it.
const END: u8 = b'/';

/// Files that may be a session that is looked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Candidates {
    /// Files whose names hold an id that begins like the one that is looked for.
    pub(crate) named: Vec<PathBuf>,
    /// Files whose names hold no id.
    pub(crate) unnamed: Vec<PathBuf>,
}

impl Store {
    /// The files whose names say that they may be the session with this id, or an id that begins
    /// like this, and those whose names say nothing.
    pub(crate) fn candidates(&self, typed: &str) -> Candidates {
        // Taken before any folder is looked at: see `is_settled`.
        let now_ms = self.environment.now_ms();
        let folders = self.session_folders();
        let mut found = Candidates::default();
        let mut cache = SessionCache::open_existing(self.cache_directory(), &self.progress);
        let (unknown, gone) = self.look_up(typed, folders, &cache, &mut found);
        let list = |(folder, _): &(PathBuf, _)| Names::list(folder);
        let listed = in_parallel(&unknown, self.threads, |_| 0, list);
        let mut rows = Vec::new();
        for ((folder, stamp), names) in unknown.into_iter().zip(listed) {
            names.add_candidates(&folder, typed, &mut found);
            let Some(stamp) = stamp.filter(|_| names.count >= FEWEST_NAMES) else { continue };
            if is_settled(stamp.changed_ns, now_ms) {
                rows.push(FolderRow { path: folder, stamp, names: names.into_bytes() });
            }
        }
        if !(rows.is_empty() && gone.is_empty()) {
            if !cache.is_there() {
                cache = SessionCache::open(self.cache_directory(), &self.progress);
            }
            cache.update_folders(&rows, &gone);
        }
        // A file that has several names goes by the first of them, each time by the same one.
        found.named.sort_unstable();
        found.unnamed.sort_unstable();
        found
    }

    /// Looks in the names that are kept. Gives the folders of which none are, with their stamps,
    /// and folders that are kept and gone.
    fn look_up(
        &self,
        typed: &str,
        folders: Vec<PathBuf>,
        cache: &SessionCache,
        found: &mut Candidates,
    ) -> (Vec<(PathBuf, Option<FolderStamp>)>, Vec<PathBuf>) {
        let with_stamp = |folder: PathBuf| {
            let stamp = folder_stamp(&folder);
            (folder, (stamp, false))
        };
        let mut folders: Map<PathBuf, (Option<FolderStamp>, bool)> =
            folders.into_iter().map(with_stamp).collect();
        let mut gone = Vec::new();
        for location in &self.locations {
            cache.each_folder(&location.path, |path, kept, bytes| {
                let path = Path::new(OsStr::from_bytes(path));
                match folders.get_mut(path) {
                    Some((Some(stamp), is_known)) if *stamp == kept && !*is_known => {
                        if let Some(names) = Names::from_bytes(bytes) {
                            names.add_candidates(path, typed, found);
                            *is_known = true;
                        }
                    }
                    Some(_) => {}
                    None if path.exists() => {}
                    None => gone.push(path.to_owned()),
                }
            });
        }
        let unknown = folders.into_iter().filter(|(_, (_, is_known))| !is_known);
        (unknown.map(|(folder, (stamp, _))| (folder, stamp)).collect(), gone)
    }

    /// The folders in which sessions may lie.
    fn session_folders(&self) -> Vec<PathBuf> {
        let below = |location: &Location| match location.layout {
            Layout::Flat => vec![location.path.clone()],
            Layout::PerDirectory => subfolders(&location.path),
        };
        self.locations.iter().flat_map(below).collect()
    }
}

/// When a folder last changed, and which it is.
fn folder_stamp(folder: &Path) -> Option<FolderStamp> {
    let metadata = fs_err::metadata(folder).ok()?;
    // The time of the last change of any kind, since nobody can set it back.
    let seconds = metadata.ctime().wrapping_mul(1_000_000_000);
    let changed_ns = seconds.wrapping_add(metadata.ctime_nsec());
    Some(FolderStamp { changed_ns, identity: (metadata.dev(), metadata.ino()) })
}

/// The names of the files of a folder that may be sessions.
#[derive(Default)]
struct Names<'b> {
    /// Those that hold an id and those that do not, each with [`END`] behind it.
    named: Cow<'b, [u8]>,
    unnamed: Cow<'b, [u8]>,
    count: usize,
}

impl<'b> Names<'b> {
    fn list(folder: &Path) -> Self {
        let (mut named, mut unnamed, mut count) = (Vec::new(), Vec::new(), 0);
        for name in session_names(folder) {
            let has_id = name.to_str().and_then(id_in_name).is_some();
            let names = if has_id { &mut named } else { &mut unnamed };
            names.extend_from_slice(name.as_bytes());
            names.push(END);
            count += 1;
        }
        Self { named: named.into(), unnamed: unnamed.into(), count }
    }

    /// The bytes to keep.
    fn into_bytes(self) -> Vec<u8> {
        let length = (self.named.len() as u64).to_le_bytes();
        seal([&self.named[..], &self.unnamed[..], &length[..]].concat())
    }

    /// What was kept; `None` when the bytes make no sense.
    fn from_bytes(bytes: &'b [u8]) -> Option<Self> {
        let (names, length) = unseal(bytes)?.split_last_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (named, unnamed) = names.split_at_checked(length)?;
        Some(Self { named: named.into(), unnamed: unnamed.into(), count: 0 })
    }

    fn add_candidates(&self, folder: &Path, typed: &str, found: &mut Candidates) {
        let unnamed = self.unnamed.split(|byte| *byte == END).filter(|name| !name.is_empty());
        found.unnamed.extend(unnamed.map(|name| folder.join(OsStr::from_bytes(name))));
        let needle = format!("_{typed}");
        for at in memmem::find_iter(&self.named, &needle) {
            let start = memrchr(END, &self.named[..at]).map_or(0, |end| end + 1);
            let length = memchr(END, &self.named[start..]).unwrap_or(0);
            let name = &self.named[start..start + length];
            // The id begins behind the first underscore.
            if memchr(b'_', name) == Some(at - start) {
                found.named.push(folder.join(OsStr::from_bytes(name)));
            }
        }
    }
}

/// The id in the name of a file, as Pi names it: `2026-02-03T22-52-06-410Z_<id>.jsonl`.
pub(crate) fn id_in_name(name: &str) -> Option<&str> {
    let (time, id) = name.strip_suffix(".jsonl")?.split_once('_')?;
    let is_time = time.len() == 24
        && time.ends_with('Z')
        && time.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'T' | b'Z'));
    (is_time && !id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use pitree_session::Environment;
    use pitree_session::location::Origin;

    use super::*;
    use crate::progress::Listener;

    const TIME: &str = "2026-02-03T22-52-06-410Z";

    fn now_ms() -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    }

    fn sorted(mut found: Candidates) -> Candidates {
        found.named.sort();
        found.unnamed.sort();
        found
    }

    /// The names that are kept are those that are there, whatever comes, goes or is renamed.
    #[test]
    fn kept_names_are_the_names_that_are_there() {
        let home = tempfile::tempdir().unwrap();
        // A moment at which all changes are long past.
        let environment =
            Environment::new(home.path(), home.path(), || now_ms() + 60_000, |bytes| bytes.fill(7));
        let (layout, origin) = (Layout::PerDirectory, Origin::SessionsRootFlag);
        let path = home.path().join("sessions");
        let location = Location { path: path.clone(), layout, origin };
        let plain = Store::new(vec![location.clone()], &environment);
        // A location that is named twice is looked at once.
        let cached = Store::new(vec![location.clone(), location], &environment)
            .with_cache(home.path().join("cache"));
        let write = |folder: &str, name: &str| {
            fs_err::create_dir_all(path.join(folder)).unwrap();
            fs_err::write(path.join(folder).join(name), "").unwrap();
        };
        for number in 0..FEWEST_NAMES {
            write("many", &format!("{TIME}_ab{number:04}_ab0.jsonl"));
            write("more", &format!("{TIME}_cd{number:04}.jsonl"));
        }
        write("many", "notes.jsonl");
        write("many", "no.txt");
        write("few", &format!("{TIME}_ab0001.jsonl"));
        let same = |what: &str| {
            for typed in ["ab0", "ab0001", "cd0100", "cd", "ef", "notes", "2026", "ab0127_ab0"] {
                // The clock of the file system ticks more slowly than this test runs.
                std::thread::sleep(std::time::Duration::from_millis(12));
                let found = sorted(cached.candidates(typed));
                assert_eq!(found, sorted(plain.candidates(typed)), "{what}: {typed}");
                let again = sorted(cached.candidates(typed));
                assert_eq!(found, again, "{what}: {typed} again");
            }
        };
        same("at first");
        let kept = || {
            let mut kept = Vec::new();
            let cache = SessionCache::open_existing(cached.cache_directory(), &Listener::default());
            cache.each_folder(&path, |path, _, _| kept.push(path.to_vec()));
            kept.len()
        };
        assert_eq!(kept(), 2, "folders with many files");
        write("more", &format!("{TIME}_ef01.jsonl"));
        same("a new file");
        fs_err::remove_file(path.join("many").join(format!("{TIME}_ab0001_ab0.jsonl"))).unwrap();
        same("a file that is gone");
        let renamed = path.join("more").join(format!("{TIME}_ab0001.jsonl"));
        fs_err::rename(path.join("more").join(format!("{TIME}_cd0100.jsonl")), renamed).unwrap();
        same("a file with another name");
        fs_err::rename(path.join("many"), path.join("others")).unwrap();
        same("a folder with another name");
        fs_err::remove_dir_all(path.join("more")).unwrap();
        same("a folder that is gone");
        assert_eq!(kept(), 1);
    }

    #[test]
    fn names_that_were_kept_and_damaged_are_not_used() {
        let names = Names { named: b"x/"[..].into(), unnamed: b"y/"[..].into(), count: 2 };
        let mut bytes = names.into_bytes();
        assert!(Names::from_bytes(&bytes).is_some());
        bytes[1] ^= 1;
        assert!(Names::from_bytes(&bytes).is_none() && Names::from_bytes(&[]).is_none());
    }
}
