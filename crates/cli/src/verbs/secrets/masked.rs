//! Names of files without the secrets in them: a report may be handed on, so what a rule finds in a
//! path or an id stands in it as little as what it finds in a message.

use std::borrow::Cow;
use std::path::PathBuf;

use pitree_redact::{Context, Likely, Redactor, Report};

use super::Scanned;
use crate::error::Result;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::first_lines;

/// How many files are named one by one.
const MOST_NAMED: usize = 10;

/// Masks what the rules find, what is known, and what was found in the file itself. What is only
/// likely stays: ids and the names of folders look like it.
pub(super) struct NameMask(Redactor);

impl NameMask {
    pub(super) fn new(scanner: &Redactor, scanned: &Scanned) -> Self {
        Self(scanner.clone().with_likely(Likely::Keep).knowing(&scanned.known))
    }

    /// The name as a report shows it.
    pub(super) fn shown<'t>(&self, name: &'t str) -> Cow<'t, str> {
        self.0.text(name, Context::Text, &mut Report::default())
    }

    pub(super) fn is_masked(&self, name: &str) -> bool {
        self.shown(name) != name
    }
}

/// Names the files whose own names hold secrets, for the user, who has to find them. This is no part of
/// the report.
pub(super) fn remark_masked(
    masked: &[PathBuf],
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let line = |path: &PathBuf| {
        format!("a secret is in the path or the id of this file: {}", workspace.display(path))
    };
    let lines = first_lines(masked, MOST_NAMED, line);
    lines.iter().try_for_each(|line| output.remark(line))
}
