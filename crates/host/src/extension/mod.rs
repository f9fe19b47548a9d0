//! Extension processes: programs of the user that hear the events of a session and may answer.
//!
//! An extension is an executable in the user's own configuration; see [`find`] for where it is
//! looked for and what makes it unfit. It is started once for a live session and speaks lines of
//! JSON; docs/extensions.md describes them. What always holds:
//!
//! * The session never waits longer for an extension than [`Limits`] say. One that misses a limit
//!   is stopped and not asked again.
//! * No extension can make pitree read or keep more than [`Limits::line_bytes`] of one line, or
//!   more than a fixed number of lines that were not requested.
//! * Whatever an extension does wrong is reported as a [`Trouble`], and the session goes on as if
//!   it had not answered.
//! * An extension leads a process group of its own, which is ended with the live session.

mod find;
mod lines;
mod pi_bridge;
mod process;
mod protocol;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::events::{SessionObserver, Trouble};

pub use find::{Found, extension_directories, find};
pub use process::ExtensionProcess;
pub use protocol::PROTOCOL_VERSION;

use crate::live::LiveSession;

/// How long a session waits for an extension, and how much it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its hello.
    pub hello: Duration,
    /// Until it has taken an event that asks nothing.
    pub tell: Duration,
    /// Until it has answered an event that asks.
    pub ask: Duration,
    /// The same where the answer may be a summary, which takes a model its time.
    pub ask_for_summary: Duration,
    /// From the last event to its end; then it is killed.
    pub end: Duration,
    /// The longest line that it may write.
    pub line_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(5),
            tell: Duration::from_millis(500),
            ask: Duration::from_secs(5),
            ask_for_summary: Duration::from_secs(300),
            end: Duration::from_secs(2),
            line_bytes: 4 << 20,
        }
    }
}

/// Extensions that said hello, and what was wrong with the others.
#[derive(Debug, Default)]
pub struct Started {
    /// In the order in which they hear.
    pub extensions: Vec<ExtensionProcess>,
    /// Why others do not run.
    pub troubles: Vec<Trouble>,
}

/// Starts programs, all at once, and waits for their hello.
pub fn start(programs: &[PathBuf], limits: Limits) -> Started {
    let spawn = |program: &PathBuf| {
        (program.display().to_string(), ExtensionProcess::spawn(program, limits))
    };
    welcome(programs.iter().map(spawn).collect::<Vec<_>>(), limits)
}

/// Waits for the hello of programs that were started.
fn welcome(
    spawned: impl IntoIterator<Item = (String, io::Result<ExtensionProcess>)>,
    limits: Limits,
) -> Started {
    let mut started = Started::default();
    let deadline = Instant::now() + limits.hello;
    let mut greeting = Vec::new();
    for (observer, process) in spawned {
        match process {
            Ok(process) => greeting.push(process),
            Err(error) => started.troubles.push(Trouble {
                observer,
                event: None,
                problem: format!("cannot be started: {error}"),
            }),
        }
    }
    for mut process in greeting {
        let is_there = process.wait_for_hello(deadline);
        started.troubles.append(&mut process.take_troubles());
        if is_there {
            started.extensions.push(process);
        }
    }
    started
}

impl LiveSession {
    /// Starts the user's extensions and lets them hear what happens from now on. Without any, all
    /// this costs is a look into two folders.
    pub fn load_extensions(&mut self, limits: Limits) {
        let Found { programs, refused } = find(self.environment());
        let Started { extensions, troubles } = start(&programs, limits);
        for extension in extensions {
            self.observe(Box::new(extension));
        }
        for trouble in refused.into_iter().chain(troubles) {
            self.report(trouble);
        }
    }
}
