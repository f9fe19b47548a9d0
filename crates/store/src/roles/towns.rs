//! Where towns are, and what their events say.
//!
//! A town's files are trusted only if the user names the town. Elsewhere a town is known by its
//! `mayor/town.json`, of which nothing is read: it is only looked whether it is there, and only
//! below the user's home, because a working directory in a session may name any place.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::{Environment, LineReader, Next, open_file};
use thiserror::Error;

use super::signs::{address_agent, beacon_agent};
use super::{Agent, directory};

/// The file that makes a folder a town.
const MARK: &str = "mayor/town.json";

/// What happens in a town.
const EVENTS: &str = ".events.jsonl";

/// The towns that are known.
#[derive(Clone, Debug, Default)]
pub struct Towns {
    roots: Vec<String>,
    /// The agents of sessions, by the events of the towns that the user named.
    started: HashMap<String, Agent>,
}

/// Why a town cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TownError {
    /// There is no such folder.
    #[error("{} is not a Gas Town: it is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Its events cannot be read.
    #[error("Cannot read the events of the town, {}: {problem}", path.display())]
    Events {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
}

impl Towns {
    /// The towns that the user names.
    pub fn named(folders: &[PathBuf]) -> Result<Self, TownError> {
        let mut towns = Self::default();
        for folder in folders {
            if !folder.is_dir() {
                return Err(TownError::NotAFolder(folder.clone()));
            }
            let real = fs_err::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            for name in [folder, &real] {
                towns.add(name.to_string_lossy().trim_end_matches('/').to_owned());
            }
            towns.read_events(&folder.join(EVENTS))?;
        }
        Ok(towns)
    }

    /// Whether none is known.
    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    fn add(&mut self, root: String) {
        if !root.is_empty() && !self.roots.contains(&root) {
            self.roots.push(root);
        }
    }

    /// Looks for more towns: those with a mark above one of these directories, and those that a
    /// beacon gives away.
    pub(super) fn look_around<'a>(
        &mut self,
        sessions: impl Iterator<Item = (&'a str, Option<&'a str>)>,
        environment: &Environment,
    ) {
        let (mut seen, mut looked) = (HashSet::new(), HashSet::new());
        for (cwd, first_message) in sessions {
            if let Some(agent) = first_message.and_then(beacon_agent)
                && let Some(root) = directory::root_for(&agent, cwd)
            {
                self.add(root);
            }
            if seen.insert(cwd) {
                self.look_above(Path::new(cwd), environment.home(), &mut looked);
            }
        }
    }

    fn look_above(&mut self, cwd: &Path, home: &Path, looked: &mut HashSet<PathBuf>) {
        let is_plain = cwd.components().all(|part| !matches!(part, Component::ParentDir));
        if !is_plain || !cwd.starts_with(home) {
            return;
        }
        for folder in cwd.ancestors().take_while(|folder| folder.starts_with(home)) {
            if looked.insert(folder.to_owned())
                && fs_err::symlink_metadata(folder.join(MARK)).is_ok_and(|mark| mark.is_file())
            {
                self.add(folder.to_string_lossy().into_owned());
            }
        }
    }

    /// The outermost town that a directory is in.
    pub(super) fn root_of(&self, cwd: &str) -> Option<&str> {
        let holds = |root: &&String| {
            cwd.strip_prefix(root.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.roots.iter().filter(holds).min_by_key(|root| root.len()).map(String::as_str)
    }

    /// The agent whose session this is, by the events.
    pub(super) fn started(&self, session_id: &str) -> Option<&Agent> {
        self.started.get(session_id)
    }

    fn read_events(&mut self, path: &Path) -> Result<(), TownError> {
        let failed = |problem: String| TownError::Events { path: path.to_owned(), problem };
        if !path.exists() {
            return Ok(());
        }
        let file = open_file(path).map_err(|error| failed(error.to_string()))?;
        let mut reader = LineReader::new(&file, 0, u64::MAX);
        loop {
            match reader.next_line().map_err(|error| failed(error.to_string()))? {
                Next::End => return Ok(()),
                Next::TooLong { .. } => {}
                Next::Line { bytes, .. } => {
                    if memchr::memmem::find(bytes, b"session_start").is_some() {
                        self.started.extend(parse(bytes).ok().as_ref().and_then(started));
                    }
                }
            }
        }
    }
}

/// The session and the agent of a `session_start` event.
fn started(event: &Value) -> Option<(String, Agent)> {
    if event.get_string("type").is_none_or(|kind| kind != "session_start") {
        return None;
    }
    let payload = event.get("payload");
    let text = |name: &str| {
        let text = event.get_string(name).or_else(|| payload?.get_string(name))?;
        Some(text.to_text().into_owned())
    };
    Some((text("session_id")?, address_agent(&text("actor")?)?))
}
