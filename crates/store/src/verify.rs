//! Whether the cache says what the files say.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::cache::{CachedFile, FileCache};
use crate::discover::{FileKind, discover};
use crate::facts::kept::{GENERATION, Shared, from_bytes, to_bytes};
use crate::facts::{FactsResult, read_whole};
use crate::list::{Listing, Store};
use crate::{ledger, search};

/// The name of the cache of facts.
pub(crate) const FACTS: &str = "facts";

/// What a comparison of the cache with the files found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// How many files there are.
    pub files: usize,
    /// How many of them the cache would answer for.
    pub known: usize,
    /// Files of which the cache says something else, and which facts differ.
    pub differences: Vec<(PathBuf, Vec<&'static str>)>,
}

impl Store {
    /// Deletes the caches of facts, of spend and of words, reads every file and builds them anew.
    pub fn rebuild_caches(&self) -> Listing {
        if let Some(directory) = self.cache_directory() {
            FileCache::delete(directory, FACTS, GENERATION);
            FileCache::delete(directory, ledger::CACHE, ledger::GENERATION);
            search::delete_index(directory);
        }
        let listing = self.list_all();
        let _ = self.ledger();
        self.index_words();
        listing
    }

    /// Reads every file that the cache would answer for, and compares.
    pub fn verify_cache(&self) -> Verified {
        let mut verified = Verified::default();
        let mut known: HashMap<PathBuf, CachedFile> = HashMap::new();
        if let Some(directory) = self.cache_directory() {
            let cache = FileCache::open(directory, FACTS, GENERATION);
            for location in self.locations() {
                known.extend(cache.load(&location.path));
            }
        }
        let files = discover(self.locations());
        let count = self.progress.begin(files.len());
        for file in files {
            count.one();
            if file.kind != FileKind::Session {
                continue;
            }
            verified.files += 1;
            let row = known.remove(&file.path).filter(|row| row.stamp == file.stamp);
            let Some(row) = row else { continue };
            let reading = read_whole(&file.path, file.stamp);
            // What changes meanwhile is no mistake of the cache.
            if reading.stamp != file.stamp {
                continue;
            }
            verified.known += 1;
            // What is kept is compared, since a sum that is no number equals nothing.
            if to_bytes(&reading.result).is_some_and(|bytes| bytes == row.payload) {
                continue;
            }
            let cached = from_bytes(file.stamp, &row.payload, &mut Shared::default());
            let different = differences(cached.as_ref(), &reading.result);
            verified.differences.push((file.path, different));
        }
        verified
    }
}

fn differences(cached: Option<&FactsResult>, read: &FactsResult) -> Vec<&'static str> {
    let (a, b) = match (cached, read) {
        (None, _) => return vec!["form"],
        (Some(Ok(a)), Ok(b)) => (a, b),
        _ => return vec!["session"],
    };
    let fields = [
        ("id", a.id == b.id),
        ("cwd", a.cwd == b.cwd),
        ("name", a.name == b.name),
        ("parent", a.parent_session == b.parent_session),
        ("created", a.created_ms == b.created_ms),
        ("modified", a.modified_ms == b.modified_ms),
        ("messageCount", a.message_count == b.message_count),
        ("firstMessage", a.first_message == b.first_message),
        ("entries", a.entries == b.entries),
        ("branches", a.branches == b.branches),
        ("compactions", a.compactions == b.compactions),
        ("errors", a.errors == b.errors),
        ("subagents", a.subagents == b.subagents),
        ("damagedLines", a.damaged_lines == b.damaged_lines),
        ("models", a.models == b.models),
        ("spend", a.spend == b.spend),
        ("role", a.role_marker == b.role_marker),
    ];
    fields.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}
