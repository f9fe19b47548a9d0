//! One request: a JSON object with a `type`, perhaps an `id`, and what the command takes.

use pitree_format::js::{parse, print_number};
use pitree_format::{JsString, Object, Value};

use crate::answer::Failure;

/// A request that is JSON. Whether its command exists is another matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// Given back with the answer; any JSON.
    pub(crate) id: Option<Value>,
    /// The `type`; a command if it is the name of one.
    pub(crate) command: Option<Value>,
    members: Object,
}

impl Request {
    /// A request without anything else, for answers to lines that are none.
    pub(crate) fn named(command: &str) -> Self {
        Self { command: Some(command.into()), ..Self::default() }
    }

    /// Reads a line. What is JSON but no object is a request without a command.
    pub(crate) fn read(line: &[u8]) -> Result<Self, Failure> {
        match parse(line) {
            Ok(Value::Object(members)) => {
                let member = |name| members.get(name).cloned();
                Ok(Self { id: member("id"), command: member("type"), members })
            }
            Ok(_) => Ok(Self::default()),
            Err(error) => Err(Failure::new(format!("Failed to parse command: {error}"))),
        }
    }

    /// The name of the command, as JavaScript puts it into a sentence.
    pub(crate) fn command_text(&self) -> String {
        sentence_text(self.command.as_ref())
    }

    /// A member of the request.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.members.get(name)
    }

    /// All members, to pass the request on.
    pub(crate) fn members(&self) -> &Object {
        &self.members
    }

    /// A text that the command cannot do without.
    pub(crate) fn text(&self, name: &str) -> Result<&JsString, Failure> {
        match self.get(name) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(name, "a string", other)),
        }
    }

    /// A text that may be left out.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&JsString>, Failure> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            other => Err(self.wrong(name, "a string", other)),
        }
    }

    /// A yes or no; no if it is left out.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Failure> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            other => Err(self.wrong(name, "true or false", other)),
        }
    }

    /// A count that may be left out.
    pub(crate) fn optional_count(&self, name: &str) -> Result<Option<usize>, Failure> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) if number.fract() == 0.0 && *number >= 0.0 => {
                Ok(Some(*number as usize))
            }
            other => Err(self.wrong(name, "a whole number, 0 or more", other)),
        }
    }

    fn wrong(&self, name: &str, expected: &str, found: Option<&Value>) -> Failure {
        let command = self.command_text();
        Failure::new(match found {
            None => format!("`{name}` is missing: {command} needs {expected}"),
            Some(_) => format!("`{name}` of {command} must be {expected}"),
        })
    }
}

/// A value as JavaScript puts it into a sentence: `undefined` where there is none.
pub(crate) fn sentence_text(value: Option<&Value>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Number(number)) if number.is_finite() => {
            let mut text = String::new();
            print_number(*number, &mut text);
            text
        }
        Some(Value::Number(number)) if *number < 0.0 => "-Infinity".to_owned(),
        Some(Value::Number(_)) => "Infinity".to_owned(),
        Some(Value::String(text)) => text.to_string(),
        Some(Value::Array(items)) => {
            let items = items.iter().map(|item| match item {
                Value::Null => String::new(),
                other => sentence_text(Some(other)),
            });
            items.collect::<Vec<_>>().join(",")
        }
        Some(Value::Object(_) | Value::Deep(_)) => "[object Object]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_commands_are_named_as_in_javascript() {
        let named = |line: &str| Request::read(line.as_bytes()).unwrap().command_text();
        assert_eq!(named("5"), "undefined");
        assert_eq!(named("null"), "undefined");
        assert_eq!(named(r#"{"type":null}"#), "null");
        assert_eq!(named(r#"{"type":1e21}"#), "1e+21");
        assert_eq!(named(r#"{"type":-1e999}"#), "-Infinity");
        assert_eq!(named(r#"{"type":["a",null,[1,2],{}]}"#), "a,,1,2,[object Object]");
    }

    #[test]
    fn a_wrong_member_is_named() {
        let request = Request::read(br#"{"type":"fork","entryId":5}"#).unwrap();
        let message = request.text("entryId").unwrap_err().to_string();
        assert_eq!(message, "`entryId` of fork must be a string");
        let message = request.text("name").unwrap_err().to_string();
        assert_eq!(message, "`name` is missing: fork needs a string");
    }
}
