//! Sessions as files: exports and imports.

use std::path::{Path, PathBuf};

use pitree_export::import::{ImportOptions, ImportSource, import};
use pitree_export::{Branch, ExportOptions, Format, Overwrite, default_name, export_to_file};
use pitree_format::Object;
use pitree_session::paths;

use crate::answer::{Answer, Failure};
use crate::server::{Call, SessionGuard};

impl From<pitree_export::ExportError> for Failure {
    fn from(error: pitree_export::ExportError) -> Self {
        Self::new(error.to_string())
    }
}

/// As in Pi the path comes back as it was given, and an older export is replaced.
pub(crate) fn export_html(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    if session.path().is_none() {
        return Err(Failure::new("Cannot export in-memory session to HTML"));
    }
    let (named, path) = destination(call, &session, Format::Html)?;
    let overwrite = Overwrite::OutsideOf(call.server.store().locations());
    export_to_file(&session, Format::Html, &ExportOptions::default(), &path, overwrite)?;
    Ok(Object::new().with("path", named).into())
}

pub(crate) fn export_jsonl(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let branch = match call.request.optional_text("branch")? {
        None => Branch::Active,
        Some(word) if *word == "active" => Branch::Active,
        Some(word) if *word == "all" => Branch::All,
        Some(_) => return Err(Failure::new("`branch` must be \"active\" or \"all\"")),
    };
    let (named, path) = destination(call, &session, Format::Jsonl)?;
    let options = ExportOptions::new().branch(branch);
    let exported = export_to_file(&session, Format::Jsonl, &options, &path, Overwrite::Never)?;
    Ok(Object::new().with("path", named).with("entries", exported.entries).into())
}

/// The path as it is named, and where it leads.
fn destination(
    call: &Call<'_>,
    session: &SessionGuard<'_>,
    format: Format,
) -> Result<(String, PathBuf), Failure> {
    if session.path().is_some_and(|path| !path.exists()) {
        return Err(Failure::new("Nothing to export yet - start a conversation first"));
    }
    let named = match call.request.optional_text("outputPath")? {
        Some(path) if !path.is_empty() => path.to_string(),
        _ => default_name(session, format),
    };
    let path = paths::resolve(Path::new(&named), call.server.choices().environment());
    Ok((named, path))
}

/// Copies a session to the folder of this one, and goes on with it.
pub(crate) fn import_session(call: &Call<'_>) -> Result<Answer, Failure> {
    let environment = call.server.choices().environment();
    let source = call.request.text("inputPath")?.to_string();
    let source = paths::resolve(Path::new(&source), environment);
    if !source.exists() {
        return Err(Failure::new(format!("File not found: {}", source.display())));
    }
    let cwd = call.request.optional_text("cwd")?.map(|cwd| PathBuf::from(cwd.to_string()));
    let directory = call.session().directory().map(Path::to_owned);
    let options = ImportOptions { cwd, directory, ..ImportOptions::default() };
    let location = call.server.location();
    let imported = import(ImportSource::File(&source), &location, &options, environment)?;
    let path = imported.session.path().map(Path::to_owned).unwrap_or_default();
    drop(imported.session);
    let mut live = call.live_mut();
    let replaced = live.switch_session(&path.to_string_lossy());
    let refused = !matches!(&replaced, Ok(replaced) if !replaced.cancelled);
    if refused && !imported.was_there {
        // Nobody wants the copy.
        let _ = fs_err::remove_file(&path);
    }
    let cancelled = replaced?.cancelled;
    call.server.select_anew(&mut live)?;
    let shown = (!cancelled).then(|| path.to_string_lossy().into_owned());
    Ok(Object::new().with("cancelled", cancelled).with_some("sessionFile", shown).into())
}
