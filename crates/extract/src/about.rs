//! What is known of a session, completed from its private copy.
//!
//! What the caller knows comes from the file itself. All text that is written comes from the copy
//! or goes through the guard, so that nothing is written that should be hidden.

use pitree_sample::About;

use crate::error::ExtractError;
use crate::subagents;
use crate::task::SessionTask;

/// What is known of a session that is being extracted.
pub(crate) fn completed(task: &SessionTask<'_>) -> Result<About, ExtractError> {
    let known = &**task.about;
    let mut about = About {
        source_path: task.hidden(&known.source_path),
        ..known.clone().completed(task.session)?
    };
    about.subagents = subagents::of(task, &about)?;
    Ok(about)
}
