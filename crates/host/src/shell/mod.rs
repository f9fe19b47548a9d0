//! Runs a user's shell command as Pi does: `bash` of the protocol, `!cmd` of the view.
//!
//! The shell is the user's choice or bash. Its output is cleaned, streamed as it comes and cut to
//! its end; what is cut off is kept whole in a file that only the user can read. A command that
//! is aborted is ended with everything that it started.

mod clean;
mod tail;

use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use pitree_format::{Object, Value};
use pitree_session::Environment;
use pitree_session::location::agent_directory;
use pitree_session::summary::Cancel;

use crate::child::{self, End, Job};
use crate::error::HostError;
use crate::settings::Settings;

use clean::Cleaner;
use tail::Tail;

pub use clean::without_escapes;

/// A shell, and what stands before each command.
#[derive(Clone, Debug)]
pub struct Shell {
    program: PathBuf,
    prefix: Option<String>,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellResult {
    /// What it wrote, cleaned and maybe cut to its end.
    pub output: String,
    /// Its exit code, or 128 and the number of the signal that ended it; none if aborted.
    pub exit_code: Option<i32>,
    /// Whether it was aborted.
    pub cancelled: bool,
    /// Whether `output` is only the end.
    pub truncated: bool,
    /// The file with everything.
    pub full_output_path: Option<PathBuf>,
}

impl ShellResult {
    /// The answer of Pi's protocol to `bash`.
    pub fn to_value(&self) -> Value {
        self.add_to(Object::new()).into()
    }

    /// The message for the session, in Pi's order. `excluded` is what the caller said about
    /// `excludeFromContext`, if anything.
    pub fn to_message(&self, command: &str, now_ms: i64, excluded: Option<bool>) -> Value {
        let object = Object::new().with("role", "bashExecution").with("command", command);
        let object = self.add_to(object).with("timestamp", now_ms as f64);
        object.with_some("excludeFromContext", excluded).into()
    }

    fn add_to(&self, object: Object) -> Object {
        let path = self.full_output_path.as_ref().map(|path| path.to_string_lossy().into_owned());
        object
            .with("output", self.output.as_str())
            .with_some("exitCode", self.exit_code.map(f64::from))
            .with("cancelled", self.cancelled)
            .with("truncated", self.truncated)
            .with_some("fullOutputPath", path)
    }
}

impl Shell {
    /// The shell that the user's settings name, else bash, else `sh`.
    pub fn choose(settings: &Settings, environment: &Environment) -> Result<Self, HostError> {
        let program = match settings.shell_path(environment)? {
            Some(path) if path.exists() => path,
            Some(path) => return Err(HostError::NoShell { path }),
            None => bash(environment),
        };
        Ok(Self { program, prefix: settings.shell_command_prefix()? })
    }

    /// Runs a command in a folder and passes on its output as it comes, cleaned.
    pub fn run(
        &self,
        command: &str,
        cwd: &Path,
        environment: &Environment,
        cancel: &Cancel,
        mut on_output: impl FnMut(&str),
    ) -> Result<ShellResult, HostError> {
        if !cwd.exists() {
            return Err(HostError::NoDirectory { cwd: cwd.to_owned() });
        }
        if !is_executable(&self.program) {
            let source = io::ErrorKind::PermissionDenied.into();
            return Err(HostError::Start { program: self.program.display().to_string(), source });
        }
        let line = match &self.prefix {
            Some(prefix) => format!("{prefix}\n{command}"),
            None => command.to_owned(),
        };
        let mut process = child::in_own_session(&self.program);
        process.arg("-c").arg(line).current_dir(cwd);
        if let Some(path) = search_path(environment) {
            process.env("PATH", path);
        }
        let mut cleaner = Cleaner::default();
        let mut tail = Tail::new(environment);
        let job =
            Job { command: &mut process, own_group: true, input: None, time_limit: None, cancel };
        let end = child::run(job, |_, bytes| {
            tail.count_raw(bytes.len());
            let text = cleaner.take(bytes);
            if !text.is_empty() {
                on_output(&text);
                tail.push(&text);
            }
            ControlFlow::Continue(())
        });
        let program = || self.program.display().to_string();
        let end = end.map_err(|source| HostError::Start { program: program(), source })?;
        let rest = cleaner.finish();
        if !rest.is_empty() {
            on_output(&rest);
            tail.push(&rest);
        }
        let (output, truncated, full_output_path) = tail.finish();
        let (exit_code, cancelled) = match end {
            End::Exited(status) => (Some(code(status)), false),
            End::Cancelled | End::TimedOut | End::Stopped => (None, true),
        };
        Ok(ShellResult { output, exit_code, cancelled, truncated, full_output_path })
    }
}

fn is_executable(path: &Path) -> bool {
    fs_err::metadata(path).is_ok_and(|file| file.is_file() && file.mode() & 0o111 != 0)
}

fn bash(environment: &Environment) -> PathBuf {
    let usual = PathBuf::from("/bin/bash");
    if usual.exists() {
        return usual;
    }
    let folders = environment.var("PATH").unwrap_or_default().split(':');
    // A relative folder could be one of the project.
    let places = folders.map(Path::new).filter(|folder| folder.is_absolute());
    let found = places.map(|folder| folder.join("bash")).find(|path| path.is_file());
    found.unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// The user's `PATH` with the folder of Pi's own tools in front, as Pi sets it.
fn search_path(environment: &Environment) -> Option<String> {
    let path = environment.var("PATH")?;
    let tools = agent_directory(environment).join("bin");
    let tools = tools.to_str()?;
    let has_tools = path.split(':').any(|folder| folder == tools);
    Some(if has_tools { path.to_owned() } else { format!("{tools}:{path}") })
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}
