//! One file a verb.

pub(crate) mod append;
pub(crate) mod branch;
pub(crate) mod cat;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod cost;
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
pub(crate) mod resume;
pub(crate) mod rpc;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod show;
pub(crate) mod subagents;
pub(crate) mod summarizing;
pub(crate) mod tree;
pub(crate) mod view;
pub(crate) mod watch;

use clap::{Args, CommandFactory, ValueEnum};
use pitree_format::Object;
use pitree_format::draft::Dialect;
use pitree_format::js::stringify;
use pitree_session::Session;

use crate::arguments::{Arguments, Verb};
use crate::error::{CommandError, Exit};
use crate::interface;
use crate::output::Output;
use crate::target::Workspace;
use view::ViewArgs;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, CommandError> {
    let workspace = Workspace::new(arguments);
    let Some(verb) = &arguments.verb else { return without_verb(&workspace, output) };
    if verb.looks_through_folders() {
        workspace.require_named_folders()?;
    }
    match verb {
        Verb::Demo => demo::run(&workspace, output),
        Verb::Index(args) => index::run(args, &workspace, output),
        Verb::List(args) => list::run(args, &workspace, output),
        Verb::Cost(args) => cost::run(args, &workspace, output),
        Verb::Search(args) => search::run(args, &workspace, output),
        Verb::Show(args) => show::run(args, &workspace, output),
        Verb::Entries(args) => entries::run(args, &workspace, output),
        Verb::Tree(args) => tree::run(args, &workspace, output),
        Verb::Branch(args) => branch::run(args, &workspace, output),
        Verb::Context(args) => context::run(args, &workspace, output),
        Verb::Cat(args) => cat::run(args, &workspace, output),
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
        Verb::View(args) => view::run(args, &workspace, output),
        Verb::Watch(args) => watch::run(args, &workspace, output),
        Verb::Delete(args) => delete::run(args, &workspace, output),
        Verb::Completions(args) => completions::run(args, output),
        Verb::Man(args) => completions::run_man(args, output),
    }
}

/// Shows the interface on a terminal, and elsewhere what there is to ask for.
fn without_verb(workspace: &Workspace, output: &mut Output) -> Result<Exit, CommandError> {
    if interface::is_wanted(workspace, output) {
        return view::run(&ViewArgs::default(), workspace, output);
    }
    output.help(&Arguments::command().render_help().to_string())?;
    Ok(Exit::Usage)
}

/// Which program's form a new file has.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct DialectArg {
    /// Write the header and the file name of Pi or of its Rust port; without this those of the
    /// source, and Pi's for a new session
    #[arg(long, value_enum)]
    dialect: Option<DialectName>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    /// TypeScript Pi
    Pi,
    /// The Rust port
    Port,
}

impl DialectArg {
    pub(crate) fn dialect(self) -> Option<Dialect> {
        self.dialect.map(|dialect| match dialect {
            DialectName::Pi => Dialect::Pi,
            DialectName::Port => Dialect::Port,
        })
    }
}

/// The end of an object whose last member is the leaf, as in Pi's `get_entries` and `get_tree`.
fn closing_leaf(session: &Session) -> String {
    format!(",\"leafId\":{}}}", stringify(&session.leaf_id().into()))
}

/// Prints the path of a session that was just written; with `--json` also its id and more.
fn print_new_session(
    session: &Session,
    mut extra: Object,
    output: &mut Output,
) -> Result<(), CommandError> {
    let path = session.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    if output.json {
        extra.set("path", path.into());
        extra.set("id", session.id().into());
        return output.value(&extra.into());
    }
    // As it is: a script takes it from here.
    output.bytes(format!("{path}\n").as_bytes())
}
