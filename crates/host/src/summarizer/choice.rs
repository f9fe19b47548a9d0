//! Which summarizer is meant.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pitree_format::named_enum;
use pitree_session::Environment;
use pitree_session::summary::Summarizer;

use crate::auth::ApiKey;
use crate::error::HostError;
use crate::models::{ModelName, ThinkingLevel};
use crate::settings::{Config, Settings};

use super::command::{self, CommandSummarizer};
use super::endpoint::{EndpointSummarizer, Limits};
use super::target;

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

named_enum! {
    /// What an endpoint speaks.
    pub enum Api {
        /// Chat completions, as OpenAI and most others have them.
        OpenAi = "openai",
        /// Messages, as Anthropic has them.
        Anthropic = "anthropic",
    }
}

impl FromStr for Api {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        match text {
            "openai" | "openai-completions" => Ok(Self::OpenAi),
            "anthropic" | "anthropic-messages" => Ok(Self::Anthropic),
            _ => Err(HostError::Usage(format!(
                "`{text}` is not a summarizer API: use `openai` or `anthropic`"
            ))),
        }
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

    /// What else names a writer, if a command does.
    pub(crate) fn beside_command(&self) -> Option<&'static str> {
        self.command.as_ref()?;
        match (&self.url, &self.model) {
            (Some(_), _) => Some("url"),
            (None, Some(_)) => Some("model"),
            (None, None) => None,
        }
    }

    /// Refuses a command and a model together. `name_of` gives the names that the user has typed.
    fn require_one_writer(&self, name_of: impl Fn(&str) -> String) -> Result<(), HostError> {
        self.beside_command().map_or(Ok(()), |other| {
            let (command, other) = (name_of("command"), name_of(other));
            Err(HostError::Usage(format!("{command} and {other} are both set; keep one of them")))
        })
    }

    /// What is not set here is taken from there. Who writes is decided as a whole: a key that
    /// belongs to one endpoint must not go to another.
    fn or(self, lower: Self) -> Self {
        let time_limit = self.time_limit.or(lower.time_limit);
        let thinking_level = self.thinking_level.or(lower.thinking_level);
        let merged = if self.names_someone() && lower.names_someone() {
            self
        } else {
            let (key, api) = (self.key.clone().or(lower.key.clone()), self.api.or(lower.api));
            let named = if self.names_someone() { self } else { lower };
            Self { key, api, ..named }
        };
        Self { time_limit, thinking_level, ..merged }
    }
}

/// Who will write, decided but not yet asked. It can be shown: no key is part of its text.
#[derive(Debug)]
#[non_exhaustive]
pub enum SummarizerChoice {
    /// A command of the user.
    Command(CommandSummarizer),
    /// A model behind an endpoint.
    Endpoint(EndpointSummarizer),
}

impl SummarizerChoice {
    /// The same, where somebody is told of every wait before another try.
    #[must_use]
    pub fn with_notice(self, notice: impl Fn(&str) + Send + Sync + 'static) -> Self {
        match self {
            Self::Endpoint(endpoint) => Self::Endpoint(endpoint.with_notice(notice)),
            command @ Self::Command(_) => command,
        }
    }

    /// The summarizer.
    pub fn into_summarizer(self) -> Box<dyn Summarizer> {
        match self {
            Self::Command(command) => Box::new(command),
            Self::Endpoint(endpoint) => Box::new(endpoint),
        }
    }
}

impl fmt::Display for SummarizerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "the command `{}`", command.command()),
            Self::Endpoint(endpoint) => endpoint.target().fmt(f),
        }
    }
}

/// Decides who writes summaries; `None` if nobody is named, the session has no model and Pi's
/// settings name none either.
pub fn select(
    options: &SummarizerOptions,
    environment: &Environment,
    session_model: Option<&ModelName>,
) -> Result<Option<SummarizerChoice>, HostError> {
    let of_config = Config::load(environment)?.summarizer()?;
    options.require_one_writer(|name| format!("the summarizer's {name}"))?;
    let of_variables = from_variables(environment)?;
    of_variables.require_one_writer(|name| format!("PITREE_SUMMARIZER_{}", name.to_uppercase()))?;
    let wanted = options.clone().or(of_variables).or(of_config);
    if let Some(command) = wanted.command {
        let limit = wanted.time_limit.unwrap_or(command::TIME_LIMIT);
        let summarizer = CommandSummarizer::new(command, environment.cwd()).with_time_limit(limit);
        return Ok(Some(SummarizerChoice::Command(summarizer)));
    }
    let settings = Settings::load(environment, environment.cwd())?;
    let target = match (&wanted.url, &wanted.model) {
        (Some(url), _) => target::at_address(url, &wanted, environment)?,
        (None, Some(name)) => target::named(name, &wanted, environment)?,
        (None, None) => {
            let model = match session_model {
                Some(model) => Some(model.clone()),
                None => settings.default_model()?,
            };
            let Some(model) = model else { return Ok(None) };
            target::of_pi(&model, &wanted, environment)?
        }
    };
    let mut limits = Limits::default();
    if let Some(total) = wanted.time_limit {
        limits.total = total;
    }
    let summarizer =
        EndpointSummarizer::new(target).with_limits(limits).with_retry(settings.retry()?);
    Ok(Some(SummarizerChoice::Endpoint(summarizer)))
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
                "PITREE_SUMMARIZER_TIMEOUT is `{text}`, which is not a number of seconds"
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
