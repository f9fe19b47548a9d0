//! Where the record of a run is.

use std::path::{Path, PathBuf};

use pitree_format::{JsString, named_enum};
use pitree_session::{OpenOptions, SessionError};

use super::details::{Artifacts, SubagentCall, SubagentRun};
use super::messages::read_messages;
use super::trust::{Refused, Trust};

named_enum! {
    /// One of the places in which a run may stand, in the order in which they are tried.
    #[derive(PartialOrd, Ord)]
    pub enum PlaceKind {
        /// `sessionFile`
        SessionFile = "sessionFile",
        /// `artifactPaths.jsonlPath`
        ArtifactPath = "artifactPaths.jsonlPath",
        /// `artifacts.files[].jsonlPath`
        ArtifactFile = "artifacts.files",
        /// `messages`
        Inline = "messages",
    }
}

/// How a place can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A session file.
    Session,
    /// A list of messages: inline, or a record of events.
    Messages,
}

/// What became of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// It is there and can be read.
    There(Form),
    /// Nothing is there any more.
    Gone,
    /// It may not be followed.
    Refused(Refused),
    /// It is there and holds no conversation.
    Unusable(String),
}

/// A place of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlace {
    /// Which one it is.
    pub kind: PlaceKind,
    /// Its path, with `~` expanded; none for what stands inline.
    pub path: Option<PathBuf>,
    /// What became of it.
    pub state: PlaceState,
}

/// All places of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The places that the result names, in the order in which they are tried.
    pub places: Vec<RunPlace>,
}

impl Resolution {
    /// The place to read: the first one that can be.
    pub fn used(&self) -> Option<&RunPlace> {
        self.places.iter().find(|place| matches!(place.state, PlaceState::There(_)))
    }
}

/// Looks for the record of a run of a call.
pub fn resolve(call: &SubagentCall, number: usize, trust: &Trust) -> Option<Resolution> {
    let run = call.runs.get(number)?;
    let mut places = Vec::new();
    for (kind, path) in named_paths(call, number) {
        let path = trust.expand(&path);
        let state = look(&path, trust);
        places.push(RunPlace { kind, path: Some(path), state });
    }
    if !run.messages.is_empty() {
        let state = PlaceState::There(Form::Messages);
        places.push(RunPlace { kind: PlaceKind::Inline, path: None, state });
    }
    Some(Resolution { places })
}

/// The paths of a run's records as the result names them, with `~` expanded, whether or not anything
/// is there. Nothing is opened.
pub fn record_paths(call: &SubagentCall, number: usize, trust: &Trust) -> Vec<PathBuf> {
    named_paths(call, number).iter().map(|(_, path)| trust.expand(path)).collect()
}

/// The paths of a run's records, as the result names them. A relative path of an artifact counts
/// from the folder of the artifacts.
pub(crate) fn named_paths(call: &SubagentCall, number: usize) -> Vec<(PlaceKind, String)> {
    let Some(run) = call.runs.get(number) else { return Vec::new() };
    let folder = call.artifacts.as_ref().and_then(|artifacts| artifacts.directory.as_ref());
    let join = |path: &JsString| {
        let path = path.to_text();
        match folder {
            Some(folder) if !path.starts_with(['/', '~']) => format!("{folder}/{path}"),
            _ => path.into_owned(),
        }
    };
    let mut paths = Vec::new();
    if let Some(path) = &run.session_file {
        paths.push((PlaceKind::SessionFile, path.to_text().into_owned()));
    }
    if let Some(path) = run.artifact_paths.as_ref().and_then(|paths| paths.jsonl.as_ref()) {
        paths.push((PlaceKind::ArtifactPath, join(path)));
    }
    if let Some(artifacts) = &call.artifacts {
        let of_run = files_of_run(artifacts, &call.runs, number);
        paths.extend(of_run.into_iter().map(|path| (PlaceKind::ArtifactFile, join(path))));
    }
    paths.retain(|(_, path)| !path.is_empty());
    paths
}

/// The artifacts of one run. The list has one element for each run; where it has not, the name
/// of the agent tells, if only one run has that agent.
fn files_of_run<'a>(
    artifacts: &'a Artifacts,
    runs: &[SubagentRun],
    number: usize,
) -> Vec<&'a JsString> {
    let files = &artifacts.files;
    if files.len() == runs.len() {
        return files.get(number).and_then(|file| file.jsonl.as_ref()).into_iter().collect();
    }
    let all = files.iter().filter_map(|file| file.jsonl.as_ref());
    let [_only] = runs else {
        let Some(run) = runs.get(number) else { return Vec::new() };
        let alone = runs.iter().filter(|other| other.agent == run.agent).count() == 1;
        let ending = format!("_{}.jsonl", run.agent);
        return all.filter(|path| alone && path.to_text().ends_with(&ending)).collect();
    };
    all.collect()
}

fn look(path: &Path, trust: &Trust) -> PlaceState {
    match trust.check(path) {
        Err(refused) => return PlaceState::Refused(refused),
        Ok(false) => return PlaceState::Gone,
        Ok(true) => {}
    }
    match OpenOptions::new().open(path, trust.environment()) {
        Ok(_) => PlaceState::There(Form::Session),
        // An agent that prints what it does leaves events, which are no session.
        Err(SessionError::NotASession { reason, .. }) => match read_messages(path) {
            Ok(messages) if !messages.is_empty() => PlaceState::There(Form::Messages),
            _ => PlaceState::Unusable(reason),
        },
        Err(error) => PlaceState::Unusable(error.to_string()),
    }
}
