//! Keys, as Pi finds them: in `auth.json`, in `models.json`, in the environment.
//!
//! All of these belong to the user, so `!command` and `$NAME` in them count. They are read and
//! never written, not even to renew a login: an OAuth login is refused with a hint. A key leaves
//! this module only as an [`ApiKey`], which cannot be printed by accident.

mod value;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pitree_format::{Object, Value};
use pitree_session::Environment;
use pitree_session::location::agent_directory;

use crate::error::HostError;
use crate::file;

pub(crate) use value::ConfigValue;

/// Which variables hold the key of a provider, as Pi knows them.
pub(crate) const VARIABLES: &[(&str, &[&str])] = &[
    ("anthropic", &["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"]),
    ("ant-ling", &["ANT_LING_API_KEY"]),
    ("azure", &["AZURE_OPENAI_API_KEY"]),
    ("baseten", &["BASETEN_API_KEY"]),
    ("cerebras", &["CEREBRAS_API_KEY"]),
    ("cloudflare-ai-gateway", &["CLOUDFLARE_API_KEY"]),
    ("cloudflare-workers-ai", &["CLOUDFLARE_API_KEY"]),
    ("deepseek", &["DEEPSEEK_API_KEY"]),
    ("fireworks", &["FIREWORKS_API_KEY"]),
    ("github-copilot", &["COPILOT_GITHUB_TOKEN"]),
    ("google", &["GEMINI_API_KEY"]),
    ("google-vertex", &["GOOGLE_CLOUD_API_KEY"]),
    ("groq", &["GROQ_API_KEY"]),
    ("huggingface", &["HF_TOKEN"]),
    ("kimi-coding", &["KIMI_API_KEY"]),
    ("meta", &["META_API_KEY"]),
    ("minimax", &["MINIMAX_API_KEY"]),
    ("minimax-cn", &["MINIMAX_CN_API_KEY"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("moonshotai", &["MOONSHOT_API_KEY"]),
    ("moonshotai-cn", &["MOONSHOT_API_KEY"]),
    ("nvidia", &["NVIDIA_API_KEY"]),
    ("openai", &["OPENAI_API_KEY"]),
    ("opencode", &["OPENCODE_API_KEY"]),
    ("opencode-go", &["OPENCODE_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("qwen-token-plan", &["QWEN_TOKEN_PLAN_API_KEY"]),
    ("qwen-token-plan-cn", &["QWEN_TOKEN_PLAN_CN_API_KEY"]),
    ("qwen-token-plan-individual", &["QWEN_TOKEN_PLAN_API_KEY"]),
    ("radius", &["RADIUS_API_KEY"]),
    ("together", &["TOGETHER_API_KEY"]),
    ("typesafe", &["TYPESAFE_API_KEY"]),
    ("vercel-ai-gateway", &["AI_GATEWAY_API_KEY"]),
    ("xai", &["XAI_API_KEY"]),
    ("xiaomi", &["XIAOMI_API_KEY"]),
    ("xiaomi-token-plan-ams", &["XIAOMI_TOKEN_PLAN_AMS_API_KEY"]),
    ("xiaomi-token-plan-cn", &["XIAOMI_TOKEN_PLAN_CN_API_KEY"]),
    ("xiaomi-token-plan-sgp", &["XIAOMI_TOKEN_PLAN_SGP_API_KEY"]),
    ("zai", &["ZAI_API_KEY"]),
    ("zai-coding-cn", &["ZAI_CODING_CN_API_KEY"]),
];

/// Holds a token that Anthropic wants as `Authorization: Bearer`; it comes before the others.
pub(crate) const ANTHROPIC_BEARER: &str = "ANTHROPIC_AUTH_TOKEN";

/// The providers that Pi can log in to by OAuth; for others such a login counts for nothing.
const OAUTH_PROVIDERS: &[&str] = &[
    "anthropic",
    "github-copilot",
    "huggingface",
    "kimi-coding",
    "meta",
    "openai",
    "openai-codex",
    "openrouter",
    "radius",
    "xai",
];

/// The variables that hold the key of a provider; none for a provider that Pi does not know.
pub fn variables(provider: &str) -> &'static [&'static str] {
    let found = VARIABLES.iter().find(|(name, _)| *name == provider);
    found.map_or(&[], |(_, variables)| variables)
}

/// The providers that Pi knows a variable of.
pub fn providers() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().map(|(provider, _)| *provider)
}

/// A key or token. It is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself, for the one who sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

/// What is sent to prove who asks.
#[derive(Clone, Debug, Default)]
pub struct Auth {
    /// The key, sent in the way of the protocol.
    pub key: Option<ApiKey>,
    /// Further headers; their values may be secret.
    pub headers: Vec<(String, ApiKey)>,
}

impl Auth {
    /// Nothing but a key.
    pub fn of_key(key: impl Into<String>) -> Self {
        Self { key: Some(ApiKey::new(key)), headers: Vec::new() }
    }

    /// Sets a header; one of the same name goes.
    pub(crate) fn set_header(&mut self, name: &str, value: String) {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), ApiKey::new(value)));
    }
}

/// The logins in Pi's `auth.json`.
pub struct Credentials {
    path: PathBuf,
    stored: Object,
    /// Keys that a command printed: it runs once, as in Pi.
    resolved: Mutex<HashMap<String, Option<ApiKey>>>,
}

/// A login.
enum Stored {
    Key { value: Option<String>, variables: Vec<(String, String)> },
    OAuth,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Reads `auth.json`; without the file there are no logins.
    pub fn load(environment: &Environment) -> Result<Self, HostError> {
        let path = agent_directory(environment).join("auth.json");
        let stored = match file::read_json(&path)? {
            None => Object::new(),
            Some(Value::Object(stored)) => stored,
            Some(_) => return Err(file::not_an_object(&path)),
        };
        Ok(Self { path, stored, resolved: Mutex::default() })
    }

    /// Whether Pi would take the provider for one that can be used. `configured` is `apiKey` of
    /// `models.json`; a command in it is not run for this.
    pub fn has_auth(
        &self,
        provider: &str,
        configured: Option<&str>,
        environment: &Environment,
    ) -> Result<bool, HostError> {
        Ok(match self.stored(provider)? {
            Some(Stored::OAuth) => OAUTH_PROVIDERS.contains(&provider),
            Some(Stored::Key { value, variables }) => {
                self.stored_key(provider, value.as_deref(), &variables, environment).is_some()
                    || from_environment(provider, &variables, environment).is_some()
            }
            None => match configured {
                Some(text) => ConfigValue::parse(text).is_configured(&[], environment),
                None => from_environment(provider, &[], environment).is_some(),
            },
        })
    }

    /// What to send to a provider: the stored login, else `apiKey` of `models.json`, else the
    /// environment. `None` if there is nothing.
    pub fn auth(
        &self,
        provider: &str,
        configured: Option<&str>,
        environment: &Environment,
    ) -> Result<Option<Auth>, HostError> {
        match self.stored(provider)? {
            Some(Stored::OAuth) => Err(HostError::OAuth { provider: provider.to_owned() }),
            Some(Stored::Key { value, variables }) => {
                let key = self.stored_key(provider, value.as_deref(), &variables, environment);
                usable(
                    provider,
                    match key {
                        Some(key) => Some(Auth { key: Some(key), headers: Vec::new() }),
                        None => from_environment(provider, &variables, environment),
                    },
                )
            }
            None => match configured {
                Some(text) => {
                    let what = format!("the API key of {provider}");
                    let key = ConfigValue::parse(text).require(&what, &[], environment)?;
                    usable(provider, Some(Auth::of_key(key)))
                }
                None => usable(provider, from_environment(provider, &[], environment)),
            },
        }
    }

    fn stored(&self, provider: &str) -> Result<Option<Stored>, HostError> {
        let Some(login) = self.stored.get(provider) else { return Ok(None) };
        let bad = |problem: &str| file::bad_value(&self.path, provider, problem);
        let kind = login.get_string("type").map(ToString::to_string);
        match kind.as_deref() {
            Some("oauth") => Ok(Some(Stored::OAuth)),
            Some("api_key") => {
                let value = match login.get("key") {
                    None => None,
                    Some(Value::String(key)) if key.is_empty() => None,
                    Some(Value::String(key)) => Some(key.to_string()),
                    Some(_) => return Err(bad("`key` must be a text")),
                };
                let variables = match login.get("env") {
                    None => Vec::new(),
                    Some(Value::Object(env)) => env
                        .iter()
                        .map(|(name, value)| {
                            Some((name.to_string(), value.as_string()?.to_string()))
                        })
                        .collect::<Option<_>>()
                        .ok_or_else(|| bad("every value of `env` must be a text"))?,
                    Some(_) => return Err(bad("`env` must be an object")),
                };
                Ok(Some(Stored::Key { value, variables }))
            }
            _ => Err(bad("`type` must be \"api_key\" or \"oauth\"")),
        }
    }

    fn stored_key(
        &self,
        provider: &str,
        value: Option<&str>,
        variables: &[(String, String)],
        environment: &Environment,
    ) -> Option<ApiKey> {
        let mut resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = resolved.entry(provider.to_owned()).or_insert_with(|| {
            let key = ConfigValue::parse(value?).resolve(variables, environment)?;
            Some(key).filter(|key| !key.is_empty()).map(ApiKey::new)
        });
        entry.clone()
    }
}

/// Refuses a token of a subscription: the endpoint takes it only from Anthropic's own programs.
fn usable(provider: &str, auth: Option<Auth>) -> Result<Option<Auth>, HostError> {
    let key = auth.as_ref().and_then(|auth| auth.key.as_ref());
    if provider == "anthropic" && key.is_some_and(|key| key.reveal().contains("sk-ant-oat")) {
        return Err(HostError::OAuth { provider: provider.to_owned() });
    }
    Ok(auth)
}

fn from_environment(
    provider: &str,
    extra: &[(String, String)],
    environment: &Environment,
) -> Option<Auth> {
    let lookup = |name: &str| value::lookup(name, extra, environment);
    if provider == "anthropic"
        && let Some(token) = lookup(ANTHROPIC_BEARER)
    {
        let mut auth = Auth::default();
        auth.set_header("Authorization", format!("Bearer {token}"));
        return Some(auth);
    }
    variables(provider).iter().find_map(|name| lookup(name)).map(Auth::of_key)
}
