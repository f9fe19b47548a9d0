//! Where a request goes: from what the user wants to an address, a protocol and a key.

use std::path::PathBuf;

use pitree_session::Environment;

use crate::auth::{Auth, ConfigValue};
use crate::error::HostError;
use crate::models::{Model, ModelName, Models};

use super::choice::{Api, SummarizerOptions};
use super::endpoint::Target;

/// A model at an address that the user gives. Only a key that is given with it goes there.
pub(super) fn at_address(
    url: &str,
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Target, HostError> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let message = format!("The summarizer URL {url} must begin with http:// or https://");
        return Err(HostError::Usage(message));
    }
    let Some(model) = wanted.model.clone() else {
        return Err(HostError::NoModel);
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

/// A model as the user names it: `provider/id`, or an id alone.
pub(super) fn named(
    name: &str,
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Target, HostError> {
    let models = Models::load(environment)?;
    let exact = name.split_once('/').and_then(|(provider, id)| models.find(provider, id));
    let found = exact.or_else(|| models.all().iter().find(|model| model.id() == name)).cloned();
    to_model(found, name, models, wanted, environment)
}

/// A model that Pi knows, with the key that Pi has for it.
pub(super) fn of_pi(
    name: &ModelName,
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Target, HostError> {
    let models = Models::load(environment)?;
    let found = models.find(&name.provider, &name.id).cloned();
    to_model(found, &name.to_string(), models, wanted, environment)
}

fn to_model(
    found: Option<Model>,
    name: &str,
    models: Models,
    wanted: &SummarizerOptions,
    environment: &Environment,
) -> Result<Target, HostError> {
    let Some(model) = found else {
        // A mistake in models.json may be the reason, and then it is the better answer.
        let problem = models.into_problems().into_iter().next();
        return Err(problem.unwrap_or_else(|| HostError::UnknownModel { model: name.to_owned() }));
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
