//! Which usages count, and where: the ledger by file.
//!
//! The ledger and the data set may know a file by different paths, so it is told by what it is on
//! its disk. That is looked up once, where the data set is planned. In the rows of a session, and
//! for all who work on them elsewhere, its file is known by a hash of the path, which stays in the
//! spool and is not written into any table.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;

use pitree_store::ledger::{Ledger, LedgerRow, ModelName, PART_NAMES};
use pitree_store::{FileKind, FileStamp};
use serde::{Deserialize, Serialize};

use super::columns::Table;
use super::entries::{money, set_tokens};
use super::row::TableRow;
use crate::remote::Mirrors;

/// The usages of all sessions that count, each in one place.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Counted {
    files: BTreeMap<String, CountedFile>,
    /// Files that are no sessions, with the ids that they have.
    records: Vec<(String, CountedFile)>,
}

/// The usages that count in one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CountedFile {
    usages: Vec<CountedUsage>,
}

/// A usage that counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CountedUsage {
    spent: LedgerRow,
    model: ModelName,
}

impl Counted {
    /// Takes a ledger of single usages for the session files of a data set. The records of
    /// sub-agents that no session knows any more have a row in `spend` only if the data set is of
    /// the whole store. A copy of an object is known by where that comes from, so that all machines
    /// call it the same.
    pub fn new<'p>(
        ledger: &Ledger,
        files: impl IntoIterator<Item = &'p Path>,
        mirrors: &Mirrors,
        is_whole_store: bool,
    ) -> Self {
        let mut by_session: HashMap<usize, CountedFile> = HashMap::new();
        for row in &ledger.rows {
            let model = ledger.models.get(row.model as usize).cloned().unwrap_or_default();
            let file = by_session.entry(row.session as usize).or_default();
            file.usages.push(CountedUsage { spent: *row, model });
        }
        let mut counted = Self::default();
        let mut sessions = HashMap::new();
        for (at, session) in ledger.sessions.iter().enumerate() {
            // One that has no usages, or only copies, is known to count nothing.
            let file = by_session.remove(&at).unwrap_or_default();
            match session.kind {
                FileKind::SubagentArtifact if is_whole_store => {
                    counted.records.push((session.id.clone(), file));
                }
                _ => sessions.extend(identity(&session.path).map(|own| (own, file))),
            }
        }
        let known = |path: &Path| {
            Some((source_key(&mirrors.key(path)), sessions.get(&identity(path)?)?.clone()))
        };
        counted.files = files.into_iter().filter_map(known).collect();
        counted
    }

    /// Equal where the same usages count in the same files.
    pub(crate) fn hash(&self) -> String {
        let bytes = postcard::to_stdvec(self).unwrap_or_default();
        blake3::hash(&bytes).to_hex().to_string()
    }

    pub(crate) fn of_file(&self, key: &str) -> Option<&CountedFile> {
        self.files.get(key)
    }

    /// The rows of what stands in no session's file.
    pub(crate) fn record_rows(&self) -> impl Iterator<Item = TableRow> + '_ {
        self.records.iter().flat_map(|(id, file)| {
            file.usages.iter().map(move |usage| {
                let mut row = usage.row();
                row.set("session_id", id);
                row
            })
        })
    }
}

/// What counts is asked for when the rows of all sessions are put together, so nothing that a
/// session gives depends on it.
impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counted").finish_non_exhaustive()
    }
}

impl CountedFile {
    /// The lines whose usages count here.
    pub(crate) fn lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.usages.iter().filter_map(|usage| usage.spent.line)
    }

    /// What they have cost, in millionths of a millionth of a dollar.
    pub(crate) fn cost_units(&self) -> i128 {
        self.usages.iter().map(|usage| usage.spent.sum.cost.units()).sum()
    }

    pub(crate) fn usages(&self) -> &[CountedUsage] {
        &self.usages
    }
}

impl CountedUsage {
    /// The line of the session's file that records it.
    pub(crate) fn line(&self) -> Option<u32> {
        self.spent.line
    }

    /// The row of `spend`, without what tells the file and the entry.
    pub(crate) fn row(&self) -> TableRow {
        let Self { spent, model } = self;
        let mut row = TableRow::new(Table::Spend);
        row.set("ts", spent.time_ms);
        let part = PART_NAMES.iter().find(|(part, ..)| *part == spent.part);
        row.set("part", part.map(|(_, name, _)| *name));
        row.set("provider", model.provider.as_ref());
        row.set("model", model.model.as_ref());
        set_tokens(&mut row, &spent.sum.tokens);
        if !spent.sum.is_unknown() {
            row.set("cost_usd", money(spent.sum.cost.units()));
        }
        row
    }
}

/// The device of a file and its number there.
fn identity(path: &Path) -> Option<(u64, u64)> {
    FileStamp::of(path).map(|stamp| stamp.identity)
}

/// What a file is known by in the rows of its session.
pub(crate) fn source_key(path: &Path) -> String {
    blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex().to_string()
}
