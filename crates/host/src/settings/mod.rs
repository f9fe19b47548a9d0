//! Pi's `settings.json`, as far as sessions need it, and pitree's own `config.json`.
//!
//! The user's file is in the agent folder, the project's in `.pi/settings.json`. They are merged
//! deeply, as in Pi; but a project is not trusted, so only what can do no harm is taken from it:
//! numbers of compaction, modes of the interface. A project never names a path, a program, a
//! model or an address. Nothing is ever written.

mod keybindings;
mod own;

use std::fmt;
use std::path::{Path, PathBuf};

use pitree_format::{Object, Value};
use pitree_session::compaction::CompactionSettings;
use pitree_session::location::agent_directory;
use pitree_session::paths;
use pitree_session::{Environment, TreeFilter};

use crate::error::HostError;
use crate::file::{self, bad_value};
use crate::models::{ModelName, ThinkingLevel};

pub use keybindings::pi_keybindings;
pub use own::{AgentSetting, Config, nearest};

/// What a project may say.
const PROJECT_MAY_SAY: [&str; 8] = [
    "branchSummary",
    "compaction",
    "defaultThinkingLevel",
    "doubleEscapeAction",
    "followUpMode",
    "modelThinkingLevels",
    "steeringMode",
    "treeFilterMode",
];
const MOST_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// How branch summaries are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchSummarySettings {
    /// How much of the context window must stay free.
    pub reserve_tokens: u64,
    /// Whether the question "summarize?" is left out when moving in the tree.
    pub skip_prompt: bool,
}

/// How often and how long a request that failed is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrySettings {
    /// Whether at all.
    pub enabled: bool,
    /// How often, after the first try.
    pub max_retries: u32,
    /// How long to wait before the first repetition; each further one doubles it.
    pub base_delay_ms: u64,
    /// The longest wait.
    pub max_delay_ms: u64,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self { enabled: true, max_retries: 3, base_delay_ms: 2000, max_delay_ms: 60_000 }
    }
}

/// Pi's settings, merged.
#[derive(Clone)]
pub struct Settings {
    merged: Value,
    user_path: PathBuf,
    project_path: PathBuf,
    /// What the project says, to name the right file in an error.
    of_project: Value,
    problem: Option<String>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Pi keeps no keys there, but a proxy's address may have a password in it.
        f.debug_struct("Settings").field("user_path", &self.user_path).finish_non_exhaustive()
    }
}

impl Settings {
    /// Reads the user's settings and what a project may add to them. A project's file that cannot
    /// be read is passed over; [`Settings::problem`] tells of it.
    pub fn load(environment: &Environment, project: &Path) -> Result<Self, HostError> {
        let user_path = agent_directory(environment).join("settings.json");
        let project_path = project.join(".pi").join("settings.json");
        let of_user = match file::read_json(&user_path)? {
            None => Value::Object(Object::new()),
            Some(value @ Value::Object(_)) => migrated(value),
            Some(_) => return Err(file::not_an_object(&user_path)),
        };
        let (of_project, problem) = match file::read_json(&project_path) {
            Ok(Some(value)) => (harmless(&migrated(value)), None),
            Ok(None) => (Value::Object(Object::new()), None),
            Err(error) => (Value::Object(Object::new()), Some(error.to_string())),
        };
        let merged = merged(&of_user, &of_project);
        Ok(Self { merged, user_path, project_path, of_project, problem })
    }

    /// Why the project's file was passed over, if it was.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// How to compact, for a model. An entry of `modelOverrides` comes first.
    pub fn compaction(&self, model: Option<&ModelName>) -> Result<CompactionSettings, HostError> {
        let defaults = CompactionSettings::default();
        Ok(CompactionSettings {
            enabled: self.flag(&["compaction", "enabled"])?.unwrap_or(defaults.enabled),
            reserve_tokens: self
                .compaction_tokens("reserveTokens", model)?
                .unwrap_or(defaults.reserve_tokens),
            keep_recent_tokens: self
                .compaction_tokens("keepRecentTokens", model)?
                .unwrap_or(defaults.keep_recent_tokens),
        })
    }

    fn compaction_tokens(
        &self,
        field: &str,
        model: Option<&ModelName>,
    ) -> Result<Option<u64>, HostError> {
        let ordinary = self.whole_number(&["compaction", field])?;
        let Some(model) = model else { return Ok(ordinary) };
        let key = model.to_string();
        let entry = ["compaction", "modelOverrides", key.as_str()];
        if self.at(&entry).is_some_and(|entry| entry.as_object().is_none()) {
            return Err(self.bad(&entry, "must be an object"));
        }
        let special = self.whole_number(&[entry[0], entry[1], entry[2], field])?;
        Ok(special.or(ordinary))
    }

    /// Whether no image is sent to a model.
    pub fn block_images(&self) -> Result<bool, HostError> {
        Ok(self.flag(&["images", "blockImages"])?.unwrap_or(false))
    }

    /// How to summarise branches.
    pub fn branch_summary(&self) -> Result<BranchSummarySettings, HostError> {
        let reserve = self.whole_number(&["branchSummary", "reserveTokens"])?;
        Ok(BranchSummarySettings {
            reserve_tokens: reserve.unwrap_or(CompactionSettings::default().reserve_tokens),
            skip_prompt: self.flag(&["branchSummary", "skipPrompt"])?.unwrap_or(false),
        })
    }

    /// The model of new sessions.
    pub fn default_model(&self) -> Result<Option<ModelName>, HostError> {
        let provider = self.text(&["defaultProvider"])?;
        let id = self.text(&["defaultModel"])?;
        Ok(provider.zip(id).map(|(provider, id)| ModelName::new(provider, id)))
    }

    /// The thinking level of new sessions, or of a model: that has its own one, maybe.
    pub fn thinking_level(
        &self,
        model: Option<&ModelName>,
    ) -> Result<Option<ThinkingLevel>, HostError> {
        let key = model.map(ToString::to_string);
        let places = [
            key.as_deref().map(|key| vec!["modelThinkingLevels", key]),
            Some(vec!["defaultThinkingLevel"]),
        ];
        for place in places.into_iter().flatten() {
            if let Some(name) = self.text(&place)? {
                let level = name.parse::<ThinkingLevel>();
                return level.map(Some).map_err(|error| self.bad(&place, &error.to_string()));
            }
        }
        Ok(None)
    }

    /// How messages that are sent while the agent works are taken: `all` or `one-at-a-time`.
    pub fn steering_mode(&self) -> Result<String, HostError> {
        Ok(self.text(&["steeringMode"])?.unwrap_or_else(one_at_a_time))
    }

    /// How messages that are sent for afterwards are taken: `all` or `one-at-a-time`.
    pub fn follow_up_mode(&self) -> Result<String, HostError> {
        Ok(self.text(&["followUpMode"])?.unwrap_or_else(one_at_a_time))
    }

    /// Which entries `/tree` shows at first. A name that Pi does not know counts as `default`.
    pub fn tree_filter_mode(&self) -> TreeFilter {
        let mode = self.at(&["treeFilterMode"]).and_then(Value::as_string);
        mode.and_then(|mode| TreeFilter::from_name(&mode.to_text())).unwrap_or_default()
    }

    /// What a double Escape does: `tree`, `fork` or `none`.
    pub fn double_escape_action(&self) -> Result<String, HostError> {
        Ok(self.text(&["doubleEscapeAction"])?.unwrap_or_else(|| "tree".to_owned()))
    }

    /// The theme: a name, or two with a slash between them, for a light and a dark background.
    pub fn theme(&self) -> Result<Option<String>, HostError> {
        self.text(&["theme"])
    }

    /// The files and folders in which the user has more themes.
    pub fn theme_paths(&self, environment: &Environment) -> Vec<PathBuf> {
        let Some(Value::Array(paths)) = self.at(&["themes"]) else { return Vec::new() };
        let paths = paths.iter().filter_map(Value::as_string).map(ToString::to_string);
        // A pattern or an exception is no path.
        let paths = paths.filter(|path| !path.is_empty() && !path.starts_with(['!', '-', '+']));
        let folder = agent_directory(environment);
        paths.map(|path| folder.join(paths::expand(Path::new(&path), environment))).collect()
    }

    /// How requests that failed are repeated.
    pub fn retry(&self) -> Result<RetrySettings, HostError> {
        let defaults = RetrySettings::default();
        let number = |key: &str| self.whole_number(&["retry", key]);
        let retries = number("maxRetries")?.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Ok(RetrySettings {
            enabled: self.flag(&["retry", "enabled"])?.unwrap_or(defaults.enabled),
            max_retries: retries.unwrap_or(defaults.max_retries),
            base_delay_ms: number("baseDelayMs")?.unwrap_or(defaults.base_delay_ms),
            max_delay_ms: number("maxAgentDelayMs")?.unwrap_or(defaults.max_delay_ms),
        })
    }

    /// The shell that runs the user's commands, if the user names one.
    pub fn shell_path(&self, environment: &Environment) -> Result<Option<PathBuf>, HostError> {
        let path = self.text(&["shellPath"])?.filter(|path| !path.is_empty());
        Ok(path.map(|path| paths::expand(Path::new(&path), environment)))
    }

    /// What stands before each of the user's commands, on a line of its own.
    pub fn shell_command_prefix(&self) -> Result<Option<String>, HostError> {
        Ok(self.text(&["shellCommandPrefix"])?.filter(|prefix| !prefix.is_empty()))
    }

    fn at(&self, place: &[&str]) -> Option<&Value> {
        at(&self.merged, place)
    }

    fn text(&self, place: &[&str]) -> Result<Option<String>, HostError> {
        match self.at(place) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.to_string())),
            Some(_) => Err(self.bad(place, "must be a text")),
        }
    }

    fn flag(&self, place: &[&str]) -> Result<Option<bool>, HostError> {
        match self.at(place) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.bad(place, "must be true or false")),
        }
    }

    fn whole_number(&self, place: &[&str]) -> Result<Option<u64>, HostError> {
        match self.at(place) {
            None => Ok(None),
            Some(Value::Number(number))
                if (0.0..=MOST_SAFE_INTEGER).contains(number) && number.fract() == 0.0 =>
            {
                Ok(Some(*number as u64))
            }
            Some(_) => Err(self.bad(place, "must be a whole number, not negative")),
        }
    }

    fn bad(&self, place: &[&str], problem: &str) -> HostError {
        let of_project = at(&self.of_project, place).is_some();
        let path = if of_project { &self.project_path } else { &self.user_path };
        bad_value(path, &place.join("."), problem)
    }
}

fn one_at_a_time() -> String {
    "one-at-a-time".to_owned()
}

fn at<'v>(value: &'v Value, place: &[&str]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, key| value.get(key))
}

/// Names that older Pis used.
fn migrated(mut value: Value) -> Value {
    let Some(settings) = value.as_object_mut() else { return value };
    if settings.get("steeringMode").is_none()
        && let Some(mode) = settings.remove("queueMode")
    {
        settings.set("steeringMode", mode);
    }
    value
}

/// Only what a project may say.
fn harmless(value: &Value) -> Value {
    let mut kept = Object::new();
    for key in PROJECT_MAY_SAY {
        if let Some(member) = value.get(key) {
            kept.set(key, member.clone());
        }
    }
    kept.into()
}

/// Members of `over` win; objects are merged member by member.
fn merged(base: &Value, over: &Value) -> Value {
    let (Value::Object(base), Value::Object(over)) = (base, over) else { return over.clone() };
    let mut result = base.clone();
    for (key, value) in over.iter() {
        let key = key.to_string();
        let merged = match base.get(&key) {
            Some(old) => merged(old, value),
            None => value.clone(),
        };
        result.set(&key, merged);
    }
    result.into()
}
