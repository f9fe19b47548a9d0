//! One file a verb.

pub(crate) mod append;
pub(crate) mod cat;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod cost;
pub(crate) mod cut_off;
pub(crate) mod delete;
pub(crate) mod demo;
pub(crate) mod entries;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod fork;
pub(crate) mod goto;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod list;
pub(crate) mod marks;
pub(crate) mod migrate;
pub(crate) mod new;
pub(crate) mod open;
pub(crate) mod path;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod rpc;
pub(crate) mod search;
pub(crate) mod secrets;
#[cfg(feature = "web")]
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod subagents;
pub(crate) mod summarizing;
pub(crate) mod tree;
pub(crate) mod view;
pub(crate) mod watch;

use std::path::Path;

use std::io::IsTerminal;

use clap::Args;
use pitree_format::Object;
use pitree_format::draft::Dialect;
use pitree_format::js::stringify;
use pitree_session::Session;

use crate::arguments::{Arguments, Verb, one_of};
use crate::caller::Caller;
use crate::error::{CommandError, Exit, Result};
use crate::help;
use crate::interface;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::shell_word;
use view::ViewArgs;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, caller: Caller, output: &mut Output) -> Result<Exit> {
    let workspace = Workspace::new(arguments, caller);
    let Some(verb) = &arguments.verb else { return without_verb(&workspace, output) };
    if verb.looks_through_folders() {
        workspace.require_named_folders()?;
    }
    match verb {
        Verb::Demo(args) => demo::run(args, &workspace, output),
        Verb::Index(args) => index::run(args, &workspace, output),
        Verb::List(args) => list::run(args, &workspace, output),
        Verb::Cost(args) => cost::run(args, &workspace, output),
        Verb::Stats(args) => stats::run(args, &workspace, output),
        Verb::Search(args) => search::run(args, &workspace, output),
        Verb::Show(args) => show::run(args, &workspace, output),
        Verb::Entries(args) => entries::run(args, &workspace, output),
        Verb::Tree(args) => tree::run(args, &workspace, output),
        Verb::Path(args) => path::run(args, &workspace, output),
        Verb::Context(args) => context::run(args, &workspace, output),
        Verb::Cat(args) => cat::run(args, &workspace, output),
        Verb::Open(args) => open::run(args, &workspace, output),
        Verb::Copy(args) => copy::run(args, &workspace, output),
        Verb::Check(args) => check::run(args, &workspace, output),
        Verb::Subagents(args) => subagents::run(args, &workspace, output),
        Verb::Export(args) => export::run(args, &workspace, output),
        Verb::Extract(args) => extract::run(args, &workspace, output),
        Verb::Secrets(args) => secrets::run(args, &workspace, output),
        Verb::Import(args) => import::run(args, &workspace, output),
        Verb::New(args) => new::run(args, &workspace, output),
        Verb::Append(args) => append::run(args, &workspace, output),
        Verb::Fork(args) => fork::run(args, &workspace, output),
        Verb::Clone(args) => fork::run_clone(args, &workspace, output),
        Verb::Goto(args) => goto::run(args, &workspace, output),
        Verb::Compact(args) => compact::run(args, &workspace, output),
        Verb::Name(args) => marks::run_name(args, &workspace, output),
        Verb::Label(args) => marks::run_label(args, &workspace, output),
        Verb::Migrate(args) => migrate::run(args, &workspace, output),
        Verb::Undo(args) => migrate::run_undo(args, &workspace, output),
        Verb::Resume(args) => resume::run(args, &workspace, output),
        Verb::Continue(args) => resume::run_continue(args, &workspace, output),
        Verb::Rpc(args) => rpc::run(args, &workspace, output),
        #[cfg(feature = "web")]
        Verb::Serve(args) => serve::run(args, &workspace, output),
        Verb::View(args) => view::run(args, &workspace, output),
        Verb::Watch(args) => watch::run(args, &workspace, output),
        Verb::Delete(args) => delete::run(args, &workspace, output),
        Verb::Restore(args) => restore::run(args, &workspace, output),
        Verb::Config(args) => config::run(args, &workspace, output),
        Verb::Completions(args) => completions::run(args, output),
        Verb::Man(args) => completions::run_man(args, output),
    }
}

/// Shows the interface on a terminal, and elsewhere what there is to ask for.
fn without_verb(workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if interface::is_wanted(workspace, output) {
        return view::run(&ViewArgs::default(), workspace, output);
    }
    if output.is_terminal() && !std::io::stdin().is_terminal() {
        return Err(CommandError::Usage {
            message: "Standard input is not a terminal, so no session can be picked".to_owned(),
            hint: Some("`pitree list` lists sessions, `pitree --help` all commands".to_owned()),
        });
    }
    output.help(&help::command().render_long_help().to_string())?;
    output.remark("The picker needs a terminal; `pitree list` prints the sessions.")?;
    Ok(Exit::Usage)
}

/// Which program's form a new file has.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct DialectArg {
    /// Use this program's header and file name (default: same as the source)
    #[arg(long, value_parser = one_of(Dialect::ALL, Dialect::name, Dialect::about))]
    dialect: Option<Dialect>,
}

/// The end of an object whose last member is the leaf, as in Pi's `get_entries` and `get_tree`.
fn closing_leaf(session: &Session) -> String {
    format!(",\"leafId\":{}}}", stringify(&session.leaf_id().into()))
}

/// Prints the path of a session that was just written; with `--json` also its id and more.
fn print_new_session(session: &Session, mut extra: Object, output: &mut Output) -> Result<()> {
    let path = session.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    if output.json {
        extra.set("path", path.into());
        extra.set("id", session.id().into());
        return output.value(&extra.into());
    }
    // As it is: a script takes it from here.
    output.bytes(format!("{path}\n").as_bytes())
}

/// Says how to resume a session that was just forked or moved.
fn remark_resume(session: &Session, output: &mut Output) -> Result<()> {
    if output.json {
        return Ok(());
    }
    session.path().map_or(Ok(()), |path| remark_resume_file(path, output))
}

/// The same of the session in a file.
pub(crate) fn remark_resume_file(path: &Path, output: &mut Output) -> Result<()> {
    output.remark(&format!("next: pitree resume {}", shell_word(path.as_os_str())))
}
