//! Whether the cache says what the files say.

use std::path::PathBuf;

use crate::cache::{NewRow, SessionCache, Table};
use crate::discover::{FileKind, FoundFile, discover};
use crate::facts::FactsResult;
use crate::facts::kept::{Shared, facts_from_bytes};
use crate::ledger::ledger_from_bytes;
use crate::list::{Listing, Store};
use crate::reading::{Summarized, read_whole, row_of};
#[cfg(feature = "search")]
use crate::search;

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
    /// Deletes what was kept of facts, of spending and of words, and reads every file once to build
    /// it anew.
    pub fn rebuild_caches(&self) -> Listing {
        if let Some(directory) = self.cache_directory() {
            SessionCache::delete(directory);
            #[cfg(feature = "search")]
            search::delete_index(directory);
        }
        #[cfg(feature = "search")]
        self.index_words();
        let listing = self.list_all();
        // The records of sub-agents are nobody's list and no words.
        let _ = self.ledger();
        listing
    }

    /// Reads every file that the cache would answer for, and compares.
    pub fn verify_cache(&self) -> Verified {
        let mut verified = Verified::default();
        let cache = SessionCache::open_existing(self.cache_directory(), &self.progress);
        let files = discover(self.locations());
        let count = self.progress.begin(files.len());
        for file in files {
            count.one();
            if file.kind != FileKind::Session {
                continue;
            }
            verified.files += 1;
            let row = |table| {
                let row = cache.get(table, &file.path);
                row.filter(|(stamp, _)| *stamp == file.stamp).map(|(_, payload)| payload)
            };
            // Through another location the file may be the record of a sub-agent.
            let is_of_record = |spend: &Vec<u8>| {
                ledger_from_bytes(spend).is_some_and(|(kind, _)| kind != file.kind)
            };
            let facts = row(Table::Facts);
            let spend = row(Table::Spend).filter(|spend| !is_of_record(spend));
            if facts.is_none() && spend.is_none() {
                continue;
            }
            let read = read_whole(&file.path, file.kind, file.stamp);
            // What changes meanwhile is no mistake of the cache.
            if read.stamp != file.stamp {
                continue;
            }
            verified.known += 1;
            let different = different(&file, read, facts.as_deref(), spend.as_deref());
            if !different.is_empty() {
                verified.differences.push((file.path, different));
            }
        }
        verified
    }
}

/// What the cache says otherwise than the file.
fn different(
    file: &FoundFile,
    read: Summarized,
    facts: Option<&[u8]>,
    spend: Option<&[u8]>,
) -> Vec<&'static str> {
    // What is kept is compared, since a sum that is no number equals nothing.
    let Some(NewRow { facts: now_facts, spend: now_spend, .. }) = row_of(file, &read, 0) else {
        return vec!["session"];
    };
    let mut different = Vec::new();
    if let Some(facts) = facts.filter(|facts| Some(*facts) != now_facts.as_deref()) {
        let cached = facts_from_bytes(file.stamp, facts, &mut Shared::default());
        different = differences(cached.as_ref(), &read.facts());
    }
    if spend.is_some_and(|spend| spend != now_spend) {
        different.push("usages");
    }
    different
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
