//! A large file to which a little was added: it is read on from what was kept, and nothing is kept
//! anew.
//!
//! What a cache has of a long session is long, too. To take it all in and write it all out for one
//! more entry takes longer than anything else a list does. So only the new lines are read, every
//! time, until they have become many or nobody has written to the file for a while.

use std::fs::File;
use std::path::Path;

use pitree_session::open_file;

use super::links::Links;
use super::marks::may_have_grown;
use super::pass::read_lines;
use super::summary::{FEWEST_BYTES, Rest, Summarized, Summary};
use super::tree::Tree;
use crate::cache::{Apart, SessionCache, Table};
use crate::discover::{FileKind, FileStamp, FoundFile};
use crate::facts::kept::{Shared, facts_from_bytes};
use crate::facts::{FactsReader, SessionFacts};
use crate::ledger::{FileLedger, SpendReader, ledger_from_bytes};

/// More bytes than these are not read again and again.
const MOST_ADDED: u64 = 2 << 20;

/// Nor is more than this part of the file.
const PART: u64 = 16;

/// Which files are read on without being kept anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrowthPolicy {
    /// Smaller files are kept each time, in bytes.
    pub from_bytes: u64,
    /// A file that has not changed for so long is kept, in milliseconds.
    pub quiet_after_ms: i64,
}

impl Default for GrowthPolicy {
    fn default() -> Self {
        Self { from_bytes: 4 << 20, quiet_after_ms: 600_000 }
    }
}

impl GrowthPolicy {
    /// A policy for files of this size and more.
    pub fn new(from_bytes: u64, quiet_after_ms: i64) -> Self {
        Self { from_bytes, quiet_after_ms }
    }

    /// All files are kept each time.
    pub(crate) fn never() -> Self {
        Self::new(u64::MAX, 0)
    }

    /// The policy at a moment, in Unix milliseconds.
    pub(crate) fn at(self, now_ms: i64) -> AllowedGrowth {
        AllowedGrowth { policy: self, now_ms }
    }
}

/// The policy at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllowedGrowth {
    policy: GrowthPolicy,
    now_ms: i64,
}

impl AllowedGrowth {
    /// Whether a file seems to have grown, and so little that it is not kept anew.
    pub(crate) fn allows(self, then: FileStamp, now: FileStamp) -> bool {
        let most = (then.size / PART).min(MOST_ADDED);
        may_have_grown(then, now)
            && then.size >= self.policy.from_bytes
            && now.size - then.size <= most
            && self.now_ms.saturating_sub(now.modified_ms()) < self.policy.quiet_after_ms
    }
}

/// What a cache knows of a file as it was before a little was added.
pub(crate) struct KnownBefore {
    facts: SessionFacts,
    rest: Rest,
}

impl KnownBefore {
    /// What is known of a file to which as much was added as is allowed.
    pub(crate) fn load(
        file: &FoundFile,
        cache: &SessionCache,
        allowed: AllowedGrowth,
    ) -> Option<Self> {
        // Most files are small, and for them nothing is looked up.
        if file.kind != FileKind::Session || file.stamp.size < allowed.policy.from_bytes {
            return None;
        }
        let (then, facts) = cache.get(Table::Facts, &file.path)?;
        if !allowed.allows(then, file.stamp) {
            return None;
        }
        Self::of_row(&file.path, cache, (then, &facts))
    }

    fn of_row(
        path: &Path,
        cache: &SessionCache,
        (then, facts): (FileStamp, &[u8]),
    ) -> Option<Self> {
        let facts = facts_from_bytes(then, facts, &mut Shared::default())?.ok()?;
        let rest = Rest::from_bytes(cache.apart(Apart::Rest, path)?)?;
        let facts = SessionFacts { path: path.to_owned(), ..facts };
        Some(Self { facts, rest })
    }

    /// What the file had spent before.
    pub(crate) fn load_spend(&self, cache: &SessionCache) -> Option<FileLedger> {
        let (then, spend) = cache.get(Table::Spend, &self.facts.path)?;
        let (kind, ledger) = ledger_from_bytes(&spend)?;
        ledger.filter(|_| then == self.facts.stamp && kind == FileKind::Session)
    }

    /// Reads what was added. Without what was spent before, only the facts are told. `None` if the
    /// file has not just grown, or what was added changes more than can be told by it.
    pub(crate) fn read(self, before: Option<FileLedger>) -> Option<Summarized> {
        let file = open_file(&self.facts.path).ok()?;
        let stamp = FileStamp::of_open(&file)?;
        let with_spend = before.is_some();
        let spend = before.map_or_else(|| SpendReader::new(false), SpendReader::added_to);
        let Added { facts, spend, links, rest } = self.read_added(&file, stamp, spend)?;
        let growth = rest.links.grow(&links)?;
        let ends = rest.links.ends_with(&growth, facts.ends_before());
        let facts = facts.finish(ends);
        let ledger = match with_spend {
            true => Some(spend.finish_growth(&facts).filter(|_| growth.extends())?),
            false => None,
        };
        let result = Ok((Some(facts), ledger));
        Some(Summarized { result, stamp, rest: None, is_kept: false })
    }

    fn read_added(self, file: &File, stamp: FileStamp, spend: SpendReader) -> Option<Added> {
        let Self { facts, rest } = self;
        if rest.head.is_list {
            return None;
        }
        let (then, runs) = (facts.stamp, rest.head.runs.iter().copied());
        let facts = SessionFacts { stamp, ..facts };
        let facts = FactsReader::behind(facts, rest.head.last_activity, runs);
        let mut added = Summary::added(facts, spend);
        if then != stamp {
            let begin = rest.begin(file, then, stamp)?;
            read_lines(file, begin, stamp.size, &mut added).ok()?;
        }
        let (facts, spend, links) = added.into_added();
        Some(Added { facts: facts?, spend, links, rest })
    }
}

/// What was taken of the lines that were added to a file.
struct Added {
    facts: FactsReader,
    spend: SpendReader,
    links: Links,
    rest: Rest,
}

/// The facts of a session and its tree, without opening it.
pub(crate) struct KnownTree {
    pub(crate) facts: SessionFacts,
    pub(crate) tree: Tree,
    pub(crate) file: File,
}

impl KnownTree {
    /// What a cache knows of a file, and what was added to the file since. `None` if it has to be
    /// opened: it is not known, is odd or of an old version, or has changed otherwise.
    pub(crate) fn load(path: &Path, cache: &SessionCache) -> Option<Self> {
        let file = open_file(path).ok()?;
        let stamp = FileStamp::of_open(&file).filter(|stamp| stamp.size >= FEWEST_BYTES)?;
        let (then, facts) = cache.get(Table::Facts, path)?;
        let has_grown = || may_have_grown(then, stamp) && stamp.size / 2 < then.size;
        if then != stamp && !has_grown() {
            return None;
        }
        let known = KnownBefore::of_row(path, cache, (then, &facts))?;
        if !known.rest.head.is_current {
            return None;
        }
        let added = known.read_added(&file, stamp, SpendReader::new(false))?;
        let tree = Tree::of(&added.rest.links, &added.links)?;
        let facts = added.facts.finish(0);
        Some(Self { facts, tree, file })
    }
}
