//! A session that a verb changes while the user's extensions listen.
//!
//! Each such verb is a short session of its own, from `session_start` to `session_shutdown`.
//! Without extensions this costs a look into two folders.

use pitree_host::extension::Limits;
use pitree_host::live::{LiveError, LiveOptions, LiveSession};
use pitree_session::Session;

use crate::error::{CommandError, Result, missing_directory};
use crate::output::Output;
use crate::target::Workspace;

/// Starts the extensions, lets a verb work with the session, ends the extensions and says what was
/// wrong with them.
pub(crate) fn with<T>(
    workspace: &Workspace,
    session: Session,
    options: LiveOptions,
    output: &mut Output,
    work: impl FnOnce(&mut LiveSession, &mut Output) -> Result<T>,
) -> Result<T> {
    let mut live = LiveSession::new(session, options);
    if !workspace.without_extensions {
        live.load_extensions(Limits::default());
    }
    let result = live.start().map_err(CommandError::from).and_then(|()| work(&mut live, output));
    // What was done is shown before an extension takes its time to end.
    output.flush()?;
    live.shutdown();
    for trouble in live.take_troubles() {
        output.remark(&format!("extension {} {}", trouble.observer, trouble.problem))?;
    }
    result
}

/// The answer to a user whose extension does not want it.
pub(crate) fn cancelled() -> CommandError {
    CommandError::Refused {
        message: "An extension canceled it; nothing was changed".to_owned(),
        hint: Some("`--no-extensions` runs none of them".to_owned()),
    }
}

impl From<LiveError> for CommandError {
    fn from(error: LiveError) -> Self {
        match error {
            LiveError::Session(error) | LiveError::NotASession { source: error, .. } => {
                Self::Session(error)
            }
            LiveError::Compaction(error) => error.into(),
            other => Self::Refused { hint: other.hint(), message: words(&other) },
        }
    }
}

/// What is wrong, as a sentence; the protocol says some of it in Pi's own words.
fn words(error: &LiveError) -> String {
    match error {
        LiveError::MissingCwd { cwd, .. } => missing_directory(cwd),
        LiveError::InvalidForkEntry => {
            "A fork begins before a user message, and this is not one".to_owned()
        }
        LiveError::NothingToClone => "This session has no entry to clone".to_owned(),
        LiveError::EmptyName => "The name is empty".to_owned(),
        other => other.to_string(),
    }
}
