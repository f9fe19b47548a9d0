//! What the session file does not record: the model that a request went to, and the settings.
//!
//! A reply names its model, but not what the model could do. That stands in Pi's lists of models
//! and in the user's `models.json`, and decides about roles, images, thinking and tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use serde::{Deserialize, Serialize};

/// The interface whose form requests are given here.
pub(super) const CHAT_COMPLETIONS: &str = "openai-completions";

/// Pi's setting of how long a provider keeps a prompt in its cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheRetention {
    /// Pi's default.
    #[default]
    Short,
    /// With `PI_CACHE_RETENTION=long`.
    Long,
    /// No marks at all.
    None,
}

/// What the caller knows and the session file does not say.
///
/// It can be written down as data, for others who make the same requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SettingsData", into = "SettingsData")]
pub struct RequestSettings {
    models: BTreeMap<(String, String), Arc<TargetModel>>,
    /// Pi's setting `images.blockImages`: no image is sent.
    pub block_images: bool,
    /// How long prompts are cached; sets marks in the request of models that want them.
    pub cache_retention: CacheRetention,
    /// The system prompt for sessions that record none, as those before Pi 0.86.
    pub system_prompt: Option<String>,
    /// The tools for such sessions: name, description, parameters.
    pub tools: Vec<Value>,
}

/// The same as data.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsData {
    models: Vec<TargetModel>,
    block_images: bool,
    cache_retention: CacheRetention,
    system_prompt: Option<String>,
    /// Each as the text of its JSON.
    tools: Vec<String>,
}

impl From<RequestSettings> for SettingsData {
    fn from(settings: RequestSettings) -> Self {
        Self {
            models: settings.models.into_values().map(Arc::unwrap_or_clone).collect(),
            block_images: settings.block_images,
            cache_retention: settings.cache_retention,
            system_prompt: settings.system_prompt,
            tools: settings.tools.iter().map(stringify).collect(),
        }
    }
}

impl TryFrom<SettingsData> for RequestSettings {
    type Error = String;

    fn try_from(data: SettingsData) -> Result<Self, String> {
        let tool = |text: &String| {
            parse(text.as_bytes()).map_err(|error| format!("a tool is not JSON: {error}"))
        };
        Ok(Self {
            models: by_name(data.models),
            block_images: data.block_images,
            cache_retention: data.cache_retention,
            system_prompt: data.system_prompt,
            tools: data.tools.iter().map(tool).collect::<Result<_, _>>()?,
        })
    }
}

fn by_name(
    models: impl IntoIterator<Item = TargetModel>,
) -> BTreeMap<(String, String), Arc<TargetModel>> {
    let named = |model: TargetModel| ((model.provider.clone(), model.id.clone()), Arc::new(model));
    models.into_iter().map(named).collect()
}

impl RequestSettings {
    /// Settings with these models, each in the form of Pi's protocol.
    pub fn new(models: impl IntoIterator<Item = Value>) -> Self {
        let models = by_name(models.into_iter().map(|model| TargetModel::of(&model)));
        Self { models, ..Self::default() }
    }

    /// What the endpoint of a known model speaks.
    pub(super) fn api_of(&self, provider: &str, id: &str) -> Option<String> {
        let known = self.models.get(&(provider.to_owned(), id.to_owned()));
        known.map(|model| model.api.clone())
    }

    /// The model of a reply; `false` if it is not among the models.
    pub(super) fn target(&self, provider: &str, id: &str, api: &str) -> (Arc<TargetModel>, bool) {
        let known = self.models.get(&(provider.to_owned(), id.to_owned()));
        let target = match known {
            Some(model) if model.api == api => Arc::clone(model),
            // The reply is right about how it was asked for.
            Some(model) => Arc::new(TargetModel { api: api.to_owned(), ..(**model).clone() }),
            None => Arc::new(TargetModel::unknown(provider, id, api)),
        };
        (target, known.is_some())
    }
}

/// A model as far as it changes what it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetModel {
    /// The provider.
    pub provider: String,
    /// The id at the provider.
    pub id: String,
    /// What its endpoint speaks.
    pub api: String,
    /// Whether it takes images.
    pub sees_images: bool,
    /// Whether it can think.
    pub reasoning: bool,
    /// The peculiarities of its endpoint.
    pub compat: Compat,
}

impl TargetModel {
    /// Reads a model in the form in which Pi's protocol gives it.
    pub fn of(model: &Value) -> Self {
        let text = |key: &str| model.get_string(key).map(ToString::to_string).unwrap_or_default();
        let inputs = model.get("input").and_then(Value::as_array).unwrap_or_default();
        let is_image = |input: &Value| input.as_string().is_some_and(|input| *input == *"image");
        let (provider, id) = (text("provider"), text("id"));
        let detected = Compat::detect(&provider, &id, &text("baseUrl"));
        Self {
            sees_images: inputs.iter().any(is_image),
            reasoning: model.get("reasoning").is_some_and(Value::is_truthy),
            compat: detected.with(model.get("compat")),
            api: text("api"),
            provider,
            id,
        }
    }

    /// A model of which only the name is known. Images are kept, since the session has them.
    fn unknown(provider: &str, id: &str, api: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            id: id.to_owned(),
            api: api.to_owned(),
            sees_images: true,
            reasoning: false,
            compat: Compat::detect(provider, id, ""),
        }
    }
}

/// The peculiarities of an endpoint that change messages or tools. The names are Pi's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compat {
    /// `supportsDeveloperRole`: the system prompt of a model that thinks has the role `developer`.
    pub developer_role: bool,
    /// `requiresToolResultName`
    pub tool_result_name: bool,
    /// `requiresAssistantAfterToolResult`
    pub assistant_after_tool_result: bool,
    /// `requiresThinkingAsText`
    pub thinking_as_text: bool,
    /// `requiresReasoningContentOnAssistantMessages`
    pub reasoning_content: bool,
    /// `supportsStrictMode`
    pub strict_tools: bool,
    /// `supportsOpenAIGrammarTools`
    pub grammar_tools: bool,
    /// `supportsMidConvoSystemMessages`: later system messages stay where they are.
    pub system_updates: bool,
    /// `supportsMidConvoToolAdditions`: tools that are added later stay where they are.
    pub tool_updates: bool,
    /// `cacheControlFormat` is `anthropic`
    pub cache_marks: bool,
    /// `supportsLongCacheRetention`
    pub long_cache: bool,
}

/// Endpoints that are alike, known by their provider or by a part of their address.
struct Endpoints {
    providers: &'static [&'static str],
    addresses: &'static [&'static str],
}

/// Those that know no role `developer`.
const NO_DEVELOPER_ROLE: Endpoints = Endpoints {
    providers: &[
        "ant-ling",
        "cerebras",
        "cloudflare-ai-gateway",
        "cloudflare-workers-ai",
        "moonshotai",
        "moonshotai-cn",
        "nvidia",
        "opencode",
        "openrouter",
        "together",
        "xai",
        "zai",
        "zai-coding-cn",
    ],
    addresses: &[
        "api.ant-ling.com",
        "api.cloudflare.com",
        "api.moonshot.",
        "api.together.ai",
        "api.together.xyz",
        "api.x.ai",
        "api.z.ai",
        "cerebras.ai",
        "chutes.ai",
        "gateway.ai.cloudflare.com",
        "integrate.api.nvidia.com",
        "open.bigmodel.cn",
        "opencode.ai",
        "openrouter.ai",
    ],
};
/// Those that do not keep prompts for long.
const NO_LONG_CACHE: Endpoints = Endpoints {
    providers: &[
        "ant-ling",
        "cloudflare-ai-gateway",
        "cloudflare-workers-ai",
        "nvidia",
        "together",
    ],
    addresses: &[
        "api.ant-ling.com",
        "api.cloudflare.com",
        "api.together.ai",
        "api.together.xyz",
        "gateway.ai.cloudflare.com",
        "integrate.api.nvidia.com",
    ],
};

impl Endpoints {
    fn include(&self, provider: &str, address: &str) -> bool {
        self.providers.contains(&provider)
            || self.addresses.iter().any(|part| address.contains(part))
    }
}

impl Compat {
    /// What Pi takes for granted of an endpoint by its provider and address.
    fn detect(provider: &str, id: &str, address: &str) -> Self {
        let is_deepseek = provider == "deepseek" || address.to_lowercase().contains("deepseek.com");
        let is_openrouter = provider == "openrouter" || address.contains("openrouter.ai");
        let routed_with_role =
            is_openrouter && (id.starts_with("anthropic/") || id.starts_with("openai/"));
        let plain = is_deepseek || NO_DEVELOPER_ROLE.include(provider, address);
        Self {
            developer_role: routed_with_role || !plain,
            reasoning_content: is_deepseek,
            cache_marks: provider == "openrouter" && id.starts_with("anthropic/"),
            long_cache: !NO_LONG_CACHE.include(provider, address),
            ..Self::default()
        }
    }

    /// What the model's own `compat` says wins.
    fn with(mut self, own: Option<&Value>) -> Self {
        let Some(own) = own else { return self };
        let flags: [(&str, &mut bool); 10] = [
            ("supportsDeveloperRole", &mut self.developer_role),
            ("requiresToolResultName", &mut self.tool_result_name),
            ("requiresAssistantAfterToolResult", &mut self.assistant_after_tool_result),
            ("requiresThinkingAsText", &mut self.thinking_as_text),
            ("requiresReasoningContentOnAssistantMessages", &mut self.reasoning_content),
            ("supportsStrictMode", &mut self.strict_tools),
            ("supportsOpenAIGrammarTools", &mut self.grammar_tools),
            ("supportsMidConvoSystemMessages", &mut self.system_updates),
            ("supportsMidConvoToolAdditions", &mut self.tool_updates),
            ("supportsLongCacheRetention", &mut self.long_cache),
        ];
        for (name, flag) in flags {
            if let Some(value) = own.get(name).filter(|value| !value.is_null()) {
                *flag = value.is_truthy();
            }
        }
        if let Some(format) = own.get_string("cacheControlFormat") {
            self.cache_marks = *format == *"anthropic";
        }
        self
    }
}
