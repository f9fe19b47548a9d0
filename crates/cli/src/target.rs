//! FILE or ID: the session that a verb works on.

use std::path::{Path, PathBuf};

use clap::Args;
use pitree_session::location::{Location, LocationChoice};
use pitree_session::{Durability, Environment, OpenOptions, Session, SessionError};
use pitree_store::Store;
use pitree_store::cache::cache_directory;

use crate::arguments::Arguments;
use crate::environment::system;
use crate::error::CommandError;

/// The session a verb works on.
#[derive(Args, Clone, Debug)]
pub(crate) struct Target {
    /// A session file, a session id, or the beginning of one
    #[arg(value_name = "FILE|ID")]
    pub(crate) session: String,
}

/// The session a reading verb works on.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadTarget {
    #[command(flatten)]
    pub(crate) target: Target,

    /// Read even what Pi refuses: a file without a header, or one that only looks like a session
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// What every verb needs: the environment and where sessions lie.
pub(crate) struct Place {
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
}

impl Place {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let environment = system();
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
        }
    }

    /// The file that the user means.
    pub(crate) fn find(&self, target: &Target) -> Result<PathBuf, CommandError> {
        let mut result = self.location.find(&target.session, &self.environment);
        for other in &self.locations[1..] {
            if matches!(result, Err(SessionError::SessionNotFound { .. })) {
                result = other.find(&target.session, &self.environment);
            }
        }
        Ok(result?)
    }

    /// All sessions that are looked for.
    pub(crate) fn store(&self) -> Store {
        let store = Store::new(self.locations.clone(), &self.environment);
        if self.without_index {
            return store;
        }
        store.with_cache(cache_directory(&self.environment))
    }

    /// Opens the session that the user means, for reading.
    pub(crate) fn open(&self, read: &ReadTarget) -> Result<Session, CommandError> {
        self.open_with(read, OpenOptions::new())
    }

    pub(crate) fn open_with(
        &self,
        read: &ReadTarget,
        options: OpenOptions,
    ) -> Result<Session, CommandError> {
        let path = self.find(&read.target)?;
        Ok(options.lenient(read.lenient).open(&path, &self.environment)?)
    }

    /// Opens the session that the user means, to append to it. What a one-shot verb reports as
    /// done is on the disk.
    pub(crate) fn open_to_write(&self, target: &Target) -> Result<Session, CommandError> {
        let mut session = Session::open(self.find(target)?, &self.environment)?;
        session.set_durability(Durability::Durable);
        Ok(session)
    }

    /// A path for people: below the home directory it begins with `~`.
    pub(crate) fn display(&self, path: &Path) -> String {
        match path.strip_prefix(self.environment.home()) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}
