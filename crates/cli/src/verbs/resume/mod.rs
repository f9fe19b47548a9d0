//! `pitree resume` and `pitree continue`: go on with a session in Pi.

mod query;
mod start;

use std::ffi::{OsStr, OsString};

use clap::Args;
use pitree_session::SessionError;
use pitree_session::location::{FoundSession, is_path, read_found};
use pitree_store::search::Query;
use pitree_store::{Scope, SessionFacts};

use super::list::{IdColumn, is_empty_store, list_line, print_json, remark_none, scopes};
use crate::error::{CommandError, Exit, Result};
use crate::hints;
use crate::interface::{self, Picked};
use crate::option_values::at_least_one;
use crate::output::Output;
use crate::target::{Target, Workspace};
use crate::text::{clean_line, counted};

pub(crate) use start::pi_program;
use start::{Chosen, StartArgs, start};
pub(crate) use start::{agent_program, find, program};

#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// A session file, an id or id prefix, or words from its name, first message or directory. If
    /// several sessions match, or the words are only in other messages, choose in the terminal;
    /// without a terminal several are listed with numbers (exit code 1, or 2 for an ambiguous id
    /// prefix)
    #[arg(value_name = "FILE|ID|WORDS")]
    query: Vec<OsString>,

    /// Take this number from the list
    #[arg(long, value_name = "NUMBER", value_parser = at_least_one::<usize>)]
    pick: Option<usize>,

    /// Look in the sessions of this directory, of this repository, or all (default: this directory,
    /// then all if none there matches; ids are looked up in all)
    #[arg(long, value_parser = scopes())]
    scope: Option<Scope>,

    #[command(flatten)]
    start: StartArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ContinueArgs {
    #[command(flatten)]
    start: StartArgs,
}

pub(crate) fn run(args: &ResumeArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    args.start.check(output)?;
    let typed = args.query.join(OsStr::new(" ")).to_string_lossy().into_owned();
    // Only one session has a command that could be run.
    let mut several = Exit::Nothing;
    if let ([name], None) = (args.query.as_slice(), args.pick) {
        match by_name(name, workspace) {
            Ok(Some(found)) => return start(&Chosen::from(&found), &args.start, workspace, output),
            Ok(None) => {}
            // Those with this prefix are the candidates. Every verb refuses such a prefix.
            Err(CommandError::AmbiguousSession { .. }) => several = Exit::Usage,
            Err(error) => return Err(error),
        }
    }
    if args.query.is_empty() && args.pick.is_none() && interface::is_wanted(workspace, output) {
        let scope = args.scope.unwrap_or(Scope::Directory);
        return pick(scope, "", &args.start, workspace, output);
    }
    let query = match typed.trim().is_empty() {
        true => None,
        false => Some(Query::read(&typed, &workspace.environment)?),
    };
    let (sessions, best, with_cwd) = candidates(query.as_ref(), args, workspace);
    if sessions.is_empty() && query.is_some() {
        return no_match(&typed, args, workspace, output);
    }
    let chosen = match args.pick {
        Some(_) if sessions.is_empty() => None,
        Some(number) => {
            Some(number.checked_sub(1).and_then(|at| sessions.get(at)).ok_or_else(|| {
                let count = counted(sessions.len(), "session", "sessions");
                CommandError::usage(format!("{number} is not in the list, which has {count}"))
            })?)
        }
        None => sessions.first().filter(|_| best == 1 && !args.query.is_empty()),
    };
    if let Some(chosen) = chosen {
        return start(&Chosen::from(chosen), &args.start, workspace, output);
    }
    if args.pick.is_none() && interface::is_wanted(workspace, output) {
        let scope = match args.scope {
            Some(scope) => scope,
            None if with_cwd => Scope::All,
            None => Scope::Directory,
        };
        return pick(scope, &typed, &args.start, workspace, output);
    }
    if sessions.is_empty() {
        let scope = args.scope.unwrap_or(Scope::Directory);
        remark_none(scope, workspace, output)?;
    }
    print_list(&sessions, with_cwd, workspace, output)?;
    Ok(several)
}

/// No name, first message or directory has the words. Messages may have them: the picker searches
/// those too, and without a terminal `pitree search` does.
fn no_match(
    typed: &str,
    args: &ResumeArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let hint = hints::of_resume_query(typed, args.scope, workspace);
    let error = workspace.not_found(typed.to_owned(), hint);
    // A session that is there and cannot be read is not found in its messages.
    let may_be_said = matches!(error, CommandError::SessionNotFound { .. });
    let is_picked = may_be_said && args.pick.is_none() && interface::is_wanted(workspace, output);
    if !is_picked || is_empty_store(workspace) {
        return Err(error);
    }
    pick(args.scope.unwrap_or(Scope::All), typed, &args.start, workspace, output)
}

/// Lets the user pick a session and goes on with it.
fn pick(
    scope: Scope,
    typed: &str,
    args: &StartArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    match interface::pick(workspace, scope, typed)? {
        Picked::Session(chosen) => start(&Chosen::from(&chosen), args, workspace, output),
        Picked::Nothing(exit) => Ok(exit),
    }
}

/// The most recent session of this directory, as Pi's `continueRecent` finds it.
pub(crate) fn run_continue(
    args: &ContinueArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    args.start.check(output)?;
    let cwd = workspace.environment.cwd();
    let newest = workspace
        .locations
        .iter()
        .filter_map(|location| location.most_recent(cwd, &workspace.environment))
        // The first location wins where the times are equal.
        .reduce(|best, other| if other.modified > best.modified { other } else { best });
    let Some(newest) = newest else {
        remark_none(Scope::Directory, workspace, output)?;
        return Ok(Exit::Nothing);
    };
    start(&Chosen::from(&newest), &args.start, workspace, output)
}

/// The session that a path, an id or the beginning of an id names.
fn by_name(typed: &OsStr, workspace: &Workspace) -> Result<Option<FoundSession>> {
    let path = match workspace.find_named(&Target { session: typed.to_owned() }) {
        Ok(path) => path,
        Err(CommandError::Session(SessionError::SessionNotFound { .. })) => return Ok(None),
        Err(error) => return Err(error),
    };
    match read_found(&path) {
        Ok(Some(found)) => Ok(Some(found)),
        // A word that is also the name of some file here is still a word.
        Ok(None) | Err(_) if typed.to_str().is_some_and(|typed| !is_path(typed)) => Ok(None),
        Ok(None) => Err(workspace.not_a_session(&path)),
        Err(error) => Err(error.into()),
    }
}

/// The sessions to choose from, how many of them fit best, and whether they may be of other
/// directories.
fn candidates(
    query: Option<&Query>,
    args: &ResumeArgs,
    workspace: &Workspace,
) -> (Vec<SessionFacts>, usize, bool) {
    let store = workspace.store();
    if let [prefix] = args.query.as_slice()
        && let Some(prefix) = prefix.to_str()
    {
        let scope = args.scope.unwrap_or(Scope::All);
        let sessions = with_prefix(prefix, scope, workspace);
        if !sessions.is_empty() {
            let best = sessions.len();
            return (sessions, best, scope != Scope::Directory);
        }
    }
    let scopes = match args.scope {
        Some(scope) => vec![scope],
        None if query.is_none() => vec![Scope::Directory],
        None => vec![Scope::Directory, Scope::All],
    };
    for scope in scopes {
        let sessions = store.list_scope(scope).sessions;
        let wide = scope != Scope::Directory;
        let Some(query) = query else { return (sessions, 0, wide) };
        let (fitting, best) = query::matching(sessions, query);
        if !fitting.is_empty() {
            return (fitting, best, wide);
        }
    }
    (Vec::new(), 0, false)
}

/// The sessions whose ids begin with what was typed, if that is not just one; the newest first.
fn with_prefix(typed: &str, scope: Scope, workspace: &Workspace) -> Vec<SessionFacts> {
    let Err(SessionError::AmbiguousSession { matches, .. }) = workspace.quiet_store().find(typed)
    else {
        return Vec::new();
    };
    let mut sessions = workspace.store().list_scope(scope).sessions;
    sessions.retain(|facts| matches.iter().any(|found| found.path == facts.path));
    sessions
}

fn print_list(
    sessions: &[SessionFacts],
    with_cwd: bool,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    if output.json {
        output.array_of(sessions, print_json)?;
        return output.line("");
    }
    let have_same_id =
        sessions.len() > 1 && sessions.iter().all(|facts| facts.id == sessions[0].id);
    let ids = IdColumn::new(
        workspace.short_ids(),
        sessions.iter().map(|facts| facts.id.as_str()),
        output,
    );
    for (at, facts) in sessions.iter().enumerate() {
        let line = list_line(facts, &ids, with_cwd, workspace, output);
        output.line(&format!("{:>3}  {line}", at + 1))?;
        if have_same_id {
            output.line(&format!("     {}", clean_line(&workspace.display(&facts.path))))?;
        }
    }
    match sessions {
        [] => Ok(()),
        [_] => output.remark("resume it with --pick 1, or by its id"),
        _ if have_same_id => {
            output.remark("they have the same id; choose one with --pick NUMBER, or pass its path")
        }
        _ => output.remark("choose one with --pick NUMBER, or by its id"),
    }
}
