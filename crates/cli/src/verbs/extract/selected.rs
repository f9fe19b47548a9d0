//! The sessions that an extraction is asked for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pitree_extract::sources::Chosen;
use pitree_extract::{ExtractOptions, FilteredBy, LeftOut, Source};
use pitree_session::summary::Cancel;

use super::buckets::Buckets;
use super::{ExtractArgs, options, sources};
use crate::error::Result;
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
