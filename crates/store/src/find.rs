//! Sessions by their ids: the one that a prefix names, and the shortest prefix that names one.
//!
//! Only ids are needed, so a file that the cache does not know is read up to its second line and
//! no further.

use std::ops::Range;
use std::path::{Path, PathBuf};

use pitree_session::location::{read_session, resolve_name};
use pitree_session::parallel::in_parallel;
use pitree_session::{SessionError, SessionMatch};

use crate::cache::{SessionCache, Table};
use crate::discover::{FileKind, FileStamp, scan};
use crate::facts::codec::id_from_bytes;
use crate::hash::{Map, hash_bytes};
use crate::list::Store;
use crate::names::Candidates;
use crate::reconcile::{Reconciled, Row, reconcile, scan_and_load};

/// With more files that may be meant the cache is quicker.
const MOST_OPENED: usize = 100;

/// A shorter prefix of an id is not shown, even if it names only one session today.
const FEWEST_CHARACTERS: usize = 8;

impl Store {
    /// Finds a session by what the user typed: a path, an id, or a prefix of exactly one id. One
    /// that several sessions share is an error that names them.
    pub fn find(&self, typed: &str) -> Result<PathBuf, SessionError> {
        resolve_name(typed, &self.environment, || self.named_like(typed))
    }

    /// The sessions that an id or its beginning may mean. Pi's files have the id in their names, so
    /// only those whose names fit are opened, and those whose names say nothing. If that finds
    /// none, an id may stand in a file with another name: then all of them are asked.
    fn named_like(&self, typed: &str) -> Vec<SessionMatch> {
        let Candidates { named, mut unnamed } = self.candidates(typed);
        if named.is_empty() || named.len() + unnamed.len() > MOST_OPENED {
            return self.session_ids();
        }
        unnamed.extend(named);
        let found = in_parallel(&unnamed, self.threads, |_| 0, |path| match_of(path));
        let found: Vec<SessionMatch> = found.into_iter().flatten().collect();
        match found.iter().any(|found| found.id.starts_with(typed)) {
            true => found,
            false => self.session_ids(),
        }
    }

    /// The shortest prefixes by which [`Self::find`] finds sessions.
    pub fn short_ids(&self) -> ShortIds {
        ShortIds::new(self.session_ids().into_iter().map(|found| found.id))
    }

    /// The ids of all sessions of all locations.
    pub fn session_ids(&self) -> Vec<SessionMatch> {
        let cache = SessionCache::open_existing(self.cache_directory(), &self.progress);
        let below: Vec<PathBuf> =
            self.locations.iter().map(|location| location.path.clone()).collect();
        let cached = (&cache, Table::Facts);
        let (mut folders, rows) =
            scan_and_load(cached, &below, || scan(&self.locations), KnownId::decode);
        folders.retain(|folder| folder.kind == FileKind::Session);
        let Reconciled { known, to_read, .. } = reconcile(&folders, rows);
        let read = in_parallel(&to_read, self.threads, |_| 0, |file| match_of(&file.path));
        let known = known.into_iter().filter_map(|row| {
            let (id, path) = (row.id.flatten()?, row.path);
            Some(SessionMatch { id, path })
        });
        known.chain(read.into_iter().flatten()).collect()
    }
}

/// The id of a file, if it is a session.
fn match_of(path: &Path) -> Option<SessionMatch> {
    let found = read_session(path).ok().flatten()?;
    Some(SessionMatch { id: found.id(), path: path.to_owned() })
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

    fn kind(&self) -> Option<FileKind> {
        // Only sessions have ids.
        self.id.as_ref().map(|_| FileKind::Session)
    }
}

/// The shortest prefixes by which sessions can be named.
#[derive(Clone, Debug, Default)]
pub struct ShortIds {
    /// The ids in order.
    ids: Vec<String>,
    /// How many characters an id has to be given, by the hash of the id.
    wanted: Map<u64, usize>,
}

impl ShortIds {
    /// Prefixes among these ids, which should be those of all sessions that [`Store::find`] knows.
    pub fn new(ids: impl IntoIterator<Item = String>) -> Self {
        let mut ids: Vec<String> = ids.into_iter().collect();
        ids.sort_unstable();
        let mut short = Self { ids, wanted: Map::default() };
        short.wanted = short.all_wanted();
        short
    }

    /// How many characters each id has to be given. The nearest relatives of an id are its
    /// neighbors. No prefix separates files that have the same id, so they need not be longer for
    /// that.
    fn all_wanted(&self) -> Map<u64, usize> {
        let mut wanted = Map::with_capacity_and_hasher(self.ids.len(), Default::default());
        let mut before = 0;
        let mut groups = self.ids.chunk_by(|a, b| a == b).map(|same| &same[0]).peekable();
        while let Some(id) = groups.next() {
            let shared = groups.peek().map_or(0, |next| common(id, next));
            let needed = before.max(shared).saturating_add(1).max(FEWEST_CHARACTERS);
            // Should two ids have one hash, the longer prefix will do for both.
            let known = wanted.entry(hash_bytes(id.as_bytes())).or_insert(needed);
            *known = needed.max(*known);
            before = shared;
        }
        wanted
    }

    /// How many characters the longest of the prefixes has; at least eight.
    pub fn width(&self) -> usize {
        let widths = self.ids.iter().map(|id| self.short(id).chars().count());
        widths.fold(FEWEST_CHARACTERS, usize::max)
    }

    /// The shortest prefix of an id, of at least eight characters, that no other id begins with.
    /// An id that is itself the beginning of another is shown whole. The id need not be among those
    /// that are known, and several sessions may have it: [`is_shared`](Self::is_shared).
    pub fn short<'a>(&self, id: &'a str) -> &'a str {
        let known = self.wanted.get(&hash_bytes(id.as_bytes()));
        let wanted = known.copied().unwrap_or_else(|| self.wanted_of_stranger(id));
        id.char_indices().nth(wanted).map_or(id, |(end, _)| &id[..end])
    }

    fn wanted_of_stranger(&self, id: &str) -> usize {
        let at = self.same(id).start;
        let neighbors = [at.checked_sub(1).and_then(|at| self.ids.get(at)), self.ids.get(at)];
        let shared = neighbors.into_iter().flatten().map(|other| common(id, other));
        shared.fold(0, usize::max).saturating_add(1).max(FEWEST_CHARACTERS)
    }

    /// Whether only one session has this id.
    pub fn is_unique(&self, id: &str) -> bool {
        self.same(id).len() == 1
    }

    /// Whether several sessions have this id, so that only their paths tell them apart.
    pub fn is_shared(&self, id: &str) -> bool {
        self.same(id).len() > 1
    }

    /// The places of all ids that are the same.
    fn same(&self, id: &str) -> Range<usize> {
        let start = self.ids.partition_point(|other| other.as_str() < id);
        start..start + self.ids[start..].iter().take_while(|other| *other == id).count()
    }
}

/// How many characters two texts begin with alike.
fn common(a: &str, b: &str) -> usize {
    let bytes = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // Two characters may begin with the same byte.
    let whole = (0..=bytes).rev().find(|&end| a.is_char_boundary(end) && b.is_char_boundary(end));
    a[..whole.unwrap_or(0)].chars().count()
}

#[cfg(test)]
mod tests {
    use pitree_session::location::{Layout, Location};

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
        let widest = ids.iter().map(|id| short_ids.short(id).chars().count()).max();
        assert_eq!(Some(short_ids.width()), widest);
        assert_eq!(ShortIds::new([]).short("0123456789"), "01234567");
        assert_eq!(short_ids.short("0123456789axyz"), "0123456789ax", "a stranger");
        let twice = ["01234567aa", "01234567aa", "0123bbbbbb"].map(str::to_owned);
        let short_ids = ShortIds::new(twice.clone());
        let short = twice.each_ref().map(|id| short_ids.short(id));
        assert_eq!(short, ["01234567", "01234567", "0123bbbb"]);
        assert_eq!(twice.map(|id| short_ids.is_shared(&id)), [true, true, false]);
        assert!(!short_ids.is_shared("a stranger"));
    }

    /// Whatever the files are called, the answer is that of all ids.
    #[test]
    fn a_session_is_found_by_the_name_of_its_file_or_by_its_header() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("sessions");
        let write = |name: &str, id: &str| {
            fs_err::create_dir_all(path.join("--p--")).unwrap();
            let header = format!("{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\"}}\n");
            fs_err::write(path.join("--p--").join(name), header).unwrap();
        };
        let time = "2026-02-03T22-52-06-410Z";
        write(&format!("{time}_aaaa1111.jsonl"), "aaaa1111");
        write(&format!("{time}_bbbb1111.jsonl"), "cccc1111");
        write(&format!("{time}_dddd_1.jsonl"), "dddd_1");
        write("mine.jsonl", "aaaa2222");
        write("old_eeee.jsonl", "ffff");
        write(&format!("{time}_gggg1.jsonl"), "gggg1");
        write(&format!("{time}_gggg2.jsonl"), "gggg2");
        let environment =
            pitree_session::Environment::new(home.path(), home.path(), || 0, |bytes| bytes.fill(7));
        let origin = pitree_session::location::Origin::SessionsRootFlag;
        let location = Location { path, layout: Layout::PerDirectory, origin };
        let store = Store::new(vec![location], &environment);
        for typed in [
            "aaaa", "aaaa1", "aaaa2", "bbbb", "cccc", "dddd_", "eeee", "ffff", "gggg", "gggg2", "z",
        ] {
            let found = store.find(typed).map_err(|error| error.to_string());
            let asked = resolve_name(typed, &environment, || store.session_ids());
            assert_eq!(found, asked.map_err(|error| error.to_string()), "{typed}");
        }
    }
}
