//! Where sessions lie: a path and a layout.
//!
//! *Flat*: the files lie directly in the folder. *Per directory*: the folder holds one
//! `--<encoded cwd>--` folder for each working directory. New files follow the layout of their
//! location.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pitree_format::Value;
use pitree_format::entry::Header;
use pitree_format::js::parse;

use crate::environment::Environment;
use crate::error::{IoContext, Result, SessionError, SessionMatch, cause};
use crate::paths;
use crate::read::{FoundHeader, read_header, read_look_alike};
use crate::session::{open_regular, strip_path};

/// How far a listing looks for a header. Pi stops at 1 MiB and misses longer ones.
const MOST_HEADER_BYTES: u64 = 64 << 20;

/// How files lie in a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Directly in the folder.
    Flat,
    /// In one folder for each working directory.
    PerDirectory,
}

/// What named a location. Earlier ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Origin {
    /// `--session-dir`
    SessionDirFlag,
    /// `--sessions-root`
    SessionsRootFlag,
    /// `PI_CODING_AGENT_SESSION_DIR`
    SessionDirVariable,
    /// `PI_SESSIONS_DIR`
    SessionsRootVariable,
    /// `sessionDir` in Pi's `settings.json`
    Setting,
    /// `PI_CODING_AGENT_DIR/sessions`, or `~/.pi/agent/sessions`
    AgentDirectory,
}

/// A place with sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The folder.
    pub path: PathBuf,
    /// How files lie in it.
    pub layout: Layout,
    /// What named it.
    pub origin: Origin,
}

/// What is wrong with a location; see [`Location::problem`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocationProblem {
    /// There is nothing at the path.
    #[error("the folder does not exist")]
    Missing,
    /// A file, a pipe or something else is at the path.
    #[error("it is not a folder")]
    NotAFolder,
    /// The system does not let us look.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The files lie as in the other layout.
    #[error("{}", match .0 {
        Layout::Flat => "the files lie directly in it; use the layout `Flat`",
        Layout::PerDirectory => {
            "the files lie in folders for working directories; use the layout `PerDirectory`"
        }
    })]
    OtherLayout(Layout),
}

/// What the command line says about locations.
#[derive(Clone, Debug, Default)]
pub struct LocationChoice {
    /// `--session-dir`
    pub session_dir: Option<PathBuf>,
    /// `--sessions-root`
    pub sessions_root: Option<PathBuf>,
}

/// A session found by its header alone.
#[derive(Clone, Debug)]
pub struct FoundSession {
    /// The file.
    pub path: PathBuf,
    /// When the file changed last.
    pub modified: SystemTime,
    /// Its header.
    pub header: Header,
}

impl FoundSession {
    /// The id in the header.
    pub fn id(&self) -> String {
        self.header.id.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    fn has_cwd(&self, cwd: &Path, environment: &Environment) -> bool {
        self.header
            .cwd
            .as_ref()
            .filter(|own| !own.is_empty())
            .is_some_and(|own| paths::resolve(Path::new(&*own.to_text()), environment) == cwd)
    }
}

/// Pi's own folder: `PI_CODING_AGENT_DIR`, or `~/.pi/agent`.
pub fn agent_directory(environment: &Environment) -> PathBuf {
    match environment.var("PI_CODING_AGENT_DIR") {
        Some(path) => paths::resolve(Path::new(path), environment),
        None => environment.home().join(".pi").join("agent"),
    }
}

/// The folder of sessions that a path lies in: one of those that the caller knows, the one that
/// the environment chooses, or Pi's usual one. Nothing but sessions should be written there, since
/// every `.jsonl` in it is taken for one.
pub fn sessions_folder_around(
    path: &Path,
    known: &[Location],
    environment: &Environment,
) -> Option<PathBuf> {
    let chosen = Location::choose(&LocationChoice::default(), environment).path;
    let folders = known.iter().map(|location| location.path.clone());
    let mut folders = folders.chain([chosen, usual_root(environment)]);
    let real = paths::real_path(path);
    folders.find(|folder| path.starts_with(folder) || real.starts_with(paths::real_path(folder)))
}

/// Where Pi keeps sessions unless it is told otherwise.
fn usual_root(environment: &Environment) -> PathBuf {
    agent_directory(environment).join("sessions")
}

impl Location {
    /// A folder with the files directly in it.
    ///
    /// ```
    /// use pitree_session::location::{Layout, Location};
    ///
    /// assert_eq!(Location::folder("/srv/sessions").layout, Layout::Flat);
    /// assert_eq!(Location::root("/srv/.pi/agent/sessions").layout, Layout::PerDirectory);
    /// ```
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), layout: Layout::Flat, origin: Origin::SessionDirFlag }
    }

    /// A folder with one folder for each working directory, as Pi's `~/.pi/agent/sessions`.
    pub fn root(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), layout: Layout::PerDirectory, origin: Origin::SessionsRootFlag }
    }

    /// Where Pi keeps the sessions of this user.
    pub fn usual(environment: &Environment) -> Self {
        Self::choose(&LocationChoice::default(), environment)
    }

    /// The location that counts, by the order of [`Origin`].
    pub fn choose(choice: &LocationChoice, environment: &Environment) -> Self {
        let at = |path: &Path, layout, origin| Self {
            path: paths::resolve(path, environment),
            layout,
            origin,
        };
        if let Some(path) = &choice.session_dir {
            return at(path, Layout::Flat, Origin::SessionDirFlag);
        }
        if let Some(path) = &choice.sessions_root {
            return at(path, Layout::PerDirectory, Origin::SessionsRootFlag);
        }
        if let Some(path) = environment.var("PI_CODING_AGENT_SESSION_DIR") {
            return at(Path::new(path), Layout::Flat, Origin::SessionDirVariable);
        }
        if let Some(path) = environment.var("PI_SESSIONS_DIR") {
            return at(Path::new(path), Layout::PerDirectory, Origin::SessionsRootVariable);
        }
        if let Some(path) = session_dir_setting(environment) {
            return at(&path, Layout::Flat, Origin::Setting);
        }
        at(&usual_root(environment), Layout::PerDirectory, Origin::AgentDirectory)
    }

    /// Why no session is found here, if the place itself is wrong: a program that lists nothing
    /// can say so. A location without a problem may still have no sessions.
    pub fn problem(&self) -> Option<LocationProblem> {
        match fs_err::metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Some(LocationProblem::Missing);
            }
            Err(error) => return Some(LocationProblem::Unreadable(cause(&error).to_string())),
            Ok(metadata) if !metadata.is_dir() => return Some(LocationProblem::NotAFolder),
            Ok(_) => {}
        }
        let has_files = jsonl_files(&self.path).next().is_some();
        let folders = subdirectories(&self.path);
        let has_folders = || folders.iter().any(|folder| jsonl_files(folder).next().is_some());
        match self.layout {
            Layout::Flat if !has_files && has_folders() => {
                Some(LocationProblem::OtherLayout(Layout::PerDirectory))
            }
            Layout::PerDirectory if has_files && !has_folders() => {
                Some(LocationProblem::OtherLayout(Layout::Flat))
            }
            _ => None,
        }
    }

    /// The folder for the sessions of a working directory.
    pub fn directory_for(&self, cwd: impl AsRef<Path>) -> PathBuf {
        match self.layout {
            Layout::Flat => self.path.clone(),
            Layout::PerDirectory => self.path.join(paths::encode_cwd(cwd.as_ref())),
        }
    }

    /// The sessions of a working directory, newest first. Files that cannot be read, links that
    /// lead nowhere and files that are no sessions are passed over.
    pub fn sessions_of(
        &self,
        cwd: impl AsRef<Path>,
        environment: &Environment,
    ) -> Vec<FoundSession> {
        let cwd = paths::resolve(cwd.as_ref(), environment);
        let mut found = scan_directory(&self.directory_for(&cwd));
        if self.layout == Layout::Flat {
            found.retain(|session| session.has_cwd(&cwd, environment));
        }
        found
    }

    /// All sessions of the location, newest first.
    pub fn all_sessions(&self) -> Vec<FoundSession> {
        match self.layout {
            Layout::Flat => scan_directory(&self.path),
            Layout::PerDirectory => {
                let mut found: Vec<_> = subdirectories(&self.path)
                    .iter()
                    .flat_map(|directory| scan_directory(directory))
                    .collect();
                newest_first(&mut found);
                found
            }
        }
    }

    /// The most recent session of a working directory. Half of Pi's `continueRecent`; the other
    /// half is a new session where there is none.
    pub fn most_recent(
        &self,
        cwd: impl AsRef<Path>,
        environment: &Environment,
    ) -> Option<FoundSession> {
        self.sessions_of(cwd, environment).into_iter().next()
    }

    /// Finds a session by what the user typed: see [`resolve_name`].
    pub fn find(&self, typed: &str, environment: &Environment) -> Result<PathBuf> {
        resolve_name(typed, environment, || {
            let to_match = |found: FoundSession| SessionMatch { id: found.id(), path: found.path };
            self.all_sessions().into_iter().map(to_match).collect()
        })
    }
}

/// Finds a session by what the user typed, among all that may be meant. A path is that path. An id
/// is that session; the beginning of an id must fit exactly one. Files that have a header and are
/// not sessions do not count.
pub fn resolve_name(
    typed: &str,
    environment: &Environment,
    candidates: impl FnOnce() -> Vec<SessionMatch>,
) -> Result<PathBuf> {
    if is_path(typed) {
        return Ok(paths::resolve(Path::new(typed), environment));
    }
    let mut matches = if typed.is_empty() { Vec::new() } else { candidates() };
    matches.retain(|found| found.id.starts_with(typed));
    if matches.iter().any(|found| found.id == typed) {
        matches.retain(|found| found.id == typed);
    }
    matches.retain(|found| is_session(&found.path));
    // A file may be reached by several names.
    let mut seen = HashSet::new();
    matches.retain(|found| {
        seen.insert(fs_err::canonicalize(&found.path).unwrap_or_else(|_| found.path.clone()))
    });
    matches.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.path.cmp(&b.path)));
    match &matches[..] {
        [only] => Ok(only.path.clone()),
        [] => {
            // A plain file name in the working directory is a path too, if nothing else fits.
            let path = paths::resolve(Path::new(typed), environment);
            if !typed.is_empty() && path.is_file() {
                Ok(path)
            } else {
                Err(SessionError::SessionNotFound { id: typed.to_owned() })
            }
        }
        _ => Err(SessionError::AmbiguousSession { prefix: typed.to_owned(), matches }),
    }
}

/// Whether what the user typed is a path, and not an id.
pub fn is_path(typed: &str) -> bool {
    typed.contains(['/', '\\']) || typed.ends_with(".jsonl")
}

impl crate::Session {
    /// Opens the session that a path, an id or the beginning of an id names.
    pub fn open_named(typed: &str, location: &Location, environment: &Environment) -> Result<Self> {
        Self::open(location.find(typed, environment)?, environment)
    }
}

fn subdirectories(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(root) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        // Links to folders count too, as in Pi.
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// The files directly in a folder that are named like sessions.
fn jsonl_files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs_err::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
}

/// The sessions directly in a folder, newest first.
pub fn scan_directory(directory: &Path) -> Vec<FoundSession> {
    let mut found: Vec<_> =
        jsonl_files(directory).filter_map(|path| read_found(&path).ok().flatten()).collect();
    newest_first(&mut found);
    found
}

fn newest_first(found: &mut [FoundSession]) {
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| b.path.cmp(&a.path)));
}

/// Reads the header of a file; `None` when it is no session.
pub fn read_found(path: &Path) -> Result<Option<FoundSession>> {
    let file = open_regular(path)?;
    let metadata = file.metadata().on("read", path)?;
    let modified = metadata.modified().on("read", path)?;
    Ok(match read_header(&file, metadata.len().min(MOST_HEADER_BYTES)).on("read", path)? {
        FoundHeader::Header(value) => {
            let header = Header::decode(&value);
            Some(FoundSession { path: path.to_owned(), modified, header })
        }
        FoundHeader::Other { .. } | FoundHeader::Nothing => None,
    })
}

/// Whether a list would show the file as a session: it has a header, and what follows is not
/// another program's.
pub fn is_session(path: &Path) -> bool {
    read_session(path).is_ok_and(|found| found.is_some())
}

/// As [`read_found`], but `None` also for files of other programs that begin with a header like
/// Pi's: the files that a list leaves out.
pub fn read_session(path: &Path) -> Result<Option<FoundSession>> {
    let Some(found) = read_found(path)? else { return Ok(None) };
    let file = open_regular(path)?;
    let look_alike = read_look_alike(&file, MOST_HEADER_BYTES).on("read", path)?;
    Ok(look_alike.is_none().then_some(found))
}

/// `sessionDir` of Pi's settings. The project's counts only if it lies inside the project: a
/// checked-out repository must not send sessions elsewhere.
fn session_dir_setting(environment: &Environment) -> Option<PathBuf> {
    let project = environment.cwd();
    let of = |file: &Path| {
        let settings = read_settings(file)?;
        let path = settings.get_string("sessionDir")?.to_text().into_owned();
        (!path.is_empty()).then(|| paths::resolve(Path::new(&path), environment))
    };
    let of_project = of(&project.join(".pi").join("settings.json"));
    of_project
        .filter(|path| lies_inside(path, project))
        .or_else(|| of(&agent_directory(environment).join("settings.json")))
}

/// Whether a path stays inside a folder once links are followed. The path may not exist yet, so
/// its nearest part that does is asked.
fn lies_inside(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = fs_err::canonicalize(folder) else { return false };
    let existing = path.ancestors().find_map(|part| fs_err::canonicalize(part).ok());
    // A link that leads nowhere would be followed when the folder is made.
    let dangling = path.ancestors().any(|part| part.is_symlink() && !part.exists());
    !dangling && existing.is_some_and(|existing| existing.starts_with(&folder))
}

fn read_settings(file: &Path) -> Option<Value> {
    // A settings file is small; a huge one is not read.
    let metadata = fs_err::metadata(file).map_err(strip_path).ok()?;
    if !metadata.is_file() || metadata.len() > 1 << 20 {
        return None;
    }
    parse(&fs_err::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_any_folder_of_sessions_is_recognized() {
        let home = tempfile::tempdir().unwrap();
        let home = fs_err::canonicalize(home.path()).unwrap();
        let environment = Environment::new(&home, &home, || 0, |bytes| bytes.fill(7))
            .with_var("PI_SESSIONS_DIR", &home.join("chosen").to_string_lossy());
        let known = [Location {
            path: home.join("known"),
            layout: Layout::Flat,
            origin: Origin::SessionDirFlag,
        }];
        for folder in ["known", "chosen", ".pi/agent/sessions"] {
            fs_err::create_dir_all(home.join(folder)).unwrap();
            let link = home.join(format!("link-{}", folder.replace('/', "-")));
            std::os::unix::fs::symlink(home.join(folder), &link).unwrap();
            for path in [home.join(folder), home.join(folder).join("a/b"), link.join("x.jsonl")] {
                let around = sessions_folder_around(&path, &known, &environment);
                assert_eq!(around, Some(home.join(folder)), "{}", path.display());
            }
        }
        for path in ["x.jsonl", "known-not/x", ".pi/agent/x", "gone/x"] {
            assert_eq!(sessions_folder_around(&home.join(path), &known, &environment), None);
        }
    }
}
