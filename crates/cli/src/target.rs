//! FILE or ID: the session that a verb works on.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pitree_export::numbers::age;
use pitree_format::{Object, Value};
use pitree_session::location::{Location, LocationChoice};
use pitree_session::{
    Durability, Environment, LOCK_WAIT, OldVersion, OpenOptions, Rewrite, Session, SessionError,
    SessionMatch, WriteOptions, paths,
};
use pitree_store::cache::cache_directory;
use pitree_store::shared_index::Announcement;
use pitree_store::{
    FileStamp, Progress, Scope, ShortIds, Store, discover, read_facts, repository_of,
};
use pitree_tui::theme::ColorMode;

use crate::arguments::Arguments;
use crate::error::{CommandError, Result};
use crate::output::Output;
use crate::progress::{self, DamageOnly};
use crate::text::{clean_line, number_and_unit};
use crate::verbs::list::{scopes, title};

/// The session a verb works on.
#[derive(Args, Clone, Debug)]
pub(crate) struct Target {
    /// A session file, a session id, or a unique id prefix
    #[arg(value_name = "FILE|ID")]
    pub(crate) session: String,
}

/// The session a verb appends to.
#[derive(Args, Clone, Debug)]
pub(crate) struct AppendTarget {
    #[command(flatten)]
    pub(crate) target: Target,

    /// Allow a version 1 or 2 file to be upgraded to version 3; `undo` can restore it
    #[arg(long)]
    migrate: bool,

    #[command(flatten)]
    wait: LockWait,
}

/// How long a verb that writes waits for another program's lock.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LockWait {
    /// How long to wait if another program has locked the session, such as 500ms, 30s or 2m
    /// (default: 10s)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    wait: Option<Duration>,
}

impl LockWait {
    pub(crate) fn limit(self) -> Duration {
        self.wait.unwrap_or(LOCK_WAIT)
    }
}

/// The sessions a verb works on, one after the other.
#[derive(Args, Clone, Debug)]
pub(crate) struct Targets {
    /// Session files, session ids, or unique id prefixes; --json prints one line each
    #[arg(value_name = "FILE|ID", required = true)]
    sessions: Vec<String>,
}

/// What came of each of several sessions.
pub(crate) struct Done<T> {
    pub(crate) good: Vec<T>,
    /// What failed, with what the user typed.
    bad: Vec<(String, CommandError)>,
}

impl Targets {
    pub(crate) fn are_many(&self) -> bool {
        self.sessions.len() > 1
    }

    /// Works on each of the sessions; one that fails does not stop the others.
    pub(crate) fn each<T>(
        &self,
        workspace: &Workspace,
        work: impl FnMut(&Path) -> Result<T>,
    ) -> Done<T> {
        let files = self.sessions.iter().map(|typed| {
            let found = workspace.find(&Target { session: typed.clone() });
            (typed.clone(), found)
        });
        work_on_each(files, work)
    }
}

/// Files that a verb reads: those that the user names, or all of a scope.
#[derive(Args, Clone, Debug)]
pub(crate) struct ScopedTargets {
    /// Session files, session ids, or unique id prefixes; --json prints one line each
    #[arg(value_name = "FILE|ID", required_unless_present_any = ["scope", "all"])]
    sessions: Vec<String>,

    /// All sessions of this scope, and the files among them that are not sessions
    #[arg(long, value_parser = scopes(), conflicts_with = "sessions")]
    scope: Option<Scope>,

    /// The same as --scope all
    #[arg(long, conflicts_with_all = ["sessions", "scope"])]
    all: bool,
}

impl ScopedTargets {
    pub(crate) fn scope(&self) -> Option<Scope> {
        self.scope.or(self.all.then_some(Scope::All))
    }

    /// The files, each with the words that the user knows it by.
    pub(crate) fn files(&self, workspace: &Workspace) -> Vec<(String, Result<PathBuf>)> {
        let paths = match self.scope() {
            None => {
                let find = |typed: &String| workspace.find(&Target { session: typed.clone() });
                return self.sessions.iter().map(|typed| (typed.clone(), find(typed))).collect();
            }
            Some(Scope::All) => {
                let found = discover(&workspace.locations).into_iter();
                found.map(|file| file.path).collect()
            }
            Some(scope) => {
                let listing = workspace.store().list_scope(scope);
                let sessions = listing.sessions.iter().map(|facts| facts.path.clone());
                let others = listing.not_sessions().into_iter().map(Path::to_owned);
                let mut paths: Vec<PathBuf> = sessions.chain(others).collect();
                paths.extend(listing.unreadable().into_iter().map(|(path, _)| path));
                paths.sort();
                paths.dedup();
                paths
            }
        };
        paths.into_iter().map(|path| (workspace.display(&path), Ok(path))).collect()
    }
}

/// Works on each of the files; one that fails does not stop the others.
pub(crate) fn work_on_each<T>(
    files: impl ExactSizeIterator<Item = (String, Result<PathBuf>)>,
    mut work: impl FnMut(&Path) -> Result<T>,
) -> Done<T> {
    let (bar, count) = (progress::bar(), files.len());
    let mut done = Done { good: Vec::new(), bad: Vec::new() };
    for (at, (typed, found)) in files.enumerate() {
        match found.and_then(|path| work(&path)) {
            Ok(one) => done.good.push(one),
            // Nobody reads on.
            Err(error) if error.is_broken_pipe() => {
                done.bad.insert(0, (typed, error));
                break;
            }
            Err(error) => done.bad.push((typed, error)),
        }
        bar.iter().for_each(|bar| bar.step(at + 1, count));
    }
    done
}

impl<T> Done<T> {
    /// Names what failed; the first failure is how the command ends.
    pub(crate) fn finish(self, output: &mut Output) -> Result<()> {
        let mut bad = self.bad.into_iter();
        let Some((_, first)) = bad.next() else { return Ok(()) };
        if first.is_broken_pipe() {
            return Err(first);
        }
        for (typed, error) in bad {
            output.remark(&format!("error: {typed}: {error}"))?;
            for line in error.details() {
                output.remark(&format!("  {line}"))?;
            }
        }
        output.flush()?;
        Err(first)
    }
}

/// The session a reading verb works on.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadTarget {
    #[command(flatten)]
    pub(crate) target: Target,

    /// Also read files that Pi rejects: without a header, or only similar to a session
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// What every verb needs: the environment and where sessions lie.
pub(crate) struct Workspace {
    pub(crate) environment: Environment,
    /// Where new sessions go.
    pub(crate) location: Location,
    /// Where sessions are looked for; the first one is `location`.
    pub(crate) locations: Vec<Location>,
    /// Whether the command line named a location.
    pub(crate) is_named: bool,
    /// Whether files are read each time.
    pub(crate) without_index: bool,
    /// Whether extensions are left out.
    pub(crate) without_extensions: bool,
    /// When colors are used.
    pub(crate) color: ColorMode,
}

impl Workspace {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let environment = Environment::system();
        let named = arguments
            .session_dir
            .iter()
            .map(|path| LocationChoice { session_dir: Some(path.clone()), sessions_root: None });
        let named =
            named.chain(arguments.sessions_root.iter().map(|path| LocationChoice {
                session_dir: None,
                sessions_root: Some(path.clone()),
            }));
        let mut locations: Vec<Location> =
            named.map(|choice| Location::choose(&choice, &environment)).collect();
        let location = match locations.first() {
            Some(first) => first.clone(),
            None => Location::choose(&LocationChoice::default(), &environment),
        };
        let is_named = !locations.is_empty();
        if !is_named {
            locations.push(location.clone());
        }
        Self {
            environment,
            location,
            locations,
            is_named,
            without_index: arguments.no_index,
            without_extensions: arguments.no_extensions,
            color: arguments.color,
        }
    }

    /// Refuses a folder that the command line names and that is not there.
    pub(crate) fn require_named_folders(&self) -> Result<()> {
        let is_missing = |location: &&Location| {
            let metadata = fs_err::metadata(&location.path);
            metadata.is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        let missing = self.locations.iter().find(is_missing).filter(|_| self.is_named);
        missing.map_or(Ok(()), |location| {
            Err(CommandError::Usage {
                message: format!("The folder {} does not exist", location.path.display()),
                hint: Some("correct `--session-dir` or `--sessions-root`".to_owned()),
            })
        })
    }

    /// The file that the user means.
    pub(crate) fn find(&self, target: &Target) -> Result<PathBuf> {
        self.quiet_store().find(&target.session).map_err(|error| match error {
            SessionError::AmbiguousSession { prefix, matches } => {
                ambiguous(&prefix, matches, &self.environment)
            }
            other => other.into(),
        })
    }

    /// The shortest prefixes by which [`Self::find`] finds sessions.
    pub(crate) fn short_ids(&self) -> ShortIds {
        self.quiet_store().short_ids()
    }

    /// All sessions that are looked for.
    pub(crate) fn store(&self) -> Store {
        match progress::bar() {
            Some(bar) => self.silent_store().with_progress(bar),
            None => self.quiet_store(),
        }
    }

    /// The same without a bar for long work.
    pub(crate) fn quiet_store(&self) -> Store {
        self.silent_store().with_progress(Arc::new(DamageOnly))
    }

    /// The same for whoever has the whole screen: nothing is said on standard error.
    pub(crate) fn silent_store(&self) -> Store {
        let store = Store::new(self.locations.clone(), &self.environment);
        if self.without_index {
            return store;
        }
        store.with_cache(cache_directory(&self.environment))
    }

    /// Opens the session that the user means, for reading.
    pub(crate) fn open(&self, read: &ReadTarget) -> Result<Session> {
        self.open_with(read, OpenOptions::new())
    }

    pub(crate) fn open_with(&self, read: &ReadTarget, options: OpenOptions) -> Result<Session> {
        let path = self.find(&read.target)?;
        Ok(options.lenient(read.lenient).open(&path, &self.environment)?)
    }

    /// Opens the session that the user means, to append to it. A version 1 or 2 file is refused at
    /// once, before a model or an extension is asked, unless the user allows its migration.
    pub(crate) fn open_to_append(&self, append: &AppendTarget) -> Result<Session> {
        let mut session = self.open_path(&self.find(&append.target)?, append.wait)?;
        if append.migrate {
            session.set_old_version(OldVersion::Migrate);
        }
        session.refuse_old_version()?;
        Ok(session)
    }

    /// Says that an append has migrated the file, and gives what `--json` says about it.
    pub(crate) fn report_migration(
        &self,
        session: &mut Session,
        output: &mut Output,
    ) -> Result<Option<Value>> {
        let Some(rewrite) = session.take_migration() else { return Ok(None) };
        self.say_migrated(&rewrite, output)?;
        let backup = rewrite.backup.to_string_lossy().into_owned();
        Ok(Some(Object::new().with("backup", backup).into()))
    }

    /// Migrates a version 1 or 2 file before another program gets it, and says so.
    pub(crate) fn migrate(&self, session: &mut Session, output: &mut Output) -> Result<()> {
        session.migrate()?.map_or(Ok(()), |rewrite| self.say_migrated(&rewrite, output))
    }

    fn say_migrated(&self, rewrite: &Rewrite, output: &mut Output) -> Result<()> {
        let (path, backup) = (self.display(&rewrite.path), self.display(&rewrite.backup));
        output.remark(&format!("migrated {path} to version 3; the old file is kept in {backup}"))
    }

    /// Opens the session that the user means, to write beside it or to it. What a one-shot verb
    /// reports as done is on the disk.
    pub(crate) fn open_to_write(&self, target: &Target) -> Result<Session> {
        self.open_path(&self.find(target)?, LockWait { wait: None })
    }

    /// The same for a file that was found.
    pub(crate) fn open_path(&self, path: &Path, wait: LockWait) -> Result<Session> {
        let writing = WriteOptions::new().durability(Durability::Durable).lock_wait(wait.limit());
        Ok(OpenOptions::new().writing(writing).open(path, &self.environment)?)
    }

    /// Announces that a session is about to change, to those who use a shared index. Keep what
    /// it gives until that is done.
    pub(crate) fn changing(&self, session: &Path) -> Announcement {
        self.changing_all(&[session])
    }

    /// The same for several sessions.
    pub(crate) fn changing_all(&self, sessions: &[&Path]) -> Announcement {
        let mut change = Announcement::of(&self.locations, sessions, &self.environment);
        sessions.iter().for_each(|session| change.add(session));
        change
    }

    /// The same for a session that is about to appear in a folder; it is named when it is there.
    pub(crate) fn adding_to(&self, folder: &Path) -> Announcement {
        Announcement::of(&self.locations, &[folder], &self.environment)
    }

    /// The sessions of a scope, in words: what was looked at.
    pub(crate) fn describe_scope(&self, scope: Scope) -> String {
        let cwd = self.environment.cwd();
        match scope {
            Scope::Directory => format!("the sessions of {}", self.display(cwd)),
            Scope::Repository => match repository_of(cwd) {
                Some(root) => format!("the sessions of the repository {}", self.display(&root)),
                None => format!("the sessions of {}, which is in no repository", self.display(cwd)),
            },
            Scope::All => {
                let folders = self.locations.iter().map(|location| self.display(&location.path));
                format!("all sessions in {}", folders.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// A path for people: below the home directory it begins with `~`.
    pub(crate) fn display(&self, path: &Path) -> String {
        paths::display(path, &self.environment)
    }
}

/// How many of the sessions that a prefix fits are shown.
const MOST_CANDIDATES: usize = 10;

/// How many characters of a title tell candidates apart.
const MOST_OF_A_CANDIDATE: usize = 60;

/// A prefix that matches several sessions, with what tells them apart: id, age and title, newest
/// first.
fn ambiguous(
    prefix: &str,
    mut matches: Vec<SessionMatch>,
    environment: &Environment,
) -> CommandError {
    let changed = |found: &SessionMatch| FileStamp::of(&found.path).map(|it| it.modified_ns);
    matches.sort_by_cached_key(|found| std::cmp::Reverse(changed(found)));
    let short = ShortIds::new(matches.iter().map(|found| found.id.clone()));
    let width = matches.iter().map(|found| short.short(&found.id).chars().count()).max();
    let row = |found: &SessionMatch| {
        let id = clean_line(short.short(&found.id));
        let facts =
            FileStamp::of(&found.path).and_then(|stamp| read_facts(&found.path, stamp).ok());
        let age = facts.as_ref().map(|facts| age(facts.modified_ms, environment.now_ms()));
        let title =
            facts.as_ref().map(|facts| title(facts, MOST_OF_A_CANDIDATE)).unwrap_or_default();
        let path = match short.is_unique(&found.id) {
            true => String::new(),
            false => format!("  {}", clean_line(&found.path.to_string_lossy())),
        };
        format!("{id:<0$}  {1:>4}  {title}{path}", width.unwrap_or(0), age.unwrap_or_default())
    };
    let mut candidates: Vec<String> = matches.iter().take(MOST_CANDIDATES).map(row).collect();
    if matches.len() > MOST_CANDIDATES {
        candidates.push(format!("… and {} more", matches.len() - MOST_CANDIDATES));
    }
    let same_id = matches.windows(2).all(|pair| pair[0].id == pair[1].id);
    let count = matches.len();
    let prefix = prefix.to_owned();
    CommandError::AmbiguousSession { prefix, count, candidates, same_id }
}

/// A duration as it is typed: seconds, or a number with `ms`, `s`, `m` or `h`.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text).ok_or("give a duration such as 500ms, 30s or 2m")?;
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("the units are ms, s, m and h".to_owned()),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_they_are_typed() {
        let ms = |text| duration(text).map(|duration| duration.as_millis());
        let good = [
            ("0", 0),
            ("2", 2000),
            ("1.5s", 1500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1 h", 3_600_000),
        ];
        for (text, want) in good {
            assert_eq!(ms(text), Ok(want), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "1e999", "1.2.3", "99999999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
