//! The plan of a data set, for programs that carry it out in stages.

use std::path::Path;
use std::sync::Arc;

use pitree_extract::stages::{ExtractPlan, Publish, Redaction, Settings};
use pitree_extract::{ExtractOptions, Guard, Unguarded};
use pitree_redact::Likely;
use pitree_session::paths;

use super::selected::Selected;
use super::{ExtractArgs, buckets, guard, is_output, redactions, unused};
use crate::error::{CommandError, Result};
use crate::output::Output;
use crate::target::Workspace;

/// A shard that is mapped has about so many bytes of sessions, unless somebody says how many there
/// are. The data does not depend on it.
const SHARD_BYTES: u64 = 64 << 20;

/// Plans what these options ask for, and puts the plan into a work folder.
pub(crate) fn plan(
    args: &ExtractArgs,
    work: &Path,
    shards: Option<usize>,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<ExtractPlan> {
    if is_output(args) {
        let message = "a plan is for a dataset in a folder or bucket; name it as the output";
        return Err(CommandError::usage(message));
    }
    let selected = Selected::find(args, &workspace.caller.cancel()?, workspace, output)?;
    let sources = &selected.sources;
    if sources.is_empty() {
        return Err(selected.nothing_left());
    }
    unused::tell(args, output)?;
    if buckets::bucket_of(&args.output)?.is_none() {
        let out = buckets::output_path(args, workspace)?;
        guard::outside_of_sessions("--output", &out, workspace)?;
    }
    let options = selected.options(args, workspace, output)?;
    let environment = &workspace.environment;
    let redaction = redaction(args, workspace)?;
    let guard: Arc<dyn Guard> = match &redaction {
        Some(redaction) => redaction.guard(environment)?,
        None => Arc::new(Unguarded),
    };
    let options = ExtractOptions { guard, ..options };
    let tokenizer = args.quality.tokenizer.as_deref();
    let tokenizer = tokenizer.map(|path| paths::resolve(path, environment));
    let settings =
        Settings::of(&options, args.format, redaction, tokenizer.as_deref(), environment)?;
    let bytes: u64 = sources.iter().filter_map(|source| size_of(&source.path)).sum();
    let usual = || usize::try_from(bytes / SHARD_BYTES).unwrap_or(usize::MAX).saturating_add(1);
    let mirrors = &selected.buckets.mirrors;
    let plan = ExtractPlan::over(sources, mirrors, settings, shards.unwrap_or_else(usual))?;
    plan.save(work, &options)?;
    Ok(plan)
}

/// Where a data set that was planned goes in the end.
pub(crate) fn publication(args: &ExtractArgs, workspace: &Workspace) -> Result<Publish> {
    Ok(Publish {
        folder: buckets::output_path(args, workspace)?,
        replace_edited: args.force,
        redactions: redactions(args, workspace)?,
    })
}

/// How secrets are hidden, told without them. The options have made the key file, if it was not
/// there.
fn redaction(args: &ExtractArgs, workspace: &Workspace) -> Result<Option<Redaction>> {
    let secrets = &args.secrets;
    let Some(key) = guard::key(args, workspace)?.filter(|_| !secrets.no_redact) else {
        return Ok(None);
    };
    let environment = &workspace.environment;
    let pseudonyms = guard::pseudonyms(args, workspace);
    let likely = if secrets.redact_likely { Likely::Replace } else { Likely::Keep };
    let files = secrets.known.files(environment);
    Ok(Some(Redaction::new(&key, &files, pseudonyms, likely, environment)?))
}

fn size_of(path: &Path) -> Option<u64> {
    Some(fs_err::metadata(path).ok()?.len())
}
