//! FILE or ID: the session that a verb works on.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pitree_format::{Object, Value};
use pitree_session::location::{Location, LocationChoice};
use pitree_session::{
    Durability, Environment, LOCK_WAIT, OldVersion, OpenOptions, Rewrite, Session, SessionError,
    WriteOptions, paths,
};
use pitree_store::cache::cache_directory;
use pitree_store::shared_index::Announcement;
use pitree_store::{Scope, ShortIds, Store, discover_all, repository_of};
use pitree_tui::theme::ColorMode;

use crate::ambiguous::ambiguous;
use crate::arguments::Arguments;
use crate::caller::Caller;
use crate::error::{CommandError, Result};
use crate::hints;
use crate::option_values::duration;
use crate::output::Output;
use crate::text::{command, shell_word};
use crate::unreadable;
use crate::verbs::list::scopes;
use crate::zone;

/// The session a verb works on.
#[derive(Args, Clone, Debug)]
pub(crate) struct Target {
    /// A session file, a session id, or a unique id prefix
    #[arg(value_name = "FILE|ID")]
    pub(crate) session: OsString,
}

/// The session a verb appends to.
#[derive(Args, Clone, Debug)]
pub(crate) struct AppendTarget {
    #[command(flatten)]
    pub(crate) target: Target,

    /// Allow a version 1 or 2 file to be upgraded to version 3; `undo` can restore it
    #[arg(long)]
    pub(crate) migrate: bool,

    #[command(flatten)]
    pub(crate) wait: LockWait,
}

/// How long a verb that writes waits for another program's lock.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct LockWait {
    /// How long to wait if another program has locked the session, such as 500ms, 30s or 2m
    /// (default: 10s)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) wait: Option<Duration>,
}

impl LockWait {
    /// How a session is opened to be written to.
    pub(crate) fn options(self) -> OpenOptions {
        let writing = WriteOptions::new().durability(Durability::Durable).lock_wait(self.limit());
        OpenOptions::new().writing(writing)
    }

    pub(crate) fn limit(self) -> Duration {
        self.wait.unwrap_or(LOCK_WAIT)
    }
}

/// The sessions a verb works on, one after the other.
#[derive(Args, Clone, Debug)]
pub(crate) struct Targets {
    /// Session files, session ids, or unique id prefixes; --json prints one line each
    #[arg(value_name = "FILE|ID", required = true)]
    sessions: Vec<OsString>,
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
            (typed.to_string_lossy().into_owned(), found)
        });
        work_on_each(&workspace.caller, files, work)
    }
}

/// Files that a verb reads: those that the user names, or all of a scope.
#[derive(Args, Clone, Debug)]
pub(crate) struct ScopedTargets {
    /// Session files, session ids, or unique id prefixes; --json prints one line each
    #[arg(value_name = "FILE|ID")]
    sessions: Vec<OsString>,

    /// Every session file in this scope, including files that turn out not to be sessions
    #[arg(long, value_parser = scopes(), conflicts_with = "sessions")]
    scope: Option<Scope>,

    /// The same as --scope all, under its former name
    #[arg(long, hide = true, conflicts_with_all = ["sessions", "scope"])]
    all: bool,
}

impl ScopedTargets {
    pub(crate) fn scope(&self) -> Option<Scope> {
        self.scope.or(self.all.then_some(Scope::All))
    }

    /// The files, each with the words that the user knows it by.
    /// What could not be looked at is a file that failed.
    pub(crate) fn files(&self, workspace: &Workspace) -> Result<Vec<(String, Result<PathBuf>)>> {
        let (mut paths, unreadable) = match self.scope() {
            None if self.sessions.is_empty() => {
                return Err(CommandError::Usage {
                    message: "Name a session, or pass `--scope all` for all of them".to_owned(),
                    hint: Some(format!("`{}` shows the ids", workspace.list_all())),
                });
            }
            None => {
                let find = |typed: &OsString| {
                    let found = workspace.find(&Target { session: typed.clone() });
                    (typed.to_string_lossy().into_owned(), found)
                };
                return Ok(self.sessions.iter().map(find).collect());
            }
            Some(Scope::All) => {
                let found = discover_all(&workspace.locations);
                let paths = found.files.into_iter().map(|file| file.path);
                (paths.collect::<Vec<PathBuf>>(), found.unreadable)
            }
            Some(scope) => {
                let listing = workspace.store().list_scope(scope);
                let sessions = listing.sessions.iter().map(|facts| facts.path.clone());
                let others = listing.not_sessions().into_iter().map(Path::to_owned);
                let mut paths: Vec<PathBuf> = sessions.chain(others).collect();
                paths.sort();
                paths.dedup();
                (paths, listing.unreadable())
            }
        };
        paths.retain(|path| unreadable.iter().all(|(unread, _)| unread != path));
        let paths = paths.into_iter().map(|path| (workspace.display(&path), Ok(path)));
        let unreadable = unreadable.into_iter().map(|(path, reason)| {
            let name = workspace.display(&path);
            let message = format!("Cannot read {name}: {reason}");
            (name, Err(CommandError::BadData { message, hint: None }))
        });
        Ok(paths.chain(unreadable).collect())
    }
}

/// Works on each of the files; one that fails does not stop the others.
pub(crate) fn work_on_each<T>(
    caller: &Caller,
    files: impl ExactSizeIterator<Item = (String, Result<PathBuf>)>,
    mut work: impl FnMut(&Path) -> Result<T>,
) -> Done<T> {
    let (bar, count) = (caller.progress(), files.len());
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
            let message = error.to_string();
            // Most errors name the file, by its whole path.
            let name = Path::new(&typed)
                .file_name()
                .map_or(typed.as_str().into(), |name| name.to_string_lossy());
            match message.contains(&*name) {
                true => output.remark(&format!("error: {message}"))?,
                false => output.remark(&format!("error: {typed}: {message}"))?,
            }
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

/// The option that names a folder of session files.
pub(crate) const SESSION_DIR: &str = "--session-dir";
/// The option that names a folder with a folder for each working directory.
pub(crate) const SESSIONS_ROOT: &str = "--sessions-root";

/// What every verb needs: the environment and where sessions lie.
pub(crate) struct Workspace {
    pub(crate) environment: Environment,
    /// Where new sessions go.
    pub(crate) location: Location,
    /// Where sessions are looked for; the first one is `location`.
    pub(crate) locations: Vec<Location>,
    /// The options by which the command line names locations.
    pub(crate) named: Vec<(&'static str, PathBuf)>,
    /// Whether files are read each time.
    pub(crate) without_index: bool,
    /// Whether extensions are left out.
    pub(crate) without_extensions: bool,
    /// When colors are used.
    pub(crate) color: ColorMode,
    /// Who runs the verb.
    pub(crate) caller: Caller,
}

impl Workspace {
    pub(crate) fn new(arguments: &Arguments, caller: Caller) -> Self {
        let environment = Environment::system().with_zone(zone::minutes_at);
        let folders = arguments.session_dir.iter().map(|path| (SESSION_DIR, path.clone()));
        let roots = arguments.sessions_root.iter().map(|path| (SESSIONS_ROOT, path.clone()));
        let named: Vec<(&str, PathBuf)> = folders.chain(roots).collect();
        let choice = |(option, path): &(&str, PathBuf)| LocationChoice {
            session_dir: (*option == SESSION_DIR).then(|| path.clone()),
            sessions_root: (*option == SESSIONS_ROOT).then(|| path.clone()),
        };
        let mut locations: Vec<Location> =
            named.iter().map(|named| Location::choose(&choice(named), &environment)).collect();
        let location = match locations.first() {
            Some(first) => first.clone(),
            None => Location::choose(&LocationChoice::default(), &environment),
        };
        if named.is_empty() {
            locations.push(location.clone());
        }
        Self {
            environment,
            location,
            locations,
            named,
            without_index: arguments.no_index,
            without_extensions: arguments.no_extensions,
            color: arguments.color,
            caller,
        }
    }

    /// Whether the command line named a location.
    pub(crate) fn is_named(&self) -> bool {
        !self.named.is_empty()
    }

    /// A command for the user to run, which looks for sessions where this one does. `operands` are
    /// sessions as the user named them, or other words.
    pub(crate) fn command(&self, verb: &str, operands: &[&OsStr], options: &str) -> String {
        let folder =
            |(option, path): &(&str, PathBuf)| format!("{option} {}", shell_word(path.as_os_str()));
        let folders = self.named.iter().map(folder);
        let options = Some(options.to_owned()).into_iter().filter(|options| !options.is_empty());
        let options = options.chain(folders).collect::<Vec<_>>().join(" ");
        command(verb, operands, &options)
    }

    /// The command that lists every session of the locations that this one was given.
    pub(crate) fn list_all(&self) -> String {
        self.command("list", &[], "--scope all")
    }

    /// The directory of `--cwd`, or the current one. Pi could not resume a session in one that is not
    /// there.
    pub(crate) fn directory(&self, named: Option<&Path>) -> Result<PathBuf> {
        let cwd = paths::resolve(named.unwrap_or(self.environment.cwd()), &self.environment);
        if named.is_none() || cwd.is_dir() {
            return Ok(cwd);
        }
        let problem = if cwd.exists() { "is not a directory" } else { "does not exist" };
        Err(CommandError::Usage {
            message: format!("{} {problem}", cwd.display()),
            hint: Some("create it, or pass another --cwd; nothing was written".to_owned()),
        })
    }

    /// The file that the user means.
    pub(crate) fn find(&self, target: &Target) -> Result<PathBuf> {
        self.find_named(target).map_err(|error| match error {
            CommandError::Session(SessionError::SessionNotFound { id }) => {
                let path = paths::resolve(Path::new(&id), &self.environment);
                if path.is_dir() {
                    return CommandError::directory(&path, &self.display(&path));
                }
                // Nothing can be found in a folder that is not there.
                if let Err(missing) = self.require_named_folders() {
                    return missing;
                }
                self.not_found(id, hints::where_sessions_are(self))
            }
            other => other,
        })
    }

    /// The same for somebody who goes on if there is none.
    pub(crate) fn find_named(&self, target: &Target) -> Result<PathBuf> {
        let Some(typed) = target.session.to_str() else {
            // An id is plain text, so this is a path.
            return Ok(paths::resolve(Path::new(&target.session), &self.environment));
        };
        self.quiet_store().find(typed).map_err(|error| match error {
            SessionError::AmbiguousSession { prefix, matches } => {
                ambiguous(&prefix, matches, &self.environment)
            }
            other => other.into(),
        })
    }

    /// That a file does not begin with a header. Opening it tells why, and what it looks like.
    pub(crate) fn not_a_session(&self, path: &Path) -> CommandError {
        if let Err(error) = Session::open(path, &self.environment) {
            return error.into();
        }
        let reason = "it does not begin with a header".to_owned();
        SessionError::NotASession { path: path.to_owned(), reason, looks_like: None }.into()
    }

    /// That no session matches; it may be among those that cannot be read.
    pub(crate) fn not_found(&self, id: String, hint: String) -> CommandError {
        let unreadable = unreadable::all(self);
        if let Some(found) = unreadable::with_id(&unreadable, &id) {
            return unreadable::error(found, self);
        }
        let unreadable = unreadable::lines(&unreadable, self);
        CommandError::SessionNotFound { id, unreadable, hint: Some(hint) }
    }

    /// The shortest prefixes by which [`Self::find`] finds sessions.
    pub(crate) fn short_ids(&self) -> ShortIds {
        self.quiet_store().short_ids()
    }

    /// All sessions that are looked for.
    pub(crate) fn store(&self) -> Store {
        match self.caller.progress() {
            Some(progress) => self.silent_store().with_progress(progress),
            None => self.quiet_store(),
        }
    }

    /// The same without a bar for long work.
    pub(crate) fn quiet_store(&self) -> Store {
        self.silent_store().with_progress(self.caller.quiet_progress())
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
        Ok(wait.options().open(path, &self.environment)?)
    }

    /// Announces that a session is about to change, to those who use a shared index. Keep what
    /// it gives until that is done.
    pub(crate) fn changing(&self, session: &Path) -> Announcement {
        self.changing_all(&[session])
    }

    /// The same for several sessions.
    pub(crate) fn changing_all(&self, sessions: &[&Path]) -> Announcement {
        Announcement::changing(&self.locations, sessions, &self.environment)
    }

    /// The same for a session that is about to appear in a folder; it is named when it is there.
    pub(crate) fn adding_to(&self, folder: &Path) -> Announcement {
        Announcement::of(&self.locations, &[folder], &self.environment)
    }

    /// The sessions of a scope, in words: what was looked at.
    pub(crate) fn describe_scope(&self, scope: Scope) -> String {
        let place = self.place_of(scope);
        match scope {
            Scope::Directory | Scope::Repository => format!("the sessions of {place}"),
            Scope::All => format!("all sessions in {place}"),
        }
    }

    /// The folder of a scope: that of the work, or for all sessions those they are saved in.
    pub(crate) fn place_of(&self, scope: Scope) -> String {
        let cwd = self.environment.cwd();
        match scope {
            Scope::Directory => self.display(cwd),
            Scope::Repository => match repository_of(cwd) {
                Some(root) => format!("the repository {}", self.display(&root)),
                None => format!("{}, which is not in a repository", self.display(cwd)),
            },
            Scope::All => {
                let folders = self.locations.iter().map(|location| self.display(&location.path));
                folders.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// A path for people: below the home directory it begins with `~`.
    pub(crate) fn display(&self, path: &Path) -> String {
        paths::display(path, &self.environment)
    }
}
