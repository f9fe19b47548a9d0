//! Compares values with a JSON schema: the keywords that the schemas of `docs/json` use, and no
//! others.

use std::collections::BTreeSet;

use pitree_format::Value as Data;
use serde_json::Value;

/// Keywords that say nothing about a value.
const REMARKS: [&str; 4] = ["$schema", "title", "description", "$defs"];

/// A schema, and which of its definitions were met.
pub(super) struct Validator<'s> {
    schema: &'s Value,
    pub(super) met: BTreeSet<String>,
}

impl<'s> Validator<'s> {
    pub(super) fn new(schema: &'s Value) -> Self {
        Self { schema, met: BTreeSet::new() }
    }

    /// Says where and why a value does not fit.
    pub(super) fn check(&mut self, data: &Data) -> Result<(), String> {
        self.fits(self.schema, data, "")
    }

    fn fits(&mut self, schema: &'s Value, data: &Data, at: &str) -> Result<(), String> {
        // So deep that nobody has decoded it.
        if matches!(data, Data::Deep(_)) {
            return Ok(());
        }
        let Some(keywords) = schema.as_object() else { panic!("no schema: {schema}") };
        for (keyword, wanted) in keywords {
            let fits = match keyword.as_str() {
                "type" => has_type(data, wanted),
                "const" => is_equal(data, wanted),
                "enum" => list(wanted).iter().any(|wanted| is_equal(data, wanted)),
                "minimum" => data.as_number() >= wanted.as_f64(),
                "format" => data.as_string().is_some_and(|text| is_time(&text.to_text())),
                "$ref" => self.meets(wanted, data, at)?,
                "anyOf" => self.fits_any(list(wanted), data, at)?,
                "items" => self.items_fit(wanted, data, at)?,
                "required" => has_all(data, wanted, at)?,
                "properties" => true,
                "additionalProperties" => {
                    self.members_fit(keywords.get("properties"), wanted, data, at)?
                }
                other if REMARKS.contains(&other) => true,
                other => panic!("the validator does not know `{other}`"),
            };
            if !fits {
                let shown = pitree_format::js::stringify(data);
                let shown: String = shown.chars().take(80).collect();
                return Err(format!("{at}: {shown} is not {keyword} {wanted}"));
            }
        }
        Ok(())
    }

    fn meets(&mut self, reference: &'s Value, data: &Data, at: &str) -> Result<bool, String> {
        let name = reference.as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        let name = name.expect("a reference names a definition");
        let definition = self.schema["$defs"].get(name).expect("the definition is there");
        self.fits(definition, data, at)?;
        self.met.insert(name.to_owned());
        Ok(true)
    }

    fn fits_any(&mut self, choices: &'s [Value], data: &Data, at: &str) -> Result<bool, String> {
        let mut errors = Vec::new();
        for choice in choices {
            let before = self.met.clone();
            match self.fits(choice, data, at) {
                Ok(()) => return Ok(true),
                Err(error) => errors.push(error),
            }
            // What was met on the way to a failure does not count.
            self.met = before;
        }
        Err(format!("{at}: fits none of\n  {}", errors.join("\n  ")))
    }

    fn items_fit(&mut self, schema: &'s Value, data: &Data, at: &str) -> Result<bool, String> {
        for (number, item) in data.as_array().unwrap_or_default().iter().enumerate() {
            self.fits(schema, item, &format!("{at}/{number}"))?;
        }
        Ok(true)
    }

    /// Compares the members that are known with their schemas, and all others with `others`.
    fn members_fit(
        &mut self,
        known: Option<&'s Value>,
        others: &'s Value,
        data: &Data,
        at: &str,
    ) -> Result<bool, String> {
        for (name, member) in data.as_object().into_iter().flat_map(pitree_format::Object::iter) {
            let name = name.to_text();
            let at = format!("{at}/{name}");
            match known.and_then(|known| known.get(&*name)) {
                Some(schema) => self.fits(schema, member, &at)?,
                None if *others == Value::Bool(false) => {
                    return Err(format!("{at}: the schema has no such member"));
                }
                None => self.fits(others, member, &at)?,
            }
        }
        Ok(true)
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn has_all(data: &Data, required: &Value, at: &str) -> Result<bool, String> {
    match list(required).iter().filter_map(Value::as_str).find(|name| data.get(name).is_none()) {
        Some(name) => Err(format!("{at}: `{name}` is missing")),
        None => Ok(true),
    }
}

fn has_type(data: &Data, wanted: &Value) -> bool {
    let Some(name) = wanted.as_str() else {
        return list(wanted).iter().any(|wanted| has_type(data, wanted));
    };
    match name {
        "null" => data.is_null(),
        "boolean" => data.as_bool().is_some(),
        "number" => data.as_number().is_some(),
        "integer" => data.as_number().is_some_and(|number| number.fract() == 0.0),
        "string" => data.as_string().is_some(),
        "array" => data.as_array().is_some(),
        "object" => data.as_object().is_some(),
        other => panic!("the validator does not know the type `{other}`"),
    }
}

fn is_equal(data: &Data, wanted: &Value) -> bool {
    match wanted {
        Value::Bool(wanted) => data.as_bool() == Some(*wanted),
        Value::String(wanted) => data.as_string().is_some_and(|text| text.to_text() == *wanted),
        other => panic!("the validator does not know the constant {other}"),
    }
}

/// Whether it is a time as pitree prints it, such as `2026-02-03T22:52:06.410Z`.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00.000Z"
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({
            "anyOf": [{"$ref": "#/$defs/One"}, {"type": "array", "items": {"$ref": "#/$defs/One"}}],
            "$defs": {"One": {
                "type": "object",
                "properties": {
                    "count": {"type": "integer", "minimum": 0},
                    "time": {"type": "string", "format": "date-time"},
                    "kind": {"enum": ["a", "b"]},
                    "others": {"type": "object", "additionalProperties": {"type": "number"}},
                },
                "required": ["count"],
                "additionalProperties": false,
            }},
        });
        let check = |text: &str| {
            let mut validator = Validator::new(&schema);
            validator.check(&parse(text.as_bytes()).unwrap()).map(|()| validator.met.len())
        };
        assert_eq!(check(r#"{"count":1,"time":"2026-02-03T22:52:06.410Z","kind":"b"}"#), Ok(1));
        assert_eq!(check(r#"[{"count":1,"others":{"x":1.5}}]"#), Ok(1));
        assert_eq!(check("[]"), Ok(0));
        let wrong = [
            (r#"{"count":-1}"#, "/count: -1 is not minimum 0"),
            (r#"{"count":1.5}"#, "/count: 1.5 is not type"),
            (r#"{"count":1,"kind":"c"}"#, "/kind: "),
            (r#"{"count":1,"time":"now"}"#, "/time: "),
            (r#"{"count":1,"more":1}"#, "/more: the schema has no such member"),
            (r#"[{"count":1,"others":{"x":"1"}}]"#, "/0/others/x: "),
            ("{}", "`count` is missing"),
            ("null", "is not type"),
        ];
        for (text, reason) in wrong {
            let error = check(text).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
