//! `pitree view`: a session on the terminal, to read it and to continue it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use pitree_host::live::{LiveOptions, StartingModel};
use pitree_host::models::Choices;
use pitree_host::settings::{AgentSetting, Config, Settings};
use pitree_tui::state::OpenAt;

use super::resume::{agent_program, find, program};
use super::show::{self, ShowArgs};
use super::summarizing::{SummarizerArgs, by_session, warn_of_unknown_keys};
use crate::error::{CommandError, Exit, Result};
use crate::interface::{self, Working};
use crate::output::Output;
use crate::target::{LockWait, Target, Workspace};

#[derive(Args, Debug, Default)]
pub(crate) struct ViewArgs {
    /// A session file, a session id, or a unique id prefix (default: choose one)
    #[arg(value_name = "FILE|ID")]
    session: Option<OsString>,

    /// Open at this entry: an id, or the beginning of one
    #[arg(long, value_name = "ENTRY", requires = "session")]
    at: Option<String>,

    /// Find this and highlight it: words, "a phrase", re:expression
    #[arg(long, value_name = "QUERY", requires = "session")]
    find: Option<String>,

    /// Open with the composer, to write; otherwise `i` opens it
    #[arg(long)]
    write: bool,

    /// Let `!COMMAND` run shell commands; they are recorded in the session
    #[arg(long)]
    allow_bash: bool,

    /// Attach Pi to answer prompts: this program, else the one in PITREE_PI, else `pi`. Set `agent`
    /// in config.json to make it the default
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, require_equals = true)]
    agent: Option<Option<OsString>>,

    /// Do not attach an agent, even if config.json says so
    #[arg(long, conflicts_with = "agent")]
    no_agent: bool,

    #[command(flatten)]
    summarizer: SummarizerArgs,
}

/// Without a terminal it prints what `show` prints, or with `--at` the messages around that entry.
pub(crate) fn run(args: &ViewArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if !interface::is_wanted(workspace, output) {
        if args.find.is_some() {
            output
                .remark("`--find` needs a terminal; `pitree search WORDS` searches without one")?;
        }
        let others = [
            (args.write, "--write"),
            (args.allow_bash, "--allow-bash"),
            (args.agent.is_some(), "--agent"),
        ];
        for (_, option) in others.iter().filter(|(is_given, _)| *is_given) {
            output.remark(&format!("`{option}` needs a terminal"))?;
        }
        return match (&args.session, &args.at) {
            (Some(session), Some(entry)) => show::run_at(session, entry, workspace, output),
            (Some(session), None) => show::run(&ShowArgs::overview(session), workspace, output),
            (None, _) => Err(CommandError::Usage {
                message: "The picker needs a terminal".to_owned(),
                hint: Some(format!("name a session; `{}` shows the ids", workspace.list_all())),
            }),
        };
    }
    let session = match &args.session {
        Some(session) => Some(workspace.find(&Target { session: session.clone() })?),
        None => None,
    };
    let live = live_options(args, workspace, output)?;
    warn_of_unknown_keys(workspace, output)?;
    let agent = agent(args, workspace)?;
    let query = args.find.clone().unwrap_or_default();
    let wanted = OpenAt { entry: args.at.clone(), query, offset: None };
    let open_at = (wanted != OpenAt::default()).then_some(wanted);
    let options = LockWait::default().options();
    let (allow_bash, writes) = (args.allow_bash, args.write);
    let working = Working { session, options, live, allow_bash, agent, writes, open_at };
    interface::work(workspace, working)
}

/// The agent that answers: the command line's, else that of the user's own configuration. A
/// project has no say in it.
fn agent(args: &ViewArgs, workspace: &Workspace) -> Result<Option<PathBuf>> {
    if let Some(named) = &args.agent {
        return agent_program(named.as_deref(), workspace).map(Some);
    }
    if args.no_agent {
        return Ok(None);
    }
    let config = Config::load(&workspace.environment)?;
    let named = match config.agent(&workspace.environment)? {
        AgentSetting::Off => return Ok(None),
        AgentSetting::Usual => program(workspace),
        AgentSetting::Program(named) => named.into(),
    };
    let found = find(&named).map_err(|_| CommandError::Usage {
        message: format!(
            "`{}` was not found on PATH; it is the `agent` in {}",
            named.to_string_lossy(),
            workspace.display(config.path())
        ),
        hint: Some("correct it, or pass `--no-agent`".to_owned()),
    });
    found.map(Some)
}

/// Who writes summaries and when to compact, for whatever session is opened. No key is looked up
/// before a summary is wanted.
fn live_options(
    args: &ViewArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<LiveOptions> {
    let settings = Settings::load(&workspace.environment, workspace.environment.cwd())?;
    if let Some(problem) = settings.problem() {
        output.remark(problem)?;
    }
    settings.compaction(None)?;
    Ok(LiveOptions {
        starting_model: starting_model(workspace)?,
        by_session: Some(by_session(&args.summarizer, workspace)),
        ..LiveOptions::default()
    })
}

/// What a new session begins with: the usual model, as in Pi. Without one nothing is written down.
fn starting_model(workspace: &Workspace) -> Result<StartingModel> {
    let usual = Choices::load(&workspace.environment, None, None)?.initial()?;
    Ok(if usual.model.is_some() { usual.starting() } else { StartingModel::default() })
}
