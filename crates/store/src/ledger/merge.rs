//! The files' rows put together, each usage once.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::copies::Copies;
use super::file::{About, FileLedger, FileRow, FileRun};
use super::hash::Seeded;
use super::money::{Price, Tokens};
use super::pass::read;
use super::{Ledger, LedgerRow, LedgerSession, ModelName, SpendPart};
use crate::discover::{FileKind, FileStamp, FoundFile};
use crate::family::without_circles;
use crate::subagents::Trust;

/// A file and what it records.
pub(crate) struct Source {
    pub(crate) file: FoundFile,
    pub(crate) ledger: FileLedger,
}

/// Puts the files together. The oldest session comes first, so an entry belongs to the session
/// in which it was made and not to its forks.
pub(crate) fn merge(mut sources: Vec<Source>, trust: &Trust) -> Ledger {
    let age = |source: &Source| source.ledger.about.created_ms.unwrap_or(i64::MAX);
    sources.sort_by(|a, b| age(a).cmp(&age(b)).then_with(|| a.file.path.cmp(&b.file.path)));
    let mut merge = Merge::new(&sources, trust);
    let index = Index::new(&sources);
    for (parent, source) in sources.iter().enumerate() {
        for run in &source.ledger.runs {
            let records = index.records_of(run, parent, trust);
            merge.run(run, parent, &records);
        }
    }
    for (at, source) in sources.iter().enumerate() {
        if merge.is_told[at] || index.has_twin_session(at) {
            continue;
        }
        let sent_by = merge.sent_by[at];
        let owner = sent_by.filter(|_| source.file.kind != FileKind::Session);
        let part = |row: &FileRow| match (source.file.kind, sent_by) {
            (FileKind::Session, None) => row.part,
            _ => SpendPart::Subagent,
        };
        let rows = source.ledger.rows.iter().map(|row| FileRow { part: part(&row), ..row });
        merge.add_rows(rows, owner.unwrap_or(at), &source.ledger.about);
    }
    merge.finish(&index)
}

/// The files by what may name them.
struct Index<'s> {
    sources: &'s [Source],
    by_path: HashMap<&'s Path, usize>,
    /// Sessions that spent something, by their id.
    by_id: HashMap<&'s str, usize>,
    /// The files that tell a message, for messages that runs tell.
    by_message: HashMap<u64, Vec<usize>, Seeded>,
}

impl<'s> Index<'s> {
    fn new(sources: &'s [Source]) -> Self {
        let mut index = Self {
            sources,
            by_path: HashMap::with_capacity(sources.len()),
            by_id: HashMap::with_capacity(sources.len()),
            by_message: HashMap::default(),
        };
        let runs = sources.iter().flat_map(|source| &source.ledger.runs);
        let wanted: HashSet<u64, Seeded> = runs.flat_map(|run| run.said.iter().copied()).collect();
        for (at, source) in sources.iter().enumerate() {
            index.by_path.insert(&source.file.path, at);
            if source.file.kind == FileKind::Session && !source.ledger.rows.is_empty() {
                index.by_id.entry(&source.ledger.about.id).or_insert(at);
            }
            if !wanted.is_empty() {
                let said = source.ledger.rows.iter().map(|row| row.said);
                for key in said.filter(|key| wanted.contains(key)) {
                    index.by_message.entry(key).or_default().push(at);
                }
            }
        }
        index
    }

    /// The files that are records of a run.
    fn records_of(&self, run: &FileRun, parent: usize, trust: &Trust) -> Vec<usize> {
        let mut found = Vec::new();
        for path in &run.paths {
            found.extend(self.at_path(&trust.expand(path), parent));
        }
        // A record that has been moved is known by what it tells.
        if let [first, rest @ ..] = &run.said[..] {
            let files = |key| self.by_message.get(key).map(Vec::as_slice).unwrap_or_default();
            let has_rest = |at: &usize| rest.iter().all(|key| files(key).contains(at));
            found.extend(files(first).iter().copied().filter(has_rest));
        }
        found.extend(found.clone().into_iter().filter_map(|at| self.twin_session(at)));
        found.sort_unstable();
        found.dedup();
        found.retain(|at| *at != parent);
        found
    }

    fn at_path(&self, path: &Path, parent: usize) -> Option<usize> {
        if let Some(at) = self.by_path.get(path) {
            return Some(*at);
        }
        // A store that was moved has its artifacts beside the sessions, as before.
        let name = path.file_name()?;
        let folder = self.sources[parent].file.path.parent()?;
        if let Some(at) = self.by_path.get(&*folder.join("subagent-artifacts").join(name)) {
            return Some(*at);
        }
        let id = name.to_str()?.strip_suffix(".jsonl")?.rsplit_once('_')?.1;
        self.by_id.get(id).copied()
    }

    /// The session whose id a record has.
    fn twin_session(&self, at: usize) -> Option<usize> {
        let id = &*self.sources[at].ledger.about.id;
        self.by_id.get(id).copied().filter(|twin| *twin != at && !id.is_empty())
    }

    /// Whether an artifact is the copy of a session that is there too.
    fn has_twin_session(&self, at: usize) -> bool {
        self.sources[at].file.kind != FileKind::Session && self.twin_session(at).is_some()
    }

    /// The session that a header names as the source of its own.
    fn parent_of(&self, at: usize, by_file: &mut ByFile) -> Option<usize> {
        let source = &self.sources[at];
        let named = PathBuf::from(source.ledger.about.parent_session.as_deref()?);
        let path = match source.file.path.parent() {
            Some(folder) if named.is_relative() => folder.join(named),
            _ => named,
        };
        self.by_path.get(&*path).copied().or_else(|| by_file.find(self.sources, &path))
    }
}

/// Files by their identity, for paths that lead to them by another name.
#[derive(Default)]
struct ByFile(Option<HashMap<(u64, u64), usize>>);

impl ByFile {
    fn find(&mut self, sources: &[Source], path: &Path) -> Option<usize> {
        let stamp = FileStamp::of(path)?;
        let sources = sources.iter().enumerate();
        let files = self.0.get_or_insert_with(|| {
            sources.map(|(at, source)| (source.file.stamp.identity, at)).collect()
        });
        files.get(&stamp.identity).copied()
    }
}

/// Keys that may have been met more than once; most have not, and need no table.
struct Repeated {
    once: Vec<u64>,
    twice: Vec<u64>,
    shift: u32,
}

impl Repeated {
    fn new(count: usize) -> Self {
        let bits = (count * 16).next_power_of_two().max(1 << 10);
        let words = vec![0; bits / 64];
        Self { once: words.clone(), twice: words, shift: 64 - bits.trailing_zeros() }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let bit = key >> self.shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    fn add(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        self.twice[word] |= self.once[word] & bit;
        self.once[word] |= bit;
    }

    fn may_contain(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.twice[word] & bit != 0
    }
}

struct Merge<'s> {
    sources: &'s [Source],
    trust: &'s Trust,
    ledger: Ledger,
    models: HashMap<ModelName, u32>,
    repeated: Repeated,
    /// The rows by the keys of their entries, where there may be several.
    places: HashMap<u64, u32, Seeded>,
    /// Copies whose entries have other ids.
    copies: Copies,
    runs: HashSet<u64, Seeded>,
    /// For each file the session that sent it out as a sub-agent.
    sent_by: Vec<Option<usize>>,
    /// Whether what the file records is told elsewhere.
    is_told: Vec<bool>,
}

impl<'s> Merge<'s> {
    fn new(sources: &'s [Source], trust: &'s Trust) -> Self {
        let count = sources.iter().map(|source| source.ledger.rows.len()).sum();
        let mut repeated = Repeated::new(count);
        let keys = sources.iter().flat_map(|source| source.ledger.rows.keys());
        keys.for_each(|key| repeated.add(key));
        Self {
            sources,
            trust,
            ledger: Ledger { rows: Vec::with_capacity(count), ..Ledger::default() },
            models: HashMap::new(),
            repeated,
            places: HashMap::default(),
            copies: Copies::default(),
            runs: HashSet::default(),
            sent_by: vec![None; sources.len()],
            is_told: vec![false; sources.len()],
        }
    }

    /// Counts a run in one of its places.
    fn run(&mut self, run: &FileRun, parent: usize, records: &[usize]) {
        let is_session = |at: &usize| self.sources[*at].file.kind == FileKind::Session;
        let (sessions, artifacts): (Vec<usize>, Vec<usize>) =
            records.iter().partition(|at| is_session(at));
        let sessions: Vec<usize> =
            sessions.into_iter().filter(|at| !self.sources[*at].ledger.rows.is_empty()).collect();
        for &at in sessions.iter().chain(&artifacts) {
            self.sent_by[at].get_or_insert(parent);
        }
        let is_new = self.runs.insert(run.key);
        let artifact = artifacts.iter().position(|at| !self.sources[*at].ledger.rows.is_empty());
        let artifact_counts = sessions.is_empty() && !run.is_told;
        for (number, &at) in artifacts.iter().enumerate() {
            self.is_told[at] |= !artifact_counts || artifact != Some(number);
        }
        if is_new && sessions.is_empty() && (run.is_told || artifact.is_none()) {
            self.tell(run, parent);
        }
    }

    /// Counts a run by what its parent tells, or else by its file in the temporary folder.
    fn tell(&mut self, run: &FileRun, parent: usize) {
        if !run.is_told {
            for path in &run.paths {
                let path = self.trust.expand(path);
                if self.trust.check(&path) == Ok(true)
                    && let Ok(Some(found)) = read(&path, FileKind::SubagentArtifact, u64::MAX)
                    && !found.rows.is_empty()
                {
                    // These keys are none of the sources', but may repeat one of them.
                    for key in found.rows.keys() {
                        self.repeated.add(key);
                        self.repeated.add(key);
                    }
                    let part = SpendPart::Subagent;
                    let rows = found.rows.iter().map(|row| FileRow { part, ..row });
                    return self.add_rows(rows, parent, &found.about);
                }
            }
        }
        let [input, output, cache_read, cache_write] = run.tokens;
        let models = &self.sources[parent].ledger.about.models;
        let row = LedgerRow {
            session: parent as u32,
            time_ms: run.time_ms,
            part: SpendPart::Subagent,
            model: self.model(models.get(run.model as usize)),
            tokens: Tokens { input, output, cache_read, cache_write },
            cost: run.cost.map(Price::from_units),
        };
        self.ledger.rows.push(row);
    }

    fn model(&mut self, name: Option<&ModelName>) -> u32 {
        let name = name.cloned().unwrap_or_default();
        let next = self.models.len() as u32;
        *self.models.entry(name).or_insert(next)
    }

    fn add_rows(&mut self, rows: impl Iterator<Item = FileRow>, session: usize, about: &About) {
        let models: Vec<u32> = about.models.iter().map(|name| self.model(Some(name))).collect();
        for row in rows {
            let next = self.ledger.rows.len() as u32;
            let may_repeat = self.repeated.may_contain(row.key);
            let known = self.places.get(&row.key).filter(|_| may_repeat).copied();
            let known = known.or_else(|| {
                let is_copy = about.is_older_than_session(row.time_ms);
                is_copy.then(|| self.copies.find(&row, session as u32, &self.ledger.rows)).flatten()
            });
            let place = known.unwrap_or(next);
            if may_repeat {
                self.places.entry(row.key).or_insert(place);
            }
            if place < next {
                // An answer that is on the active path of one of its copies is not abandoned.
                let known = &mut self.ledger.rows[place as usize];
                if known.part == SpendPart::AbandonedAssistant
                    && row.part == SpendPart::ActiveAssistant
                {
                    known.part = row.part;
                }
                continue;
            }
            self.ledger.rows.push(LedgerRow {
                session: session as u32,
                time_ms: row.time_ms,
                part: row.part,
                model: models.get(row.model as usize).copied().unwrap_or_default(),
                tokens: row.tokens,
                cost: row.cost,
            });
        }
    }

    fn finish(mut self, index: &Index<'_>) -> Ledger {
        let mut by_file = ByFile::default();
        let parents = (0..self.sources.len())
            .map(|at| index.parent_of(at, &mut by_file).or(self.sent_by[at]))
            .collect();
        let parents = without_circles(parents);
        let session = |(source, parent): (&Source, Option<usize>)| {
            let about = &source.ledger.about;
            LedgerSession {
                path: source.file.path.clone(),
                id: about.id.clone(),
                cwd: about.cwd.clone(),
                role: about.role.clone(),
                seed_role: about.seed_role.clone(),
                created_ms: about.created_ms,
                parent,
            }
        };
        self.ledger.sessions = self.sources.iter().zip(parents).map(session).collect();
        let mut models: Vec<(ModelName, u32)> = self.models.into_iter().collect();
        models.sort_by_key(|(_, place)| *place);
        self.ledger.models = models.into_iter().map(|(name, _)| name).collect();
        self.ledger
    }
}
