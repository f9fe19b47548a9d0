//! The sample: two sessions of a made-up project, unpacked where nobody minds.

use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_session::location::{Location, LocationChoice};
use pitree_session::{Environment, cause};
use pitree_tui::theme::ColorMode;
use tempfile::TempDir;

use crate::caller::Caller;
use crate::error::{CommandError, Result};
use crate::target::{SESSIONS_ROOT, Workspace};

/// The working directory of the sample's sessions. It need not exist.
const CWD: &str = "/home/ana/projects/weather";

/// The folder for it in a sample that is kept.
const PROJECT: &str = "weather";

/// The files by their names and what they hold, oldest first.
const FILES: [(&str, &str); 2] = [
    (
        "2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274.jsonl",
        include_str!("sample/forecast.jsonl"),
    ),
    (
        "2026-03-03T08-02-51-940Z_019cb2b8-a7a4-7193-8d2f-64a8c05be91d.jsonl",
        include_str!("sample/wind.jsonl"),
    ),
];

/// The unpacked sample. Its folder is removed when this is dropped.
pub(super) struct SampleStore {
    home: TempDir,
    /// A home of its own, so that no setting of the user's reaches the demo.
    pub(super) workspace: Workspace,
}

impl SampleStore {
    /// Unpacks the sample below a new temporary home, laid out as Pi lays it out.
    pub(super) fn unpack(real: &Environment) -> Result<Self> {
        let home =
            tempfile::Builder::new().prefix("pitree-demo-").tempdir().map_err(cannot_unpack)?;
        let (clock, random) = (real.clone(), real.clone());
        let environment = Environment::new(
            home.path(),
            CWD,
            move || clock.now_ms(),
            move |bytes| random.fill_random(bytes),
        );
        let location = Location::choose(&LocationChoice::default(), &environment);
        let folder = location.directory_for(Path::new(CWD));
        fs_err::create_dir_all(&folder).map_err(cannot_unpack)?;
        for (name, content) in FILES {
            fs_err::write(folder.join(name), content).map_err(cannot_unpack)?;
        }
        Ok(Self {
            home,
            workspace: Workspace {
                environment,
                locations: vec![location.clone()],
                named: vec![(SESSIONS_ROOT, location.path.clone())],
                location,
                without_index: true,
                without_extensions: true,
                color: ColorMode::Auto,
                caller: Caller::User(Vec::new()),
            },
        })
    }

    /// The session files, as the engine finds them, oldest first.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let environment = &self.workspace.environment;
        let found = self.workspace.location.sessions_of(environment.cwd(), environment);
        let mut paths: Vec<PathBuf> = found.into_iter().map(|session| session.path).collect();
        paths.sort();
        paths
    }

    /// The folder with the session files, for people.
    pub(super) fn folder(&self) -> String {
        let folder = self.workspace.location.directory_for(self.workspace.environment.cwd());
        self.workspace.display(&folder)
    }

    /// Removes everything and says so if that fails.
    pub(super) fn remove(self) -> Result<()> {
        self.home.close().map_err(|error| CommandError::BadData {
            message: format!("Cannot remove the sample: {}", cause(&error)),
            hint: None,
        })
    }
}

/// Writes the sample to a folder of the user's. One that holds anything is left alone.
pub(super) fn write_to(folder: &Path) -> Result<()> {
    let failed = |error: std::io::Error| CommandError::BadData {
        message: format!("Cannot write the sample to {}: {}", folder.display(), cause(&error)),
        hint: Some("pass another folder with --keep".to_owned()),
    };
    fs_err::create_dir_all(folder).map_err(failed)?;
    if fs_err::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(CommandError::Refused {
            message: format!("The folder {} is not empty", folder.display()),
            hint: Some("nothing was written; pass a new folder with --keep".to_owned()),
        });
    }
    let project = folder.join(PROJECT);
    fs_err::create_dir(&project).map_err(failed)?;
    FILES.iter().try_for_each(|(name, content)| {
        fs_err::write(folder.join(name), with_own_folders(content, folder, &project))
            .map_err(failed)
    })
}

/// A session of the sample with a working directory that is there, so that it can be resumed, and
/// with the folder that its parent is in.
fn with_own_folders(content: &str, folder: &Path, project: &Path) -> String {
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    let Ok(mut header) = parse(first.as_bytes()) else { return content.to_owned() };
    let parent = header.get_string("parentSession").map(|parent| parent.to_text().into_owned());
    if let Some(object) = header.as_object_mut() {
        let text = |path: &Path| Value::from(path.to_string_lossy().into_owned());
        object.set("cwd", text(project));
        if let Some(name) = parent.as_deref().and_then(|parent| Path::new(parent).file_name()) {
            object.set("parentSession", text(&folder.join(name)));
        }
    }
    format!("{}\n{rest}", stringify(&header))
}

#[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn cannot_unpack(error: std::io::Error) -> CommandError {
    CommandError::BadData {
        message: format!("Cannot unpack the sample: {}", cause(&error)),
        hint: Some("TMPDIR names another place".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_but_the_torn_one_is_as_pi_writes_it() {
        let lines = || FILES.iter().flat_map(|(_, content)| content.lines());
        let torn = lines().filter(|line| parse(line.as_bytes()).is_err()).count();
        assert_eq!(torn, 1);
        for line in lines() {
            if let Ok(value) = parse(line.as_bytes()) {
                assert_eq!(stringify(&value), line);
            }
        }
    }

    #[test]
    fn names_and_headers_agree() {
        for (name, content) in FILES {
            let header = parse(content.lines().next().unwrap_or_default().as_bytes()).unwrap();
            let id = header.get_string("id").unwrap().to_string();
            let time = header.get_string("timestamp").unwrap().to_string();
            let dialect = pitree_format::draft::Dialect::Pi;
            assert_eq!(pitree_session::paths::file_name(&time, &id, dialect), name);
        }
    }
}
