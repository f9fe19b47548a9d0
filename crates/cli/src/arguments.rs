//! What the user typed.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use pitree_tui::theme::ColorMode;

use crate::verbs;

/// Find, resume, branch, share and learn from every Pi session you've ever had.
///
/// Run `pitree` without a command to pick a session in the terminal. Reading never changes a file.
/// Writing appends entries exactly as Pi does, so both can take turns on the same session. Only
/// `migrate` (or --migrate) and `undo` rewrite a file, and they keep a backup.
///
/// Without --scope, `list` shows the sessions of this directory, and `resume` looks there first and
/// then everywhere. What searches, counts or follows sessions takes all of them.
#[derive(Parser, Debug, Default)]
#[command(name = "pitree", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print JSON instead of text
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// When to use colors
    #[arg(long, global = true, value_name = "auto|always|never",
        help_heading = "Global options",
        value_parser = one_of(ColorMode::ALL, ColorMode::name, ColorMode::about),
        default_value = "auto", hide_possible_values = true)]
    pub(crate) color: ColorMode,

    /// Do not page long output
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) no_pager: bool,

    /// Look in this folder, which holds session files directly; repeatable
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) session_dir: Vec<PathBuf>,

    /// Look in this folder, which holds one folder per working directory, like
    /// ~/.pi/agent/sessions; repeatable
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) sessions_root: Vec<PathBuf>,

    /// Ignore the cache: read every file, and store nothing
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) no_index: bool,

    /// Do not run your extensions
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) no_extensions: bool,

    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Take a tour of built-in sample sessions; your own files are not touched
    Demo(verbs::demo::DemoArgs),
    /// List the sessions of this directory, this repository, or all of them
    List(verbs::list::ListArgs),
    /// Inspect, verify or rebuild the cache; build the shared session-index.sqlite
    Index(verbs::index::IndexArgs),
    /// Show what your sessions cost, by day, model, project and more
    Cost(verbs::cost::CostArgs),
    /// Show how you work with Pi: tools, files, commands, hours, models, branches
    Stats(verbs::stats::StatsArgs),
    /// Search the text of all sessions
    Search(verbs::search::SearchArgs),
    /// Read a session in the terminal, and continue it
    View(verbs::view::ViewArgs),
    /// Print a session: overview, conversation, tools, costs or sub-agents
    Show(verbs::show::ShowArgs),
    /// List the entries of all branches, in file order
    Entries(verbs::entries::EntriesArgs),
    /// Walk or print the tree of a session, with its branches and labels
    Tree(verbs::tree::TreeArgs),
    /// Print the path from the root to an entry
    #[command(alias = "branch")]
    Path(verbs::path::PathArgs),
    /// Print the model's context: what the next request would send
    Context(verbs::context::ContextArgs),
    /// Print the session file, byte for byte
    Cat(verbs::cat::CatArgs),
    /// Open the session file in your editor, or print its path without one
    Open(verbs::open::OpenArgs),
    /// Copy the last reply, another message or a code block to the clipboard
    Copy(verbs::copy::CopyArgs),
    /// Check session files for problems, and say which programs reject them
    Check(verbs::check::CheckArgs),
    /// List the sub-agent runs of a session, or show one of them
    Subagents(verbs::subagents::SubagentsArgs),
    /// Export a session as a web page, Markdown, text or JSONL
    Export(verbs::export::ExportArgs),
    /// Turn sessions into training data
    ///
    /// Replies that failed, were aborted or were cut off (`stopReason` error, aborted or length) are
    /// never trained on; a failed one is not in the context of later replies either, as in Pi. To
    /// leave out whole runs that ended in failure, pass `--without failure`; to choose runs by their
    /// results, pass `--outcomes FILE --outcome resolved`.
    Extract(verbs::extract::ExtractArgs),
    /// Find secrets in sessions
    Secrets(verbs::secrets::SecretsArgs),
    /// Import a session file
    Import(verbs::import::ImportArgs),
    /// Create an empty session
    New(verbs::new::NewArgs),
    /// Append to a session from standard input: text, a message or entries as JSON
    Append(verbs::append::AppendArgs),
    /// Fork a session before one of your messages, to edit and resend it
    Fork(verbs::fork::ForkArgs),
    /// Copy the current branch into a new session
    Clone(verbs::fork::CloneArgs),
    /// Move to another entry and save the position
    Goto(verbs::goto::GotoArgs),
    /// Summarize the older part of the conversation to free up context
    Compact(verbs::compact::CompactArgs),
    /// Show or set the session's name
    Name(verbs::marks::NameArgs),
    /// Show, set or clear the label of an entry
    Label(verbs::marks::LabelArgs),
    /// Upgrade version 1 and 2 files to version 3, keeping a backup
    Migrate(verbs::migrate::MigrateArgs),
    /// Undo the last migration of a session file
    ///
    /// Restores the file from the backup that was kept when `migrate`, or `--migrate` of another
    /// command, rewrote it, and names both. Other changes only append to a file; `undo` does not
    /// take them back.
    Undo(verbs::migrate::UndoArgs),
    /// Resume a session in Pi
    Resume(verbs::resume::ResumeArgs),
    /// Resume the most recent session of this directory in Pi
    Continue(verbs::resume::ContinueArgs),
    /// Serve a session to a program, in Pi's RPC protocol
    Rpc(verbs::rpc::RpcArgs),
    /// Show all sessions in your browser
    ///
    /// Serves a page on this machine and prints its address, which holds a token: only a browser
    /// opened with this address can read it. The page changes nothing unless you pass --allow-edit.
    #[cfg(feature = "web")]
    Serve(verbs::serve::ServeArgs),
    /// Follow sessions live, one line per event
    Watch(verbs::watch::WatchArgs),
    /// Move sessions and their companion files to the trash
    Delete(verbs::delete::DeleteArgs),
    /// List deleted sessions, or bring them back from the trash
    Restore(verbs::restore::RestoreArgs),
    /// Show the current settings, and where each comes from
    Config(verbs::config::ConfigArgs),
    /// Print a completion script for your shell: commands, sessions, entries, models
    Completions(verbs::completions::CompletionsArgs),
    /// Print the manual page of pitree or of one command
    Man(verbs::completions::ManArgs),
}

impl Verb {
    /// Whether it looks for sessions in folders that must be there.
    pub(crate) fn looks_through_folders(&self) -> bool {
        match self {
            Self::Extract(args) => return args.names_none(),
            Self::Check(args) => return args.names_none(),
            Self::Secrets(args) => return args.names_none(),
            _ => {}
        }
        matches!(
            self,
            Self::List(_)
                | Self::Index(_)
                | Self::Cost(_)
                | Self::Stats(_)
                | Self::Search(_)
                | Self::Resume(_)
                | Self::Continue(_)
        )
    }

    /// Whether it only prints, and may print much: on a terminal that is paged.
    pub(crate) fn is_paged(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Cost(_)
                | Self::Stats(_)
                | Self::Search(_)
                | Self::Show(_)
                | Self::Entries(_)
                | Self::Tree(_)
                | Self::Path(_)
                | Self::Context(_)
                | Self::Cat(_)
                | Self::Check(_)
        )
    }

    /// Whether it does its work and ends, without a screen and without another program in its place.
    pub(crate) fn answers_programs(&self) -> bool {
        #[cfg(feature = "web")]
        if matches!(self, Self::Serve(_)) {
            return false;
        }
        !matches!(
            self,
            Self::Demo(_)
                | Self::View(_)
                | Self::Open(_)
                | Self::Copy(_)
                | Self::Import(_)
                | Self::Resume(_)
                | Self::Continue(_)
                | Self::Rpc(_)
                | Self::Watch(_)
                | Self::Completions(_)
                | Self::Man(_)
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
                | Self::Restore(_)
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
