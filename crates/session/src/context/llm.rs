//! Messages of the session turned into messages a model understands. Pi's `convertToLlm`.

use pitree_format::js::{MAX_VALUE_DEPTH, stringify};
use pitree_format::message::text_block;
use pitree_format::{JsString, Object, Role, Value};

const COMPACTION_PREFIX: &str = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n";
const COMPACTION_SUFFIX: &str = "\n</summary>";
const BRANCH_PREFIX: &str =
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n";
const BRANCH_SUFFIX: &str = "</summary>";

/// Converts messages: shell commands, extension messages and summaries become user messages;
/// excluded commands and unknown roles are dropped.
pub fn to_llm<'a>(messages: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
    messages.into_iter().filter_map(convert).collect()
}

fn convert(message: &Value) -> Option<Value> {
    match Role::of(message) {
        Role::BashExecution => {
            let excluded = message.get("excludeFromContext").is_some_and(Value::is_truthy);
            (!excluded).then(|| user_text(message, bash_execution_text(message)))
        }
        Role::Custom => {
            let content = match message.get("content") {
                Some(Value::String(text)) => Some(Value::from(vec![text_block(text.clone())])),
                other => other.cloned(),
            };
            Some(user(message, content))
        }
        Role::BranchSummary => {
            Some(user_text(message, wrapped(message, BRANCH_PREFIX, BRANCH_SUFFIX)))
        }
        Role::CompactionSummary => {
            Some(user_text(message, wrapped(message, COMPACTION_PREFIX, COMPACTION_SUFFIX)))
        }
        Role::System | Role::User | Role::Assistant | Role::ToolResult => Some(message.clone()),
        _ => None,
    }
}

fn user(message: &Value, content: Option<Value>) -> Value {
    Object::new()
        .with("role", "user")
        .with_some("content", content)
        .with_some("timestamp", message.get("timestamp").cloned())
        .into()
}

fn user_text(message: &Value, text: JsString) -> Value {
    user(message, Some(Value::from(vec![text_block(text)])))
}

fn wrapped(message: &Value, prefix: &str, suffix: &str) -> JsString {
    let mut text = JsString::from(prefix);
    text.push(&interpolated(message.get("summary")));
    text.push_str(suffix);
    text
}

/// What the model reads of a shell command that the user ran.
pub fn bash_execution_text(message: &Value) -> JsString {
    let mut text = JsString::from("Ran `");
    text.push(&interpolated(message.get("command")));
    text.push_str("`\n");
    if message.get("output").is_some_and(Value::is_truthy) {
        text.push_str("```\n");
        text.push(&interpolated(message.get("output")));
        text.push_str("\n```");
    } else {
        text.push_str("(no output)");
    }
    let exit_code = message.get("exitCode").filter(|code| !code.is_null());
    if message.get("cancelled").is_some_and(Value::is_truthy) {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = exit_code.filter(|code| code.as_number() != Some(0.0)) {
        text.push_str("\n\nCommand exited with code ");
        text.push(&interpolated(Some(code)));
    }
    let path = message.get("fullOutputPath").filter(|path| path.is_truthy());
    if let (true, Some(path)) = (message.get("truncated").is_some_and(Value::is_truthy), path) {
        text.push_str("\n\n[Output truncated. Full output: ");
        text.push(&interpolated(Some(path)));
        text.push_str("]");
    }
    text
}

/// What JavaScript puts into a template string for a value.
pub(crate) fn interpolated(value: Option<&Value>) -> JsString {
    interpolated_at(value, 0)
}

fn interpolated_at(value: Option<&Value>, depth: usize) -> JsString {
    match value {
        // A caller's list may be nested deeper than a stack is long.
        Some(deep @ Value::Array(_)) if depth > MAX_VALUE_DEPTH => stringify(deep).into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if number.is_infinite() => {
            if *number > 0.0 {
                "Infinity".into()
            } else {
                "-Infinity".into()
            }
        }
        Some(Value::Number(number)) if number.is_nan() => "NaN".into(),
        Some(Value::Array(items)) => {
            let mut text = JsString::new();
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push_str(",");
                }
                if !item.is_null() {
                    text.push(&interpolated_at(Some(item), depth + 1));
                }
            }
            text
        }
        Some(Value::Object(_)) => "[object Object]".into(),
        Some(other) => stringify(other).into(),
        None => "undefined".into(),
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;

    use super::*;

    #[test]
    fn odd_exit_codes_read_as_in_javascript() {
        for (json, text) in [
            ("-1e400", "-Infinity"),
            ("1e400", "Infinity"),
            ("[1,null,\"a\",[2,3]]", "1,,a,2,3"),
            ("{}", "[object Object]"),
            ("true", "true"),
            ("1.50", "1.5"),
        ] {
            let message = format!("{{\"command\":\"c\",\"exitCode\":{json}}}");
            let text = format!("Ran `c`\n(no output)\n\nCommand exited with code {text}");
            assert_eq!(bash_execution_text(&parse(message.as_bytes()).unwrap()), text.as_str());
        }
    }
}
