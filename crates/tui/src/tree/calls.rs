//! A tool call in a few words.

use pitree_format::js::{print_number, stringify};
use pitree_format::{JsString, Value};

/// How much of a shell command is shown, in UTF-16 units.
const MOST_OF_A_COMMAND: usize = 50;
/// How much of the arguments of an unknown tool is shown.
const MOST_OF_ARGUMENTS: usize = 40;
/// Lists in lists that are put into words; deeper ones are shown as JSON.
const MOST_NESTED_LISTS: usize = 8;

/// A call as Pi's tree shows it. Not yet harmless.
pub(super) fn call_in_brief(name: &JsString, arguments: &Value, home: &str) -> String {
    let word = |key: &str| arguments.get(key).filter(|value| value.is_truthy()).map(to_words);
    let path = || short_path(word("path").or_else(|| word("file_path")).unwrap_or_default(), home);
    let folder = || short_path(word("path").unwrap_or_else(|| ".".to_owned()), home);
    let pattern = || word("pattern").unwrap_or_default();
    match &*name.to_text() {
        "read" => format!("[read: {}{}]", path(), line_range(arguments)),
        tool @ ("write" | "edit") => format!("[{tool}: {}]", path()),
        "bash" => {
            let command = JsString::from(word("command").unwrap_or_default());
            let flat = JsString::from(command.to_text().replace(['\n', '\t'], " ")).trim();
            let dots = if command.utf16_len() > MOST_OF_A_COMMAND { "..." } else { "" };
            format!("[bash: {}{dots}]", flat.utf16_prefix(MOST_OF_A_COMMAND))
        }
        "grep" => format!("[grep: /{}/ in {}]", pattern(), folder()),
        "find" => format!("[find: {} in {}]", pattern(), folder()),
        "ls" => format!("[ls: {}]", folder()),
        name => {
            let arguments = JsString::from(stringify(arguments));
            let dots = if arguments.utf16_len() > MOST_OF_ARGUMENTS { "..." } else { "" };
            format!("[{name}: {}{dots}]", arguments.utf16_prefix(MOST_OF_ARGUMENTS))
        }
    }
}

/// JavaScript's `String(value)`, as far as lists are not nested deeper than anybody needs.
fn to_words(value: &Value) -> String {
    words_at_depth(value, 0)
}

fn words_at_depth(value: &Value, depth: usize) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Array(items) if depth < MOST_NESTED_LISTS => {
            let items = items.iter().map(|item| match item {
                Value::Null => String::new(),
                item => words_at_depth(item, depth + 1),
            });
            items.collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
        Value::Number(number) => number_in_words(*number),
        other => stringify(other),
    }
}

/// A number as JavaScript turns it into text, which is not how it prints JSON.
pub(super) fn number_in_words(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let mut words = String::new();
    print_number(number, &mut words);
    words
}

/// A path below the home folder begins with `~`.
fn short_path(path: String, home: &str) -> String {
    let home = home.trim_end_matches('/');
    match path.strip_prefix(home) {
        Some(rest) if !home.is_empty() && (rest.is_empty() || rest.starts_with('/')) => {
            format!("~{}", rest.trim_end_matches('/'))
        }
        _ => path,
    }
}

/// The lines that a call of `read` asks for: `:10`, or `:10-29`.
fn line_range(arguments: &Value) -> String {
    let member = |key: &str| arguments.get(key).filter(|value| !value.is_null());
    let start = match member("offset") {
        Some(offset) => match line_number(offset) {
            Some(start) => start,
            None => return String::new(),
        },
        None if member("limit").is_none() => return String::new(),
        None => 1.0,
    };
    let first = number_in_words(start);
    let Some(limit) = member("limit") else { return format!(":{first}") };
    let Some(count) = line_number(limit) else { return String::new() };
    match start + count - 1.0 {
        0.0 => format!(":{first}"),
        end => format!(":{first}-{}", number_in_words(end)),
    }
}

fn line_number(value: &Value) -> Option<f64> {
    let number = match value.as_string() {
        Some(text) => text.to_text().trim().parse().ok()?,
        None => value.as_number()?,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use pitree_format::Object;

    use super::*;

    fn brief(name: &str, arguments: Object) -> String {
        call_in_brief(&name.into(), &arguments.into(), "/home/ana")
    }

    #[test]
    fn a_read_names_its_lines() {
        let read = |arguments: Object| brief("read", arguments.with("path", "/home/ana/a.rs"));
        assert_eq!(read(Object::new()), "[read: ~/a.rs]");
        assert_eq!(read(Object::new().with("offset", 10.0)), "[read: ~/a.rs:10]");
        assert_eq!(read(Object::new().with("limit", 5.0)), "[read: ~/a.rs:1-5]");
        let both = Object::new().with("offset", "10").with("limit", 20.0);
        assert_eq!(read(both), "[read: ~/a.rs:10-29]");
        assert_eq!(read(Object::new().with("offset", "ten")), "[read: ~/a.rs]");
        assert_eq!(read(Object::new().with("limit", 0.0)), "[read: ~/a.rs:1]");
    }

    #[test]
    fn only_whole_names_are_shortened() {
        assert_eq!(short_path("/home/ana".to_owned(), "/home/ana"), "~");
        assert_eq!(short_path("/home/anatol/a".to_owned(), "/home/ana"), "/home/anatol/a");
        assert_eq!(short_path("/home/ana/a".to_owned(), ""), "/home/ana/a");
    }

    #[test]
    fn long_commands_are_cut() {
        let command = "x".repeat(51);
        let expected = format!("[bash: {}...]", "x".repeat(50));
        assert_eq!(brief("bash", Object::new().with("command", command.as_str())), expected);
        assert_eq!(
            brief("weather", Object::new().with("city", "Rome")),
            r#"[weather: {"city":"Rome"}]"#
        );
    }
}
