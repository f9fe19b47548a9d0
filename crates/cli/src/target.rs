//! FILE or ID: the session that a verb works on.

use std::path::{Path, PathBuf};

use clap::Args;
use pitree_session::location::{Location, LocationChoice};
use pitree_session::{Environment, OpenOptions, Session};

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

/// What every verb needs: the environment and where sessions lie.
pub(crate) struct Place {
    pub(crate) environment: Environment,
    pub(crate) location: Location,
}

impl Place {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let environment = system();
        let choice = LocationChoice {
            session_dir: arguments.session_dir.clone(),
            sessions_root: arguments.sessions_root.clone(),
        };
        Self { location: Location::choose(&choice, &environment), environment }
    }

    /// The file that the user means.
    pub(crate) fn find(&self, target: &Target) -> Result<PathBuf, CommandError> {
        Ok(self.location.find(&target.session, &self.environment)?)
    }

    /// Opens the session that the user means, for reading.
    pub(crate) fn open(&self, target: &Target) -> Result<Session, CommandError> {
        self.open_with(target, &OpenOptions::new())
    }

    pub(crate) fn open_with(
        &self,
        target: &Target,
        options: &OpenOptions,
    ) -> Result<Session, CommandError> {
        Ok(options.open(&self.find(target)?, &self.environment)?)
    }

    /// A path for people: below the home directory it begins with `~`.
    pub(crate) fn display(&self, path: &Path) -> String {
        match path.strip_prefix(self.environment.home()) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}
