//! What narrows a search: who spoke, which tool, which model, where, when, on which branch.

use pitree_format::js::date::{parse_iso, parse_span};
use thiserror::Error;

use super::entry_text::{EntryText, HitRole};

/// The names of the filters.
const NAMES: [&str; 8] = ["role", "tool", "model", "cwd", "on", "before", "after", "is"];

/// Why a filter makes no sense.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("bad filter {name}:{value}: give {expected}")]
pub struct FilterError {
    /// The filter.
    pub name: String,
    /// What was given.
    pub value: String,
    /// What can be given.
    pub expected: &'static str,
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
        self.only_about_sessions() && self.cwds.is_empty()
    }

    /// Whether nothing is asked of the entries themselves.
    pub(crate) fn only_about_sessions(&self) -> bool {
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

    /// Takes a word if it is a filter.
    pub(crate) fn take(&mut self, word: &str, now_ms: i64) -> Result<bool, FilterError> {
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
        let bad = |expected| FilterError { name: name.into(), value: value.into(), expected };
        if value.is_empty() {
            return Err(bad("a value"));
        }
        match name {
            "role" => {
                let role = HitRole::from_name(value);
                let roles = "user, assistant, tool, bash, system, custom, summary, label or name";
                self.roles.push(role.ok_or_else(|| bad(roles))?);
            }
            "tool" => self.tools.push(value.to_lowercase()),
            "model" => self.models.push(value.to_lowercase()),
            "cwd" => self.cwds.push(value.to_lowercase()),
            "on" => {
                self.on = Some(match value {
                    "active" => On::Active,
                    "abandoned" => On::Abandoned,
                    _ => return Err(bad("active or abandoned")),
                });
            }
            "is" if value == "error" => self.errors = true,
            "is" => return Err(bad("error")),
            _ => {
                let dates = "a date such as 2026-02-03, or a span such as 12h, 7d, 4w";
                let time = moment(value, now_ms).ok_or_else(|| bad(dates))?;
                let slot = if name == "before" { &mut self.before } else { &mut self.after };
                *slot = Some(time);
            }
        }
        Ok(true)
    }

    /// Whether a session may hold hits.
    pub(crate) fn keeps_session(&self, cwd: &str) -> bool {
        let cwd = cwd.to_lowercase();
        self.cwds.is_empty() || self.cwds.iter().any(|part| cwd.contains(part))
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

/// A date, or a span before now.
fn moment(text: &str, now_ms: i64) -> Option<i64> {
    parse_iso(text.as_bytes()).or_else(|| Some(now_ms.saturating_sub(parse_span(text)?)))
}
