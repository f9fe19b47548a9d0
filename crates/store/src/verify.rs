//! Whether the cache says what the files say.

use std::path::PathBuf;

use crate::cache::{NewRow, SessionCache, Table};
use crate::discover::{FileKind, FoundFile, discover};
use crate::facts::codec::{Shared, facts_from_bytes};
use crate::facts::{FactsResult, SessionFacts};
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
    // Without `..`, so that a new fact cannot be forgotten here.
    let SessionFacts {
        path: _,
        stamp: _,
        id,
        cwd,
        name,
        parent_session,
        created_ms,
        modified_ms,
        message_count,
        first_message,
        entries,
        branches,
        compactions,
        errors,
        ends_failed,
        subagents,
        damaged_lines,
        models,
        spend,
        role_marker,
    } = a;
    let fields = [
        ("id", *id == b.id),
        ("cwd", *cwd == b.cwd),
        ("name", *name == b.name),
        ("parent", *parent_session == b.parent_session),
        ("created", *created_ms == b.created_ms),
        ("modified", *modified_ms == b.modified_ms),
        ("messageCount", *message_count == b.message_count),
        ("firstMessage", *first_message == b.first_message),
        ("entries", *entries == b.entries),
        ("branches", *branches == b.branches),
        ("compactions", *compactions == b.compactions),
        ("errors", *errors == b.errors),
        ("failedEnd", *ends_failed == b.ends_failed),
        ("subagents", *subagents == b.subagents),
        ("damagedLines", *damaged_lines == b.damaged_lines),
        ("models", *models == b.models),
        ("spend", *spend == b.spend),
        ("role", *role_marker == b.role_marker),
    ];
    fields.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::FileStamp;

    #[test]
    fn a_cache_that_has_another_end_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let header = "{\"type\":\"session\",\"version\":3,\"id\":\"a\",\
            \"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/\"}\n";
        fs_err::write(&path, header).unwrap();
        let stamp = FileStamp::of(&path).unwrap();
        let read = read_whole(&path, FileKind::Session, stamp).facts();
        assert!(differences(Some(&read), &read).is_empty());
        let mut cached = read.clone().unwrap();
        cached.ends_failed = !cached.ends_failed;
        assert_eq!(differences(Some(&Ok(cached)), &read), ["failedEnd"]);
    }
}
