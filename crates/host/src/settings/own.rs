//! pitree's own settings: `$XDG_CONFIG_HOME/pitree/config.json`, or `~/.config/pitree/config.json`.
//!
//! ```json
//! {"summarizer": {"command": "llm -m small", "timeoutSeconds": 120}}
//! ```

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pitree_format::{Object, Value};
use pitree_session::Environment;
use pitree_session::paths;

use crate::auth::ApiKey;
use crate::error::HostError;
use crate::file::{self, bad_value};
use crate::summarizer::SummarizerOptions;

/// pitree's own settings.
pub struct Config {
    path: PathBuf,
    value: Value,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A key may stand in the file.
        f.debug_struct("Config").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Config {
    /// The folder of pitree's own settings.
    pub fn folder(environment: &Environment) -> PathBuf {
        let base = match environment.var("XDG_CONFIG_HOME") {
            // A relative one is to be ignored, says the specification.
            Some(path) if Path::new(path).is_absolute() => PathBuf::from(path),
            _ => paths::resolve(Path::new("~/.config"), environment),
        };
        base.join("pitree")
    }

    /// Reads `config.json`; without the file nothing is set.
    pub fn load(environment: &Environment) -> Result<Self, HostError> {
        let path = Self::folder(environment).join("config.json");
        let value = file::read_json(&path)?.unwrap_or_else(|| Object::new().into());
        if value.as_object().is_none() {
            return Err(bad_value(&path, "the whole file", "must be an object"));
        }
        Ok(Self { path, value })
    }

    /// A member of the file.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.value.get(name)
    }

    /// The file, for errors about its members.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Who writes summaries: `summarizer` with `command`, `url`, `api`, `model`, `key`,
    /// `thinkingLevel` and `timeoutSeconds`.
    pub fn summarizer(&self) -> Result<SummarizerOptions, HostError> {
        let Some(summarizer) = self.get("summarizer") else { return Ok(Default::default()) };
        let place = |key: &str| format!("summarizer.{key}");
        let bad = |key: &str, problem: &str| bad_value(&self.path, &place(key), problem);
        let Value::Object(members) = summarizer else {
            return Err(bad_value(&self.path, "summarizer", "must be an object"));
        };
        let mut options = SummarizerOptions::default();
        for (key, value) in members.iter() {
            let key = key.to_string();
            let text = || match value {
                Value::String(text) if !text.is_empty() => Ok(text.to_string()),
                _ => Err(bad(&key, "must be a text, not empty")),
            };
            let said = |error: HostError| bad(&key, &error.to_string());
            match key.as_str() {
                "command" => options.command = Some(text()?),
                "url" => options.url = Some(text()?),
                "model" => options.model = Some(text()?),
                "key" => options.key = Some(ApiKey::new(text()?)),
                "api" => options.api = Some(text()?.parse().map_err(said)?),
                "thinkingLevel" => {
                    options.thinking_level = Some(text()?.parse().map_err(said)?);
                }
                "timeoutSeconds" => {
                    let seconds = value.as_number().unwrap_or_default();
                    let limit = Duration::try_from_secs_f64(seconds).unwrap_or_default();
                    if limit.is_zero() {
                        return Err(bad(&key, "must be a number of seconds above 0"));
                    }
                    options.time_limit = Some(limit);
                }
                _ => return Err(bad(&key, "is not known")),
            }
        }
        Ok(options)
    }
}
