//! Who hides secrets, and with which key.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::{Guard, Redacting, Unguarded};
use pitree_redact::{Likely, Pseudonyms};
use pitree_session::location::sessions_folder_around;
use pitree_session::paths::real_path;

use super::buckets::output_path;
use super::{ExtractArgs, is_output};
use crate::error::{CommandError, Result};
use crate::key;
use crate::output::Output;
use crate::redaction;
use crate::target::Workspace;

/// The guard that was asked for.
pub(super) fn of(
    args: &ExtractArgs,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Arc<dyn Guard>> {
    let secrets = &args.secrets;
    if secrets.no_redact {
        if secrets.placeholders.are_given() || secrets.known.are_given() {
            let message = "--key, --pseudonyms and --env-file do nothing with --no-redact";
            return Err(CommandError::usage(message));
        }
        output.remark("nothing is redacted: secrets and personal data are written as they are")?;
        return Ok(Arc::new(Unguarded));
    }
    let key = key(args, workspace)?;
    let (known, placeholders) = (&secrets.known, &secrets.placeholders);
    // A data set is handed out, and the home is in every path.
    let usual = Pseudonyms { homes: !secrets.keep_home_paths, ..Pseudonyms::default() };
    let redactor =
        redaction::redactor(known, placeholders, usual, key.as_deref(), workspace, output)?;
    let likely = if secrets.redact_likely { Likely::Replace } else { Likely::Keep };
    Ok(Arc::new(Redacting::new(redactor.with_likely(likely))))
}

/// Whether the placeholders of this run mean nothing to any other run.
pub(super) fn forgets_key(args: &ExtractArgs, workspace: &Workspace) -> bool {
    is_output(args) && args.secrets.placeholders.key(workspace).is_none()
}

/// The file of the key: the one that is named, or the one of the folder that is written. Lines
/// that are printed have no place that the next run could know.
fn key(args: &ExtractArgs, workspace: &Workspace) -> Result<Option<PathBuf>> {
    let named = args.secrets.placeholders.key(workspace);
    if is_output(args) {
        return Ok(named);
    }
    let out = output_path(args, workspace)?;
    let Some(named) = named else {
        return key::usual_place(&out, &workspace.environment).map(Some);
    };
    if named.starts_with(&out) || real_path(&named).starts_with(real_path(&out)) {
        return Err(CommandError::Usage {
            message: format!("The key {} is inside the dataset", named.display()),
            hint: Some(
                "pass a file outside of --output: who gets the data must not get the key"
                    .to_owned(),
            ),
        });
    }
    Ok(Some(named))
}

/// Refuses to write below a folder of sessions: Pi and pitree take every `.jsonl` there for one.
pub(super) fn outside_of_sessions(option: &str, path: &Path, workspace: &Workspace) -> Result<()> {
    match sessions_folder_around(path, &workspace.locations, &workspace.environment) {
        None => Ok(()),
        Some(root) => Err(CommandError::Usage {
            message: format!(
                "{option} {} is in the sessions folder {}",
                path.display(),
                root.display()
            ),
            hint: Some(format!("nothing was written; pass a path outside of it with {option}")),
        }),
    }
}
