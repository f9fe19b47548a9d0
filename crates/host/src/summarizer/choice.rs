//! Which summarizer is meant.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use pitree_session::Environment;
use pitree_session::summary::Summarizer;

use crate::auth::{ApiKey, Auth, ConfigValue};
use crate::error::HostError;
use crate::models::{Model, Models, ThinkingLevel};
use crate::settings::{Config, Settings};

use super::command::{self, CommandSummarizer};
use super::endpoint::{EndpointSummarizer, Limits, Target};

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
    let wanted = options.clone().or(from_variables(environment)?).or(of_config);
    if let Some(command) = wanted.command {
        if wanted.url.is_some() || wanted.model.is_some() {
            let message = "a summarizer is a command or a model, not both";
            return Err(HostError::Usage(message.to_owned()));
        }
        let limit = wanted.time_limit.unwrap_or(command::TIME_LIMIT);
        let summarizer = CommandSummarizer::new(command, environment.cwd()).with_time_limit(limit);
        return Ok(Some(SummarizerChoice::Command(summarizer)));
    }
    let settings = Settings::load(environment, environment.cwd())?;
    let target = match &wanted.url {
        Some(url) => at_address(url, &wanted, environment)?,
        None => {
            let name = match &wanted.model {
                Some(name) => Wanted::Text(name.clone()),
                None => match session_model
                    .cloned()
                    .map_or_else(|| settings.default_model(), |model| Ok(Some(model)))?
                {
                    Some(model) => Wanted::Model(model),
                    None => return Ok(None),
                },
            };
            of_pi(name, &wanted, environment)?
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

/// A model at an address that the user gives. Only a key that is given with it goes there.
fn at_address(
    url: &str,
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Target, HostError> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let message = "the address of a summarizer begins with http:// or https://";
        return Err(HostError::Usage(message.to_owned()));
    }
    let Some(model) = wanted.model.clone() else {
        return Err(HostError::Usage("an address needs a model: --summarizer-model".to_owned()));
    };
    let is_anthropic = host(url).ends_with("anthropic.com");
    let guess = if is_anthropic { Api::Anthropic } else { Api::OpenAi };
    Ok(Target {
        url: url.to_owned(),
        api: wanted.api.unwrap_or(guess),
        model,
        auth: given_key(wanted, environment)?.unwrap_or_default(),
        facts: None,
        thinking_level: wanted.thinking_level,
        proxy: proxy(url, environment),
        authorities: authorities(environment),
    })
}

enum Wanted {
    /// As the user writes it: `provider/id`, or an id alone.
    Text(String),
    Model(ModelName),
}

/// A model that Pi knows, with the key that Pi has for it.
fn of_pi(
    name: Wanted,
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Target, HostError> {
    let models = Models::load(environment)?;
    let found = match &name {
        Wanted::Model(name) => models.find(&name.provider, &name.id),
        Wanted::Text(text) => find_by_text(&models, text),
    };
    let Some(model) = found.cloned() else {
        let name = match name {
            Wanted::Model(name) => name.to_string(),
            Wanted::Text(text) => text,
        };
        // A mistake in models.json may be the reason, and then it is the better answer.
        let problem = models.into_problems().into_iter().next();
        return Err(problem.unwrap_or(HostError::UnknownModel { model: name }));
    };
    let (api, url) = endpoint_of(&model)?;
    let auth = match given_key(wanted, environment)? {
        Some(auth) => auth,
        None => models.auth(&model, environment)?,
    };
    Ok(Target {
        proxy: proxy(&url, environment),
        authorities: authorities(environment),
        url,
        api,
        model: model.id(),
        auth,
        thinking_level: wanted.thinking_level,
        facts: Some(model),
    })
}

fn find_by_text<'m>(models: &'m Models, text: &str) -> Option<&'m Model> {
    let exact = text.split_once('/').and_then(|(provider, id)| models.find(provider, id));
    exact.or_else(|| models.all().iter().find(|model| model.id() == text))
}

/// Which of the two protocols reaches a model. OpenAI, Google and Mistral have chat completions
/// beside the protocols that Pi speaks with them.
fn endpoint_of(model: &Model) -> Result<(Api, String), HostError> {
    let (provider, api, url) = (model.provider(), model.api(), model.base_url());
    let below = |path: &str| format!("{}/{path}", url.trim_end_matches('/'));
    let found = match api.as_str() {
        // Azure's address depends on the user, and Copilot wants its own headers.
        _ if url.is_empty() || provider == "github-copilot" => None,
        "openai-completions" | "openai-responses" => Some((Api::OpenAi, url.clone())),
        "anthropic-messages" => Some((Api::Anthropic, url.clone())),
        "google-generative-ai" if provider == "google" => Some((Api::OpenAi, below("openai"))),
        "mistral-conversations" => Some((Api::OpenAi, below("v1"))),
        _ => None,
    };
    found.ok_or_else(|| HostError::UnsupportedApi {
        model: ModelName::new(provider.as_str(), model.id()).to_string(),
        api: if provider == "github-copilot" { provider.clone() } else { api },
    })
}

fn given_key(
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Option<Auth>, HostError> {
    let Some(key) = &wanted.key else { return Ok(None) };
    let what = "the summarizer's key";
    let key = ConfigValue::parse(key.reveal()).require(what, &[], environment)?;
    Ok(Some(Auth::of_key(key)))
}

/// Where a company has certificates of its own, `SSL_CERT_FILE` names them, as for other programs.
fn authorities(environment: &Environment) -> Option<PathBuf> {
    environment.var("SSL_CERT_FILE").map(PathBuf::from)
}

/// The proxy for an address, as the variables name it; never for this machine.
fn proxy(url: &str, environment: &Environment) -> Option<String> {
    let host = host(url);
    if host == "localhost" || host == "[::1]" || host.starts_with("127.") {
        return None;
    }
    let var =
        |name: &str| environment.var(name).or_else(|| environment.var(&name.to_ascii_uppercase()));
    let excluded = |entry: &str| {
        let entry = entry.trim().trim_start_matches('.');
        let inside =
            host.strip_suffix(entry).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        entry == "*" || (!entry.is_empty() && inside)
    };
    if var("no_proxy").is_some_and(|list| list.split(',').any(excluded)) {
        return None;
    }
    let scheme = if url.starts_with("https:") { "https_proxy" } else { "http_proxy" };
    var(scheme).or_else(|| var("all_proxy")).map(str::to_owned)
}

/// The host of an address, in lower case.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let end = match host.rfind(']') {
        Some(end) => end + 1,
        None => host.find(':').unwrap_or(host.len()),
    };
    host[..end].to_ascii_lowercase()
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
