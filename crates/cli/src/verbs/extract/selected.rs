//! The sessions that an extraction is asked for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pitree_extract::sources::Chosen;
use pitree_extract::{ExtractOptions, FilteredBy, LeftOut, Source};
use pitree_session::summary::Cancel;

use super::buckets::Buckets;
use super::{ExtractArgs, options, sources};
use crate::error::{CommandError, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::clean_line;

/// The sessions that were asked for, with those that are not among them after all.
pub(super) struct Selected {
    pub(super) buckets: Buckets,
    pub(super) sources: Vec<Source>,
    /// Files that are no session.
    pub(super) no_sessions: Vec<(PathBuf, LeftOut)>,
    /// How many a filter has left out.
    pub(super) skipped: BTreeMap<FilteredBy, u64>,
}

impl Selected {
    /// Finds them; those in buckets are fetched.
    pub(super) fn find(
        args: &ExtractArgs,
        cancel: &Cancel,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<Self> {
        let outcomes = sources::outcomes(args, workspace)?;
        let buckets = Buckets::gather(args, workspace, cancel, output)?;
        let chosen = sources::chosen(args, &buckets, workspace, &outcomes)?;
        for remark in chosen.outcomes.remarks() {
            output.remark(&clean_line(&remark))?;
        }
        let Chosen { sources, no_sessions, skipped, .. } = chosen;
        let left_out = no_sessions.into_iter().map(|(path, why)| (path, LeftOut::from(&why)));
        Ok(Self { buckets, sources, no_sessions: left_out.collect(), skipped })
    }

    /// That there is nothing to extract, for a program that waits for a dataset.
    pub(super) fn nothing_left(&self) -> CommandError {
        let file = |(path, why): &(PathBuf, LeftOut)| match why {
            LeftOut::NotASession(why) | LeftOut::Unreadable(why) => {
                format!("; {}: {why}", path.display())
            }
            LeftOut::Leak(_) => String::new(),
        };
        let file = self.no_sessions.first().map(file).unwrap_or_default();
        let hint = (!self.skipped.is_empty()).then(|| "remove a filter".to_owned());
        let message = clean_line(&format!("There are no sessions to extract{file}"));
        CommandError::Nothing { message, hint }
    }

    /// How they are extracted.
    pub(super) fn options(
        &self,
        args: &ExtractArgs,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<ExtractOptions> {
        let (no_sessions, skipped) = (self.no_sessions.clone(), self.skipped.clone());
        let options = options(args, &self.sources, &self.buckets, workspace, output)?;
        Ok(ExtractOptions { no_sessions, skipped, ..options })
    }
}
