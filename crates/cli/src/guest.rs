//! The command within another program: its verbs answer in JSON to whoever calls, and nothing of
//! the process is touched. This is what the Python package stands on.
//!
//! A [`Request`] has the words that somebody would type, so what an option is called and what it
//! takes is said in one place, the definitions of the command line. [`words`] makes such words of
//! named options. What goes wrong comes back as a [`Failure`], with the kind, the file and the line.
//!
//! Only verbs that answer and end are meant for this. One that shows a screen or waits for a
//! terminal is refused.

mod failure;
mod named_options;
mod stages;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use clap::FromArgMatches;
use pitree_extract::TakeRow;
use pitree_extract::remote::ObjectUrl;
use pitree_extract::tables::Table;
use pitree_session::Session;
use pitree_session::summary::Cancel;

use crate::arguments::{Arguments, Verb};
use crate::caller::{Caller, Host};
use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::{LockWait, Workspace};
use crate::{help, verbs};

pub use failure::Failure;
pub use named_options::{NamedOption, OptionKind, OptionValue, options, words};
pub use pitree_extract::stages::Publish as Publication;
pub use stages::{Planned, Stages};

/// What somebody would type, and what stands for the terminal.
#[derive(Default)]
pub struct Request {
    /// The words, without the name of the program. `--json` is added.
    pub words: Vec<OsString>,
    /// What stands for standard input.
    pub input: Vec<u8>,
    /// The session that the words name, if it is open: then verbs that read it or append to it do
    /// not open the file again.
    pub session: Option<Arc<RwLock<Session>>>,
    /// Set it to end the work; the answer is then a [`Failure`] of the kind `canceled`.
    pub cancel: Cancel,
}

/// Something that is said besides the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// A sentence, or a line of JSON.
    pub text: String,
    /// Whether it is about something that the caller may not expect, such as a file that is missing
    /// in the answer.
    pub is_warning: bool,
}

/// How a request ended, with what was said besides the answer.
pub struct Ended {
    /// The exit code of the command; 1 says that nothing was found.
    pub code: u8,
    /// What was said.
    pub remarks: Vec<Remark>,
}

impl Request {
    /// A request of these words alone.
    pub fn new(words: Vec<OsString>) -> Self {
        Self { words, ..Self::default() }
    }

    /// Whether the words are a command, without running it.
    pub fn validate(words: &[OsString]) -> Result<(), Failure> {
        Self::new(words.to_vec()).parse().map(drop)
    }

    /// Runs the verb and returns what it printed, which is JSON.
    pub fn answer(self) -> Result<(Vec<u8>, Ended), Failure> {
        let printed = Arc::new(Mutex::new(Vec::new()));
        let ended = self.print(Box::new(Memory(Arc::clone(&printed))))?;
        let printed = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((printed, ended))
    }

    /// Runs the verb, which prints to `out` as it goes.
    pub fn print(self, out: Box<dyn Write + Send>) -> Result<Ended, Failure> {
        let (arguments, host) = self.parse()?;
        let answers = arguments.verb.as_ref().is_some_and(Verb::answers_programs);
        if !answers {
            let message = "this command needs a terminal, so a program cannot call it";
            return Err(Failure::usage(message));
        }
        let mut output = Output::for_program(out, Arc::clone(&host));
        let result = verbs::run(&arguments, Caller::Program(Arc::clone(&host)), &mut output);
        let finished = output.finish();
        host.end(result.and_then(|exit| finished.map(|()| exit)))
    }

    /// Gives the rows of a table for the words of `extract`, until `take` says that it wants no more.
    pub fn rows(self, table: Table, take: TakeRow<'_>) -> Result<Ended, Failure> {
        let (arguments, host) = self.parse()?;
        let Some(Verb::Extract(args)) = &arguments.verb else {
            return Err(Failure::usage("rows are asked for by the words of `extract`"));
        };
        let mut output = Output::for_program(Box::new(io::sink()), Arc::clone(&host));
        let workspace = Workspace::new(&arguments, Caller::Program(Arc::clone(&host)));
        if args.names_none() {
            workspace.require_named_folders()?;
        }
        let result = verbs::extract::run_rows(args, table, take, &workspace, &mut output);
        host.end(result)
    }

    /// Opens the session that the words of a reading verb such as `entries` name, so that further
    /// requests can have it. It can be appended to, with what the command promises of an append.
    pub fn open(self) -> Result<Session, Failure> {
        let (arguments, host) = self.parse()?;
        let Some(Verb::Entries(args)) = &arguments.verb else {
            return Err(Failure::usage("a session is opened by the words of `entries`"));
        };
        let workspace = Workspace::new(&arguments, Caller::Program(host));
        Ok(workspace.open_with(args.target(), LockWait::default().options())?)
    }

    fn parse(self) -> Result<(Arguments, Arc<Host>), Failure> {
        let mut typed: Vec<OsString> = vec!["pitree".into()];
        typed.extend(self.words.iter().cloned());
        // Behind the verb: some of its options need this one to be there.
        typed.insert(typed.len().min(2), "--json".into());
        let parsed = help::matches(&typed);
        let arguments = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
        let arguments = arguments.map_err(|mut error| {
            let hint = help::explain(&mut error);
            Failure::of_arguments(&error, hint)
        })?;
        let Self { words, input, session, cancel } = self;
        let remarks = Mutex::default();
        Ok((arguments, Arc::new(Host { words, input, session, cancel, remarks })))
    }
}

impl Host {
    /// What came of a request.
    fn end(&self, result: Result<Exit>) -> Result<Ended, Failure> {
        if self.cancel.is_cancelled() || matches!(result, Ok(Exit::Signal(_))) {
            return Err(Failure::canceled());
        }
        let code = result?.code();
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Ended { code, remarks: std::mem::take(&mut *remarks) })
    }
}

/// Opens a session in a file, without looking anything up.
pub fn open_file(path: &Path) -> Result<Session, Failure> {
    let environment = pitree_session::Environment::system();
    let opened = LockWait::default().options().open(path, &environment);
    Ok(opened.map_err(CommandError::from)?)
}

/// The absolute form of a path that somebody has named, in which `~` is the home directory.
pub fn resolve(path: &Path) -> PathBuf {
    pitree_session::paths::resolve(path, &pitree_session::Environment::system())
}

/// The same for where a data set goes, which may be a URL.
pub fn resolve_output(path: &Path) -> PathBuf {
    match path.to_str().is_some_and(ObjectUrl::is_url) {
        true => path.to_owned(),
        false => resolve(path),
    }
}

/// What was printed, in memory.
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
