//! Values that say where to find a secret: `$NAME`, `${NAME}`, `!command`, or the text itself.
//!
//! `$$` is a dollar sign and `$!` an exclamation mark. These are the rules of Pi's `auth.json`
//! and `models.json`; both belong to the user, so a command in them may be run.

use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

use pitree_session::Environment;
use pitree_session::summary::Cancel;

use crate::child::{self, End, Job, Pipe};
use crate::error::HostError;

const COMMAND_TIME: Duration = Duration::from_secs(10);
const MOST_OUTPUT: usize = 1 << 20;

/// A value before it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConfigValue<'a> {
    /// The output of a shell command.
    Command(&'a str),
    /// Text with names of variables in it.
    Template(Vec<Part<'a>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Literal(&'a str),
    Variable(&'a str),
}

/// Variables that come before those of the process, as `env` of a stored credential.
pub(crate) type Extra = [(String, String)];

impl<'a> ConfigValue<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        match text.strip_prefix('!') {
            Some(command) => Self::Command(command),
            None => Self::Template(parts(text)),
        }
    }

    /// The variables that the value needs.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &'a str> {
        let parts = match self {
            Self::Command(_) => &[][..],
            Self::Template(parts) => parts.as_slice(),
        };
        parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(*name),
            Part::Literal(_) => None,
        })
    }

    /// Whether every variable that the value needs is set. Commands are not run for this.
    pub(crate) fn is_configured(&self, extra: &Extra, environment: &Environment) -> bool {
        self.variables().all(|name| lookup(name, extra, environment).is_some())
    }

    /// Looks the value up; `None` if a variable is missing or the command gave nothing.
    pub(crate) fn resolve(&self, extra: &Extra, environment: &Environment) -> Option<String> {
        match self {
            Self::Command(command) => run(command, environment),
            Self::Template(parts) => parts
                .iter()
                .map(|part| match part {
                    Part::Literal(text) => Some(*text),
                    Part::Variable(name) => lookup(name, extra, environment),
                })
                .collect(),
        }
    }

    /// Looks the value up, or says why there is none. The value itself is never shown: a text
    /// that was meant as a variable may be the key.
    pub(crate) fn require(
        &self,
        what: &str,
        extra: &Extra,
        environment: &Environment,
    ) -> Result<String, HostError> {
        self.resolve(extra, environment).ok_or_else(|| {
            let missing: Vec<&str> = self
                .variables()
                .filter(|name| lookup(name, extra, environment).is_none())
                .collect();
            let problem = match self {
                Self::Command(_) => {
                    "its command failed, printed nothing or took over 10 seconds".to_owned()
                }
                Self::Template(_) => format!("{} is not set", missing.join(", ")),
            };
            HostError::Unresolved { what: what.to_owned(), problem }
        })
    }
}

/// A variable of the provider's own, else one of the environment.
pub(super) fn lookup<'e>(
    name: &str,
    extra: &'e Extra,
    environment: &'e Environment,
) -> Option<&'e str> {
    let own = extra.iter().find(|(key, value)| key == name && !value.is_empty());
    own.map(|(_, value)| value.as_str()).or_else(|| environment.var(name))
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, tail) = rest.split_at(dollar);
        let (part, used) = after_dollar(tail);
        parts.extend([Part::Literal(before), part]);
        rest = &tail[used..];
    }
    parts.push(Part::Literal(rest));
    parts
}

/// What a dollar sign and the text behind it mean, and how many bytes that takes.
fn after_dollar(text: &str) -> (Part<'_>, usize) {
    let rest = &text[1..];
    if rest.starts_with(['$', '!']) {
        return (Part::Literal(&rest[..1]), 2);
    }
    if let Some(inner) = rest.strip_prefix('{') {
        return match inner.find('}') {
            Some(end) if name_length(&inner[..end]) == end && end > 0 => {
                (Part::Variable(&inner[..end]), end + 3)
            }
            Some(end) => (Part::Literal(&text[..end + 3]), end + 3),
            None => (Part::Literal("$"), 1),
        };
    }
    match name_length(rest) {
        0 => (Part::Literal("$"), 1),
        length => (Part::Variable(&rest[..length]), 1 + length),
    }
}

/// How many bytes at the beginning are a variable's name.
fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    text.find(other).unwrap_or(text.len())
}

/// The trimmed output of a shell command; `None` if it fails, takes too long or says nothing.
fn run(command: &str, environment: &Environment) -> Option<String> {
    let mut output = Vec::new();
    let mut shell = Command::new("/bin/sh");
    let job = Job {
        command: shell.arg("-c").arg(command).current_dir(environment.cwd()),
        // As in Pi: a program that asks for a password may need the terminal.
        own_group: false,
        input: None,
        time_limit: Some(COMMAND_TIME),
        cancel: &Cancel::new(),
    };
    let end = child::run(job, |pipe, bytes| {
        if pipe == Pipe::Output {
            output.extend_from_slice(bytes);
        }
        if output.len() > MOST_OUTPUT { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match end {
        Ok(End::Exited(status)) if status.success() => {
            let text = String::from_utf8_lossy(&output).trim().to_owned();
            Some(text).filter(|text| !text.is_empty())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment::new("/home/ana", "/", || 0, |_| {}).with_var("A", "1").with_var("B_2", "two")
    }

    #[test]
    fn templates_follow_the_rules_of_pi() {
        for (text, value) in [
            ("plain", Some("plain")),
            ("$A", Some("1")),
            ("${A}x$B_2", Some("1xtwo")),
            ("$A-$B_2!", Some("1-two!")),
            ("$$A", Some("$A")),
            ("$!x", Some("!x")),
            ("$", Some("$")),
            ("a$1", Some("a$1")),
            ("${A", Some("${A")),
            ("${1}", Some("${1}")),
            ("${}", Some("${}")),
            ("$Ä", Some("$Ä")),
            ("$MISSING", None),
            ("x${MISSING}", None),
            ("", Some("")),
        ] {
            let resolved = ConfigValue::parse(text).resolve(&[], &environment());
            assert_eq!(resolved.as_deref(), value, "{text}");
        }
    }

    #[test]
    fn a_credentials_own_variables_come_first() {
        let own = [("A".to_owned(), "mine".to_owned()), ("C".to_owned(), "3".to_owned())];
        let resolved = ConfigValue::parse("$A$B_2$C").resolve(&own, &environment());
        assert_eq!(resolved.as_deref(), Some("minetwo3"));
    }

    #[test]
    fn commands_are_run_and_may_fail() {
        let run = |text| ConfigValue::parse(text).resolve(&[], &environment());
        assert_eq!(run("!echo ' secret '; echo noise >&2"), Some("secret".to_owned()));
        assert_eq!(run("!echo secret; exit 3"), None);
        assert_eq!(run("!true"), None);
    }

    #[test]
    fn what_is_missing_is_named_but_never_shown() {
        let parsed = ConfigValue::parse("sk-secret-$MISSING");
        let error = parsed.require("the key", &[], &environment()).unwrap_err();
        assert_eq!(error.to_string(), "Cannot get the key: MISSING is not set");
        let parsed = ConfigValue::parse("!echo sk-secret; false");
        let error = parsed.require("the key", &[], &environment()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("sk-secret"), "{error:?}");
    }
}
