//! The ledger added up, and whether it adds up.

use std::collections::{BTreeMap, BTreeSet};

use pitree_format::js::date::{format_iso, parse_iso};
use pitree_format::named_enum;
use pitree_session::Environment;

use super::file::QUARTER_MS;
use super::money::Sum;
use super::zone::Zone;
use super::{Ledger, LedgerRow, SpendPart};
use crate::hash::Map;
use crate::scope::{Scope, ScopeFilter};

const DAY_MS: i64 = 86_400_000;

named_enum! {
    /// What a breakdown goes by.
    pub enum By {
        /// As `2026-02-03`.
        Day = "day": "Days",
        /// As `2026-W06`.
        Week = "week": "Weeks, starting on Monday",
        /// As `2026-02`.
        Month = "month": "Months",
        Model = "model": "Models, by provider",
        Provider = "provider": "Providers",
        Project = "project": "Working directories",
        Role = "role": "Gas Town roles",
        SeedRole = "seed-role": "Gas Town roles by the rules of the pir session format",
        Session = "session": "Sessions",
        Family = "family": "Sessions, including their forks and sub-agents",
    }
}

/// Which rows a report is about.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Whose sessions.
    pub scope: Scope,
    /// Not before.
    pub since_ms: Option<i64>,
    /// Before this.
    pub until_ms: Option<i64>,
    /// Whose days.
    pub zone: Zone,
}

impl Selection {
    /// Whether something of this time is selected. What has no time is only where all times are,
    /// or those before a limit.
    pub(crate) fn contains_time(&self, time_ms: Option<i64>) -> bool {
        let time = time_ms.unwrap_or(i64::MIN);
        self.since_ms.is_none_or(|since| time >= since)
            && self.until_ms.is_none_or(|until| time < until)
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self { scope: Scope::All, since_ms: None, until_ms: None, zone: Zone::default() }
    }
}

/// The parts of the total in order, with a name and words for each.
pub const PART_NAMES: [(SpendPart, &str, &str); 7] = [
    (SpendPart::ActiveAssistant, "assistantActive", "replies on the active path"),
    (SpendPart::AbandonedAssistant, "assistantAbandoned", "replies on other branches"),
    (SpendPart::ToolResult, "toolResults", "tool results"),
    (SpendPart::Compaction, "compactions", "compactions"),
    (SpendPart::BranchSummary, "branchSummaries", "branch summaries"),
    (SpendPart::UsageEntry, "usageEntries", "usage entries"),
    (SpendPart::Subagent, "subagents", "sub-agents"),
];

/// A line of a breakdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What it is about; `None` where the usage does not say.
    pub key: Option<String>,
    /// The session, in a breakdown by session or family.
    pub session: Option<usize>,
    /// What it adds up to.
    pub sum: Sum,
}

/// The ledger added up in three ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// All rows.
    pub total: Sum,
    /// By what it was spent on, in the order of [`PART_NAMES`].
    pub parts: [Sum; 7],
    /// By what was asked for.
    pub groups: Vec<Group>,
}

/// What each model cost, in the lines of a breakdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTable {
    /// The models, the most expensive first, each with its lines.
    pub columns: Vec<(Option<String>, Vec<Group>)>,
}

impl Report {
    /// Whether the parts and the lines of the breakdown each add up to the total.
    pub fn adds_up(&self) -> bool {
        let mut parts = Sum::default();
        self.parts.iter().for_each(|part| parts.add_sum(part));
        let mut groups = Sum::default();
        self.groups.iter().for_each(|group| groups.add_sum(&group.sum));
        parts == self.total && groups == self.total
    }
}

impl Ledger {
    /// Adds up the rows of a selection.
    pub fn report(&self, by: By, selection: &Selection, environment: &Environment) -> Report {
        let mut total = Sum::default();
        let mut parts = [Sum::default(); 7];
        let mut sums: Map<u64, Sum> = Map::default();
        self.each_selected(by, selection, environment, |row, code| {
            total.add_sum(&row.sum);
            parts[part_place(row.part)].add_sum(&row.sum);
            sums.entry(code).or_default().add_sum(&row.sum);
        });
        Report { total, parts, groups: self.groups(by, &sums) }
    }

    /// Adds up the rows of a selection for each model apart.
    pub fn model_table(
        &self,
        by: By,
        selection: &Selection,
        environment: &Environment,
    ) -> ModelTable {
        // Several models may have the same name.
        let mut by_name: BTreeMap<Option<String>, Map<u64, Sum>> = BTreeMap::new();
        self.each_selected(by, selection, environment, |row, code| {
            let sums = by_name.entry(self.model_key(row.model as usize)).or_default();
            sums.entry(code).or_default().add_sum(&row.sum);
        });
        let columns = by_name.into_iter().map(|(name, sums)| (name, self.groups(by, &sums)));
        let mut columns: Vec<_> = columns.collect();
        let size = |groups: &[Group]| {
            let mut sum = Sum::default();
            groups.iter().for_each(|group| sum.add_sum(&group.sum));
            (sum.cost, sum.tokens.total())
        };
        columns.sort_by_key(|(_, groups)| std::cmp::Reverse(size(groups)));
        ModelTable { columns }
    }

    /// Shows each row of a selection, with the code of the day, the model or the session that it
    /// counts for, of which all breakdowns are made.
    fn each_selected(
        &self,
        by: By,
        selection: &Selection,
        environment: &Environment,
        mut take: impl FnMut(&LedgerRow, u64),
    ) {
        let mut filter = ScopeFilter::new(selection.scope, environment);
        let in_scope: Vec<bool> =
            self.sessions.iter().map(|session| filter.contains_directory(&session.cwd)).collect();
        let selected = |row: &&LedgerRow| {
            in_scope[row.session as usize] && selection.contains_time(row.time_ms)
        };
        // The rules of a zone take longer than all else.
        let mut days: Map<u64, i64> = Map::default();
        let mut day = |row: &LedgerRow| {
            let Some(time) = row.time_ms else { return i64::MIN };
            if !selection.zone.is_on_quarter_hours() {
                return selection.zone.to_local(time).div_euclid(DAY_MS);
            }
            let quarter = time.div_euclid(QUARTER_MS);
            *days.entry(quarter.cast_unsigned()).or_insert_with(|| {
                selection.zone.to_local(quarter.saturating_mul(QUARTER_MS)).div_euclid(DAY_MS)
            })
        };
        for row in self.rows.iter().filter(selected) {
            let code = match by {
                By::Day | By::Week | By::Month => day(row),
                By::Model | By::Provider => i64::from(row.model),
                By::Project | By::Role | By::SeedRole | By::Session | By::Family => {
                    i64::from(row.session)
                }
            };
            take(row, code.cast_unsigned());
        }
    }

    /// The places of the sessions that each line of a breakdown adds up, by its key and session.
    pub fn sessions_of_groups(
        &self,
        by: By,
        selection: &Selection,
        environment: &Environment,
    ) -> BTreeMap<GroupKey, BTreeSet<usize>> {
        let mut by_code: Map<u64, BTreeSet<usize>> = Map::default();
        self.each_selected(by, selection, environment, |row, code| {
            by_code.entry(code).or_default().insert(row.session as usize);
        });
        let keys = GroupKeys::new(self, by);
        let mut groups: BTreeMap<GroupKey, BTreeSet<usize>> = BTreeMap::new();
        for (code, sessions) in by_code {
            groups.entry(keys.of(code)).or_default().extend(sessions);
        }
        groups
    }

    fn groups(&self, by: By, sums: &Map<u64, Sum>) -> Vec<Group> {
        let keys = GroupKeys::new(self, by);
        let mut groups: BTreeMap<GroupKey, Sum> = BTreeMap::new();
        for (&code, sum) in sums {
            groups.entry(keys.of(code)).or_default().add_sum(sum);
        }
        let mut groups: Vec<Group> =
            groups.into_iter().map(|((key, session), sum)| Group { key, session, sum }).collect();
        if !matches!(by, By::Day | By::Week | By::Month) {
            let size = |group: &Group| (group.sum.cost, group.sum.tokens.total());
            groups.sort_by_key(|group| std::cmp::Reverse(size(group)));
        }
        groups
    }

    fn model_key(&self, at: usize) -> Option<String> {
        let name = &self.models[at];
        match (&name.provider, &name.model) {
            (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
            (one, other) => one.clone().or_else(|| other.clone()),
        }
    }

    /// The first session of each session's family.
    fn roots(&self) -> Vec<usize> {
        let root = |mut at: usize| {
            while let Some(parent) = self.sessions[at].parent {
                at = parent;
            }
            at
        };
        (0..self.sessions.len()).map(root).collect()
    }
}

/// What a line of a breakdown is about, and its session if it is about one: the place keeps sessions
/// apart that have equal ids.
pub type GroupKey = (Option<String>, Option<usize>);

/// Names the lines of a breakdown.
struct GroupKeys<'l> {
    ledger: &'l Ledger,
    by: By,
    /// The first session of each session's family, if that is asked for.
    roots: Vec<usize>,
}

impl<'l> GroupKeys<'l> {
    fn new(ledger: &'l Ledger, by: By) -> Self {
        let roots = if by == By::Family { ledger.roots() } else { Vec::new() };
        Self { ledger, by, roots }
    }

    /// The line that a code of [`Ledger::each_selected`] counts for.
    fn of(&self, code: u64) -> GroupKey {
        let Ledger { sessions, models, .. } = self.ledger;
        let (code, at) = (code.cast_signed(), code as usize);
        match self.by {
            By::Day | By::Week | By::Month => (date_key(self.by, code), None),
            By::Model => (self.ledger.model_key(at), None),
            By::Provider => (models[at].provider.clone(), None),
            By::Project => (some(&sessions[at].cwd), None),
            By::Role => (sessions[at].role.clone(), None),
            By::SeedRole => (sessions[at].seed_role.clone(), None),
            By::Session => (some(&sessions[at].id), Some(at)),
            By::Family => (some(&sessions[self.roots[at]].id), Some(self.roots[at])),
        }
    }
}

fn part_place(part: SpendPart) -> usize {
    PART_NAMES.iter().position(|(other, ..)| *other == part).unwrap_or(0)
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The name of the day, or of its week or month.
fn date_key(by: By, day: i64) -> Option<String> {
    let name = |day: i64| {
        let iso = format_iso(day.checked_mul(DAY_MS)?);
        iso.split_once('T').map(|(date, _)| date.to_owned())
    };
    let date = name(day)?;
    match by {
        By::Month => date.rsplit_once('-').map(|(month, _)| month.to_owned()),
        By::Week => {
            // The week belongs to the year of its Thursday; day 0 was one.
            let thursday = (day + 3).div_euclid(7) * 7;
            let date = name(thursday)?;
            let year = date.get(..date.len().checked_sub(6)?)?;
            let first = parse_iso(format!("{year}-01-01").as_bytes())?.div_euclid(DAY_MS);
            Some(format!("{year}-W{:02}", (thursday - first) / 7 + 1))
        }
        _ => Some(date),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_those_of_the_calendar() {
        let week = |date: &str| {
            date_key(By::Week, parse_iso(date.as_bytes()).unwrap().div_euclid(DAY_MS)).unwrap()
        };
        for (date, expected) in [
            ("2026-02-03", "2026-W06"),
            ("2026-01-01", "2026-W01"),
            ("2025-12-29", "2026-W01"),
            ("2025-12-28", "2025-W52"),
            ("2021-01-03", "2020-W53"),
            ("2021-01-04", "2021-W01"),
            ("1969-12-31", "1970-W01"),
        ] {
            assert_eq!(week(date), expected, "{date}");
        }
        assert_eq!(date_key(By::Month, 0).unwrap(), "1970-01");
        assert_eq!(date_key(By::Day, i64::MIN), None);
    }
}
