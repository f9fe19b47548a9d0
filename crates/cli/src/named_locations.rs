//! Where sessions are looked for: what named a location, and whether there is a folder.

use std::io::ErrorKind;

use pitree_session::location::{Location, Origin};

use crate::error::{CommandError, Result};
use crate::target::{SESSION_DIR, SESSIONS_ROOT, Workspace};

impl Workspace {
    /// Refuses a folder that the command line names and that is not there, or is not a folder.
    pub(crate) fn require_named_folders(&self) -> Result<()> {
        let problem = |location: &Location| {
            let path = location.path.display();
            match fs_err::metadata(&location.path) {
                Ok(metadata) if metadata.is_dir() => None,
                Ok(metadata) if metadata.is_file() => {
                    Some(format!("{path} is a file, not a folder"))
                }
                Ok(_) => Some(format!("{path} is not a folder")),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    Some(format!("The folder {path} does not exist"))
                }
                Err(_) => None,
            }
        };
        match self.locations.iter().find_map(problem).filter(|_| self.is_named()) {
            None => Ok(()),
            Some(message) => Err(CommandError::Usage {
                message,
                hint: Some("correct `--session-dir` or `--sessions-root`".to_owned()),
            }),
        }
    }

    /// The option, variable or setting that named a location; `None` if nothing did.
    pub(crate) fn origin_of(&self, location: &Location) -> Option<&'static str> {
        match location.origin {
            Origin::SessionDirFlag => Some(SESSION_DIR),
            Origin::SessionsRootFlag => Some(SESSIONS_ROOT),
            Origin::SessionDirVariable => Some("PI_CODING_AGENT_SESSION_DIR"),
            Origin::SessionsRootVariable => Some("PI_SESSIONS_DIR"),
            Origin::Setting => Some("sessionDir in Pi's settings.json"),
            Origin::AgentDirectory => {
                self.environment.var("PI_CODING_AGENT_DIR").map(|_| "PI_CODING_AGENT_DIR")
            }
            _ => None,
        }
    }
}
