//! `pitree rpc`: a program asks, line by line.

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use clap::Args;
use pitree_host::HostError;
use pitree_host::agent::AgentStart;
use pitree_host::live::LiveError;
use pitree_host::models::Choices;
use pitree_host::processes;
use pitree_rpc::{ListenError, Server, ServerError, ServerOptions, Socket, SocketFile};
use pitree_session::location::Location;
use pitree_session::{ForkOptions, NewSession, OldVersion, OpenOptions, Session, paths};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::resume::agent_program;
use super::summarizing::{SummarizerArgs, warn_of_unknown_keys};

use crate::environment::find_program;
use crate::error::{CommandError, Exit, Result};
use crate::hints;
use crate::output::Output;
use crate::target::{Target, Workspace};
use crate::text::TerminalWriter;

const BUFFER_BYTES: usize = 64 << 10;
/// How long the session may take to close after a signal.
const LONGEST_CLOSE: Duration = Duration::from_secs(5);

/// The options are those of `pi --mode rpc`, as far as they are about sessions.
#[derive(Args, Debug)]
pub(crate) struct RpcArgs {
    /// Open this session: a file (created if missing), an id, or a unique id prefix
    #[arg(long, value_name = "FILE|ID")]
    session: Option<OsString>,

    /// Open the session of this directory with exactly this id, or create it
    #[arg(long, value_name = "ID", conflicts_with_all = ["session", "continue_recent"])]
    session_id: Option<String>,

    /// Start with a copy of this session for this directory
    #[arg(
        long,
        value_name = "FILE|ID",
        conflicts_with_all = ["session", "continue_recent", "no_session"],
    )]
    fork: Option<OsString>,

    /// Open the most recent session of this directory
    #[arg(short, long = "continue", conflicts_with = "session")]
    continue_recent: bool,

    /// Keep the session in memory only
    #[arg(long)]
    no_session: bool,

    /// Set the session's name
    #[arg(short, long)]
    name: Option<String>,

    /// The model's provider, with --model
    #[arg(long, requires = "model")]
    provider: Option<String>,

    /// The initial model (default: from the session or the settings)
    #[arg(long)]
    model: Option<String>,

    /// Allow version 1 and 2 files to be upgraded to version 3 on the first append; `undo` can
    /// restore them. Otherwise such an append is refused
    #[arg(long)]
    migrate: bool,

    /// Let clients run shell commands; they are recorded in the session
    #[arg(long)]
    allow_bash: bool,

    /// Attach Pi to answer prompts: this program, else the one in PITREE_PI, else `pi`
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, require_equals = true)]
    agent: Option<Option<OsString>>,

    /// An argument for the agent; repeatable
    #[arg(long, value_name = "ARG", requires = "agent", allow_hyphen_values = true)]
    agent_arg: Vec<OsString>,

    /// Load a Pi extension for its session events; needs Node (22.6 or later for TypeScript);
    /// repeatable
    #[arg(long, value_name = "FILE", conflicts_with = "agent")]
    pi_extension: Vec<PathBuf>,

    /// Serve several clients on this Unix socket instead of one on standard input
    #[arg(long, value_name = "PATH")]
    listen: Option<PathBuf>,

    #[command(flatten)]
    summarizer: SummarizerArgs,

    /// Accepted because Pi's clients pass it
    #[arg(long, hide = true, value_parser = ["rpc"])]
    mode: Option<String>,
}

pub(crate) fn run(args: &RpcArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let mut session = open(args, workspace, output)?;
    if let Some(name) = args.name.as_ref().filter(|_| args.agent.is_none()) {
        if name.trim().is_empty() {
            return Err(CommandError::usage("--name requires a non-empty value"));
        }
        session.append_session_info(name.as_str())?;
    }
    let server = serve_with(args, session, workspace, output)?;
    let socket = Arc::new(OnceLock::new());
    let served = close_on_signal(&server, Arc::clone(&socket))
        .and_then(|()| output.flush())
        .and_then(|()| serve(args, &server, &socket, output));
    drop(server);
    // A client that has gone may have left threads behind which keep the server.
    processes::end_all();
    served
}

/// Answers until there is nobody left to answer.
fn serve(
    args: &RpcArgs,
    server: &Arc<Server>,
    bound: &OnceLock<SocketFile>,
    output: &mut Output,
) -> Result<Exit> {
    if let Some(path) = &args.listen {
        return listen(server, path, bound, output);
    }
    // The output is written by several threads, so none of them may hold it for good.
    let out = io::stdout().as_fd().try_clone_to_owned().map_err(CommandError::Output)?;
    let on_terminal = io::stdout().is_terminal();
    let out = TerminalWriter::new(std::fs::File::from(out), on_terminal);
    let out = BufWriter::with_capacity(BUFFER_BYTES, out);
    let input = io::BufReader::with_capacity(BUFFER_BYTES, io::stdin());
    server.run(input, out).map_err(cannot_start)?.map_err(CommandError::Input)?;
    Ok(Exit::Ok)
}

impl RpcArgs {
    /// The extensions of Pi to load, and the program that runs them.
    fn pi_extensions(&self, workspace: &Workspace) -> Result<Option<(PathBuf, Vec<PathBuf>)>> {
        if self.pi_extension.is_empty() {
            return Ok(None);
        }
        let resolve = |file: &PathBuf| paths::resolve(file, &workspace.environment);
        let files: Vec<PathBuf> = self.pi_extension.iter().map(resolve).collect();
        if let Some(missing) = files.iter().find(|file| !file.is_file()) {
            let message = format!("Cannot load the extension {}: no such file", missing.display());
            return Err(CommandError::Usage { message, hint: None });
        }
        let node = find_program("node").ok_or_else(|| CommandError::Usage {
            message: "`node`, which runs extensions of Pi, was not found on PATH".to_owned(),
            hint: Some("install Node 22.6 or newer".to_owned()),
        })?;
        Ok(Some((node, files)))
    }

    /// The agent to attach, with the session that it shall work with.
    fn agent_for(&self, session: &Session, workspace: &Workspace) -> Result<Option<AgentStart>> {
        let Some(named) = &self.agent else { return Ok(None) };
        let program = agent_program(named.as_deref(), workspace)?;
        let mut args: Vec<OsString> = match session.path() {
            // The agent begins it, so that the name of its file and its header have one id.
            Some(path) if self.session.is_none() && !path.exists() => {
                let folder = path.parent().unwrap_or(Path::new("."));
                let id = self.session_id.iter().flat_map(|id| ["--session-id".into(), id.into()]);
                ["--session-dir".into(), folder.into()].into_iter().chain(id).collect()
            }
            Some(path) => vec!["--session".into(), path.into()],
            None => vec!["--no-session".into()],
        };
        let options =
            [("--name", &self.name), ("--provider", &self.provider), ("--model", &self.model)];
        for (option, value) in options {
            args.extend(value.iter().flat_map(|value| [option.into(), value.into()]));
        }
        args.extend(self.agent_arg.iter().cloned());
        Ok(Some(AgentStart { program, args, cwd: session.cwd().to_owned(), is_quiet: false }))
    }
}

fn serve_with(
    args: &RpcArgs,
    session: Session,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Arc<Server>> {
    let (provider, model) = (args.provider.as_deref(), args.model.as_deref());
    let choices = Choices::load(&workspace.environment, provider, model).map_err(cannot_choose)?;
    for problem in choices.problems() {
        output.remark(&problem)?;
    }
    warn_of_unknown_keys(workspace, output)?;
    let options = ServerOptions {
        choices,
        summarizer: args.summarizer.options(),
        store: workspace.store(),
        trash_command: find_program("trash"),
        allow_bash: args.allow_bash,
        agent: args.agent_for(&session, workspace)?,
        extensions: !workspace.without_extensions,
        pi_extensions: args.pi_extensions(workspace)?,
        hint: hints::of_request,
    };
    Server::new(session, options).map_err(cannot_start)
}

/// Answers at a socket until a signal ends the process.
fn listen(
    server: &Arc<Server>,
    path: &Path,
    bound: &OnceLock<SocketFile>,
    output: &mut Output,
) -> Result<Exit> {
    let socket = Socket::bind(path).map_err(cannot_listen)?;
    bound.get_or_init(|| socket.file());
    output.remark(&format!("listening at {}", path.display()))?;
    server.listen(&socket, || ()).map_err(cannot_listen)?;
    Ok(Exit::Ok)
}

/// Closes the session and ends with Pi's exit code when a signal comes. A socket is removed once it
/// is ours: what has its name before that belongs to somebody else.
fn close_on_signal(server: &Arc<Server>, socket: Arc<OnceLock<SocketFile>>) -> Result<()> {
    let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
    let mut signals = Signals::new(all).map_err(CommandError::Input)?;
    // Not to keep it alive: extensions end with the server, and that is waited for.
    let server = Arc::downgrade(server);
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            close(server);
            processes::end_all();
            socket.get().into_iter().for_each(SocketFile::remove);
            #[allow(clippy::exit, reason = "the other threads wait for input that never ends")]
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// Closes the session, unless somebody holds it for too long.
fn close(server: Weak<Server>) {
    let (closed, end) = channel();
    std::thread::spawn(move || {
        server.upgrade().into_iter().for_each(|server| server.close());
        let _ = closed.send(());
    });
    // Whether it was closed in time makes no difference to what comes next.
    let _ = end.recv_timeout(LONGEST_CLOSE);
}

/// The session to begin with. Sessions that it is replaced by follow the same rule for version 1
/// and 2 files. Pi rewrites such a file as soon as it opens it, so an agent gets it only when that
/// is allowed, and the backup is made first.
fn open(args: &RpcArgs, workspace: &Workspace, output: &mut Output) -> Result<Session> {
    let mut session = choose(args, workspace, output)?;
    if args.migrate {
        session.set_old_version(OldVersion::Migrate);
    }
    if args.agent.is_some() {
        session.refuse_old_version()?;
        workspace.migrate(&mut session, output)?;
    }
    Ok(session)
}

/// The session to begin with, in Pi's order of decision.
fn choose(args: &RpcArgs, workspace: &Workspace, output: &mut Output) -> Result<Session> {
    let (location, environment) = (&workspace.location, &workspace.environment);
    let cwd = environment.cwd();
    if args.no_session {
        return Ok(Session::in_memory(cwd, &NewSession::default(), environment)?);
    }
    if let Some(source) = &args.fork {
        let source = workspace.find(&Target { session: source.clone() })?;
        let mut options = ForkOptions::new();
        options.id.clone_from(&args.session_id);
        let directory = location.directory_for(cwd);
        return Ok(Session::fork_from(&source, cwd, directory, &options, environment)?);
    }
    if let Some(named) = &args.session {
        let path = workspace.find(&Target { session: named.clone() })?;
        return Ok(OpenOptions::new().create(true).open(&path, environment)?);
    }
    if args.continue_recent {
        return Ok(Session::continue_recent(cwd, location, environment)?);
    }
    if let Some(id) = &args.session_id {
        return with_id(id, cwd, location, workspace, output);
    }
    Ok(Session::create(cwd, location, &NewSession::default(), environment)?)
}

fn with_id(
    id: &str,
    cwd: &Path,
    location: &Location,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Session> {
    let known = location.sessions_of(cwd, &workspace.environment);
    if let Some(found) = known.into_iter().find(|found| found.id() == id) {
        return Ok(Session::open(&found.path, &workspace.environment)?);
    }
    let new = NewSession::new().id(id);
    let session = Session::create(cwd, location, &new, &workspace.environment)?;
    output.remark(&format!("no session of this directory has the id {id}; creating it"))?;
    Ok(session)
}

/// The hints of [`HostError`] name the options of summarizers; this model is named by `--model`.
fn cannot_choose(error: HostError) -> CommandError {
    match error {
        HostError::UnknownModel { .. } => CommandError::Usage {
            message: error.to_string(),
            hint: Some(hints::of_unknown_model("--model")),
        },
        other => other.into(),
    }
}

fn cannot_start(error: ServerError) -> CommandError {
    match error {
        ServerError::Session(error) => error.into(),
        ServerError::Live(LiveError::Session(error)) => error.into(),
        ServerError::Host(error) => error.into(),
        other => CommandError::BadData { message: other.to_string(), hint: None },
    }
}

fn cannot_listen(error: ListenError) -> CommandError {
    let message = error.to_string();
    match error {
        ListenError::Server(error) => cannot_start(error),
        ListenError::InUse { .. } | ListenError::NotASocket { .. } => {
            let hint = "pass another path, or remove that file".to_owned();
            CommandError::Refused { message, hint: Some(hint) }
        }
        _ => CommandError::BadData { message, hint: None },
    }
}
