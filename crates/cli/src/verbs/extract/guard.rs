//! Who hides secrets, and with which key.

use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::{Guard, Redacting, Unguarded};
use pitree_session::{backup_directory, make_private_directory, paths};

use super::{ExtractArgs, is_output};
use crate::error::CommandError;
use crate::output::Output;
use crate::redaction;
use crate::target::Place;

/// The guard that was asked for.
pub(super) fn of(
    args: &ExtractArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Arc<dyn Guard>, CommandError> {
    let secrets = &args.secrets;
    if secrets.no_redact {
        if secrets.placeholders.are_given() || secrets.known.are_given() {
            let message = "--key, --pseudonyms and --env-file do nothing with --no-redact";
            return Err(CommandError::usage(message));
        }
        output.remark("nothing is redacted: secrets and personal data are written as they are")?;
        return Ok(Arc::new(Unguarded));
    }
    let usual = usual_key(args, place)?;
    let redactor =
        redaction::redactor(&secrets.known, &secrets.placeholders, Some(&usual), place, output)?;
    Ok(Arc::new(Redacting::new(redactor)))
}

/// The key of a data set for which none is named: one for each place that is written to, so that
/// the second run gives the same placeholders.
fn usual_key(args: &ExtractArgs, place: &Place) -> Result<PathBuf, CommandError> {
    let backups = backup_directory(&place.environment);
    let keys = backups.with_file_name("keys");
    make_private_directory(&keys)?;
    if is_output(args) {
        return Ok(keys.join("standard-output.key"));
    }
    let out = paths::resolve(&args.out, &place.environment);
    Ok(keys.join(format!("{}.key", paths::encode_cwd(&out))))
}
