//! The user's `models.json`: providers, their addresses, keys and models.
//!
//! `//` comments and commas before a closing bracket are allowed, as in Pi.

use std::path::Path;

use pitree_format::scan::string_end;
use pitree_format::{JsString, Object, Value};

use crate::error::HostError;
use crate::file::{self, bad_value};

use super::thinking::ThinkingLevel;

/// What `models.json` says about one provider. All values have the right types.
#[derive(Clone)]
pub(super) struct ProviderConfig {
    pub(super) id: String,
    pub(super) api_key: Option<String>,
    /// Whether the key is sent as `Authorization: Bearer`, whatever the protocol says.
    pub(super) auth_header: bool,
    pub(super) value: Object,
}

impl std::fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keys and headers may stand in the file as they are.
        f.debug_struct("ProviderConfig").field("id", &self.id).finish_non_exhaustive()
    }
}

impl ProviderConfig {
    /// The configured headers for a model; later ones of the same name count.
    pub(super) fn headers_for(&self, model: &str) -> Vec<(String, String)> {
        let overridden = self.value.get("modelOverrides").and_then(|all| all.get(model));
        let defined = self
            .models()
            .iter()
            .find(|definition| definition.get_string("id").is_some_and(|id| *id == *model));
        let own = self.value.get("headers");
        let places = [own, overridden.and_then(headers), defined.and_then(headers)];
        let members = places.into_iter().flatten().filter_map(Value::as_object);
        members
            .flat_map(Object::iter)
            .filter_map(|(name, value)| Some((name.to_string(), value.as_string()?.to_string())))
            .collect()
    }

    /// The key and the values of all headers, which may be secret.
    fn secret_values(&self) -> Vec<String> {
        let overrides = self.value.get("modelOverrides").and_then(Value::as_object);
        let overrides = overrides.into_iter().flat_map(Object::iter).map(|(_, model)| model);
        let models = overrides.chain(self.models()).filter_map(headers);
        let all = self.value.get("headers").into_iter().chain(models);
        let values = all.filter_map(Value::as_object).flat_map(Object::iter);
        let values = values.filter_map(|(_, value)| Some(value.as_string()?.to_string()));
        self.api_key.iter().cloned().chain(values).collect()
    }

    pub(super) fn models(&self) -> &[Value] {
        self.value.get("models").and_then(Value::as_array).unwrap_or_default()
    }
}

fn headers(of: &Value) -> Option<&Value> {
    of.get("headers")
}

/// What may be secret in the file, each with its provider.
pub(crate) fn secret_values(path: &Path) -> Result<Vec<(String, String)>, HostError> {
    let named = |provider: ProviderConfig| {
        let values = provider.secret_values().into_iter();
        values.map(move |value| (provider.id.clone(), value))
    };
    Ok(read(path)?.into_iter().flat_map(named).collect())
}

/// Reads and checks the file; without it there are no providers.
pub(super) fn read(path: &Path) -> Result<Vec<ProviderConfig>, HostError> {
    let Some(mut bytes) = file::read(path)? else { return Ok(Vec::new()) };
    blank_out_extras(&mut bytes);
    let value = file::parse_json(path, &bytes)?;
    let check = Check { path };
    let providers = check.object(&value, "providers", "providers")?;
    let Some(providers) = providers else {
        return Err(bad_value(path, "providers", "is missing"));
    };
    let mut found = Vec::new();
    for (id, config) in providers.iter() {
        let place = format!("providers.{id}");
        let Value::Object(value) = config else {
            return Err(bad_value(path, &place, "must be an object"));
        };
        check.provider(config, &place)?;
        found.push(ProviderConfig {
            id: id.to_string(),
            api_key: config.get_string("apiKey").map(ToString::to_string),
            auth_header: config.get("authHeader").is_some_and(Value::is_truthy),
            value: value.clone(),
        });
    }
    Ok(found)
}

/// Overwrites comments and trailing commas with spaces, so that places in errors stay true.
fn blank_out_extras(bytes: &mut [u8]) {
    let mut at = 0;
    let mut comma = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at = string_end(bytes, at + 1).map_or(bytes.len(), |end| end + 1);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = bytes[at..].iter().position(|byte| *byte == b'\n');
                let end = end.map_or(bytes.len(), |length| at + length);
                bytes[at..end].fill(b' ');
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
}

/// Checks types by name; an error says where.
struct Check<'a> {
    path: &'a Path,
}

impl Check<'_> {
    fn provider(&self, config: &Value, place: &str) -> Result<(), HostError> {
        for key in ["name", "baseUrl", "apiKey", "api"] {
            self.text(config, key, place)?;
        }
        self.flag(config, "authHeader", place)?;
        self.headers(config, place)?;
        self.object(config, "compat", &format!("{place}.compat"))?;
        if let Some(models) = config.get("models") {
            let Value::Array(models) = models else {
                return Err(self.bad(&format!("{place}.models"), "must be a list"));
            };
            for (index, model) in models.iter().enumerate() {
                let place = format!("{place}.models.{index}");
                if model.get_string("id").is_none_or(JsString::is_empty) {
                    return Err(self.bad(&format!("{place}.id"), "must be a text"));
                }
                for key in ["api", "baseUrl"] {
                    self.text(model, key, &place)?;
                }
                self.model(model, &place)?;
                self.whole_cost(model, &place)?;
            }
        }
        let overrides = format!("{place}.modelOverrides");
        if let Some(changes) = self.object(config, "modelOverrides", &overrides)? {
            for (id, change) in changes.iter() {
                let place = format!("{overrides}.{id}");
                if change.as_object().is_none() {
                    return Err(self.bad(&place, "must be an object"));
                }
                self.model(change, &place)?;
            }
        }
        Ok(())
    }

    /// What a model and a change of a model have in common.
    fn model(&self, model: &Value, place: &str) -> Result<(), HostError> {
        self.text(model, "name", place)?;
        self.flag(model, "reasoning", place)?;
        self.headers(model, place)?;
        for key in ["contextWindow", "maxTokens"] {
            if let Some(number) = self.number(model, key, place)?
                && number <= 0.0
            {
                return Err(self.bad(&format!("{place}.{key}"), "must be greater than 0"));
            }
        }
        for key in ["inputLimits", "promptCache", "samplingParams", "compat", "cost"] {
            self.object(model, key, &format!("{place}.{key}"))?;
        }
        let levels = format!("{place}.thinkingLevelMap");
        if let Some(map) = self.object(model, "thinkingLevelMap", &levels)? {
            for level in ThinkingLevel::ALL.map(ThinkingLevel::name) {
                if !matches!(map.get(level), None | Some(Value::Null | Value::String(_))) {
                    return Err(self.bad(&format!("{levels}.{level}"), "must be a text or null"));
                }
            }
        }
        let inputs = match model.get("input") {
            None => return Ok(()),
            Some(Value::Array(inputs)) => inputs,
            Some(_) => return Err(self.bad(&format!("{place}.input"), "must be a list")),
        };
        let known = |input: &Value| {
            input.as_string().is_some_and(|input| *input == *"text" || *input == *"image")
        };
        match inputs.iter().position(|input| !known(input)) {
            None => Ok(()),
            Some(at) => {
                Err(self.bad(&format!("{place}.input.{at}"), "must be \"text\" or \"image\""))
            }
        }
    }

    fn whole_cost(&self, model: &Value, place: &str) -> Result<(), HostError> {
        let Some(cost) = model.get("cost") else { return Ok(()) };
        let place = format!("{place}.cost");
        for key in ["input", "output", "cacheRead", "cacheWrite"] {
            if self.number(cost, key, &place)?.is_none() {
                return Err(self.bad(&format!("{place}.{key}"), "is missing"));
            }
        }
        Ok(())
    }

    fn headers(&self, of: &Value, place: &str) -> Result<(), HostError> {
        let place = format!("{place}.headers");
        let Some(headers) = self.object(of, "headers", &place)? else { return Ok(()) };
        match headers.iter().find(|(_, value)| value.as_string().is_none()) {
            None => Ok(()),
            Some((name, _)) => Err(self.bad(&format!("{place}.{name}"), "must be a text")),
        }
    }

    fn text(&self, of: &Value, key: &str, place: &str) -> Result<(), HostError> {
        match of.get(key) {
            None => Ok(()),
            Some(Value::String(text)) if !text.is_empty() => Ok(()),
            Some(_) => Err(self.bad(&format!("{place}.{key}"), "must be a non-empty string")),
        }
    }

    fn flag(&self, of: &Value, key: &str, place: &str) -> Result<(), HostError> {
        match of.get(key) {
            None | Some(Value::Bool(_)) => Ok(()),
            Some(_) => Err(self.bad(&format!("{place}.{key}"), "must be true or false")),
        }
    }

    fn number(&self, of: &Value, key: &str, place: &str) -> Result<Option<f64>, HostError> {
        match of.get(key) {
            None => Ok(None),
            Some(Value::Number(number)) if number.is_finite() => Ok(Some(*number)),
            Some(_) => Err(self.bad(&format!("{place}.{key}"), "must be a number")),
        }
    }

    fn object<'v>(
        &self,
        of: &'v Value,
        key: &str,
        place: &str,
    ) -> Result<Option<&'v Object>, HostError> {
        match of.get(key) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(_) => Err(self.bad(place, "must be an object")),
        }
    }

    fn bad(&self, place: &str, problem: &str) -> HostError {
        bad_value(self.path, place, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        for (text, plain) in [
            ("{\"a\":1,} // x, }", "{\"a\":1 }        "),
            ("[1, // one\n 2 , ]", "[1,       \n 2   ]"),
            (r#"{"a":"// no, }","b":"\",]"}"#, r#"{"a":"// no, }","b":"\",]"}"#),
            ("[1,2]", "[1,2]"),
            ("[,1]", "[,1]"),
            ("\"open, ]", "\"open, ]"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            blank_out_extras(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), plain, "{text}");
        }
    }
}
