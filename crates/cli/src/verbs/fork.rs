//! `pitree fork` and `pitree clone`: new sessions from a branch of an old one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use pitree_export::Branch;
use pitree_format::draft::Dialect;
use pitree_format::message::Content;
use pitree_format::{Object, Role, Value};
use pitree_host::events::ForkPosition;
use pitree_host::live::{LiveError, LiveOptions};
use pitree_session::{Durability, EntryRef, ForkOptions, Session};

use super::{DialectArg, cut_off};
use crate::error::{CommandError, Exit, Result};
use crate::interface;
use crate::live;
use crate::output::{Output, Style};
use crate::target::{Target, Workspace};
use crate::text::{clean_line, command, shell_option, shorten};

#[derive(Args, Debug)]
pub(crate) struct ForkArgs {
    #[command(flatten)]
    target: Target,

    /// Fork before this user message, to edit and resend it (default: choose it in the terminal, or
    /// list the messages)
    #[arg(long, value_name = "ENTRY", conflicts_with = "whole")]
    at: Option<String>,

    /// Copy the whole session, with every branch, for another working directory
    #[arg(long)]
    whole: bool,

    /// With --whole: the working directory of the copy (default: this one)
    // `--at` excludes `--whole`, and clap does not ask for what is excluded.
    #[arg(long, value_name = "DIR", requires = "whole", conflicts_with = "at")]
    cwd: Option<PathBuf>,

    #[command(flatten)]
    dialect: DialectArg,
}

#[derive(Args, Debug)]
pub(crate) struct CloneArgs {
    #[command(flatten)]
    target: Target,

    /// Copy the branch that ends at this entry (default: the leaf)
    #[arg(long, value_name = "ENTRY")]
    at: Option<String>,

    #[command(flatten)]
    dialect: DialectArg,
}

pub(crate) fn run(args: &ForkArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let mut options = fork_options(args.dialect);
    if args.whole {
        let source = workspace.find(&args.target)?;
        let cwd = workspace.directory(args.cwd.as_deref())?;
        let directory = workspace.location.directory_for(&cwd);
        let mut change = workspace.adding_to(&directory);
        let fork = Session::fork_from(&source, &cwd, directory, &options, &workspace.environment)?;
        fork.path().into_iter().for_each(|path| change.add(path));
        super::print_new_session(&fork, Object::new(), output)?;
        super::remark_resume(&fork, output)?;
        return Ok(Exit::Ok);
    }
    let session = workspace.open_to_write(&args.target)?;
    options.directory = named_directory(&session, workspace);
    let Some(at) = &args.at else {
        if interface::is_wanted(workspace, output) {
            let folder = directory_of(&session, &options);
            return interface::choose_fork(workspace, session, options, &folder, output);
        }
        return list_messages(&session, &args.target, workspace, output);
    };
    let entry = session.entry_by_prefix(at)?;
    if !entry.is_message(Role::User) {
        return Err(not_a_user_message(entry.id(), &args.target, workspace));
    }
    let (at, target) = (entry.index(), &args.target);
    fork_live(workspace, session, target, (at, ForkPosition::Before), options, output)
}

/// A fork ends before a message of the user: what is wrong, and what to do instead.
fn not_a_user_message(entry: &str, target: &Target, workspace: &Workspace) -> CommandError {
    let session: &OsStr = &target.session;
    let list = workspace.command("fork", &[session], "");
    let keep = workspace.command("clone", &[session], &shell_option("--at", entry));
    CommandError::Refused {
        message: format!("Entry {entry} is not a user message; a fork begins before one"),
        hint: Some(format!(
            "`{list}` lists the user messages; `{keep}` keeps everything up to this entry"
        )),
    }
}

/// Makes a fork at an entry and shows it, with the message to edit and resend and what a damaged
/// line keeps out of it.
fn fork_live(
    workspace: &Workspace,
    session: Session,
    target: &Target,
    (at, position): (usize, ForkPosition),
    forks: ForkOptions,
    output: &mut Output,
) -> Result<Exit> {
    let cut = cut_off::of_branch(&session, Branch::To(at));
    let entry = session.at(at).map(|entry| entry.id().to_owned()).unwrap_or_default();
    let mut change = workspace.adding_to(&directory_of(&session, &forks));
    let is_for_port = forks.dialect == Some(Dialect::Port);
    let options = LiveOptions { forks, ..LiveOptions::default() };
    live::with(workspace, session, options, output, |live, output| {
        let forked = live.fork(&entry, position)?;
        if forked.cancelled {
            return Err(live::cancelled());
        }
        // A verb has no later moment to write the file.
        live.session_mut().write_now()?;
        live.session().path().into_iter().for_each(|path| change.add(path));
        let extra = Object::new().with_some("text", forked.text.clone()).with("cancelled", false);
        let extra = extra.with_some(cut_off::MEMBER, cut.map(|cut| cut.entries));
        super::print_new_session(live.session(), extra, output)?;
        if let Some(cut) = cut.filter(|_| !output.json) {
            let keeps = workspace.command("fork", &[&target.session], "--whole");
            cut_off::warn(cut, &keeps, output)?;
        }
        if is_for_port {
            warn_of_refusal(live.session(), output)?;
        }
        if let Some(text) = forked.text.filter(|_| !output.json) {
            output.remark_draft(&text.to_text())?;
        }
        super::remark_resume(live.session(), output)?;
        Ok(Exit::Ok)
    })
}

/// The Rust port does not know all that Pi writes, and one such line is enough for it.
fn warn_of_refusal(session: &Session, output: &mut Output) -> Result<()> {
    let findings = session.findings()?;
    let mut refused = findings.iter().filter(|finding| finding.refused_by.port);
    let Some(first) = refused.next() else { return Ok(()) };
    let others = match refused.count() {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let (line, text) = (first.line, clean_line(&first.text));
    output.remark(&format!(
        "pi_agent_rust refuses the new file or opens it read-only: line {line}: {text}{others}"
    ))?;
    let Some(path) = session.path() else { return Ok(()) };
    let check = command("check", &[path.as_os_str()], "--details");
    output.remark(&format!("hint: `{check}` lists them all"))
}

pub(crate) fn run_clone(
    args: &CloneArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let session = workspace.open_to_write(&args.target)?;
    let mut options = fork_options(args.dialect);
    options.directory = named_directory(&session, workspace);
    let leaf = match &args.at {
        Some(id) => Some(session.entry_by_prefix(id)?),
        None => session.leaf(),
    };
    let leaf = leaf.ok_or(LiveError::NothingToClone)?.index();
    fork_live(workspace, session, &args.target, (leaf, ForkPosition::At), options, output)
}

/// The folder of a location that the command line names; without one a new session goes beside
/// its source, as in Pi.
fn named_directory(session: &Session, workspace: &Workspace) -> Option<PathBuf> {
    workspace.is_named().then(|| workspace.location.directory_for(session.cwd()))
}

/// The folder that a fork goes to.
fn directory_of(session: &Session, options: &ForkOptions) -> PathBuf {
    let beside = || session.directory().map(Path::to_owned);
    options.directory.clone().or_else(beside).unwrap_or_default()
}

fn fork_options(dialect: DialectArg) -> ForkOptions {
    let mut options = ForkOptions::new().durability(Durability::Durable);
    options.dialect = dialect.dialect;
    options
}

/// The messages one can fork at: all user messages with text, on every branch, as in Pi.
fn list_messages(
    session: &Session,
    target: &Target,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let mut messages: Vec<Value> = Vec::new();
    let mut found = false;
    for entry in session.entries().filter(|entry| entry.is_message(Role::User)) {
        let text = message_text(entry)?;
        if text.is_empty() {
            continue;
        }
        found = true;
        if output.json {
            messages.push(Object::new().with("entryId", entry.id()).with("text", text).into());
        } else {
            let id = output.paint(Style::Dim, &clean_line(entry.id()));
            output.line(&format!("{id}  {}", shorten(&clean_line(&text), 100)))?;
        }
    }
    if output.json {
        output.value(&Object::new().with("messages", messages).into())?;
    } else if found {
        let fork = workspace.command("fork", &[&target.session], "--at ENTRY");
        output.remark(&format!("choose a message: `{fork}`"))?;
    }
    if !found {
        output.remark("the session has no user message to fork at")?;
    }
    Ok(if found { Exit::Ok } else { Exit::Nothing })
}

fn message_text(entry: EntryRef<'_>) -> Result<String> {
    let message = entry.message()?.unwrap_or(Value::Null);
    Ok(Content::decode(message.get("content")).to_text(""))
}
