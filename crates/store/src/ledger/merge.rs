//! The files' rows put together, each usage once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::copies::Copies;
use super::file::{FileLedger, FileRun, QUARTER_MS};
use super::money::{Price, Sum, Tokens};
use super::{Ledger, LedgerRow, LedgerSession, ModelName, SpendPart};
use crate::discover::{FileKind, FileStamp};
use crate::family::without_circles;
use crate::hash::{Map, Set};
use crate::reading::{ledger_of, read_whole};
use crate::subagents::Trust;

/// A file and what it records.
pub(crate) struct LedgerFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: FileKind,
    pub(crate) stamp: FileStamp,
    pub(crate) ledger: FileLedger,
}

/// Which rows have to be single usages, and how to get those of a file.
pub(crate) struct Detail<'s> {
    pub(crate) singles: Singles,
    /// What a file records, with its single usages; `None` when the file is gone meanwhile.
    pub(crate) load: &'s dyn Fn(&LedgerFile) -> Option<FileLedger>,
}

/// Which rows have to be single usages.
pub(crate) enum Singles {
    All,
    /// Those of these quarter hours. The others may be added up, if they are in one file only.
    Of(HashSet<i64>),
}

impl Singles {
    fn touch(&self, ledger: &FileLedger) -> bool {
        let Self::Of(quarters) = self else { return true };
        let is_of = |time: i64| quarters.contains(&time.div_euclid(QUARTER_MS));
        !quarters.is_empty() && ledger.groups.iter().filter_map(|group| group.time_ms).any(is_of)
    }

    /// Adds the quarter hours of usages that a fork copied, but under other ids: what they are
    /// copies of is told by time and usage, one by one.
    fn add_unmatched(&mut self, sources: &[LedgerFile], repeated: &Repeated) {
        let Self::Of(quarters) = self else { return };
        let ledgers = || sources.iter().map(|source| &source.ledger);
        if repeated.keys.is_empty() && ledgers().all(|ledger| ledger.copied == 0) {
            return;
        }
        // Two forks may have made up the same ids, so a copy does not stand for its source.
        let mut originals: Set<u64> = Set::default();
        for ledger in ledgers() {
            let own = ledger.keys.entries().skip(ledger.copied as usize);
            originals.extend(own.filter(|key| repeated.contains(*key)));
        }
        for ledger in ledgers() {
            let mut copied = ledger.keys.entries().take(ledger.copied as usize);
            if copied.all(|key| originals.contains(&key)) {
                continue;
            }
            let times = ledger.groups.iter().filter_map(|group| group.time_ms);
            let starts = times.map(|time| time.div_euclid(QUARTER_MS));
            let is_old = |start: &i64| {
                ledger.about.is_older_than_session(Some(start.saturating_mul(QUARTER_MS)))
            };
            quarters.extend(starts.filter(is_old));
        }
    }
}

/// Puts the files together. The oldest session comes first, so an entry belongs to the session
/// in which it was made and not to its forks.
pub(crate) fn merge(mut sources: Vec<LedgerFile>, trust: &Trust, mut detail: Detail<'_>) -> Ledger {
    let age = |source: &LedgerFile| source.ledger.about.created_ms.unwrap_or(i64::MAX);
    sources.sort_by(|a, b| age(a).cmp(&age(b)).then_with(|| a.path.cmp(&b.path)));
    let mut merge = Merge::new(&sources, trust);
    detail.singles.add_unmatched(&sources, &merge.repeated);
    let index = Index::new(&sources);
    for (parent, source) in sources.iter().enumerate() {
        for run in &source.ledger.runs {
            let records = index.records_of(run, parent, trust);
            merge.run(run, parent, &records);
        }
    }
    for (at, source) in sources.iter().enumerate() {
        if !merge.is_told[at] && !index.has_twin_session(at) {
            merge.add_source(source, at, &detail);
        }
    }
    merge.finish(&index)
}

/// The files by what may name them.
struct Index<'s> {
    sources: &'s [LedgerFile],
    by_path: HashMap<&'s Path, usize>,
    /// Sessions that spent something, by their id.
    by_id: HashMap<&'s str, usize>,
    /// The files that tell a message, for messages that runs tell.
    by_message: Map<u64, Vec<usize>>,
}

impl<'s> Index<'s> {
    fn new(sources: &'s [LedgerFile]) -> Self {
        let mut index = Self {
            sources,
            by_path: HashMap::with_capacity(sources.len()),
            by_id: HashMap::with_capacity(sources.len()),
            by_message: Map::default(),
        };
        let runs = sources.iter().flat_map(|source| &source.ledger.runs);
        let wanted: Set<u64> = runs.flat_map(|run| run.said.iter().copied()).collect();
        for (at, source) in sources.iter().enumerate() {
            index.by_path.insert(&source.path, at);
            if source.kind == FileKind::Session && !source.ledger.keys.is_empty() {
                index.by_id.entry(&source.ledger.about.id).or_insert(at);
            }
            if !wanted.is_empty() {
                let said = source.ledger.keys.said();
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
        let trust = trust.of_session(&self.sources[parent].path);
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
        let folder = self.sources[parent].path.parent()?;
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
        self.sources[at].kind != FileKind::Session && self.twin_session(at).is_some()
    }

    /// The session that a header names as the source of its own.
    fn parent_of(&self, at: usize, by_file: &mut ByFile, trust: &Trust) -> Option<usize> {
        let source = &self.sources[at];
        let named = source.ledger.about.parent_session.as_deref()?;
        let named = match trust.of_session(&source.path) {
            Cow::Owned(trust) => return self.by_path.get(&*trust.expand(named)).copied(),
            Cow::Borrowed(_) => PathBuf::from(named),
        };
        let path = match source.path.parent() {
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
    fn find(&mut self, sources: &[LedgerFile], path: &Path) -> Option<usize> {
        let stamp = FileStamp::of(path)?;
        let sources = sources.iter().enumerate();
        let files = self.0.get_or_insert_with(|| {
            sources.map(|(at, source)| (source.stamp.identity, at)).collect()
        });
        files.get(&stamp.identity).copied()
    }
}

/// Keys that are met more than once. Most are not, and need no table.
struct Repeated {
    /// Bits of keys that may have been met once and more than once.
    once: Vec<u64>,
    twice: Vec<u64>,
    shift: u32,
    /// The keys that were met more than once.
    keys: Set<u64>,
}

impl Repeated {
    fn new(sources: &[LedgerFile]) -> Self {
        let count: usize = sources.iter().map(|source| source.ledger.keys.len()).sum();
        let bits = (count * 16).next_power_of_two().max(1 << 10);
        let words = vec![0; bits / 64];
        let shift = 64 - bits.trailing_zeros();
        let mut repeated = Self { once: words.clone(), twice: words, shift, keys: Set::default() };
        let keys = || sources.iter().flat_map(|source| source.ledger.keys.entries());
        for key in keys() {
            let (word, bit) = repeated.place(key);
            repeated.twice[word] |= repeated.once[word] & bit;
            repeated.once[word] |= bit;
        }
        let mut met: Set<u64> = Set::default();
        for key in keys() {
            let (word, bit) = repeated.place(key);
            if repeated.twice[word] & bit != 0 && !met.insert(key) {
                repeated.keys.insert(key);
            }
        }
        repeated
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let bit = key >> self.shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Takes a key that is not of the sources and may be met again.
    fn add(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        self.twice[word] |= bit;
        self.keys.insert(key);
    }

    fn contains(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.twice[word] & bit != 0 && self.keys.contains(&key)
    }

    fn touches(&self, ledger: &FileLedger) -> bool {
        !self.keys.is_empty() && ledger.keys.entries().any(|key| self.contains(key))
    }
}

/// What the usages of a file are counted as.
#[derive(Clone, Copy)]
struct Account {
    session: usize,
    /// They may all be of one part.
    part: Option<SpendPart>,
    /// Whether they stand in the session's own file.
    is_own: bool,
}

struct Merge<'s> {
    sources: &'s [LedgerFile],
    trust: &'s Trust,
    ledger: Ledger,
    models: HashMap<ModelName, u32>,
    repeated: Repeated,
    /// The rows by the keys of their entries, where there may be several.
    places: Map<u64, u32>,
    /// Copies whose entries have other ids.
    copies: Copies,
    runs: Set<u64>,
    /// For each file the session that sent it out as a sub-agent.
    sent_by: Vec<Option<usize>>,
    /// Whether what the file records is told elsewhere.
    is_told: Vec<bool>,
}

impl<'s> Merge<'s> {
    fn new(sources: &'s [LedgerFile], trust: &'s Trust) -> Self {
        Self {
            sources,
            trust,
            ledger: Ledger::default(),
            models: HashMap::new(),
            repeated: Repeated::new(sources),
            places: Map::default(),
            copies: Copies::default(),
            runs: Set::default(),
            sent_by: vec![None; sources.len()],
            is_told: vec![false; sources.len()],
        }
    }

    /// Counts a run in one of its places.
    fn run(&mut self, run: &FileRun, parent: usize, records: &[usize]) {
        let is_session = |at: &usize| self.sources[*at].kind == FileKind::Session;
        let (sessions, artifacts): (Vec<usize>, Vec<usize>) =
            records.iter().partition(|at| is_session(at));
        let sessions: Vec<usize> =
            sessions.into_iter().filter(|at| !self.sources[*at].ledger.keys.is_empty()).collect();
        for &at in sessions.iter().chain(&artifacts) {
            self.sent_by[at].get_or_insert(parent);
        }
        let is_new = self.runs.insert(run.key);
        let artifact = artifacts.iter().position(|at| !self.sources[*at].ledger.keys.is_empty());
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
            let trust = self.trust.of_session(&self.sources[parent].path);
            for path in &run.paths {
                let path = trust.expand(path);
                if trust.check(&path) == Ok(true)
                    && let Some(found) = read_record(&path)
                    && !found.keys.is_empty()
                {
                    // These keys are none of the sources', but may repeat one of them.
                    found.keys.entries().for_each(|key| self.repeated.add(key));
                    let part = Some(SpendPart::Subagent);
                    let account = Account { session: parent, part, is_own: false };
                    return self.add_rows(&found, account);
                }
            }
        }
        let [input, output, cache_read, cache_write] = run.tokens;
        let models = &self.sources[parent].ledger.about.models;
        let row = LedgerRow {
            session: parent as u32,
            line: None,
            time_ms: run.time_ms,
            part: SpendPart::Subagent,
            model: self.model(models.get(run.model as usize)),
            sum: Sum::of(
                &Tokens { input, output, cache_read, cache_write },
                run.cost.map(Price::from_units),
            ),
        };
        self.ledger.rows.push(row);
    }

    fn model(&mut self, name: Option<&ModelName>) -> u32 {
        let name = name.cloned().unwrap_or_default();
        let next = self.models.len() as u32;
        *self.models.entry(name).or_insert(next)
    }

    /// Counts what a file records: added up where that is enough, else usage by usage.
    fn add_source(&mut self, source: &LedgerFile, at: usize, detail: &Detail<'_>) {
        let sent_by = self.sent_by[at];
        let session = sent_by.filter(|_| source.kind != FileKind::Session).unwrap_or(at);
        let part = match (source.kind, sent_by) {
            (FileKind::Session, None) => None,
            _ => Some(SpendPart::Subagent),
        };
        let account = Account { session, part, is_own: session == at };
        let ledger = &source.ledger;
        if !detail.singles.touch(ledger) && !self.repeated.touches(ledger) {
            self.add_groups(ledger, account);
        } else if ledger.has_rows() {
            self.add_rows(ledger, account);
        } else if let Some(ledger) = (detail.load)(source) {
            self.add_rows(&ledger, account);
        }
    }

    /// Counts groups that no other file has a part of.
    fn add_groups(&mut self, ledger: &FileLedger, Account { session, part, .. }: Account) {
        let models = self.models_of(ledger);
        for group in &ledger.groups {
            self.ledger.rows.push(LedgerRow {
                session: session as u32,
                line: None,
                time_ms: group.time_ms,
                part: part.unwrap_or_else(|| group.part()),
                model: models.get(group.model as usize).copied().unwrap_or_default(),
                sum: group.sum,
            });
        }
    }

    /// Counts usages, each once.
    fn add_rows(&mut self, ledger: &FileLedger, Account { session, part, is_own }: Account) {
        let models = self.models_of(ledger);
        for row in ledger.rows().into_iter().flatten() {
            let part = part.unwrap_or(row.part);
            let next = self.ledger.rows.len() as u32;
            let may_repeat = self.repeated.contains(row.key);
            let known = self.places.get(&row.key).filter(|_| may_repeat).copied();
            let known = known.or_else(|| {
                let is_copy = ledger.about.is_older_than_session(row.time_ms);
                is_copy.then(|| self.copies.find(&row, session as u32, &self.ledger.rows)).flatten()
            });
            let place = known.unwrap_or(next);
            if may_repeat {
                self.places.entry(row.key).or_insert(place);
            }
            if place < next {
                // An answer that is on the active path of one of its copies is not abandoned.
                let known = &mut self.ledger.rows[place as usize];
                if known.part == SpendPart::AbandonedAssistant && part == SpendPart::ActiveAssistant
                {
                    known.part = part;
                }
                continue;
            }
            self.ledger.rows.push(LedgerRow {
                session: session as u32,
                line: is_own.then_some(row.line),
                time_ms: row.time_ms,
                part,
                model: models.get(row.model as usize).copied().unwrap_or_default(),
                sum: Sum::of(&row.tokens, row.cost),
            });
        }
    }

    /// The places of the models of a file among all.
    fn models_of(&mut self, ledger: &FileLedger) -> Vec<u32> {
        ledger.about.models.iter().map(|name| self.model(Some(name))).collect()
    }

    fn finish(mut self, index: &Index<'_>) -> Ledger {
        let mut by_file = ByFile::default();
        let parents = (0..self.sources.len())
            .map(|at| index.parent_of(at, &mut by_file, self.trust).or(self.sent_by[at]))
            .collect();
        let parents = without_circles(parents);
        let session = |(source, parent): (&LedgerFile, Option<usize>)| {
            let about = &source.ledger.about;
            LedgerSession {
                path: source.path.clone(),
                kind: source.kind,
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

/// What the record of a run says was spent.
fn read_record(path: &Path) -> Option<FileLedger> {
    let stamp = FileStamp::of(path)?;
    ledger_of(read_whole(path, FileKind::SubagentArtifact, stamp)).ok().flatten()
}
