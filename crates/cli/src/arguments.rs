//! What the user typed.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

use crate::verbs;

/// Read, walk, branch, fork and check the sessions of the Pi coding agent.
///
/// Reading never changes a file. Writing appends, in the form Pi writes itself, so Pi and pitree
/// can take turns on the same session. Only `migrate` (and --migrate) and `undo` rewrite a file, with
/// a backup.
/// Without a command the sessions are shown on the terminal, to pick one.
#[derive(Parser, Debug)]
#[command(name = "pitree", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print JSON instead of text
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,

    /// A folder with session files directly in it; may be given several times
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub(crate) session_dir: Vec<PathBuf>,

    /// A folder with one folder for each working directory, as ~/.pi/agent/sessions is; may be
    /// given several times
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub(crate) sessions_root: Vec<PathBuf>,

    /// Read every file anew, and keep nothing of what was read
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_index: bool,

    /// Run none of your extensions
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_extensions: bool,

    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// A tour on a sample that is made up; touches nothing of yours
    Demo,
    /// List the sessions of this directory, this repository, or all
    List(verbs::list::ListArgs),
    /// Show, check and rebuild the caches; build the shared session-index.sqlite
    Index(verbs::index::IndexArgs),
    /// Add up what was spent, by day, model, project and more
    Cost(verbs::cost::CostArgs),
    /// Find text in all sessions
    Search(verbs::search::SearchArgs),
    /// Show a session on the terminal and go on with it: conversation, editor, commands
    View(verbs::view::ViewArgs),
    /// Show a session: overview, conversation, full, tools, costs or sub-agents
    Show(verbs::show::ShowArgs),
    /// List the entries of all branches in file order
    Entries(verbs::entries::EntriesArgs),
    /// Draw the tree with its branches, the active path and the labels
    Tree(verbs::tree::TreeArgs),
    /// Print the way from the root to an entry
    Branch(verbs::branch::BranchArgs),
    /// Print what the model is given
    Context(verbs::context::ContextArgs),
    /// Print the file byte for byte
    Cat(verbs::cat::CatArgs),
    /// Explain what is odd about files, and who would refuse them
    Check(verbs::check::CheckArgs),
    /// List what sub-agents did, or show the conversation of one
    Subagents(verbs::subagents::SubagentsArgs),
    /// Write a session as text, Markdown, HTML or JSONL
    Export(verbs::export::ExportArgs),
    /// Make training data of many sessions
    Extract(verbs::extract::ExtractArgs),
    /// Look for secrets in sessions
    Secrets(verbs::secrets::SecretsArgs),
    /// Take a session file from elsewhere in among the others
    Import(verbs::import::ImportArgs),
    /// Begin an empty session
    New(verbs::new::NewArgs),
    /// Append what comes on standard input: text, a message or entries as JSON
    Append(verbs::append::AppendArgs),
    /// Begin a new session before a user message, or list the messages one can fork at
    Fork(verbs::fork::ForkArgs),
    /// Begin a new session with the active branch of this one
    Clone(verbs::fork::CloneArgs),
    /// Move to another entry and store the place
    Goto(verbs::goto::GotoArgs),
    /// Summarise the older part of the conversation, so that the context has room again
    Compact(verbs::compact::CompactArgs),
    /// Show or set the session's name
    Name(verbs::marks::NameArgs),
    /// Set or clear the label of an entry
    Label(verbs::marks::LabelArgs),
    /// Write version 1 or 2 files as version 3, with a backup
    Migrate(verbs::migrate::MigrateArgs),
    /// Take the last rewrite of a file back
    Undo(verbs::migrate::UndoArgs),
    /// Go on with a session in Pi: print the command, or start it
    Resume(verbs::resume::ResumeArgs),
    /// Go on with the most recent session of this directory
    Continue(verbs::resume::ContinueArgs),
    /// Answer a program, line by line, in Pi's protocol
    Rpc(verbs::rpc::RpcArgs),
    /// Follow sessions live, one line for each event
    Watch(verbs::watch::WatchArgs),
    /// Move sessions to the trash, with their side files
    Delete(verbs::delete::DeleteArgs),
    /// Print a script that completes the command in a shell
    Completions(verbs::completions::CompletionsArgs),
    /// Print the manual page of the command or of a verb
    Man(verbs::completions::ManArgs),
}

impl Verb {
    /// Whether it looks for sessions in folders that must be there.
    pub(crate) fn looks_through_folders(&self) -> bool {
        if let Self::Extract(args) = self {
            return args.names_none();
        }
        matches!(
            self,
            Self::List(_)
                | Self::Index(_)
                | Self::Cost(_)
                | Self::Search(_)
                | Self::Resume(_)
                | Self::Continue(_)
        )
    }

    /// Whether it changes sessions or makes new ones, and then prints what it has done.
    pub(crate) fn writes(&self) -> bool {
        matches!(
            self,
            Self::Import(_)
                | Self::New(_)
                | Self::Append(_)
                | Self::Fork(_)
                | Self::Clone(_)
                | Self::Goto(_)
                | Self::Compact(_)
                | Self::Name(_)
                | Self::Label(_)
                | Self::Migrate(_)
                | Self::Undo(_)
                | Self::Delete(_)
        )
    }
}

/// The parser of an option that takes one of these by its name, with a few words on each.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let value = |one: &T| PossibleValue::new(name(*one)).help(about(*one));
    PossibleValuesParser::new(all.iter().map(value).collect::<Vec<_>>()).try_map(move |text| {
        all.iter().find(|one| name(**one) == text).copied().ok_or("not one of the values")
    })
}
