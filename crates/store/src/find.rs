//! Sessions by their ids: the one that a prefix names, and the shortest prefix that names one.
//!
//! Only ids are needed, so a file that the cache does not know is read up to its second line and
//! no further.

use std::ops::Range;
use std::path::{Path, PathBuf};

use pitree_session::location::{read_session, resolve_name};
use pitree_session::{SessionError, SessionMatch};

use crate::cache::FileCache;
use crate::discover::{FileKind, FileStamp, FolderFiles, FoundFile, scan};
use crate::facts::kept::{GENERATION, id_from_bytes};
use crate::list::Store;
use crate::parallel::in_parallel;
use crate::together::{Row, Together, bring_together, scan_and_load};
use crate::verify::FACTS;

/// A shorter prefix of an id is not shown, even if it names only one session today.
const FEWEST_CHARACTERS: usize = 8;

impl Store {
    /// Finds a session by what the user typed: a path, an id, or a prefix of exactly one id. One
    /// that several sessions share is an error that names them.
    pub fn find(&self, typed: &str) -> Result<PathBuf, SessionError> {
        resolve_name(typed, &self.environment, || self.session_ids())
    }

    /// The shortest prefixes by which [`Self::find`] finds sessions.
    pub fn short_ids(&self) -> ShortIds {
        ShortIds::new(self.session_ids().into_iter().map(|found| found.id))
    }

    /// The ids of all sessions of all locations.
    pub fn session_ids(&self) -> Vec<SessionMatch> {
        let cache = match &self.cache_directory {
            Some(directory) => FileCache::open_existing(directory, FACTS, GENERATION),
            None => FileCache::none(),
        };
        let below: Vec<PathBuf> =
            self.locations.iter().map(|location| location.path.clone()).collect();
        let (mut folders, rows) =
            scan_and_load(&cache, &below, || scan(&self.locations), KnownId::decode);
        folders.retain(|folder| folder.kind == FileKind::Session);
        let Together { known, to_read, .. } = bring_together(&folders, rows);
        let read = |(file, _): &(FoundFile, _)| {
            let found = read_session(&file.path).ok().flatten()?;
            Some(SessionMatch { id: found.id(), path: file.path.clone() })
        };
        let read = in_parallel(&to_read, self.threads, |_| 0, read);
        let known = known.into_iter().filter_map(|row| {
            let (id, path) = (row.id.flatten()?, row.path);
            Some(SessionMatch { id, path })
        });
        known.chain(read.into_iter().flatten()).collect()
    }
}

/// What the cache has of a file's id.
struct KnownId {
    path: PathBuf,
    stamp: FileStamp,
    /// `None` for a row that makes no sense, `Some(None)` for a file that is not a session.
    id: Option<Option<String>>,
}

impl KnownId {
    fn decode(path: &Path, stamp: FileStamp, payload: &[u8]) -> Self {
        let id = id_from_bytes(payload).map(|id| id.map(str::to_owned));
        Self { path: path.to_owned(), stamp, id }
    }
}

impl Row for KnownId {
    fn path(&self) -> &Path {
        &self.path
    }

    fn stamp(&self) -> FileStamp {
        self.stamp
    }

    fn is_sound(&self) -> bool {
        self.id.is_some()
    }

    fn holds_in(&mut self, _: &FolderFiles) {}
}

/// The shortest prefixes by which sessions can be named.
#[derive(Clone, Debug, Default)]
pub struct ShortIds {
    /// The ids in order.
    ids: Vec<String>,
}

impl ShortIds {
    /// Prefixes among these ids, which should be those of all sessions that [`Store::find`] knows.
    pub fn new(ids: impl IntoIterator<Item = String>) -> Self {
        let mut ids: Vec<String> = ids.into_iter().collect();
        ids.sort_unstable();
        Self { ids }
    }

    /// How many characters the longest of the prefixes has; at least eight.
    pub fn width(&self) -> usize {
        let widths = self.ids.iter().map(|id| self.short(id).chars().count());
        widths.fold(FEWEST_CHARACTERS, usize::max)
    }

    /// The shortest prefix of an id, of at least eight characters, that no other id begins with.
    /// An id that is itself the beginning of another is shown whole. The id need not be among those
    /// that are known.
    pub fn short<'a>(&self, id: &'a str) -> &'a str {
        let same = self.same(id);
        let before = same.start.checked_sub(1).and_then(|at| self.ids.get(at));
        // Two sessions may have one id; then no prefix tells them apart, and all of it is shown.
        let shared = if same.len() > 1 { usize::MAX } else { 0 };
        let shared = [before, self.ids.get(same.end)]
            .into_iter()
            .flatten()
            .map(|other| common(id, other))
            .fold(shared, usize::max);
        let wanted = shared.saturating_add(1).max(FEWEST_CHARACTERS);
        id.char_indices().nth(wanted).map_or(id, |(end, _)| &id[..end])
    }

    /// Whether only one session has this id.
    pub fn is_unique(&self, id: &str) -> bool {
        self.same(id).len() == 1
    }

    /// The places of all ids that are the same.
    fn same(&self, id: &str) -> Range<usize> {
        let start = self.ids.partition_point(|other| other.as_str() < id);
        start..start + self.ids[start..].iter().take_while(|other| *other == id).count()
    }
}

/// How many characters two texts begin with alike.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_names_its_session_and_no_other() {
        // All ids of up to three letters, behind beginnings of many lengths.
        let letters = ["", "a", "b", "é"];
        let mut ids = Vec::new();
        for beginning in ["", "01234", "0123456", "0123456é", "0123456789"] {
            for one in letters {
                for other in letters {
                    ids.push(format!("{beginning}{one}{other}"));
                    ids.push(format!("{beginning}{one}{other}bb"));
                }
            }
        }
        let short_ids = ShortIds::new(ids.clone());
        let fitting = |prefix: &str| ids.iter().filter(|id| id.starts_with(prefix)).count();
        for id in &ids {
            let short = short_ids.short(id);
            assert!(id.starts_with(short), "{id}");
            if short != id {
                assert_eq!(fitting(short), 1, "{short} of {id}");
                let mut shorter = short.to_owned();
                shorter.pop();
                let length = short.chars().count();
                assert!(length == FEWEST_CHARACTERS || fitting(&shorter) > 1, "{short} of {id}");
            }
        }
        assert_eq!(ShortIds::new([]).short("0123456789"), "01234567");
    }
}
