//! Which sessions of a list are kept.

use clap::{Args, ValueEnum};
use pitree_format::js::date::{parse_iso, parse_span};
use pitree_store::ledger::Zone;
use pitree_store::roles::Role;
use pitree_store::{ListFilter, SessionFacts};

use super::ListedSession;
use super::roles::RoleArgs;
use crate::target::Workspace;
use crate::zone;

#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    /// Only sessions active since then: a date, or 30m, 12h, 7d, 4w
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    since: Option<Since>,

    /// Only sessions last active until then; a date includes that day
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    until: Option<Since>,

    /// Only sessions whose name contains this text
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,

    /// Only sessions that used a model whose name contains this text
    #[arg(long, value_name = "TEXT")]
    model: Option<String>,

    /// Only sessions whose working directory contains this text
    #[arg(long, value_name = "TEXT")]
    cwd: Option<String>,

    /// Only sessions of this Gas Town role
    #[arg(long, value_parser = parse_role)]
    role: Option<Role>,

    #[command(flatten)]
    pub(crate) roles: RoleArgs,

    /// Only sessions that have this; repeatable
    #[arg(long, value_enum)]
    has: Vec<Has>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Has {
    /// A compaction
    Compaction,
    /// More than one branch
    Branch,
    /// A fork, or forked from another session
    Fork,
    /// Sub-agent runs
    Subagent,
    /// A failed reply or tool call
    Error,
}

/// A moment, or a span before now.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Since {
    At(i64),
    /// A date or a time without a zone: milliseconds since 1970 on the clock of whoever reads it.
    Local {
        begin: i64,
        /// Where the day, month or year ends; of a time it is the beginning.
        end: i64,
    },
    Before(i64),
}

pub(crate) fn parse_since(text: &str) -> Result<Since, String> {
    if let Some(ms) = parse_iso(text.as_bytes()) {
        let time = text.split_once('T').map(|(_, time)| time);
        let has_zone = time.is_some_and(|time| time.contains(['Z', '+', '-']));
        let end = end_of_date(text).unwrap_or(ms);
        return Ok(if has_zone { Since::At(ms) } else { Since::Local { begin: ms, end } });
    }
    let wrong = || "give a date such as 2026-02-03, or 30m, 12h, 7d, 4w".to_owned();
    parse_span(text).map(Since::Before).ok_or_else(wrong)
}

/// The beginning of the day, month or year that follows a date; `None` for a time of day.
fn end_of_date(text: &str) -> Option<i64> {
    let mut numbers = text.split('-').map(|number| number.parse::<u32>().ok());
    let (year, month, day) = (numbers.next()??, numbers.next(), numbers.next());
    match (month, day) {
        (None, _) => parse_iso(format!("{:04}", year + 1).as_bytes()),
        (Some(Some(12)), None) => parse_iso(format!("{:04}", year + 1).as_bytes()),
        (Some(month), None) => parse_iso(format!("{year:04}-{:02}", month? + 1).as_bytes()),
        (Some(_), Some(day)) => {
            day?;
            parse_iso(text.as_bytes()).map(|begin| begin + DAY_MS)
        }
    }
}

const DAY_MS: i64 = 86_400_000;

fn parse_role(text: &str) -> Result<Role, String> {
    Role::from_word(text).ok_or_else(|| {
        "the roles are mayor, deacon, boot, dog, witness, refinery, polecat, crew".to_owned()
    })
}

impl Since {
    /// The moment, in milliseconds since 1970; days are those of the user.
    pub(crate) fn to_ms(self, workspace: &Workspace) -> i64 {
        self.to_ms_in(&zone::local(), workspace)
    }

    /// The same with the days of a zone.
    pub(crate) fn to_ms_in(self, zone: &Zone, workspace: &Workspace) -> i64 {
        match self {
            Self::At(ms) => ms,
            Self::Local { begin, .. } => zone.from_local(begin),
            Self::Before(span) => workspace.environment.now_ms().saturating_sub(span),
        }
    }

    /// The moment before which something is until then: a date is included.
    pub(crate) fn end_ms_in(self, zone: &Zone, workspace: &Workspace) -> i64 {
        match self {
            Self::Local { end, .. } => zone.from_local(end),
            other => other.to_ms_in(zone, workspace),
        }
    }
}

impl FilterArgs {
    fn texts(&self) -> ListFilter {
        let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
        ListFilter {
            name: lower(&self.name),
            cwd: lower(&self.cwd),
            model: lower(&self.model),
            ..ListFilter::default()
        }
    }

    /// Whether any session may be left out.
    pub(crate) fn is_given(&self) -> bool {
        let words = [&self.name, &self.model, &self.cwd];
        self.since.is_some()
            || self.until.is_some()
            || self.role.is_some()
            || !self.has.is_empty()
            || words.iter().any(|word| word.is_some())
    }

    pub(crate) fn keeps(&self, session: &ListedSession<'_>, workspace: &Workspace) -> bool {
        let facts = session.facts;
        let role = session.role.as_deref().map(|found| found.role);
        self.keeps_facts(facts, role, session.has_family, workspace)
    }

    /// The same by what is known of a session.
    pub(crate) fn keeps_facts(
        &self,
        facts: &SessionFacts,
        role: Option<Role>,
        has_family: bool,
        workspace: &Workspace,
    ) -> bool {
        let since_ms = self.since.map_or(i64::MIN, |since| since.to_ms(workspace));
        let until_ms = self.until.map(|until| until.end_ms_in(&zone::local(), workspace));
        let filter = ListFilter { since_ms, is_named: false, ..self.texts() };
        filter.keeps(facts)
            && until_ms.is_none_or(|until| facts.modified_ms < until)
            && self.role.is_none_or(|wanted| role == Some(wanted))
            && self.has.iter().all(|has| has.holds(facts, has_family))
    }
}

impl Has {
    fn holds(self, facts: &SessionFacts, has_family: bool) -> bool {
        match self {
            Self::Compaction => facts.compactions > 0,
            Self::Branch => facts.branches > 1,
            Self::Fork => has_family || facts.parent_session.is_some(),
            Self::Subagent => facts.subagents > 0,
            Self::Error => facts.errors > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_ends_where_the_next_one_begins() {
        for (text, next) in [
            ("2026-02-03", "2026-02-04"),
            ("2026-02-28", "2026-03-01"),
            ("2026-12-31", "2027-01-01"),
            ("2026-02", "2026-03-01"),
            ("2026-12", "2027-01-01"),
            ("2026", "2027-01-01"),
            ("2026-02-03T10:00", "2026-02-03T10:00:00Z"),
        ] {
            let Ok(Since::Local { end, .. }) = parse_since(text) else { panic!("{text}") };
            assert_eq!(Some(end), parse_iso(next.as_bytes()), "{text}");
        }
        assert!(matches!(parse_since("2026-02-03T10:00Z"), Ok(Since::At(_))));
        assert!(matches!(parse_since("7d"), Ok(Since::Before(_))));
    }
}
