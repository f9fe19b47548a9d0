//! A summary by a command of the user: the prompt on its input, the text on its output.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use pitree_session::summary::{
    Cancel, Summarizer, SummaryError, SummaryPurpose, SummaryReply, SummaryRequest,
};

use crate::child::{self, End, Job, Pipe};

/// How long a command may take, unless told otherwise.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(600);
const MOST_OUTPUT: usize = 4 << 20;
/// How much of its complaints is kept: the end says why.
const MOST_COMPLAINTS: usize = 2000;

/// Runs a shell command for each summary.
///
/// It gets the system prompt, an empty line and the prompt on its standard input, and
/// `PITREE_SUMMARY_PURPOSE` (`history`, `turn-prefix` or `branch`) in its environment. It has no
/// terminal, and it is killed with all that it started when the user gives up or the time is over.
#[derive(Clone, Debug)]
pub struct CommandSummarizer {
    command: String,
    cwd: PathBuf,
    time_limit: Duration,
}

impl CommandSummarizer {
    /// A summarizer that runs `sh -c COMMAND` in a folder.
    pub fn new(command: impl Into<String>, cwd: impl Into<PathBuf>) -> Self {
        Self { command: command.into(), cwd: cwd.into(), time_limit: TIME_LIMIT }
    }

    /// The command line.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The same with another time limit.
    #[must_use]
    pub fn with_time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = time_limit;
        self
    }
}

impl Summarizer for CommandSummarizer {
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        let input = format!("{}\n\n{}\n", request.system, request.prompt);
        let mut command = child::in_own_session(Path::new("/bin/sh"));
        command
            .args(["-c", &self.command])
            .current_dir(&self.cwd)
            .env("PITREE_SUMMARY_PURPOSE", purpose_name(request.purpose));
        let job = Job {
            command: &mut command,
            own_group: true,
            input: Some(input.as_bytes()),
            time_limit: Some(self.time_limit),
            cancel,
        };
        let mut output = Vec::new();
        let mut complaints = Vec::new();
        let end = child::run(job, |pipe, bytes| {
            match pipe {
                Pipe::Output => output.extend_from_slice(bytes),
                Pipe::Complaints => keep_end(&mut complaints, bytes),
            }
            let enough = output.len() > MOST_OUTPUT;
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(|error| failed(format!("cannot run the summarizer command: {error}")))?;
        match end {
            End::Cancelled => Err(SummaryError::Cancelled),
            End::TimedOut => Err(SummaryError::TimedOut {
                what: "the summarizer command".to_owned(),
                limit: self.time_limit,
            }),
            End::Stopped => Err(failed("the summarizer command wrote more than 4 MiB".to_owned())),
            End::Exited(status) if !status.success() => {
                Err(failed(exit_message(status, &complaints)))
            }
            End::Exited(_) => match String::from_utf8_lossy(&output).trim() {
                "" => Err(SummaryError::Empty),
                text => Ok(SummaryReply { text: text.to_owned(), usage: None }),
            },
        }
    }
}

fn failed(message: String) -> SummaryError {
    SummaryError::Failed(message)
}

fn purpose_name(purpose: SummaryPurpose) -> &'static str {
    match purpose {
        SummaryPurpose::History => "history",
        SummaryPurpose::TurnPrefix => "turn-prefix",
        SummaryPurpose::Branch => "branch",
    }
}

fn keep_end(kept: &mut Vec<u8>, bytes: &[u8]) {
    kept.extend_from_slice(bytes);
    let surplus = kept.len().saturating_sub(MOST_COMPLAINTS);
    kept.drain(..surplus);
}

fn exit_message(status: ExitStatus, complaints: &[u8]) -> String {
    let complaints = String::from_utf8_lossy(complaints);
    let complaints = complaints.trim();
    let colon = if complaints.is_empty() { "" } else { ": " };
    format!("the summarizer command failed ({status}){colon}{complaints}")
}
