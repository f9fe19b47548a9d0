//! What narrows a search: who spoke, which tool, which model, where, when, on which branch.

use thiserror::Error;

use super::entry_text::{EntryText, HitRole};
use crate::ledger::Zone;
use crate::when::{EXAMPLES, When};

/// The names of the filters.
const NAMES: [&str; 8] = ["role", "tool", "model", "cwd", "on", "before", "after", "is"];

/// What follows `role:`.
const ROLES: &str = "role:user, role:assistant, role:tool, role:bash, role:system, role:custom, \
                     role:summary, role:label or role:name";

/// Why a filter makes no sense.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{name}:{value} {problem}; {}", self.help())]
pub struct FilterError {
    /// The filter.
    pub name: String,
    /// What was given.
    pub value: String,
    /// What is wrong with it, as the rest of a sentence.
    pub problem: &'static str,
    expected: &'static str,
}

impl FilterError {
    /// What to type instead, as a sentence without its period.
    pub fn help(&self) -> String {
        let Self { name, value, expected, .. } = self;
        let as_text = match value.is_empty() {
            true => String::new(),
            false => format!(", or \"{name}:{value}\" in quotes to find that text"),
        };
        let after = if matches!(&**name, "before" | "after") && !value.is_empty() {
            format!(" after `{name}:`")
        } else {
            String::new()
        };
        format!("type {expected}{after}{as_text}")
    }
}

/// A filter as it is meant.
fn example(name: &str) -> &'static str {
    match name {
        "role" => "a role, such as role:user",
        "tool" => "the name of a tool, such as tool:bash",
        "model" => "a part of a model's name, such as model:sonnet",
        "cwd" => "a part of a directory, such as cwd:weather",
        "on" => "on:active or on:abandoned",
        "is" => "is:error",
        "before" => "a date, such as before:2026-02-03",
        _ => "a date or a time span, such as after:7d",
    }
}

/// Which way of the tree an entry stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Active,
    Abandoned,
}

/// All filters of a query. Those of one kind are alternatives, unlike kinds must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filters {
    pub(crate) roles: Vec<HitRole>,
    pub(crate) tools: Vec<String>,
    pub(crate) models: Vec<String>,
    pub(crate) cwds: Vec<String>,
    pub(crate) on: Option<On>,
    pub(crate) before: Option<i64>,
    pub(crate) after: Option<i64>,
    pub(crate) errors: bool,
}

impl Filters {
    /// Whether this is the name of a filter.
    pub(crate) fn is_name(name: &str) -> bool {
        NAMES.contains(&name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.asks_nothing_of_entries() && self.cwds.is_empty()
    }

    /// Whether nothing is asked of the entries themselves.
    pub(crate) fn asks_nothing_of_entries(&self) -> bool {
        self.roles.is_empty()
            && self.tools.is_empty()
            && self.models.is_empty()
            && self.on.is_none()
            && self.before.is_none()
            && self.after.is_none()
            && !self.errors
    }

    /// Whether the output of tools or shells is asked for, or something else that nobody says.
    pub(crate) fn is_about_outputs(&self) -> bool {
        let is_said =
            |role: &HitRole| !matches!(role, HitRole::Tool | HitRole::Bash | HitRole::System);
        !self.tools.is_empty() || self.errors || !self.roles.iter().all(is_said)
    }

    /// Takes a word if it is a filter. The zone is only asked for by times.
    pub(crate) fn take(
        &mut self,
        word: &str,
        now_ms: i64,
        zone: &impl Fn() -> Zone,
    ) -> Result<bool, FilterError> {
        let Some((name, value)) = word.split_once(':').filter(|(name, _)| Self::is_name(name))
        else {
            return Ok(false);
        };
        // `on::x` is code.
        if value.starts_with(':') {
            return Ok(false);
        }
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let value = quoted.unwrap_or(value);
        let bad = |problem, expected| FilterError {
            name: name.into(),
            value: value.into(),
            problem,
            expected,
        };
        match name {
            _ if value.is_empty() => return Err(bad("has no value", example(name))),
            "role" => {
                let role = HitRole::from_name(value);
                self.roles.push(role.ok_or_else(|| bad("is not a role", ROLES))?);
            }
            "tool" => self.tools.push(value.to_lowercase()),
            "model" => self.models.push(value.to_lowercase()),
            "cwd" => self.cwds.push(value.to_lowercase()),
            "on" => {
                self.on = Some(match value {
                    "active" => On::Active,
                    "abandoned" => On::Abandoned,
                    _ => return Err(bad("is not a kind of branch", "on:active or on:abandoned")),
                });
            }
            "is" if value == "error" => self.errors = true,
            "is" => return Err(bad("is not a kind of entry", "is:error")),
            _ => {
                let when: Result<When, _> = value.parse();
                let when = when.map_err(|_| bad("is not a date or a time", EXAMPLES))?;
                // A period belongs to what comes after its beginning.
                let (begin, _) = when.range_ms(&zone(), now_ms);
                let slot = if name == "before" { &mut self.before } else { &mut self.after };
                *slot = Some(begin);
            }
        }
        Ok(true)
    }

    /// Whether a session may hold hits.
    pub(crate) fn keeps_session(&self, cwd: &str) -> bool {
        if self.cwds.is_empty() {
            return true;
        }
        let cwd = cwd.to_lowercase();
        self.cwds.iter().any(|part| cwd.contains(part))
    }

    /// Whether an entry may be a hit. Its branch is not looked at.
    pub(crate) fn keeps_entry(&self, entry: &EntryText<'_>) -> bool {
        let in_time = match entry.time {
            None => self.before.is_none() && self.after.is_none(),
            Some(time) => {
                self.before.is_none_or(|before| time < before)
                    && self.after.is_none_or(|after| time >= after)
            }
        };
        let model = || {
            let model = entry.model.as_deref().unwrap_or_default().to_lowercase();
            self.models.iter().any(|part| model.contains(part))
        };
        in_time
            && (self.roles.is_empty() || self.roles.contains(&entry.role))
            && (self.models.is_empty() || model())
            && (!self.errors || entry.is_error)
    }

    /// Whether a piece of an entry counts: with `tool:` only what that tool got or said.
    pub(crate) fn keeps_tool(&self, tool: Option<&str>) -> bool {
        let tool = || tool.unwrap_or_default().to_lowercase();
        self.tools.is_empty() || self.tools.contains(&tool())
    }
}
