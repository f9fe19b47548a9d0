//! `pitree show`: a session for people.
//!
//! One file a mode. All modes but `costs` look at the active path, cut into turns: a user message
//! and everything up to the next one.

mod conversation;
mod costs;
mod full;
mod overview;
mod page;
pub(crate) mod plain;
mod stream;
mod subagents;
pub(crate) mod table;
pub(crate) mod tally;
mod tools;
mod turns;

use std::ffi::OsStr;
use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use pitree_format::Object;
use pitree_session::{EntryRef, Session};

use crate::error::{CommandError, Exit, Result};
use crate::neighborhood::Neighborhood;
use crate::option_values::{any_number, at_least_one};
use crate::output::Output;
use crate::target::{ReadTarget, Target, Workspace};
use turns::{Selection, Turn};

/// So many messages are printed before and after an entry.
const AROUND: usize = 3;

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// What to show
    #[arg(long, value_enum, default_value = "overview")]
    mode: Mode,

    /// Skip this many turns; a turn is a user message and everything up to the next one
    #[arg(long, value_name = "N", value_parser = any_number::<usize>)]
    offset: Option<usize>,

    /// Show at most this many turns
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroUsize>)]
    limit: Option<NonZeroUsize>,

    /// Show only the last N turns
    #[arg(long, value_name = "N", conflicts_with_all = ["offset", "limit"],
        value_parser = at_least_one::<NonZeroUsize>)]
    last: Option<NonZeroUsize>,

    /// Shorten each text to this many characters; 0 for unlimited (default: depends on the mode;
    /// JSON is shortened in the overview only)
    #[arg(long, value_name = "CHARS", value_parser = any_number::<usize>)]
    max_content: Option<usize>,
}

impl ShowArgs {
    /// What is shown unless the user wishes something else.
    pub(crate) fn overview(session: &OsStr) -> Self {
        let target = Target { session: session.into() };
        let target = ReadTarget { target, lenient: false };
        let (offset, limit, last, max_content) = (None, None, None, None);
        Self { target, mode: Mode::Overview, offset, limit, last, max_content }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// A summary of the session and of each turn
    Overview,
    /// The messages; tool calls in one line, without reasoning
    Conversation,
    /// Everything
    Full,
    /// Each tool call with its result, and totals
    Tools,
    /// Tokens and cost of all branches
    Costs,
    /// Sub-agent runs, from the results of the tools that ran them
    Subagents,
}

impl Mode {
    /// How many characters of a text are shown unless the user says so; 0 is all.
    fn default_cut(self, json: bool) -> usize {
        match self {
            Self::Overview => 100,
            _ if json => 0,
            Self::Conversation => 2000,
            Self::Full | Self::Costs => 0,
            Self::Tools => 200,
            Self::Subagents => 500,
        }
    }
}

/// What a mode has to show.
struct View<'s> {
    session: &'s Session,
    /// The turns that the user asked for.
    turns: Vec<Turn<'s>>,
    /// How many turns there are on the active path.
    all_turns: usize,
    /// The most characters of a text.
    most: usize,
    /// The entry that is marked; the texts of all others are shortened.
    marked: Option<usize>,
}

pub(crate) fn run(args: &ShowArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let selects = args.offset.is_some() || args.limit.is_some() || args.last.is_some();
    if args.mode == Mode::Costs && selects {
        let message = "--mode costs counts the whole session: leave out --offset, --limit, --last";
        return Err(CommandError::usage(message));
    }
    let session = stream::open(&args.target, workspace, output)?;
    let view = view(args, &session, output.json);
    match args.mode {
        Mode::Overview => overview::run(&view, workspace, output)?,
        Mode::Costs => costs::run(&session, workspace, output)?,
        Mode::Conversation => conversation::run(&view, output)?,
        Mode::Full => full::run(&view, output)?,
        Mode::Tools => return tools::run(&view, output),
        Mode::Subagents => return subagents::run(&view, output),
    }
    if view.turns.is_empty() && selects {
        let all = view.all_turns;
        output.remark(&match args.offset {
            Some(skipped) if skipped >= all => {
                format!("there is no turn {}; the current branch has {all}", skipped + 1)
            }
            _ => format!("there are no turns; the current branch has {all}"),
        })?;
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Ok)
}

/// Prints an entry with some messages before and after it, on the current path or on its own
/// branch. The entry is marked, and is the only one that is printed in full.
pub(crate) fn run_at(
    session: &OsStr,
    entry: &str,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let args = ShowArgs::overview(session);
    let session = stream::open(&args.target, workspace, output)?;
    let entry = session.entry_by_prefix(entry)?;
    let place = |path: &[EntryRef<'_>]| path.iter().position(|it| it.index() == entry.index());
    let mut path = session.active_path();
    if place(&path).is_none() {
        path = session.path_to(session.end_below(entry).unwrap_or(entry));
    }
    let around = place(&path).and_then(|place| Neighborhood::of(&path, place, AROUND));
    let shown: Vec<usize> =
        around.iter().flat_map(Neighborhood::entries).map(|entry| entry.index()).collect();
    let mut turns = turns::split(path);
    let all_turns = turns.iter().filter(|turn| turn.number > 0).count();
    for turn in &mut turns {
        turn.entries.retain(|entry| shown.contains(&entry.index()));
    }
    turns.retain(|turn| !turn.entries.is_empty());
    let (session, most, marked) = (&session, usize::MAX, Some(entry.index()));
    full::run(&View { session, turns, all_turns, most, marked }, output)?;
    Ok(Exit::Ok)
}

/// Prints the conversation of a session.
pub(crate) fn print_conversation(session: &Session, output: &mut Output) -> Result<()> {
    conversation::run(&whole(session, Mode::Conversation.default_cut(false)), output)
}

/// The conversation of a session as JSON.
pub(crate) fn conversation_value(session: &Session) -> Result<Object> {
    conversation::to_object(&whole(session, usize::MAX))
}

fn whole(session: &Session, most: usize) -> View<'_> {
    let turns = turns::split(session.active_path());
    let all_turns = turns.iter().filter(|turn| turn.number > 0).count();
    View { session, turns, all_turns, most, marked: None }
}

fn view<'s>(args: &ShowArgs, session: &'s Session, json: bool) -> View<'s> {
    let turns = turns::split(session.active_path());
    let all_turns = turns.iter().filter(|turn| turn.number > 0).count();
    let selection = match args.last {
        Some(last) => Selection { offset: all_turns.saturating_sub(last.get()), limit: None },
        None => {
            Selection { offset: args.offset.unwrap_or(0), limit: args.limit.map(NonZeroUsize::get) }
        }
    };
    let most = match args.max_content.unwrap_or_else(|| args.mode.default_cut(json)) {
        0 => usize::MAX,
        most => most,
    };
    View { session, turns: selection.apply(turns), all_turns, most, marked: None }
}
