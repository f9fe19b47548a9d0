//! How somebody works with Pi: what the sessions of a selection hold, counted.
//!
//! * Each entry counts once, in the oldest session that has it, by the rules of the
//!   [ledger](crate::ledger): forks contain copies.
//! * Only sessions count. Records of sub-agents belong to the session that sent them out, whose
//!   tool results say how many runs there were.
//! * A file is read once. What is kept of it is a row for each entry and the names that it uses,
//!   up to a limit; what goes beyond is counted without its name.

mod calls;
mod command;
mod merge;
mod names;
mod reader;
mod touched;
mod value;

use std::sync::{Mutex, PoisonError};

use pitree_format::Role;
use pitree_session::parallel::in_parallel;

use crate::discover::{Discovered, FileKind, FoundFile, Unreadable, is_gone};
use crate::ledger::Selection;
use crate::list::Store;
use crate::scope::ScopeFilter;

pub use names::{Count, Ranking};
pub use touched::TouchedFile;

/// Which sessions and which time the statistics are about.
#[derive(Clone, Debug, Default)]
pub struct StatsSelection {
    /// The scope, the time and the time zone of hours and days.
    pub selection: Selection,
    /// Only sessions whose working directory contains this text, in upper or lower case.
    pub cwd: Option<String>,
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sessions, messages, days.
    pub totals: Totals,
    /// Calls by the name of the tool.
    pub tools: Ranking<String, ToolCount>,
    /// Files by what was done with them.
    pub files: Ranking<TouchedFile, FileCount>,
    /// Shell commands by program, with the subcommand where the program has them.
    pub commands: Ranking<String, CommandCount>,
    /// Replies by `provider/model`.
    pub models: Ranking<String, usize>,
    /// Replies by the hour of the day.
    pub hours: [usize; 24],
    /// Replies by the day of the week, from Monday.
    pub weekdays: [usize; 7],
    /// Branches, forks and what goes with them.
    pub habits: Habits,
    /// Files and folders that could not be read. What they hold is missing here.
    pub unreadable: Vec<Unreadable>,
}

/// Sessions, messages, days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many sessions there are; of a limited time, those that were created or used in it.
    pub sessions: usize,
    /// How many working directories they have.
    pub projects: usize,
    /// On how many days there was a message.
    pub active_days: usize,
    /// When the first message was written.
    pub first_ms: Option<i64>,
    /// When the last message was written.
    pub last_ms: Option<i64>,
    /// The messages by role.
    pub messages: RoleCounts,
    /// How many of the replies failed.
    pub failed_replies: usize,
}

impl Totals {
    /// How often a model replied.
    pub fn replies(&self) -> usize {
        self.messages.assistant
    }
}

/// Messages by role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoleCounts {
    /// What the user wrote.
    pub user: usize,
    /// Replies.
    pub assistant: usize,
    /// Results of tools.
    pub tool_result: usize,
    /// Shell commands that the user ran with `!`.
    pub bash_execution: usize,
    /// Messages of extensions.
    pub custom: usize,
    /// Any other role.
    pub other: usize,
}

impl RoleCounts {
    /// All messages.
    pub fn total(&self) -> usize {
        let Self { user, assistant, tool_result, bash_execution, custom, other } = *self;
        user + assistant + tool_result + bash_execution + custom + other
    }

    /// The count of a role. What version 2 calls a hook message is one of an extension.
    pub(crate) fn of(&mut self, role: Role) -> &mut usize {
        match role {
            Role::User => &mut self.user,
            Role::Assistant => &mut self.assistant,
            Role::ToolResult => &mut self.tool_result,
            Role::BashExecution => &mut self.bash_execution,
            Role::Custom | Role::HookMessage => &mut self.custom,
            _ => &mut self.other,
        }
    }
}

/// How often a tool was called, and how often it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolCount {
    /// Calls. A result whose call is missing stands for one.
    pub calls: usize,
    /// Results with `isError`.
    pub errors: usize,
}

/// How often tools read and changed a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCount {
    /// Calls that read it.
    pub reads: usize,
    /// Calls that changed a part of it.
    pub edits: usize,
    /// Calls that wrote all of it.
    pub writes: usize,
}

/// How often a shell command ran, and how often it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandCount {
    /// Runs by the agent.
    pub agent: usize,
    /// Runs by the user, with `!`.
    pub user: usize,
    /// Runs of either that failed.
    pub errors: usize,
}

/// Branches, forks and what goes with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// Sessions that were forked from another one.
    pub forks: usize,
    /// Sessions from which others were forked.
    pub forked_sessions: usize,
    /// Sessions with more than one branch.
    pub branched_sessions: usize,
    /// Entries with more than one child.
    pub branch_points: usize,
    /// Compactions.
    pub compactions: usize,
    /// Summaries of abandoned branches.
    pub branch_summaries: usize,
    /// Labels that were set.
    pub labels: usize,
    /// Runs of sub-agents.
    pub subagent_runs: usize,
}

impl Store {
    /// Counts what the sessions of a selection hold. All files are read: an entry of another scope
    /// may be the original of a copy in this one.
    pub fn stats(&self, wanted: &StatsSelection) -> Stats {
        let Discovered { mut files, mut unreadable } = self.files_of(crate::Scope::All);
        files.retain(|file| file.kind == FileKind::Session);
        let scope = ScopeFilter::new(wanted.selection.scope, &self.environment);
        let scope = Mutex::new(scope);
        let cwd = wanted.cwd.as_deref().map(str::to_lowercase);
        let is_selected = |directory: &str| {
            cwd.as_ref().is_none_or(|part| directory.to_lowercase().contains(part))
                && scope
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .contains_directory(directory)
        };
        let count = self.progress.begin(files.len());
        let read = |file: &FoundFile| {
            if !self.progress.is_wanted() {
                return Ok(None);
            }
            count.after(reader::read_file(file, &wanted.selection, &is_selected))
        };
        let read = in_parallel(&files, self.threads, |file| file.stamp.size, read);
        let mut sources = Vec::with_capacity(read.len());
        for (file, read) in files.into_iter().zip(read) {
            match read {
                Ok(read) => sources.extend(read.map(|read| (file, read))),
                Err(_) if is_gone(&file.path) => {}
                Err(reason) => unreadable.push((file.path, reason)),
            }
        }
        unreadable.sort();
        Stats { unreadable, ..merge::merge(sources, &wanted.selection) }
    }
}
