//! How secrets are hidden, without any of them: whoever works on a plan reads the key and the
//! known secrets from where the plan says they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_host::secrets::{NamedSecret, env_file, known_secrets, secret_variables};
use pitree_redact::{Likely, Literals, Pseudonyms, Redactor};
use pitree_session::Environment;
use pitree_session::location::agent_directory;
use serde::{Deserialize, Serialize};

use super::key_file;
use crate::error::ExtractError;
use crate::guard::{Guard, Redacting};

/// Where Pi's own files are.
const AGENT_DIRECTORY: &str = "PI_CODING_AGENT_DIR";

/// How secrets are hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    /// The file of the key. It must be there for all who work on the plan.
    pub key_file: PathBuf,
    /// Files of `NAME=value` lines whose values are hidden.
    pub env_files: Vec<PathBuf>,
    /// The folder of Pi's own files, whose keys are hidden.
    pub agent_directory: PathBuf,
    /// The names of the variables whose values are hidden.
    pub variables: Vec<String>,
    /// Whether home directories are replaced.
    pub homes: bool,
    /// Whether e-mail addresses are.
    pub emails: bool,
    /// The names of users that are replaced.
    pub users: Vec<String>,
    /// The names of machines that are replaced.
    pub hosts: Vec<String>,
    /// Whether likely secrets are replaced, too.
    pub replace_likely: bool,
    /// Equal wherever the same is hidden in the same way. It tells nothing of what that is.
    pub fingerprint: String,
}

impl Redaction {
    /// The redaction by the key in this file, which must exist, of what is known here: the values
    /// in these files, in Pi's own files and in the variables that hold keys.
    ///
    /// # Errors
    /// Fails if one of the files cannot be read.
    pub fn new(
        key_file: &Path,
        env_files: &[PathBuf],
        pseudonyms: Pseudonyms,
        likely: Likely,
        environment: &Environment,
    ) -> Result<Self, ExtractError> {
        let is_set = |name: &&str| environment.var(name).is_some();
        let mut redaction = Self {
            key_file: key_file.to_owned(),
            env_files: env_files.to_vec(),
            agent_directory: agent_directory(environment),
            variables: secret_variables().filter(is_set).map(str::to_owned).collect(),
            homes: pseudonyms.homes,
            emails: pseudonyms.emails,
            users: pseudonyms.users,
            hosts: pseudonyms.hosts,
            replace_likely: likely == Likely::Replace,
            fingerprint: String::new(),
        };
        redaction.fingerprint = hex(redaction.guard_here(environment)?.fingerprint());
        Ok(redaction)
    }

    /// Who hides secrets, by the key and the known secrets that are found from here.
    ///
    /// # Errors
    /// Fails if a file or a variable is missing, or if they hold something else than when the plan
    /// was made: then the same secret would get two placeholders, or would not be hidden.
    pub fn guard(&self, environment: &Environment) -> Result<Arc<dyn Guard>, ExtractError> {
        let missing: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        let missing: Vec<&str> =
            missing.into_iter().filter(|name| environment.var(name).is_none()).collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            return Err(ExtractError::Plan(format!(
                "{names} is not set here, and the plan hides its value; set it as where the plan \
                 was made, or unset it there and plan again"
            )));
        }
        let guard = self.guard_here(environment)?;
        if hex(guard.fingerprint()) != self.fingerprint {
            return Err(ExtractError::Plan(format!(
                "The key in {} or the known secrets (in {}) are not those of the plan; give \
                 this machine the same files and variables, or plan again",
                self.key_file.display(),
                self.places().join(", ")
            )));
        }
        Ok(guard)
    }

    /// Where known secrets are.
    fn places(&self) -> Vec<String> {
        let files = ["auth.json", "models.json"].map(|name| self.agent_directory.join(name));
        let files = files.iter().chain(&self.env_files).map(|path| path.display().to_string());
        files.chain(self.variables.iter().map(|name| format!("${name}"))).collect()
    }

    fn guard_here(&self, environment: &Environment) -> Result<Arc<dyn Guard>, ExtractError> {
        let failed = |error: pitree_host::HostError| ExtractError::Plan(error.to_string());
        let key = key_file::read(&self.key_file)
            .map_err(|error| ExtractError::Plan(error.to_string()))?
            .ok_or_else(|| {
                let path = self.key_file.display();
                ExtractError::Plan(format!("The key file of the plan, {path}, does not exist here"))
            })?;
        let secrets = known_secrets(&self.environment(environment)).map_err(failed)?;
        let mut variables = Vec::new();
        for path in &self.env_files {
            variables.extend(env_file(path).map_err(failed)?);
        }
        let shown = |named: &'_ NamedSecret| (named.0.clone(), named.1.reveal().to_owned());
        let literals =
            Literals::with_variables(secrets.iter().map(shown), variables.iter().map(shown));
        let pseudonyms = Pseudonyms {
            homes: self.homes,
            emails: self.emails,
            users: self.users.clone(),
            hosts: self.hosts.clone(),
        };
        let likely = if self.replace_likely { Likely::Replace } else { Likely::Keep };
        let redactor = Redactor::new(key, literals, pseudonyms).with_likely(likely);
        Ok(Arc::new(Redacting::new(redactor)))
    }

    /// The environment with those keys that the plan knows, and no others.
    fn environment(&self, own: &Environment) -> Environment {
        let agent = self.agent_directory.to_string_lossy();
        let known = own.clone().with_var(AGENT_DIRECTORY, &agent);
        let others = secret_variables().filter(|name| !self.variables.iter().any(|it| it == name));
        // An empty variable is as good as none.
        others.fold(known, |environment, name| environment.with_var(name, ""))
    }
}

fn hex(fingerprint: Option<[u8; 32]>) -> String {
    fingerprint.map(|it| blake3::Hash::from(it).to_hex().to_string()).unwrap_or_default()
}
