//! Which models there are, what they can do and what they cost.
//!
//! As in Pi: the known models, the newer lists that Pi keeps, and the changes of the user's
//! `models.json`. A provider counts as available when it has a key. A mistake in a file does not
//! hide the other models; [`Models::problems`] tells it.

mod builtin;
mod choices;
mod compose;
mod config;
mod name;
mod price;
mod stored;
mod thinking;

use pitree_format::{Object, Value};
use pitree_session::location::agent_directory;
use pitree_session::{Environment, Session};

use crate::auth::{Auth, ConfigValue, Credentials};
use crate::error::HostError;

use config::ProviderConfig;

pub use choices::{Choices, Selection, SelectionError, level_named};
pub(crate) use config::secret_values;
pub use name::ModelName;
pub use price::Tokens;
pub use thinking::ThinkingLevel;

/// A model, in the shape in which Pi's protocol gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model(Object);

impl Model {
    /// The provider.
    pub fn provider(&self) -> String {
        self.text("provider")
    }

    /// The id at the provider.
    pub fn id(&self) -> String {
        self.text("id")
    }

    /// What the endpoint speaks, such as `openai-completions`.
    pub fn api(&self) -> String {
        self.text("api")
    }

    /// The address of the endpoint.
    pub fn base_url(&self) -> String {
        self.text("baseUrl")
    }

    /// Whether the model can think before it answers.
    pub fn reasoning(&self) -> bool {
        self.0.get("reasoning").is_some_and(Value::is_truthy)
    }

    /// How many tokens the model can look at.
    pub fn context_window(&self) -> f64 {
        self.number("contextWindow")
    }

    /// How many tokens an answer can have.
    pub fn max_tokens(&self) -> f64 {
        self.number("maxTokens")
    }

    /// The whole model as Pi's protocol gives it.
    pub fn to_value(&self) -> Value {
        self.0.clone().into()
    }

    /// A member by its name in Pi.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Whether this is the model of that name.
    pub fn is(&self, provider: &str, id: &str) -> bool {
        let equals = |key, text: &str| {
            self.0.get(key).and_then(Value::as_string).is_some_and(|own| *own == *text)
        };
        equals("id", id) && equals("provider", provider)
    }

    fn text(&self, key: &str) -> String {
        self.0.get(key).and_then(Value::as_string).map(ToString::to_string).unwrap_or_default()
    }

    fn number(&self, key: &str) -> f64 {
        self.0.get(key).and_then(Value::as_number).unwrap_or_default()
    }
}

/// All models and the keys for them.
#[derive(Debug)]
pub struct Models {
    all: Vec<Model>,
    providers: Vec<ProviderConfig>,
    credentials: Credentials,
    problems: Vec<HostError>,
}

impl Models {
    /// Reads the user's `models.json` and `auth.json`, and the lists that Pi keeps.
    pub fn load(environment: &Environment) -> Result<Self, HostError> {
        let agent = agent_directory(environment);
        let path = agent.join("models.json");
        let mut problems = Vec::new();
        let known = stored::with_stored(builtin::models(), &agent.join("models-store.json"));
        let known = known.unwrap_or_else(|(known, error)| {
            problems.push(error);
            known
        });
        let providers = config::read(&path).unwrap_or_else(|error| {
            problems.push(error);
            Vec::new()
        });
        let all = compose::compose(known, &providers, &path, &mut problems);
        Ok(Self { all, providers, credentials: Credentials::load(environment)?, problems })
    }

    /// What is wrong with the files. The models that this does not touch are there all
    /// the same.
    pub fn problems(&self) -> &[HostError] {
        &self.problems
    }

    /// Takes the problems out, to pass one on.
    pub fn into_problems(self) -> Vec<HostError> {
        self.problems
    }

    /// All models, usable or not.
    pub fn all(&self) -> &[Model] {
        &self.all
    }

    /// The context window of the model that a session goes on with, if both are known.
    pub fn window_of(&self, session: &Session) -> Option<u64> {
        let model = session.restored().ok()?.model?;
        let text = |value: Option<Value>| value?.as_string().map(ToString::to_string);
        let model = self.find(&text(model.provider)?, &text(model.model_id)?)?;
        let window = model.context_window();
        (window >= 1.0).then_some(window as u64)
    }

    /// A model by provider and id.
    pub fn find(&self, provider: &str, id: &str) -> Option<&Model> {
        self.all.iter().find(|model| model.is(provider, id))
    }

    /// The models whose provider has a key, in Pi's order.
    pub fn available(&self, environment: &Environment) -> Result<Vec<&Model>, HostError> {
        let mut found = Vec::new();
        let mut last: Option<(String, bool)> = None;
        for model in &self.all {
            let provider = model.provider();
            let usable = match &last {
                Some((name, usable)) if *name == provider => *usable,
                _ => self.has_auth(&provider, environment)?,
            };
            if usable {
                found.push(model);
            }
            last = Some((provider, usable));
        }
        Ok(found)
    }

    /// Whether a provider has a key.
    pub fn has_auth(&self, provider: &str, environment: &Environment) -> Result<bool, HostError> {
        let configured = self.config(provider).and_then(|config| config.api_key.as_deref());
        self.credentials.has_auth(provider, configured, environment)
    }

    /// What to send with a request to a model: its key and the headers of `models.json`.
    pub fn auth(&self, model: &Model, environment: &Environment) -> Result<Auth, HostError> {
        let provider = model.provider();
        let config = self.config(&provider);
        let configured = config.and_then(|config| config.api_key.as_deref());
        let found = self.credentials.auth(&provider, configured, environment)?;
        let mut auth = found.ok_or_else(|| HostError::NoKey { provider: provider.clone() })?;
        let Some(config) = config else { return Ok(auth) };
        for (name, value) in config.headers_for(&model.id()) {
            let what = format!("the header {name} of {provider}");
            let value = ConfigValue::parse(&value).require(&what, &[], environment)?;
            auth.set_header(&name, value);
        }
        if config.auth_header
            && let Some(key) = auth.key.take()
        {
            auth.set_header("Authorization", format!("Bearer {}", key.reveal()));
        }
        Ok(auth)
    }

    fn config(&self, provider: &str) -> Option<&ProviderConfig> {
        self.providers.iter().find(|config| config.id == provider)
    }
}
