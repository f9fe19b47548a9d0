//! The command that resumes a session: run, or printed.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};
use pitree_format::{Object, Value};
use pitree_session::location::FoundSession;
use pitree_session::{cause, paths};
use pitree_store::SessionFacts;

use crate::environment::{find_program, is_executable};
use crate::error::{CommandError, Exit, Result, missing_directory};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::{clean_line, shell_word};

#[derive(Args, Debug, Default)]
pub(super) struct StartArgs {
    /// Print the command that resumes the session instead of running it (the default without a
    /// terminal)
    #[arg(long)]
    print: bool,

    /// What older versions needed to start Pi
    #[arg(long, hide = true, value_enum, value_name = "AGENT", conflicts_with = "print")]
    open: Option<Agent>,

    /// Start in this directory instead of the session's own
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Agent {
    /// The Pi coding agent: `pi`, or the program in PITREE_PI
    Pi,
}

impl StartArgs {
    /// Rejects `--open` where no agent can be started, before anything else is done.
    pub(super) fn check(&self, output: &Output) -> Result<()> {
        if self.open.is_none() {
            return Ok(());
        }
        let message = match output.json {
            true => "`--open` cannot be used with `--json`",
            false if !is_terminal() => "`--open` needs a terminal",
            false => return Ok(()),
        };
        let hint = "leave out `--open` to print the command".to_owned();
        Err(CommandError::Usage { message: message.to_owned(), hint: Some(hint) })
    }

    /// Whether Pi is started, and the command not just printed.
    fn starts_pi(&self, output: &Output) -> bool {
        !self.print && !output.json && is_terminal()
    }
}

/// Whether the user can talk to a program that is started here.
fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// A session to resume.
pub(super) struct Chosen {
    pub(super) path: PathBuf,
    pub(super) id: String,
    pub(super) cwd: String,
}

impl From<&SessionFacts> for Chosen {
    fn from(facts: &SessionFacts) -> Self {
        Self { path: facts.path.clone(), id: facts.id.clone(), cwd: facts.cwd.to_string() }
    }
}

impl From<&pitree_tui::screen::ChosenSession> for Chosen {
    fn from(chosen: &pitree_tui::screen::ChosenSession) -> Self {
        let cwd = chosen.cwd.to_string_lossy().into_owned();
        Self { path: chosen.path.clone(), id: chosen.id.clone(), cwd }
    }
}

impl From<&FoundSession> for Chosen {
    fn from(found: &FoundSession) -> Self {
        let cwd = found.header.cwd.as_ref().map(|cwd| cwd.to_text().into_owned());
        Self { path: found.path.clone(), id: found.id(), cwd: cwd.unwrap_or_default() }
    }
}

/// Becomes the command that resumes a session, or prints it.
pub(super) fn start(
    chosen: &Chosen,
    args: &StartArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let cwd = directory(chosen, args, workspace)?;
    let program = program(workspace);
    let arguments = [OsStr::new("--session"), chosen.path.as_os_str()];
    if args.starts_pi(output) {
        output.flush()?;
        let found = find(&program).map_err(or_print)?;
        let error = Command::new(found).args(arguments).current_dir(&cwd).exec();
        let message = format!("Cannot start {}: {error}", program.to_string_lossy());
        return Err(CommandError::BadData { message, hint: None });
    }
    let words: Vec<String> =
        std::iter::once(program.as_os_str()).chain(arguments).map(shell_word).collect();
    let command = format!("cd {} && {}", shell_word(cwd.as_os_str()), words.join(" "));
    if output.json {
        let text = |text: &OsStr| Value::from(text.to_string_lossy().into_owned());
        let argv: Vec<Value> =
            std::iter::once(program.as_os_str()).chain(arguments).map(text).collect();
        let object = Object::new()
            .with("command", command)
            .with("argv", argv)
            .with("cwd", text(cwd.as_os_str()))
            .with("path", text(chosen.path.as_os_str()))
            .with("id", chosen.id.as_str());
        output.value(&object.into())?;
    } else {
        output.line(&clean_line(&command))?;
    }
    Ok(Exit::Ok)
}

/// Where to resume: the session's directory must still exist.
fn directory(chosen: &Chosen, args: &StartArgs, workspace: &Workspace) -> Result<PathBuf> {
    if args.cwd.is_some() || chosen.cwd.is_empty() {
        return workspace.directory(args.cwd.as_deref());
    }
    let cwd = paths::resolve(Path::new(&chosen.cwd), &workspace.environment);
    if cwd.is_dir() {
        return Ok(cwd);
    }
    let message = missing_directory(&cwd);
    let fork = workspace.command("fork", &[chosen.path.as_os_str()], "--whole --cwd DIR");
    let hint = format!(
        "pass `--cwd DIR` to resume it in another directory, or run `{fork}` to copy the session \
         there"
    );
    Err(CommandError::Refused { message, hint: Some(hint) })
}

/// The agent's program, named by the user's environment and nothing else.
pub(crate) fn program(workspace: &Workspace) -> OsString {
    let named = std::env::var_os("PITREE_PI").filter(|name| !name.is_empty());
    let named = named.unwrap_or_else(|| "pi".into());
    if named.as_bytes().contains(&b'/') || named.as_bytes().first() == Some(&b'~') {
        paths::resolve(Path::new(&named), &workspace.environment).into()
    } else {
        named
    }
}

/// The agent's program, if it is there.
pub(crate) fn pi_program(workspace: &Workspace) -> Option<PathBuf> {
    find(&program(workspace)).ok()
}

/// The agent that `--agent` names, else the one of the environment.
pub(crate) fn agent_program(named: Option<&OsStr>, workspace: &Workspace) -> Result<PathBuf> {
    let Some(named) = named else { return find(&program(workspace)) };
    look_for(named).ok_or_else(|| CommandError::Usage {
        message: problem_with(Path::new(named)),
        hint: Some("correct `--agent`, or pass it without a value to attach Pi".to_owned()),
    })
}

/// A program that the environment names.
pub(crate) fn find(program: &OsStr) -> Result<PathBuf> {
    look_for(program).ok_or_else(|| not_found(Path::new(program)))
}

fn look_for(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    match path.is_absolute() {
        true => Some(path.to_owned()).filter(|path| is_executable(path)),
        false => find_program(&program.to_string_lossy()),
    }
}

/// Resuming has one more way out.
fn or_print(error: CommandError) -> CommandError {
    match error {
        CommandError::Usage { message, hint } => {
            let hint = hint.map(|hint| format!("{hint}; `--print` only prints the command"));
            CommandError::Usage { message, hint }
        }
        other => other,
    }
}

/// Why a program cannot be run.
fn problem_with(program: &Path) -> String {
    let shown = program.display();
    match fs_err::metadata(program) {
        _ if !program.is_absolute() => format!("`{shown}` was not found on PATH"),
        Ok(data) if data.is_dir() => format!("{shown} is a directory, not a program"),
        Ok(_) => format!("{shown} is not executable"),
        Err(error) => format!("{shown} cannot be run: {}", cause(&error)),
    }
}

/// Why the agent's program cannot be run, and which variable names it.
fn not_found(program: &Path) -> CommandError {
    let is_named = std::env::var_os("PITREE_PI").is_some_and(|name| !name.is_empty());
    let problem = problem_with(program);
    let (message, hint) = match is_named {
        true => {
            (format!("{problem} (named by the variable PITREE_PI)"), "correct or unset PITREE_PI")
        }
        false => (problem, "install Pi, or set PITREE_PI to its path"),
    };
    CommandError::Usage { message, hint: Some(hint.to_owned()) }
}
