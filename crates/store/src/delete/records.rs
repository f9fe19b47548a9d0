//! The records that sub-agents left for a session.
//!
//! Their paths come from the session, so they are not believed: only a regular file, reached
//! without links, in a `subagent-artifacts` folder of a location or in a temporary folder of a
//! sub-agent, is taken for one.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use pitree_format::Value;
use pitree_session::location::Location;
use pitree_session::{Environment, OpenOptions, SessionError, paths};

use crate::discover::ARTIFACTS;

/// How the folder of a sub-agent's temporary session begins.
const TEMPORARY: &str = "pi-subagent-session-";

/// The members of a result, and of `artifactPaths`, that name a file.
const PATH_MEMBERS: [&str; 4] = ["inputPath", "outputPath", "jsonlPath", "metadataPath"];

/// Where records of sub-agents may lie.
pub(super) struct RecordPlaces<'p> {
    pub(super) locations: &'p [Location],
    /// The folder for temporary files.
    pub(super) temporary: Option<&'p Path>,
    pub(super) environment: &'p Environment,
}

/// The paths that a session's sub-agent results name, as they are written.
pub(super) fn named_records(
    path: &Path,
    environment: &Environment,
) -> Result<BTreeSet<String>, SessionError> {
    let session = OpenOptions::new().lenient(true).open(path, environment)?;
    let mut named = BTreeSet::new();
    for entry in session.entries() {
        if !entry.is_message(pitree_format::Role::ToolResult) {
            continue;
        }
        let Some(message) = entry.message()? else { continue };
        let Some(details) = message.get("details") else { continue };
        let list =
            |value: Option<&Value>| value.and_then(Value::as_array).unwrap_or_default().to_vec();
        let results = list(details.get("results"));
        // Other tools keep a list of results too; a sub-agent's name their agent.
        if !results.iter().all(|result| result.get_string("agent").is_some()) {
            continue;
        }
        for result in &results {
            note(result, &["sessionFile"], &mut named);
            if let Some(paths) = result.get("artifactPaths") {
                note(paths, &PATH_MEMBERS, &mut named);
            }
        }
        for file in list(details.get("artifacts").and_then(|artifacts| artifacts.get("files"))) {
            note(&file, &PATH_MEMBERS, &mut named);
        }
    }
    Ok(named)
}

fn note(value: &Value, members: &[&str], named: &mut BTreeSet<String>) {
    let texts = members.iter().filter_map(|member| value.get_string(member));
    named.extend(texts.map(|text| text.to_text().into_owned()));
}

impl RecordPlaces<'_> {
    /// The file that a name stands for, if it is a record and there.
    pub(super) fn resolve(&self, named: &str) -> Option<PathBuf> {
        let path = paths::expand(Path::new(named), self.environment);
        let plain = |part: Component<'_>| !matches!(part, Component::ParentDir);
        if !path.is_absolute() || !path.components().all(plain) {
            return None;
        }
        let metadata = fs_err::symlink_metadata(&path).ok()?;
        let inside = self.locations.iter().any(|location| is_artifact(&path, &location.path));
        let temporary = self.temporary.is_some_and(|folder| is_temporary(&path, folder));
        (metadata.is_file() && (inside || temporary)).then_some(path)
    }
}

/// What leads from a folder to a path below it, if no link lies in between.
fn way_below(path: &Path, folder: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix(folder).ok()?;
    let real = fs_err::canonicalize(folder).ok()?.join(rest);
    (fs_err::canonicalize(path).ok()? == real).then(|| rest.to_owned())
}

fn is_artifact(path: &Path, location: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == ARTIFACTS) && way_below(path, location).is_some()
}

fn is_temporary(path: &Path, temporary: &Path) -> bool {
    let first = way_below(path, temporary)
        .and_then(|rest| Some(rest.components().next()?.as_os_str().to_owned()));
    first.is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY))
}
