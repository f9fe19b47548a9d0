//! pitree's own settings: `$XDG_CONFIG_HOME/pitree/config.json`, or `~/.config/pitree/config.json`.
//!
//! ```json
//! {
//!   "agent": true,
//!   "keys": {"picker.rename": "f2"},
//!   "mouse": false,
//!   "picker": {"start": "search"},
//!   "summarizer": {"command": "llm -m small", "timeoutSeconds": 120}
//! }
//! ```
//!
//! `keys` is read by the terminal interface, which knows what the names mean.

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

/// The members of the file that mean something.
const KNOWN: [&str; 5] = ["agent", "keys", "mouse", "picker", "summarizer"];
/// The members of `summarizer`.
const OF_SUMMARIZER: [&str; 7] =
    ["command", "url", "model", "key", "api", "thinkingLevel", "timeoutSeconds"];
/// More wrong letters than these are another word.
const MOST_SLIPS: usize = 2;

/// pitree's own settings.
pub struct Config {
    path: PathBuf,
    value: Value,
}

/// Which agent the session view attaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AgentSetting {
    /// None.
    #[default]
    Off,
    /// Pi, where it usually is.
    Usual,
    /// A program, by its name or its whole path.
    Program(PathBuf),
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
            return Err(file::not_an_object(&path));
        }
        Ok(Self { path, value })
    }

    /// What the user is told about members of the file that mean nothing: a typing error would
    /// otherwise switch something off without a word.
    pub fn warnings(&self) -> Vec<String> {
        let members = self.value.as_object().map(Object::iter).into_iter().flatten();
        let unknown = members.map(|(key, _)| key.to_string());
        let unknown = unknown.filter(|key| !KNOWN.contains(&key.as_str()));
        let warning = |key: String| {
            let hint = match nearest(KNOWN, &key) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known keys: `{}`", KNOWN.join("`, `")),
            };
            format!("{}: unknown key `{key}`; {hint}", self.path.display())
        };
        unknown.map(warning).collect()
    }

    /// A member of the file.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.value.get(name)
    }

    /// The file, for errors about its members.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the picker opens in its search field: `{"picker": {"start": "search"}}`.
    pub fn picker_starts_in_search(&self) -> Result<bool, HostError> {
        let Some(picker) = self.get("picker") else { return Ok(false) };
        let bad = |problem: &str| Err(bad_value(&self.path, "picker", problem));
        let Some(members) = picker.as_object() else { return bad("must be an object") };
        if members.iter().any(|(name, _)| *name != "start") {
            return bad("knows only `start`");
        }
        match picker.get_string("start").map(ToString::to_string).as_deref() {
            Some("search") => Ok(true),
            Some("list") | None
                if picker.get("start").is_none_or(|it| it.as_string().is_some()) =>
            {
                Ok(false)
            }
            _ => bad("`start` must be \"list\" or \"search\""),
        }
    }

    /// The agent that answers in the session view: `agent` is `true` for Pi where it usually is, a
    /// program, or `false`. A relative path is refused: it would count from a project.
    pub fn agent(&self, environment: &Environment) -> Result<AgentSetting, HostError> {
        let bad = |problem: &str| Err(bad_value(&self.path, "agent", problem));
        match self.get("agent") {
            None | Some(Value::Bool(false)) => Ok(AgentSetting::Off),
            Some(Value::Bool(true)) => Ok(AgentSetting::Usual),
            Some(Value::String(program)) if !program.is_empty() => {
                let program = program.to_string();
                let is_whole = program.starts_with('/') || program.starts_with("~/");
                match (is_whole, program.contains('/')) {
                    (true, _) => {
                        let path = paths::resolve(Path::new(&program), environment);
                        Ok(AgentSetting::Program(path))
                    }
                    (false, false) => Ok(AgentSetting::Program(program.into())),
                    (false, true) => {
                        bad("must be the name of a program, or a path that begins with / or ~/")
                    }
                }
            }
            Some(_) => bad("must be true, false or the path of an agent program"),
        }
    }

    /// Whether the screens take the mouse: `PITREE_MOUSE` if it is set, where `0` means no, else
    /// `mouse`. Without it the terminal selects text with the mouse as usual.
    pub fn mouse(&self, environment: &Environment) -> Result<bool, HostError> {
        if let Some(value) = environment.var("PITREE_MOUSE").filter(|value| !value.is_empty()) {
            return Ok(value != "0");
        }
        match self.get("mouse") {
            None => Ok(true),
            Some(Value::Bool(mouse)) => Ok(*mouse),
            Some(_) => Err(bad_value(&self.path, "mouse", "must be true or false")),
        }
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
                _ => Err(bad(&key, "must be a non-empty string")),
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
                _ => {
                    let hint = match nearest(OF_SUMMARIZER, &key) {
                        Some(known) => format!("did you mean `{known}`?"),
                        None => format!("known keys: `{}`", OF_SUMMARIZER.join("`, `")),
                    };
                    return Err(bad(&key, &format!("there is no such key; {hint}")));
                }
            }
        }
        match options.beside_command() {
            None => Ok(options),
            Some(other) => {
                let problem = format!("has both command and {other}; keep one of them");
                Err(bad_value(&self.path, "summarizer", &problem))
            }
        }
    }
}

/// The known name that was meant, if a typing error is all that is wrong with another one.
pub fn nearest<'n>(known: impl IntoIterator<Item = &'n str>, name: &str) -> Option<&'n str> {
    let near = known.into_iter().map(|known| (distance(known, name), known)).min()?;
    Some(near.1).filter(|_| near.0 <= MOST_SLIPS)
}

/// How many letters have to be added, left out or changed to make one word another.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, same) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *same);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_mean_nothing_are_reported_with_the_nearest_that_does() {
        let warnings = |json: &str| {
            let value = pitree_format::js::parse(json.as_bytes()).unwrap();
            Config { path: "/c/config.json".into(), value }.warnings()
        };
        assert!(warnings(r#"{"agent":true,"keys":{},"summarizer":{}}"#).is_empty());
        assert_eq!(
            warnings(r#"{"agnet":true,"summariser":{},"colour":1}"#),
            [
                "/c/config.json: unknown key `agnet`; did you mean `agent`?",
                "/c/config.json: unknown key `summariser`; did you mean `summarizer`?",
                "/c/config.json: unknown key `colour`; \
                 known keys: `agent`, `keys`, `mouse`, `picker`, `summarizer`",
            ]
        );
    }

    #[test]
    fn the_mouse_is_taken_unless_the_user_says_otherwise() {
        let mouse = |json: &str, variable: &str| {
            let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
            let environment = environment.with_var("PITREE_MOUSE", variable);
            let value = pitree_format::js::parse(json.as_bytes()).unwrap();
            let config = Config { path: "/c/config.json".into(), value };
            config.mouse(&environment).map_err(|error| error.to_string())
        };
        assert_eq!(mouse("{}", ""), Ok(true));
        assert_eq!(mouse(r#"{"mouse":false}"#, ""), Ok(false));
        assert_eq!(mouse(r#"{"mouse":false}"#, "1"), Ok(true), "the variable comes first");
        assert_eq!(mouse("{}", "0"), Ok(false));
        assert!(mouse(r#"{"mouse":0}"#, "").unwrap_err().contains("must be true or false"));
    }

    fn agent(json: &str) -> Result<AgentSetting, String> {
        let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
        let value = pitree_format::js::parse(json.as_bytes()).map_err(|error| error.to_string())?;
        let config = Config { path: "/home/ana/.config/pitree/config.json".into(), value };
        config.agent(&environment).map_err(|error| error.to_string())
    }

    #[test]
    fn an_agent_is_named_by_itself_or_by_its_whole_path() {
        let program = |path: &str| Ok(AgentSetting::Program(path.into()));
        assert_eq!(agent("{}"), Ok(AgentSetting::Off));
        assert_eq!(agent(r#"{"agent":false}"#), Ok(AgentSetting::Off));
        assert_eq!(agent(r#"{"agent":true}"#), Ok(AgentSetting::Usual));
        assert_eq!(agent(r#"{"agent":"pi-next"}"#), program("pi-next"));
        assert_eq!(agent(r#"{"agent":"/opt/pi"}"#), program("/opt/pi"));
        assert_eq!(agent(r#"{"agent":"~/bin/pi"}"#), program("/home/ana/bin/pi"));
        for wrong in
            [r#"{"agent":"./pi"}"#, r#"{"agent":"bin/pi"}"#, r#"{"agent":""}"#, r#"{"agent":7}"#]
        {
            let error = agent(wrong).unwrap_err();
            assert!(error.contains("config.json") && error.contains("agent"), "{error}");
        }
    }
}
