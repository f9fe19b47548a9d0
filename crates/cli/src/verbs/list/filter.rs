//! Which sessions of a list are kept.

use clap::{Args, ValueEnum};
use pitree_extract::FilteredBy;
use pitree_store::roles::Role;
use pitree_store::{ListFilter, SessionFacts};

use super::ListedSession;
use super::roles::RoleArgs;
use crate::target::Workspace;
use crate::when::{Range, When, range};
use crate::zone;

#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    /// Only sessions used since this time: a date, 7d, today, "3 days ago", "last week", 2026-W32
    #[arg(long, value_name = "TIME")]
    since: Option<When>,

    /// Only sessions last used by this time; a day, week or month counts through its end
    #[arg(long, value_name = "TIME")]
    until: Option<When>,

    /// Only sessions whose name contains this text
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,

    /// Only sessions that used a model whose name contains this text
    #[arg(long, value_name = "TEXT")]
    model: Option<String>,

    /// Only sessions whose working directory contains this text
    #[arg(long, value_name = "TEXT")]
    cwd: Option<String>,

    /// Only sessions of this agent role, such as `crew`; roles are those of Gas Town, which runs many
    /// coding agents together
    #[arg(long, value_parser = parse_role)]
    role: Option<Role>,

    #[command(flatten)]
    pub(crate) roles: RoleArgs,

    /// Only sessions that have this; repeatable
    #[arg(long, value_enum, value_name = "KIND")]
    has: Vec<Has>,

    /// Only sessions that do not have this, such as `failure`; repeatable
    #[arg(long, value_enum, value_name = "KIND")]
    without: Vec<Has>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Has {
    /// A compaction
    Compaction,
    /// More than one branch
    Branch,
    /// Is a fork, or has forks
    Fork,
    /// Sub-agent runs
    Subagent,
    /// A failed reply or tool call anywhere; most long sessions have one
    Error,
    /// A failed or aborted last reply: the run did not finish
    Failure,
}

fn parse_role(text: &str) -> Result<Role, String> {
    Role::from_word(text).ok_or_else(|| {
        "the roles are mayor, deacon, boot, dog, witness, refinery, polecat, crew".to_owned()
    })
}

impl FilterArgs {
    /// What is asked of each session, worked out once.
    pub(crate) fn prepare(&self, workspace: &Workspace) -> crate::error::Result<Filter<'_>> {
        let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
        let none = ListFilter::default;
        Ok(Filter {
            args: self,
            times: range((self.since, self.until), &zone::local(), workspace)?,
            name: ListFilter { name: lower(&self.name), ..none() },
            model: ListFilter { model: lower(&self.model), ..none() },
            cwd: ListFilter { cwd: lower(&self.cwd), ..none() },
        })
    }

    /// Whether any session may be left out.
    pub(crate) fn is_given(&self) -> bool {
        let words = [&self.name, &self.model, &self.cwd];
        self.since.is_some()
            || self.until.is_some()
            || self.role.is_some()
            || !self.has.is_empty()
            || !self.without.is_empty()
            || words.iter().any(|word| word.is_some())
    }
}

/// The filters of a command, ready to be asked about many sessions.
pub(crate) struct Filter<'a> {
    args: &'a FilterArgs,
    times: Range,
    name: ListFilter,
    model: ListFilter,
    cwd: ListFilter,
}

impl Filter<'_> {
    pub(crate) fn keeps(&self, session: &ListedSession<'_>) -> bool {
        let role = session.role.as_deref().map(|found| found.role);
        self.skips(session.facts, role, session.has_family).is_none()
    }

    /// The first filter that leaves out a session, by what is known of it.
    pub(crate) fn skips(
        &self,
        facts: &SessionFacts,
        role: Option<Role>,
        has_family: bool,
    ) -> Option<FilteredBy> {
        let used_ms = facts.last_used_ms();
        let (since, until) = self.times;
        let args = self.args;
        let holds = |has: &Has| has.holds(facts, has_family);
        let checks: [(FilteredBy, &dyn Fn() -> bool); 8] = [
            (FilteredBy::Since, &|| since.is_none_or(|since| used_ms >= since)),
            (FilteredBy::Until, &|| until.is_none_or(|until| used_ms < until)),
            (FilteredBy::Name, &|| self.name.keeps(facts)),
            (FilteredBy::Model, &|| self.model.keeps(facts)),
            (FilteredBy::Directory, &|| self.cwd.keeps(facts)),
            (FilteredBy::Role, &|| args.role.is_none_or(|wanted| role == Some(wanted))),
            (FilteredBy::Has, &|| args.has.iter().all(holds)),
            (FilteredBy::Without, &|| !args.without.iter().any(holds)),
        ];
        checks.into_iter().find(|(_, keeps)| !keeps()).map(|(reason, _)| reason)
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
            Self::Failure => facts.ends_failed,
        }
    }
}
