//! What generated cases hold, added up.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The entry kinds that every thousand cases must cover.
pub const ENTRY_KINDS: [&str; 12] = [
    "message",
    "thinking_level_change",
    "model_change",
    "usage",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "context_edit",
    "label",
    "session_info",
    "unknown",
];

/// The message roles that every thousand cases must cover.
pub const MESSAGE_ROLES: [&str; 7] =
    ["system", "user", "assistant", "toolResult", "bashExecution", "custom", "unknown"];

const LEAST_MEDIAN_ENTRIES: usize = 40;
const LEAST_PERCENT_OF_EACH_KIND: f64 = 5.0;
const LEAST_PERCENT_COMPACTED: f64 = 30.0;
const LEAST_PERCENT_EDITED: f64 = 20.0;
const LEAST_PERCENT_BRANCHED: f64 = 20.0;

/// What one generated session holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseFacts {
    /// How many entries it has, the header not counted.
    pub entries: usize,
    /// The entry kinds that occur, named as in [`ENTRY_KINDS`].
    pub kinds: BTreeSet<&'static str>,
    /// The message roles that occur, named as in [`MESSAGE_ROLES`] (and `hookMessage`).
    pub roles: BTreeSet<&'static str>,
    /// How many entries have no children.
    pub leaves: usize,
    /// Whether there is a compaction between the root and the last entry.
    pub compaction_on_active_path: bool,
    /// Whether the context at the last entry holds a context edit together with its target.
    pub context_edit_on_active_path: bool,
    /// In which ways the bytes are not what Pi itself would write.
    pub oddities: BTreeSet<&'static str>,
}

/// The facts of many cases.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    entries: Vec<usize>,
    kinds: BTreeMap<&'static str, usize>,
    roles: BTreeMap<&'static str, usize>,
    oddities: BTreeMap<&'static str, usize>,
    compacted: usize,
    edited: usize,
    branched: usize,
}

impl Histogram {
    /// Counts one more case.
    pub fn add(&mut self, facts: &CaseFacts) {
        self.entries.push(facts.entries);
        count(&mut self.kinds, &facts.kinds);
        count(&mut self.roles, &facts.roles);
        count(&mut self.oddities, &facts.oddities);
        self.compacted += usize::from(facts.compaction_on_active_path);
        self.edited += usize::from(facts.context_edit_on_active_path);
        self.branched += usize::from(facts.leaves >= 3);
    }

    /// How many cases were counted.
    pub fn cases(&self) -> usize {
        self.entries.len()
    }

    /// Half of the cases have at least this many entries.
    pub fn median_entries(&self) -> usize {
        let mut sorted = self.entries.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0)
    }

    /// In how many of a hundred cases a message of this role occurs.
    pub fn percent_with_role(&self, role: &str) -> f64 {
        self.percent(self.roles.get(role).copied().unwrap_or(0))
    }

    /// In how many of a hundred cases an entry of this kind occurs.
    pub fn percent_with_kind(&self, kind: &str) -> f64 {
        self.percent(self.kinds.get(kind).copied().unwrap_or(0))
    }

    /// Names every floor that the cases do not reach.
    pub fn shortfalls(&self) -> Vec<String> {
        let mut missed = Vec::new();
        let median = self.median_entries();
        if median < LEAST_MEDIAN_ENTRIES {
            missed.push(format!("median entries: {median}, wanted {LEAST_MEDIAN_ENTRIES}"));
        }
        let mut floor = |name: &str, percent: f64, least: f64| {
            if percent < least {
                missed.push(format!("{name}: {percent:.1} %, wanted {least:.0} %"));
            }
        };
        for kind in ENTRY_KINDS {
            floor(
                &format!("kind {kind}"),
                self.percent_with_kind(kind),
                LEAST_PERCENT_OF_EACH_KIND,
            );
        }
        for role in MESSAGE_ROLES {
            floor(
                &format!("role {role}"),
                self.percent_with_role(role),
                LEAST_PERCENT_OF_EACH_KIND,
            );
        }
        for (name, cases, least) in self.shapes() {
            floor(name, self.percent(cases), least);
        }
        missed
    }

    fn shapes(&self) -> [(&'static str, usize, f64); 3] {
        [
            ("compaction on the active path", self.compacted, LEAST_PERCENT_COMPACTED),
            ("context edit on the active path", self.edited, LEAST_PERCENT_EDITED),
            ("three or more branches", self.branched, LEAST_PERCENT_BRANCHED),
        ]
    }

    fn percent(&self, cases: usize) -> f64 {
        if self.entries.is_empty() { 0.0 } else { cases as f64 * 100.0 / self.cases() as f64 }
    }
}

fn count(totals: &mut BTreeMap<&'static str, usize>, present: &BTreeSet<&'static str>) {
    for name in present {
        *totals.entry(name).or_default() += 1;
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = self.entries.iter().min().copied().unwrap_or(0);
        let most = self.entries.iter().max().copied().unwrap_or(0);
        writeln!(f, "cases {}", self.cases())?;
        writeln!(f, "entries: median {}, least {least}, most {most}", self.median_entries())?;
        for (title, totals) in
            [("kind", &self.kinds), ("role", &self.roles), ("oddity", &self.oddities)]
        {
            for (name, &cases) in totals {
                writeln!(f, "{title:<7}{name:<32}{:>6.1} %", self.percent(cases))?;
            }
        }
        for (name, cases, _) in self.shapes() {
            writeln!(f, "shape  {name:<32}{:>6.1} %", self.percent(cases))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_counted_misses_every_floor() {
        let shapes = 3;
        let floors = 1 + ENTRY_KINDS.len() + MESSAGE_ROLES.len() + shapes;
        assert_eq!(Histogram::default().shortfalls().len(), floors);
    }
}
