//! Work that takes long, on a thread of its own. One at a time; Esc stops it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use pitree_export::{ExportOptions, Format, Overwrite, default_name, export_to_file};
use pitree_host::HostError;
use pitree_host::agent::Agent;
use pitree_host::live::{LiveError, PendingCompaction};
use pitree_host::settings::Settings;
use pitree_host::shell::{Shell, ShellResult};
use pitree_session::summary::{Cancel, Summarizer, SummaryError};
use pitree_session::{Environment, NewCompaction, Session, paths};
use pitree_store::delete::{DeleteError, DeletePlan, Trash};

use crate::background::{BackgroundJob, SessionPosition};
use crate::screen::Program;
use crate::state::{AppState, changing};
use crate::view::agent::{AgentReply, AgentRequest, Prepared};
use crate::view::notice::{DeferredAction, YesNoQuestion};
use crate::wake::Waker;

/// How much of a running command's output is kept in sight.
const MOST_TAIL_BYTES: usize = 8 << 10;

/// What a thread tells.
pub(crate) enum TaskProgress {
    /// A command has written something.
    Output(String),
    /// A command has ended.
    Shell(Result<ShellResult, HostError>),
    /// The session was replaced, or not. Words for the user; none if there is nothing to say.
    Done(Result<String, String>),
    /// A question comes first.
    Asks(YesNoQuestion),
    /// Something was appended, or not. Words for the user, and what was typed, which comes back
    /// if it was not.
    Stored(Result<String, String>, Option<String>),
    /// The file was brought up to the current version, or not; and what was to be done next.
    Migrated(DeferredAction, Result<(), LiveError>),
    /// The extensions were asked about a request, and the agent can find the session.
    Prepared(AgentRequest, Result<Prepared, LiveError>),
    /// Pi can have the session; whether the position had to be saved first.
    HandedOver(Program, Result<bool, LiveError>),
    /// The session that the agent has now is open, or why it is not.
    Arrived(AgentRequest, Box<AgentReply>, Result<(), String>),
    /// A session was copied to this file and is open.
    Imported(PathBuf),
    /// The session was left, so that it can be deleted.
    Left { path: PathBuf, force: bool, trash: Trash },
    /// A compaction was prepared, or cannot be done.
    Begun(Result<Box<PendingCompaction>, LiveError>),
    /// Somebody has written the summary, or has not.
    Summarized(Box<PendingCompaction>, Result<NewCompaction, SummaryError>),
    /// The compaction is in the session, or not.
    Compacted(Result<(), LiveError>),
    /// A file was written.
    Exported(Result<PathBuf, String>),
    /// The session at this path is gone, or not.
    Deleted(PathBuf, Result<(), DeleteError>),
}

/// A task that runs.
pub(crate) struct Task {
    /// What it is, for the user.
    pub(crate) what: String,
    pub(crate) kind: TaskKind,
    pub(crate) cancel: Cancel,
    progress: ProgressSource,
    /// The end of what a command has written.
    pub(crate) tail: String,
}

/// Where the progress comes from.
enum ProgressSource {
    Thread(Receiver<TaskProgress>),
    Job(BackgroundJob<TaskProgress>),
}

/// What has to be known when it has ended.
pub(crate) enum TaskKind {
    Shell {
        command: String,
        excluded: bool,
    },
    Compaction,
    Export,
    Deletion,
    /// A thread has the session.
    SessionJob,
}

impl Task {
    fn new(what: String, kind: TaskKind, cancel: Cancel, progress: Receiver<TaskProgress>) -> Self {
        let progress = ProgressSource::Thread(progress);
        Self { what, kind, cancel, progress, tail: String::new() }
    }

    /// Something that a thread does to the session.
    pub(crate) fn on_session(
        what: &str,
        kind: TaskKind,
        cancel: Cancel,
        job: BackgroundJob<TaskProgress>,
    ) -> Self {
        let (what, progress) = (what.to_owned(), ProgressSource::Job(job));
        Self { what, kind, cancel, progress, tail: String::new() }
    }

    /// The next progress, if there is any.
    pub(crate) fn poll(&self, state: &AppState) -> Option<TaskProgress> {
        match &self.progress {
            ProgressSource::Thread(progress) => progress.try_recv().ok(),
            ProgressSource::Job(job) => job.poll(state),
        }
    }

    /// Whether Esc is of any use. A file is written to its end, or it would be half a file.
    pub(crate) fn can_stop(&self) -> bool {
        matches!(self.kind, TaskKind::Shell { .. } | TaskKind::Compaction)
    }

    /// Runs a shell command in the session's directory.
    pub(crate) fn shell(
        command: &str,
        excluded: bool,
        cwd: &Path,
        environment: &Environment,
        waker: &Waker,
    ) -> Self {
        let (sender, progress) = waker.channel();
        let cancel = Cancel::new();
        let (stop, environment) = (cancel.clone(), environment.clone());
        let (line, cwd) = (command.to_owned(), cwd.to_owned());
        std::thread::spawn(move || {
            // What the project says counts only where it can do no harm.
            let result = Settings::load(&environment, environment.cwd())
                .and_then(|settings| Shell::choose(&settings, &environment))
                .and_then(|shell| {
                    shell.run(&line, &cwd, &environment, &stop, |text| {
                        sender.send(TaskProgress::Output(text.to_owned()));
                    })
                });
            sender.send(TaskProgress::Shell(result));
        });
        let kind = TaskKind::Shell { command: command.to_owned(), excluded };
        Self::new(format!("running {command}"), kind, cancel, progress)
    }

    /// Has the summary of a compaction written.
    pub(crate) fn compaction(
        pending: PendingCompaction,
        summarizer: Option<Arc<dyn Summarizer>>,
        cancel: Cancel,
        waker: &Waker,
    ) -> Self {
        let (sender, progress) = waker.channel();
        let stop = cancel.clone();
        std::thread::spawn(move || {
            let text = match (pending.given(), summarizer) {
                (Some(given), _) => Ok(given),
                (None, Some(summarizer)) => pending.summarize(&*summarizer, &stop),
                (None, None) => Err(SummaryError::Cancelled),
            };
            sender.send(TaskProgress::Summarized(Box::new(pending), text));
        });
        Self::new("compacting".to_owned(), TaskKind::Compaction, cancel, progress)
    }

    /// Writes a session as it stands.
    pub(crate) fn export(session: &Session, named: &str, waker: &Waker) -> Self {
        let (sender, progress) = waker.channel();
        let (position, named) = (SessionPosition::of(session), named.to_owned());
        std::thread::spawn(move || {
            sender.send(TaskProgress::Exported(export(&position, &named)));
        });
        Self::new("exporting".to_owned(), TaskKind::Export, Cancel::new(), progress)
    }

    /// Lets a session go that nobody works with any more, once an agent that had it has ended.
    pub(crate) fn deletion(
        path: &Path,
        force: bool,
        trash: Trash,
        agent: Option<Arc<Agent>>,
        state: &AppState,
    ) -> Self {
        let (sender, progress) = state.waker.channel();
        let (path, environment) = (path.to_owned(), state.environment.clone());
        let store = state.store.clone();
        std::thread::spawn(move || {
            drop(agent);
            let change = changing(&store, &[&path], &environment);
            let result = DeletePlan::new(&path, &environment, force).and_then(|plan| {
                match plan.delete(&trash, force).kept.into_iter().next() {
                    Some((_, error)) => Err(error),
                    None => Ok(()),
                }
            });
            drop(change);
            sender.send(TaskProgress::Deleted(path, result));
        });
        Self::new("deleting".to_owned(), TaskKind::Deletion, Cancel::new(), progress)
    }

    /// Takes in what a command wrote.
    pub(crate) fn add_output(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > MOST_TAIL_BYTES {
            let from = self.tail.ceil_char_boundary(self.tail.len() - MOST_TAIL_BYTES / 2);
            self.tail.drain(..from);
        }
    }
}

/// As Pi does: the ending `.jsonl` is the branch, anything that is not known is a page.
fn export(position: &SessionPosition, named: &str) -> Result<PathBuf, String> {
    let session = position.open().ok_or("Nothing to export yet: send a message first")?;
    let session = session.map_err(|error| error.to_string())?;
    let environment = session.environment();
    let format = Format::of_path(Path::new(named)).unwrap_or(Format::Html);
    let path = match named {
        "" => environment.cwd().join(default_name(&session, format)),
        named => paths::resolve(Path::new(named), environment),
    };
    export_to_file(&session, format, &ExportOptions::default(), &path, Overwrite::Never)
        .map_err(|error| error.to_string())?;
    Ok(path)
}
