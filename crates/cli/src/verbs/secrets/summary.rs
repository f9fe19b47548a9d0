//! The secrets of many sessions: how many each has, of which kinds, and what they are together.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;

use pitree_export::harmless::clean_beginning;
use pitree_redact::Finding;
use pitree_store::{Scope, SessionFacts};

use super::Scanned;
use super::masked::NameMask;
use crate::error::Result;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::{clean_line, counted};
use crate::verbs::list::IdColumn;

/// How long a title can be where lines may be of any length.
const MOST_OF_A_TITLE: usize = 60;

/// How many secrets there are. A value that is only likely and stands in several places is counted
/// once where a rule found it, and apart from that as a repeat: what is left in place by an export
/// or a data set is counted in the same way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) secrets: usize,
    pub(crate) likely: usize,
    /// Other places of the likely ones.
    pub(crate) repeats: usize,
    kinds: BTreeMap<&'static str, usize>,
}

impl Tally {
    pub(super) fn of(scanned: &Scanned) -> Self {
        let mut tally = Self::of_findings(scanned.found.iter().map(|found| &found.finding));
        tally.secrets += scanned.more;
        tally
    }

    /// Counts findings; names of people are none.
    pub(crate) fn of_findings<'f>(findings: impl Iterator<Item = &'f Finding>) -> Self {
        let mut tally = Self::default();
        for finding in findings.filter(|finding| !finding.is_name()) {
            let count = match (finding.is_likely(), finding.is_repeated()) {
                (false, _) => &mut tally.secrets,
                (true, false) => &mut tally.likely,
                (true, true) => &mut tally.repeats,
            };
            *count += 1;
            *tally.kinds.entry(finding.rule).or_default() += 1;
        }
        tally
    }

    pub(crate) fn all(&self) -> usize {
        self.secrets + self.likely + self.repeats
    }

    fn add(&mut self, other: &Self) {
        self.secrets += other.secrets;
        self.likely += other.likely;
        self.repeats += other.repeats;
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
    }

    /// The kinds with their counts, the most frequent first.
    fn kinds(&self) -> String {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let kinds = kinds.into_iter().map(|(kind, count)| format!("{kind} {count}"));
        kinds.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.secrets > 0 || self.likely + self.repeats == 0 {
            parts.push(counted(self.secrets, "secret", "secrets"));
        }
        if self.likely > 0 {
            parts.push(counted(self.likely, "likely secret", "likely secrets"));
        }
        match self.repeats {
            0 => {}
            1 => parts.push("1 repeat of a likely secret".to_owned()),
            count => parts.push(format!("{count} repeats of likely secrets")),
        }
        f.write_str(&parts.join(", "))
    }
}

/// What was found in all files of a scope.
pub(super) struct Summary {
    sessions: HashMap<PathBuf, SessionFacts>,
    ids: IdColumn,
    rows: Vec<Row>,
    total: Tally,
}

/// A file in which something was found.
struct Row {
    tally: Tally,
    /// Lines that are too long to be looked at.
    unread: usize,
    /// The id and the title of the session, or the path of a file that is not one.
    name: String,
    title: String,
}

impl Summary {
    pub(super) fn new(scope: Scope, workspace: &Workspace, output: &Output) -> Self {
        let sessions = workspace.store().list_scope(scope).sessions;
        let ids = sessions.iter().map(|facts| facts.id.as_str());
        let ids = IdColumn::new(workspace.short_ids(), ids, output);
        let sessions = sessions.into_iter().map(|facts| (facts.path.clone(), facts)).collect();
        Self { sessions, ids, rows: Vec::new(), total: Tally::default() }
    }

    /// Adds a file; tells whether its name had to be masked.
    pub(super) fn add(
        &mut self,
        scanned: &Scanned,
        mask: &NameMask,
        workspace: &Workspace,
    ) -> bool {
        let (tally, unread) = (Tally::of(scanned), scanned.unread.len());
        if tally.all() + unread == 0 {
            return false;
        }
        self.total.add(&tally);
        let path = workspace.display(&scanned.path);
        let facts = self.sessions.get(&scanned.path);
        let title = facts.map(|facts| {
            let text = facts.title().map(|title| title.to_text()).unwrap_or_default();
            // A title may be the message with the secret in it.
            clean_beginning(&mask.shown(&text), MOST_OF_A_TITLE)
        });
        let id = facts.map(|facts| facts.id.as_str());
        let (name, is_masked) = match id {
            Some(id) if !mask.is_masked(id) => (self.ids.cell(id), false),
            _ => (clean_line(&mask.shown(&path)), id.is_some() || mask.is_masked(&path)),
        };
        self.rows.push(Row { tally, unread, name, title: title.unwrap_or_default() });
        is_masked
    }

    pub(super) fn print(
        mut self,
        files: usize,
        likely: bool,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<()> {
        self.rows.sort_by_key(|row| std::cmp::Reverse(row.tally.all()));
        for row in &self.rows {
            let mut kinds = row.tally.kinds();
            if row.unread > 0 {
                let lines = counted(row.unread, "line", "lines");
                kinds += &format!(" ({lines} too long to scan)");
            }
            let line = format!("{:>5}  {}  {kinds}  {}", row.tally.all(), row.name, row.title);
            output.line(line.trim_end())?;
        }
        let with_any = self.rows.iter().filter(|row| row.tally.all() > 0).count();
        if with_any == 0 {
            return Ok(());
        }
        let (total, kinds) = (&self.total, self.total.kinds());
        output.line(&format!("{total} in {with_any} of {files} files: {kinds}"))?;
        let option = if likely { " --likely" } else { "" };
        let scan = workspace.command(&format!("secrets scan{option}"), &["ID".as_ref()], "");
        output.remark(&format!("`{scan}` shows where they are"))
    }
}
