//! Secrets whose values are known: what Pi's own files and variables hold, and environment files.
//!
//! They are wanted by whoever takes secrets out of sessions. A `!command` in Pi's files is not run
//! for this: it may ask a question, and what it prints is no part of a session unless somebody
//! pasted it.

use std::path::Path;

use pitree_format::{Object, Value};
use pitree_session::Environment;
use pitree_session::location::agent_directory;

use crate::auth::{ANTHROPIC_BEARER, ApiKey, ConfigValue, VARIABLES};
use crate::error::HostError;
use crate::file;
use crate::models::secret_values;

/// Members of a login in `auth.json` that hold secrets.
const SECRET_MEMBERS: [&str; 10] = [
    "id_token",
    "idToken",
    "key",
    "access",
    "refresh",
    "token",
    "access_token",
    "refresh_token",
    "apiKey",
    "clientSecret",
];

/// A secret and where it was found.
pub type NamedSecret = (String, ApiKey);

/// The keys in `auth.json`, in `models.json` and in the variables that Pi knows.
pub fn known_secrets(environment: &Environment) -> Result<Vec<NamedSecret>, HostError> {
    let mut secrets = Vec::new();
    let agent = agent_directory(environment);
    if let Some(Value::Object(logins)) = file::read_json(&agent.join("auth.json"))? {
        for (provider, login) in logins.iter() {
            of_login(&provider.to_text(), login, environment, &mut secrets);
        }
    }
    for (provider, value) in secret_values(&agent.join("models.json"))? {
        add(format!("models.json {provider}"), &value, environment, &mut secrets);
    }
    for name in secret_variables() {
        if let Some(value) = environment.var(name) {
            secrets.push((name.to_owned(), ApiKey::new(value)));
        }
    }
    Ok(secrets)
}

/// The variables that hold keys, by name.
pub fn secret_variables() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().flat_map(|(_, names)| names.iter().copied()).chain([ANTHROPIC_BEARER])
}

fn of_login(
    provider: &str,
    login: &Value,
    environment: &Environment,
    secrets: &mut Vec<NamedSecret>,
) {
    let members = login.as_object().into_iter().flat_map(Object::iter);
    for (name, value) in members {
        let name = name.to_text();
        let named = || format!("auth.json {provider} {name}");
        match value {
            Value::String(text) if SECRET_MEMBERS.contains(&&*name) => {
                add(named(), &text.to_text(), environment, secrets);
            }
            Value::Object(variables) if name == "env" => {
                let texts = variables.iter().filter_map(|(_, value)| value.as_string());
                texts.for_each(|text| add(named(), &text.to_text(), environment, secrets));
            }
            _ => {}
        }
    }
}

/// Adds a value of Pi's files, with its variables looked up.
fn add(name: String, value: &str, environment: &Environment, secrets: &mut Vec<NamedSecret>) {
    let value = match ConfigValue::parse(value) {
        ConfigValue::Command(_) => return,
        template @ ConfigValue::Template(_) => template.resolve(&[], environment),
    };
    secrets.extend(value.map(|value| (name, ApiKey::new(value))));
}

/// The variables that an environment file sets: `NAME=value` lines, with or without `export`,
/// quotes and comments. A quoted value may have several lines. An error if the file does not exist,
/// or if a line is none of these: a value that is passed over would be published.
pub fn env_file(path: &Path) -> Result<Vec<NamedSecret>, HostError> {
    let Some(bytes) = file::read(path)? else {
        let missing = std::io::ErrorKind::NotFound;
        let source = std::io::Error::new(missing, "the file does not exist");
        return Err(HostError::Io { action: "read", path: path.to_owned(), source });
    };
    variables(&String::from_utf8_lossy(&bytes))
        .map_err(|line| HostError::NotAVariable { path: path.to_owned(), line })
}

/// The variables of a text, or the number of the first line that does not set one.
fn variables(text: &str) -> Result<Vec<NamedSecret>, usize> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = match name(line) {
            Some((name, value)) => {
                // A quoted value may go on behind the end of the line.
                let value = &rest[line.len() - value.len()..];
                let (value, after) = quoted(value).unwrap_or((plain(value), after));
                found.push((name.to_owned(), ApiKey::new(value)));
                after
            }
            None if sets_nothing(line) => after,
            None => return Err(text[..text.len() - rest.len()].matches('\n').count() + 1),
        };
    }
    Ok(found)
}

/// The name that a line sets, and the rest of the line.
fn name(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    is_name(name).then(|| (name, value.trim_start()))
}

/// Whether this names a variable, in a shell or in one of the programs that also take dots and
/// hyphens.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

/// Whether a line holds no value: it is blank, a comment, or only exports variables.
fn sets_nothing(line: &str) -> bool {
    let line = line.trim();
    let exported = line.strip_prefix("export ");
    line.is_empty()
        || line.starts_with('#')
        || exported.is_some_and(|names| names.split_whitespace().all(is_name))
}

/// A value that begins with a quote, and the text behind its line; `None` if the quote is not
/// closed.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut value = String::new();
    let mut signs = text.char_indices().skip(1);
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' if quote == '"' => match signs.next()?.1 {
                'n' => value.push('\n'),
                escaped @ ('"' | '\\' | '$' | '`') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            // The quote of a later variable: this one was never closed.
            sign if sign == quote && value.contains('\n') && value.ends_with('=') => return None,
            sign if sign == quote => {
                let after = text[at..].split_once('\n').map_or("", |(_, after)| after);
                return Some((value, after));
            }
            sign => value.push(sign),
        }
    }
    None
}

/// A value without quotes, or one whose quote is not closed.
fn plain(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.split(" #").next().unwrap_or_default();
    line.trim_end().trim_start_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn shown(secrets: &[NamedSecret]) -> Vec<(&str, &str)> {
        secrets.iter().map(|(name, value)| (name.as_str(), value.reveal())).collect()
    }

    #[test]
    fn environment_files_are_read_as_shells_do() {
        let text = "# a comment\nA=plain value # why\n\n \t\nexport B=\"quo ted\" # x\nexport A B\n  C='s#q'\r\n";
        let secrets = variables(text).unwrap();
        assert_eq!(shown(&secrets), [("A", "plain value"), ("B", "quo ted"), ("C", "s#q")]);
    }

    #[test]
    fn quoted_values_have_escapes_and_lines() {
        let text = "A=\"x\\\"y\" # why\nB=\"-----BEGIN\nabc\n-----END\"\nC='a\\b'\nD=\"open\nE=1\r\nF=\"a\\nb\"\n";
        let secrets = variables(text).unwrap();
        let expected = [
            ("A", "x\"y"),
            ("B", "-----BEGIN\nabc\n-----END"),
            ("C", "a\\b"),
            ("D", "open"),
            ("E", "1"),
            ("F", "a\nb"),
        ];
        assert_eq!(shown(&secrets), expected);
    }

    #[test]
    fn a_line_that_sets_nothing_is_an_error() {
        for (text, line) in [
            ("MY_TOKEN: q9Zk2vX81LmPw7Rt\n", 1),
            ("A=1\n# x\nno line\n", 3),
            ("=x", 1),
            ("A=\"x\ny\"\n{\"type\":\"session\"}\n", 3),
            ("A=\"-----BEGIN\nabc\n", 2),
            ("export A B: x\n", 1),
            ("A\0=\0x", 1),
        ] {
            assert_eq!(variables(text).unwrap_err(), line, "{text:?}");
        }
    }

    #[test]
    fn pis_files_and_variables_are_read_and_no_command_is_run() {
        let folder = tempfile::tempdir().unwrap();
        let agent = folder.path().join(".pi/agent");
        fs_err::create_dir_all(&agent).unwrap();
        let marker = folder.path().join("was-run");
        let auth = format!(
            r#"{{"a":{{"type":"api_key","key":"literal-value"}},"b":{{"type":"oauth","access":"acc","refresh":"ref","email":"x"}},"c":{{"type":"api_key","key":"$OTHER"}},"d":{{"type":"api_key","key":"!touch {}"}}}}"#,
            marker.display()
        );
        fs_err::write(agent.join("auth.json"), auth).unwrap();
        let models = r#"{"providers":{"own":{"baseUrl":"http://localhost","api":"openai-completions","apiKey":"of-models","headers":{"X-Own":"of-header"},"models":[{"id":"m"}]}}}"#;
        fs_err::write(agent.join("models.json"), models).unwrap();
        let environment = Environment::new(folder.path(), "/srv", || 0, |_| {})
            .with_var("OTHER", "of-variable")
            .with_var("OPENAI_API_KEY", "of-openai");
        let secrets = known_secrets(&environment).unwrap();
        let values: Vec<&str> = shown(&secrets).into_iter().map(|(_, value)| value).collect();
        let expected =
            ["literal-value", "acc", "ref", "of-variable", "of-models", "of-header", "of-openai"];
        assert_eq!(values, expected);
        assert!(!marker.exists());
    }

    #[test]
    fn without_files_there_are_none() {
        let environment = Environment::new("/nonexistent", "/srv", || 0, |_| {});
        assert!(known_secrets(&environment).unwrap().is_empty());
        assert!(env_file(Path::new("/nonexistent/.env")).is_err());
    }
}
