//! `pitree list`: the sessions of this directory, this repository, or all.

pub(crate) mod filter;
pub(crate) mod roles;
mod rows;

use std::collections::HashMap;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_session::location::{Layout, LocationProblem};
use pitree_store::roles::{RoleFinding, RoleRules, role_of};
use pitree_store::{Listing, Scope, SessionFacts, ShortIds, ThreadRow, discover, thread};

use crate::arguments::one_of;
use crate::error::{Exit, Result};
use crate::option_values::at_least_one;
use crate::output::Output;
use crate::target::Workspace;
use crate::unreadable::{remark_not_sessions, remark_unreadable, remark_unreadable_json};

use filter::FilterArgs;
pub(crate) use rows::{IdColumn, most_of_a_title, title};

#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// List the sessions of this directory, of this repository, or all
    #[arg(long, value_parser = scopes(), default_value = "dir")]
    scope: Scope,

    /// Sort order
    #[arg(long, value_enum, default_value = "recent")]
    sort: Sort,

    /// Show at most this many
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    limit: Option<usize>,

    #[command(flatten)]
    filter: FilterArgs,

    /// With --json: add the text of all messages as `allMessagesText`; reads the files
    #[arg(long, requires = "json")]
    text: bool,
}

/// Which sessions a verb is about.
pub(crate) fn scopes() -> impl TypedValueParser<Value = Scope> {
    one_of(Scope::ALL, Scope::name, Scope::about)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Latest activity first
    Recent,
    /// Forks below the session they were forked from
    Threaded,
    /// Most expensive first
    Cost,
    /// Largest first
    Size,
    /// Most messages first
    Messages,
}

/// A session of the list with what depends on the others.
pub(crate) struct ListedSession<'a> {
    pub(crate) facts: &'a SessionFacts,
    /// Its role, if it has one.
    pub(crate) role: Option<Box<RoleFinding>>,
    /// The id of the first session of its family.
    pub(crate) family: &'a str,
    /// The id of the session that it was forked from, if that is in the list.
    pub(crate) parent: Option<&'a str>,
    /// How deep it stands in the family.
    pub(crate) depth: usize,
    /// Whether others were forked from it, or it from another.
    pub(crate) has_family: bool,
}

impl<'a> ListedSession<'a> {
    /// Finds the role by the session alone.
    fn find_role(&mut self) {
        let first = self.facts.first_message.as_ref().map(|text| text.to_text());
        let marker = self.facts.role_marker.as_deref();
        let rules = RoleRules::CwdFirst;
        self.role = role_of(&self.facts.cwd, first.as_deref(), marker, &rules).map(Box::new);
    }
}

pub(crate) fn run(args: &ListArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let listing = workspace.store().list_scope(args.scope);
    let mut sessions = with_families(&listing.sessions);
    let finder = args.filter.roles.finder(workspace)?;
    if finder.may_find(&listing.sessions) {
        roles::find_roles(&mut sessions, &finder, &HashMap::new(), workspace);
    }
    let filter = args.filter.prepare(workspace)?;
    sessions.retain(|session| filter.keeps(session));
    sort(&mut sessions, args.sort);
    let matching = sessions.len();
    sessions.truncate(args.limit.unwrap_or(usize::MAX));
    if output.json {
        let print =
            |session: &ListedSession<'_>, out: &mut String| rows::to_json(session, args.text, out);
        output.array_of(&sessions, print)?;
        output.line("")?;
    } else {
        let all = !matches!(args.scope, Scope::Directory);
        let ids = match args.scope {
            Scope::All => ShortIds::new(listing.sessions.iter().map(|it| it.id.clone())),
            Scope::Directory | Scope::Repository => workspace.short_ids(),
        };
        let shown = sessions.iter().map(|session| session.facts.id.as_str());
        let ids = IdColumn::new(ids, shown, output);
        if output.is_terminal() && !sessions.is_empty() {
            output.line(&rows::heading(&ids, all, output))?;
        }
        for session in &sessions {
            output.line(&rows::to_line(session, &ids, all, workspace, output))?;
        }
        remark_shared_ids(&sessions, &ids, workspace, output)?;
    }
    remark_left_out(&listing, workspace, output)?;
    if listing.sessions.is_empty() {
        remark_none(args.scope, workspace, output)?;
    } else if matching == 0 {
        output.remark(&none_matches(args, listing.sessions.len(), workspace))?;
    }
    let exit = if sessions.is_empty() { Exit::Nothing } else { Exit::Ok };
    drop(sessions);
    if workspace.caller.ends_with_verb() {
        // To free each text of a long list first takes time for nothing.
        std::mem::forget(listing);
    }
    Ok(exit)
}

/// How many files that share an id are named.
const MOST_SHARED: usize = 2;

/// Says how to name files that have the same id.
fn remark_shared_ids(
    sessions: &[ListedSession<'_>],
    ids: &IdColumn,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let shared: Vec<&ListedSession<'_>> =
        sessions.iter().filter(|session| ids.is_shared(&session.facts.id)).collect();
    if shared.is_empty() {
        return Ok(());
    }
    let paths = shared.iter().take(MOST_SHARED).map(|it| workspace.display(&it.facts.path));
    let paths = paths.collect::<Vec<_>>().join(", ");
    let more = if shared.len() > MOST_SHARED { ", …" } else { "" };
    let mark = rows::SHARED_ID;
    output.remark(&format!("{mark} another file has the same id; use the path: {paths}{more}"))
}

/// Says that there are no sessions, and where else to look.
pub(crate) fn remark_none(scope: Scope, workspace: &Workspace, output: &mut Output) -> Result<()> {
    if scope != Scope::All && !is_empty_store(workspace) {
        let place = workspace.place_of(scope);
        let others = format!("run `{}` to see the others", workspace.list_all());
        return output.remark(&format!("no sessions in {place}; {others}"));
    }
    let place = workspace.place_of(Scope::All);
    output.remark(&format!(
        "no sessions in {place}; `--session-dir` or `--sessions-root` names another folder, and \
         `pitree demo` shows a sample"
    ))?;
    remark_problems(workspace, output)
}

/// Whether there are no sessions at all. What cannot be read may be one.
pub(crate) fn is_empty_store(workspace: &Workspace) -> bool {
    discover(&workspace.locations).is_empty()
        && workspace.store().list_all().unreadable().is_empty()
}

/// That the filters keep none of the sessions, and what to try next.
fn none_matches(args: &ListArgs, all: usize, workspace: &Workspace) -> String {
    let sessions = match all {
        1 => "the 1 session".to_owned(),
        all => format!("none of the {all} sessions"),
    };
    let place = workspace.place_of(args.scope);
    let verb = if all == 1 { "does not match" } else { "match" };
    let wider = match args.scope {
        Scope::All => "",
        Scope::Directory | Scope::Repository => ", or try `--scope all`",
    };
    format!("{sessions} in {place} {verb}; remove a filter{wider}")
}

/// Names the folders that somebody has named and that are not there, and those whose sessions are
/// there, but not where the option that names them looks.
fn remark_problems(workspace: &Workspace, output: &mut Output) -> Result<()> {
    for location in &workspace.locations {
        let path = workspace.display(&location.path);
        let option = match location.problem() {
            Some(LocationProblem::OtherLayout(Layout::Flat)) => "--session-dir",
            Some(LocationProblem::OtherLayout(Layout::PerDirectory)) => "--sessions-root",
            Some(problem @ (LocationProblem::Missing | LocationProblem::NotAFolder)) => {
                let Some(origin) = workspace.origin_of(location) else { continue };
                let is_what = match problem {
                    LocationProblem::Missing => "does not exist",
                    _ => "is not a folder",
                };
                output.remark(&format!("{path} {is_what} ({origin})"))?;
                continue;
            }
            _ => continue,
        };
        output.remark(&format!("to see the sessions in {path}, name it with `{option}`"))?;
    }
    Ok(())
}

/// Says what lies among the sessions and is not one, and what could not be read.
fn remark_left_out(listing: &Listing, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let unreadable = listing.unreadable();
    // A program gets JSON, but what it logs is for people.
    let in_json = output.json && workspace.caller.ends_with_verb();
    if in_json {
        remark_unreadable_json(&unreadable, output)?;
    } else {
        remark_unreadable(&unreadable, workspace, output)?;
    }
    let others = listing.not_sessions();
    if others.is_empty() {
        return Ok(());
    }
    if in_json {
        let paths: Vec<Value> =
            others.iter().map(|path| path.to_string_lossy().into_owned().into()).collect();
        return output.warn(&stringify(&Object::new().with("notSessions", paths).into()));
    }
    remark_not_sessions(&others, workspace, output)
}

/// Puts the sessions into families; the order is that of the threads.
pub(crate) fn with_families(sessions: &[SessionFacts]) -> Vec<ListedSession<'_>> {
    let rows = thread(sessions);
    let mut sizes = vec![0; sessions.len()];
    for row in &rows {
        sizes[row.family] += 1;
    }
    // The sessions above the current one, each below its parent.
    let mut above: Vec<usize> = Vec::new();
    let listed = |row: ThreadRow| {
        above.truncate(row.depth);
        let parent = above.last().map(|&parent| &*sessions[parent].id);
        above.push(row.session);
        ListedSession {
            facts: &sessions[row.session],
            role: None,
            family: &sessions[row.family].id,
            parent,
            depth: row.depth,
            has_family: sizes[row.family] > 1,
        }
    };
    rows.into_iter().map(listed).collect()
}

/// The line of a session on its own.
pub(crate) fn list_line(
    facts: &SessionFacts,
    ids: &IdColumn,
    with_cwd: bool,
    workspace: &Workspace,
    output: &Output,
) -> String {
    rows::to_line(&alone(facts), ids, with_cwd, workspace, output)
}

/// Prints a session on its own, in the shape of the list.
pub(crate) fn print_json(facts: &SessionFacts, out: &mut String) -> Result<()> {
    rows::to_json(&alone(facts), false, out)
}

/// A session without the others.
fn alone(facts: &SessionFacts) -> ListedSession<'_> {
    let mut session = ListedSession {
        facts,
        role: None,
        family: &facts.id,
        parent: None,
        depth: 0,
        has_family: false,
    };
    session.find_role();
    session
}

fn sort(sessions: &mut [ListedSession<'_>], sort: Sort) {
    match sort {
        Sort::Threaded => return,
        Sort::Recent => sessions.sort_by_key(|s| std::cmp::Reverse(s.facts.last_used_ms())),
        Sort::Cost => sessions.sort_by(|a, b| b.facts.spend.cost.total_cmp(&a.facts.spend.cost)),
        Sort::Size => sessions.sort_by_key(|s| std::cmp::Reverse(s.facts.stamp.size)),
        Sort::Messages => sessions.sort_by_key(|s| std::cmp::Reverse(s.facts.message_count)),
    }
    for session in sessions {
        session.depth = 0;
    }
}
