//! The rows of all files put together, each entry once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pitree_format::Role;

use super::names::Tally;
use super::reader::{FileRows, NONE, Row, What};
use super::touched::TouchedFile;
use super::{CommandCount, FileCount, Stats, ToolCount};
use crate::discover::{FileStamp, FoundFile};
use crate::hash::{Map, Set};
use crate::ledger::{QUARTER_MS, Selection, Zone};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Counts the rows of a selection. The oldest session comes first, so an entry belongs to the
/// session in which it was made and not to its forks.
pub(super) fn merge(mut sources: Vec<(FoundFile, FileRows)>, selection: &Selection) -> Stats {
    let age = |rows: &FileRows| rows.header.created_ms.unwrap_or(i64::MAX);
    sources.sort_by(|(a_file, a), (b_file, b)| {
        age(a).cmp(&age(b)).then_with(|| a_file.path.cmp(&b_file.path))
    });
    let mut count = Counting::new(selection);
    let mut copies = Copies::default();
    let mut used = vec![false; sources.len()];
    for (at, (_, file)) in sources.iter().enumerate() {
        let mut calls = file.calls.iter().peekable();
        for (place, row) in file.rows.iter().enumerate() {
            let is_copy = copies.is_copy(row, at, &sources);
            let counts = file.is_selected && !is_copy && selection.contains_time(row.time_ms);
            used[at] |= counts;
            if counts {
                count.row(row, file);
            }
            while let Some(call) = calls.next_if(|call| call.row as usize == place) {
                if counts {
                    count.call(call, file);
                }
            }
        }
        if file.is_selected {
            count.branch_points(file);
        }
    }
    let is_unlimited = selection.since_ms.is_none() && selection.until_ms.is_none();
    for ((_, file), used) in sources.iter().zip(&mut used) {
        let is_new = || selection.contains_time(file.header.created_ms);
        *used = file.is_selected && (*used || is_unlimited || is_new());
    }
    count.sessions(&sources, &used);
    count.finish()
}

/// The entries that were met, to know their copies.
#[derive(Default)]
struct Copies {
    keys: Set<u64>,
    /// The first file with each twin. Made when it is first asked for: most stores never do.
    twins: Map<u64, u32>,
    /// How many files are in it.
    done: usize,
}

impl Copies {
    /// Whether the entry of a file was met before, there or in an older file.
    fn is_copy(&mut self, row: &Row, at: usize, sources: &[(FoundFile, FileRows)]) -> bool {
        if !self.keys.insert(row.key) {
            return true;
        }
        // Who forks or migrates a session without ids makes them up. Then an entry that is older
        // than its session was copied, and the one with the same time is its original.
        let header = &sources[at].1.header;
        let is_older = row.time_ms.zip(header.created_ms).is_some_and(|(time, then)| time < then);
        if header.parent_session.is_none() || !is_older {
            return false;
        }
        for (number, (_, file)) in sources.iter().enumerate().take(at).skip(self.done) {
            for row in &file.rows {
                self.twins.entry(row.twin).or_insert(number as u32);
            }
        }
        self.done = self.done.max(at);
        self.twins.contains_key(&row.twin)
    }
}

struct Counting<'s> {
    selection: &'s Selection,
    clock: Clock<'s>,
    stats: Stats,
    tools: Tally<String, ToolCount>,
    files: Tally<TouchedFile, FileCount>,
    commands: Tally<String, CommandCount>,
    models: Tally<String, usize>,
    days: Set<i64>,
    /// The keys of the branch points.
    branch_points: Set<u64>,
}

impl<'s> Counting<'s> {
    fn new(selection: &'s Selection) -> Self {
        Self {
            selection,
            clock: Clock { zone: &selection.zone, offsets: Map::default() },
            stats: Stats::default(),
            tools: Tally::default(),
            files: Tally::default(),
            commands: Tally::default(),
            models: Tally::default(),
            days: Set::default(),
            branch_points: Set::default(),
        }
    }

    fn row(&mut self, row: &Row, file: &FileRows) {
        match row.what {
            What::Nothing => {}
            What::Compaction => self.stats.habits.compactions += 1,
            What::BranchSummary => self.stats.habits.branch_summaries += 1,
            What::Label => self.stats.habits.labels += 1,
            What::Message(role) => self.message(role, row.time_ms),
            What::Reply { model, failed } => {
                self.message(Role::Assistant, row.time_ms);
                self.stats.totals.failed_replies += usize::from(failed);
                self.models.add(name(&file.models, model), &1);
                if let Some(time) = row.time_ms {
                    let local = self.clock.local(time);
                    let day = local.div_euclid(DAY_MS);
                    self.stats.hours[(local.rem_euclid(DAY_MS) / HOUR_MS) as usize] += 1;
                    // Day 0 was a Thursday.
                    self.stats.weekdays[(day + 3).rem_euclid(7) as usize] += 1;
                }
            }
            What::ToolResult { tool, command, is_error, has_call, runs } => {
                self.message(Role::ToolResult, row.time_ms);
                let (calls, errors) = (usize::from(!has_call), usize::from(is_error));
                if calls + errors > 0 {
                    self.tools.add(name(&file.tools, tool), &ToolCount { calls, errors });
                }
                if command != NONE && calls + errors > 0 {
                    let count = CommandCount { agent: calls, user: 0, errors };
                    self.commands.add(name(&file.commands, command), &count);
                }
                self.stats.habits.subagent_runs += usize::from(runs);
            }
            What::UserCommand { command, is_error } => {
                self.message(Role::BashExecution, row.time_ms);
                if command != NONE {
                    let count = CommandCount { agent: 0, user: 1, errors: usize::from(is_error) };
                    self.commands.add(name(&file.commands, command), &count);
                }
            }
        }
    }

    fn message(&mut self, role: Role, time_ms: Option<i64>) {
        let totals = &mut self.stats.totals;
        *totals.messages.of(role) += 1;
        let Some(time) = time_ms else { return };
        totals.first_ms = Some(totals.first_ms.map_or(time, |first| first.min(time)));
        totals.last_ms = Some(totals.last_ms.map_or(time, |last| last.max(time)));
        self.days.insert(self.clock.local(time).div_euclid(DAY_MS));
    }

    fn call(&mut self, call: &super::reader::Call, file: &FileRows) {
        self.tools.add(name(&file.tools, call.tool), &ToolCount { calls: 1, errors: 0 });
        if call.file != NONE {
            self.files.add(name(&file.files, call.file), &call.touch.count());
        }
        if call.command != NONE {
            let count = CommandCount { agent: 1, ..CommandCount::default() };
            self.commands.add(name(&file.commands, call.command), &count);
        }
    }

    /// A branch point is of the time of the second branch.
    fn branch_points(&mut self, file: &FileRows) {
        for (entry, second) in &file.branch_points {
            let row = |place: u32| file.rows.get(place as usize);
            let Some((entry, second)) = row(*entry).zip(row(*second)) else { continue };
            if self.selection.contains_time(second.time_ms) {
                self.branch_points.insert(entry.key);
            }
        }
    }

    /// Counts the sessions that are used.
    fn sessions(&mut self, sources: &[(FoundFile, FileRows)], used: &[bool]) {
        let forked = forked_sessions(sources);
        let mut projects = BTreeSet::new();
        let (totals, habits) = (&mut self.stats.totals, &mut self.stats.habits);
        let sessions = sources.iter().enumerate().filter(|(at, _)| used[*at]);
        for (at, (_, file)) in sessions {
            totals.sessions += 1;
            projects.insert(&*file.header.cwd);
            habits.forks += usize::from(file.header.parent_session.is_some());
            habits.forked_sessions += usize::from(forked.contains(&at));
            habits.branched_sessions += usize::from(file.ends > 1);
        }
        projects.remove("");
        totals.projects = projects.len();
    }

    fn finish(self) -> Stats {
        let mut stats = self.stats;
        stats.totals.active_days = self.days.len();
        stats.habits.branch_points = self.branch_points.len();
        stats.tools = self.tools.into_ranking();
        stats.files = self.files.into_ranking();
        stats.commands = self.commands.into_ranking();
        stats.models = self.models.into_ranking();
        stats
    }
}

/// The places of the sessions from which others were forked. The same file may be spelled in more
/// than one way, so its identity is compared.
fn forked_sessions(sources: &[(FoundFile, FileRows)]) -> BTreeSet<usize> {
    let parents = sources.iter().enumerate().filter_map(|(at, (file, rows))| {
        let named = Path::new(rows.header.parent_session.as_deref()?);
        let path: PathBuf = match file.path.parent() {
            Some(folder) if named.is_relative() => folder.join(named),
            _ => named.to_owned(),
        };
        Some((at, FileStamp::of(&path)?.identity))
    });
    let parents: Vec<(usize, (u64, u64))> = parents.collect();
    if parents.is_empty() {
        return BTreeSet::new();
    }
    let files = sources.iter().enumerate();
    let places: Map<(u64, u64), usize> =
        files.map(|(at, (file, _))| (file.stamp.identity, at)).collect();
    let parent = |(at, identity): (usize, (u64, u64))| {
        places.get(&identity).copied().filter(|parent| *parent != at)
    };
    parents.into_iter().filter_map(parent).collect()
}

/// The name with a number; `None` if it has none.
fn name<K: Clone>(names: &[K], place: u32) -> Option<K> {
    names.get(place as usize).cloned()
}

/// The clock of a zone. Its rules take longer than all else, and change on quarter hours only.
struct Clock<'s> {
    zone: &'s Zone,
    /// By the quarter hour.
    offsets: Map<i64, i64>,
}

impl Clock<'_> {
    fn local(&mut self, ms: i64) -> i64 {
        let quarter = ms.div_euclid(QUARTER_MS);
        let offset = self.offsets.entry(quarter).or_insert_with(|| {
            let start = quarter.saturating_mul(QUARTER_MS);
            self.zone.to_local(start).saturating_sub(start)
        });
        ms.saturating_add(*offset)
    }
}
