//! The known models with the changes of `models.json`.

use std::path::Path;

use pitree_format::{JsString, Object, Value};

use crate::error::HostError;
use crate::file::bad_value;

use super::Model;
use super::config::ProviderConfig;

/// Parts of `compat` whose members are merged one by one.
const MERGED_COMPAT: [&str; 4] =
    ["openRouterRouting", "vercelGatewayRouting", "chatTemplateKwargs", "chatTemplateArgs"];
const LEVELS: [&str; 7] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const DEFAULT_CONTEXT_WINDOW: f64 = 128_000.0;
const DEFAULT_MAX_TOKENS: f64 = 16_384.0;

/// All models: first those of known providers, then those of the others, as the file names them.
/// A provider with a mistake keeps its known models, as in Pi.
pub(super) fn compose(
    known: Vec<Model>,
    providers: &[ProviderConfig],
    path: &Path,
    problems: &mut Vec<HostError>,
) -> Vec<Model> {
    let mut groups: Vec<(String, Vec<Model>)> = Vec::new();
    for model in known {
        let provider = model.provider();
        match groups.last_mut() {
            Some((name, models)) if *name == provider => models.push(model),
            _ => groups.push((provider, vec![model])),
        }
    }
    for config in providers {
        let at = groups.iter().position(|(name, _)| *name == config.id).unwrap_or_else(|| {
            groups.push((config.id.clone(), Vec::new()));
            groups.len() - 1
        });
        let models = &mut groups[at].1;
        match apply(config, models) {
            Ok(changed) => *models = changed,
            Err(problem) => {
                problems.push(bad_value(path, &format!("providers.{}", config.id), problem));
            }
        }
    }
    groups.into_iter().flat_map(|(_, models)| models).collect()
}

fn apply(config: &ProviderConfig, known: &[Model]) -> Result<Vec<Model>, String> {
    let value = &config.value;
    let says_something = ["baseUrl", "headers", "compat", "apiKey", "oauth", "authHeader"]
        .iter()
        .any(|key| value.get(key).is_some());
    let changes = value.get("modelOverrides").and_then(Value::as_object);
    if !says_something && config.models().is_empty() && changes.is_none_or(Object::is_empty) {
        return Err(
            "says nothing: it needs baseUrl, headers, compat, modelOverrides or models".to_owned()
        );
    }
    let mut models: Vec<Fields> = known.iter().map(|model| with_address(model, value)).collect();
    for definition in config.models() {
        let model = defined(config, definition, &models)?;
        let same = models.iter_mut().find(|other| other.get("id") == definition.get("id"));
        match same {
            Some(same) => *same = model,
            None => models.push(model),
        }
    }
    for model in &mut models {
        let id = model.get("id").and_then(Value::as_string).map(ToString::to_string);
        if let Some(change) = id.and_then(|id| changes?.get(&id)) {
            model.change(change);
        }
    }
    Ok(models.into_iter().map(Fields::into_model).collect())
}

/// A known model at the address and with the peculiarities that the file gives.
fn with_address(model: &Model, config: &Object) -> Fields {
    let mut fields = Fields::of(model);
    if let Some(address) = config.get("baseUrl") {
        fields.set("baseUrl", Some(address.clone()));
    }
    let compat = merged_compat(model.get("compat"), config.get("compat"));
    fields.set("compat", compat);
    fields
}

/// A model that the file defines. What it leaves open comes from the provider, or from a known
/// model of the same provider.
fn defined(
    config: &ProviderConfig,
    definition: &Value,
    known: &[Fields],
) -> Result<Fields, String> {
    let provider = &config.value;
    let id = definition.get_string("id").cloned().unwrap_or_default();
    let own = |key: &str| definition.get(key).or_else(|| provider.get(key)).cloned();
    let pattern = pattern_for(known, definition.get("id"), own("api").as_ref());
    let inherited = |key: &str| own(key).or_else(|| pattern?.get(key).cloned());
    let api = inherited("api")
        .ok_or_else(|| format!("no `api` for the model {id}; set it there or for the provider"))?;
    let address = inherited("baseUrl")
        .ok_or_else(|| "`baseUrl` is needed where models are defined".to_owned())?;
    let given = |key: &str| definition.get(key).cloned();
    let or = |key: &str, default: Value| Some(given(key).unwrap_or(default));
    let mut fields = Fields::default();
    fields.set("id", given("id"));
    fields.set("name", or("name", Value::String(id)));
    fields.set("api", Some(api));
    fields.set("provider", Some(config.id.as_str().into()));
    fields.set("baseUrl", Some(address));
    fields.set("reasoning", or("reasoning", false.into()));
    fields.set("thinkingLevelMap", given("thinkingLevelMap"));
    fields.set("input", or("input", vec![Value::from("text")].into()));
    fields.set("inputLimits", given("inputLimits"));
    fields.set("cost", or("cost", free_of_charge()));
    fields.set("promptCache", given("promptCache"));
    fields.set("contextWindow", or("contextWindow", DEFAULT_CONTEXT_WINDOW.into()));
    fields.set("maxTokens", or("maxTokens", DEFAULT_MAX_TOKENS.into()));
    fields.set("samplingParams", given("samplingParams"));
    fields.set("samplingParamsByThinkingLevel", given("samplingParamsByThinkingLevel"));
    fields.set("compat", merged_compat(provider.get("compat"), definition.get("compat")));
    Ok(fields)
}

/// The model of the same provider that is most alike.
fn pattern_for<'m>(
    known: &'m [Fields],
    id: Option<&Value>,
    api: Option<&Value>,
) -> Option<&'m Fields> {
    let speaks = |api: &Value| known.iter().find(|model| model.get("api") == Some(api));
    known
        .iter()
        .find(|model| model.get("id") == id)
        .or_else(|| speaks(api?))
        .or_else(|| speaks(&Value::from("openai-completions")))
        .or(known.first())
}

fn free_of_charge() -> Value {
    let cost = Object::new().with("input", 0.0).with("output", 0.0);
    cost.with("cacheRead", 0.0).with("cacheWrite", 0.0).into()
}

/// `{...base, ...over}`; members of `over` win.
fn merged(base: Option<&Value>, over: Option<&Value>) -> Option<Value> {
    let Some(Value::Object(over)) = over else { return base.cloned() };
    let base = base.and_then(Value::as_object).into_iter().flat_map(Object::iter);
    let members = base.chain(over.iter());
    let members: Vec<(JsString, Value)> =
        members.map(|(name, value)| (name.clone(), value.clone())).collect();
    Some(Object::from_members(members).into())
}

fn merged_compat(base: Option<&Value>, over: Option<&Value>) -> Option<Value> {
    let mut result = merged(base, over)?;
    if let (Some(object), Some(over)) = (result.as_object_mut(), over) {
        for key in MERGED_COMPAT {
            let base = base.and_then(|base| base.get(key));
            if let Some(inner) = merged(base, over.get(key)) {
                object.set(key, inner);
            }
        }
    }
    Some(result)
}

fn merged_limits(base: Option<&Value>, over: Option<&Value>) -> Option<Value> {
    let mut result = merged(base, over)?;
    let images = |of: Option<&Value>| of.and_then(|of| of.get("images")).cloned();
    let (old, new) = (images(base), images(over));
    if let (Some(object), Some(mut images)) =
        (result.as_object_mut(), merged(old.as_ref(), new.as_ref()))
    {
        let resize = |of: &Option<Value>| of.as_ref().and_then(|of| of.get("resize")).cloned();
        let resize = merged(resize(&old).as_ref(), resize(&new).as_ref());
        if let (Some(images), Some(resize)) = (images.as_object_mut(), resize) {
            images.set("resize", resize);
        }
        object.set("images", images);
    }
    Some(result)
}

fn merged_by_level(base: Option<&Value>, over: Option<&Value>) -> Option<Value> {
    let Some(over) = over else { return base.cloned() };
    let mut result = base.and_then(Value::as_object).cloned().unwrap_or_default();
    for level in LEVELS {
        let old = base.and_then(|base| base.get(level));
        if over.get(level).is_some()
            && let Some(parameters) = merged(old, over.get(level))
        {
            result.set(level, parameters);
        }
    }
    Some(result.into())
}

/// Members in JavaScript's order, in which a member may stand without a value.
#[derive(Default)]
struct Fields(Vec<(JsString, Option<Value>)>);

impl Fields {
    fn of(model: &Model) -> Self {
        Self(model.0.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect())
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == *key).and_then(|(_, value)| value.as_ref())
    }

    fn set(&mut self, key: &str, value: Option<Value>) {
        match self.0.iter_mut().find(|(name, _)| *name == *key) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((key.into(), value)),
        }
    }

    /// Applies an entry of `modelOverrides`.
    fn change(&mut self, change: &Value) {
        let plain = |key: &str, own: &Self| change.get(key).or_else(|| own.get(key)).cloned();
        let spread = |key: &str, own: &Self| merged(own.get(key), change.get(key));
        self.set("name", plain("name", self));
        self.set("reasoning", plain("reasoning", self));
        self.set("thinkingLevelMap", spread("thinkingLevelMap", self));
        self.set("input", plain("input", self));
        self.set("inputLimits", merged_limits(self.get("inputLimits"), change.get("inputLimits")));
        if let Some(prices) = change.get("cost") {
            let old = self.get("cost");
            let price = |key: &str| prices.get(key).or_else(|| old?.get(key)).cloned();
            let mut cost = Object::new();
            for key in ["input", "output", "cacheRead", "cacheWrite", "tiers"] {
                if let Some(price) = price(key) {
                    cost.set(key, price);
                }
            }
            self.set("cost", Some(cost.into()));
        }
        self.set("promptCache", spread("promptCache", self));
        self.set("contextWindow", plain("contextWindow", self));
        self.set("maxTokens", plain("maxTokens", self));
        self.set("samplingParams", spread("samplingParams", self));
        let by_level = "samplingParamsByThinkingLevel";
        self.set(by_level, merged_by_level(self.get(by_level), change.get(by_level)));
        self.set("compat", merged_compat(self.get("compat"), change.get("compat")));
    }

    fn into_model(self) -> Model {
        let members = self.0.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Model(Object::from_members(members.collect()))
    }
}
