//! How much a model thinks before it answers.

use std::fmt;
use std::str::FromStr;

use pitree_format::{Value, named_enum};

use crate::error::HostError;

use super::Model;

named_enum! {
    /// A thinking level, from nothing to all the model can.
    #[derive(PartialOrd, Ord)]
    pub enum ThinkingLevel {
        /// Not at all.
        Off = "off",
        /// As little as possible.
        Minimal = "minimal",
        /// Little.
        Low = "low",
        /// What Pi takes if nobody says otherwise.
        Medium = "medium",
        /// Much.
        High = "high",
        /// Very much; only some models have it.
        XHigh = "xhigh",
        /// All the model can; only some models have it.
        Max = "max",
    }
}

impl fmt::Display for ThinkingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ThinkingLevel {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        Self::from_name(text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            HostError::Usage(format!("`{text}` is not a thinking level: {names}"))
        })
    }
}

impl Model {
    /// The levels that the model has. A model that cannot think has only `off`.
    pub fn thinking_levels(&self) -> Vec<ThinkingLevel> {
        if !self.reasoning() {
            return vec![ThinkingLevel::Off];
        }
        let has = |level: &ThinkingLevel| match self.mapped_level(*level) {
            Some(Value::Null) => false,
            Some(_) => true,
            None => *level < ThinkingLevel::XHigh,
        };
        ThinkingLevel::ALL.into_iter().filter(has).collect()
    }

    /// The level that is used when `wanted` is asked for: itself if the model has it, else the
    /// next higher one, else the next lower one.
    pub fn clamp_thinking_level(&self, wanted: ThinkingLevel) -> ThinkingLevel {
        let levels = self.thinking_levels();
        let higher = levels.iter().find(|level| **level >= wanted);
        higher.or(levels.last()).copied().unwrap_or(ThinkingLevel::Off)
    }

    /// The level after this one, round and round; `None` for a model that cannot think.
    pub fn next_thinking_level(&self, current: ThinkingLevel) -> Option<ThinkingLevel> {
        if !self.reasoning() {
            return None;
        }
        let levels = self.thinking_levels();
        let next = levels.iter().position(|level| *level == current).map_or(0, |at| at + 1);
        levels.get(next).or(levels.first()).copied()
    }

    /// What the provider calls a level, if it has a name of its own for it; `null` says that the
    /// model does not have the level.
    pub(crate) fn mapped_level(&self, level: ThinkingLevel) -> Option<&Value> {
        self.get("thinkingLevelMap")?.get(level.name())
    }
}
