//! Works with a session under an observer that cancels forks.
//!
//! ```text
//! cargo run -p pitree-host --example observer -- FOLDER
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_host::events::{
    BeforeReply, EventKind, ForkPosition, Moment, ObserverError, SessionEvent, SessionObserver,
};
use pitree_host::live::{LiveOptions, LiveSession};
use pitree_session::location::Location;
use pitree_session::{Environment, Message, NewSession, Session};

/// Keeps a session from being forked.
struct NoForks;

impl SessionObserver for NoForks {
    fn name(&self) -> &str {
        "no forks"
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind == EventKind::SessionBeforeFork
    }

    fn on_event(
        &mut self,
        _event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        Ok(Some(BeforeReply::cancelled()))
    }
}

pub(crate) fn run(folder: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let environment = Environment::system();
    let location = Location::folder(folder);
    let new = NewSession::default();
    let session = Session::create(environment.cwd(), &location, &new, &environment)?;
    let mut live = LiveSession::new(session, LiveOptions::default());
    live.observe(Box::new(NoForks));
    live.start()?;
    let question = live.append_message(Message::user("How do I read a file?"))?.appended;
    let forked = live.fork(&question.id, ForkPosition::Before)?;
    writeln!(out, "fork canceled: {}", forked.cancelled)?;
    live.shutdown();
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: observer FOLDER")?;
    run(Path::new(&path), &mut std::io::stdout())
}
