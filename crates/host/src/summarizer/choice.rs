//! Which summarizer is meant.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pitree_session::Environment;
use pitree_session::summary::Summarizer;

use crate::auth::{ApiKey, ConfigValue};
use crate::error::HostError;
use crate::models::ThinkingLevel;

use super::command::{self, CommandSummarizer};

/// The variables that choose a summarizer, with what they mean.
pub const VARIABLES: &[(&str, &str)] = &[
    (
        "PITREE_SUMMARIZER_COMMAND",
        "a shell command: the prompt on its input, the text on its output",
    ),
    ("PITREE_SUMMARIZER_URL", "the address of an endpoint, such as http://localhost:8080/v1"),
    ("PITREE_SUMMARIZER_API", "what it speaks: `openai` (chat completions) or `anthropic`"),
    ("PITREE_SUMMARIZER_MODEL", "the model: its id at that address, or `provider/id` as in Pi"),
    ("PITREE_SUMMARIZER_KEY", "the key for it; `$NAME` and `!command` as in Pi's auth.json"),
    ("PITREE_SUMMARIZER_TIMEOUT", "seconds that one summary may take"),
];

/// What an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Chat completions, as OpenAI and most others have them.
    OpenAi,
    /// Messages, as Anthropic has them.
    Anthropic,
}

impl Api {
    /// The name in options and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

impl FromStr for Api {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        match text {
            "openai" | "openai-completions" => Ok(Self::OpenAi),
            "anthropic" | "anthropic-messages" => Ok(Self::Anthropic),
            _ => Err(HostError::Usage(format!(
                "`{text}` is no protocol of a summarizer: `openai` or `anthropic`"
            ))),
        }
    }
}

/// A model by its provider and id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// The provider, as in Pi.
    pub provider: String,
    /// The id at that provider.
    pub id: String,
}

impl ModelName {
    /// Names a model.
    pub fn new(provider: impl Into<String>, id: impl Into<String>) -> Self {
        Self { provider: provider.into(), id: id.into() }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.id)
    }
}

/// What the user says about the summarizer. Everything is optional.
#[derive(Clone, Debug, Default)]
pub struct SummarizerOptions {
    /// A shell command.
    pub command: Option<String>,
    /// The address of an endpoint.
    pub url: Option<String>,
    /// What the endpoint speaks.
    pub api: Option<Api>,
    /// The model: `provider/id`, or the id at `url`.
    pub model: Option<String>,
    /// The key, or where to find it: `$NAME`, `!command`.
    pub key: Option<ApiKey>,
    /// How long one summary may take.
    pub time_limit: Option<Duration>,
    /// How much a reasoning model shall think; not at all by default.
    pub thinking_level: Option<ThinkingLevel>,
}

impl SummarizerOptions {
    /// Whether these options decide who writes.
    fn names_someone(&self) -> bool {
        self.command.is_some() || self.url.is_some() || self.model.is_some()
    }

    /// What is not set here is taken from there.
    fn or(self, other: Self) -> Self {
        // Who writes is decided as a whole: a key for one endpoint must not go to another.
        let (first, second) = if self.names_someone() || !other.names_someone() {
            (self, SummarizerOptions { time_limit: other.time_limit, ..Default::default() })
        } else {
            (other, self)
        };
        Self {
            key: first.key.or(second.key),
            api: first.api.or(second.api),
            time_limit: first.time_limit.or(second.time_limit),
            thinking_level: first.thinking_level.or(second.thinking_level),
            ..first
        }
    }
}

/// Who will write, decided but not yet asked. It can be shown: no key is part of its text.
#[derive(Debug)]
#[non_exhaustive]
pub enum SummarizerChoice {
    /// A command of the user.
    Command(CommandSummarizer),
}

impl SummarizerChoice {
    /// The summarizer.
    pub fn into_summarizer(self) -> Box<dyn Summarizer> {
        match self {
            Self::Command(command) => Box::new(command),
        }
    }
}

/// Decides who writes summaries; `None` if nobody is named and the session has no model.
pub fn select(
    options: &SummarizerOptions,
    environment: &Environment,
    session_model: Option<&ModelName>,
) -> Result<Option<SummarizerChoice>, HostError> {
    let wanted = options.clone().or(from_variables(environment)?);
    let _ = (session_model, ConfigValue::parse(""));
    if let Some(command) = wanted.command {
        let limit = wanted.time_limit.unwrap_or(command::TIME_LIMIT);
        let summarizer = CommandSummarizer::new(command, environment.cwd()).with_time_limit(limit);
        return Ok(Some(SummarizerChoice::Command(summarizer)));
    }
    Ok(None)
}

/// Decides who writes summaries, ready to be asked.
pub fn choose(
    options: &SummarizerOptions,
    environment: &Environment,
    session_model: Option<&ModelName>,
) -> Result<Option<Box<dyn Summarizer>>, HostError> {
    Ok(select(options, environment, session_model)?.map(SummarizerChoice::into_summarizer))
}

fn from_variables(environment: &Environment) -> Result<SummarizerOptions, HostError> {
    let var = |name: &str| environment.var(&format!("PITREE_SUMMARIZER_{name}")).map(str::to_owned);
    let time_limit = match var("TIMEOUT") {
        None => None,
        Some(text) => Some(seconds(&text).ok_or_else(|| {
            HostError::Usage(format!(
                "PITREE_SUMMARIZER_TIMEOUT is `{text}`, which is no number of seconds"
            ))
        })?),
    };
    Ok(SummarizerOptions {
        command: var("COMMAND"),
        url: var("URL"),
        api: var("API").map(|api| api.parse()).transpose()?,
        model: var("MODEL"),
        key: var("KEY").map(ApiKey::new),
        time_limit,
        thinking_level: None,
    })
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero())
}
