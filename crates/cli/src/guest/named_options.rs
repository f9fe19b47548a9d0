//! Options by name, as a program passes them, and the words that somebody would type for them.
//!
//! What there is to pass is read from the definitions of the command line, so nothing is listed
//! twice: an option `--max-tool-chars` is `max_tool_chars`, a flag is `true` or `false`, what may be
//! repeated takes a list, and what stands without a name goes by the name that its value has here.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use super::Failure;
use crate::help;

/// What a program passes for an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// As if it was not passed.
    None,
    /// Whether a flag is set.
    Flag(bool),
    /// A value.
    Value(OsString),
    /// Several values.
    Values(Vec<OsString>),
}

/// An option that a verb takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedOption {
    /// The name for programs.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
    /// Whether the verb needs it.
    pub is_required: bool,
    /// The values that it may have, if there are only these.
    pub values: Vec<String>,
    /// What it has if it is not passed.
    pub default: Option<String>,
    /// What it means.
    pub help: String,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Yes or no.
    Flag,
    /// A value.
    Value,
    /// One or more values.
    Values,
}

/// Options that a program has no use for: it always gets JSON, without colors or a pager.
const NOT_FOR_PROGRAMS: [&str; 5] = ["json", "color", "no-pager", "help", "version"];

/// The words for a verb with these options; the order of `given` stays.
pub fn words(verb: &str, given: &[(String, OptionValue)]) -> Result<Vec<OsString>, Failure> {
    let command = verb_command(verb)?;
    let mut words: Vec<OsString> = vec![verb.into()];
    let mut operands = Vec::new();
    for (name, value) in given {
        let Some(arg) = find(&command, name) else {
            return Err(unknown(verb, name, &command));
        };
        match arg.get_long() {
            Some(long) => add_option(&mut words, long, arg, value, name)?,
            None => operands.extend(listed(value, name)?),
        }
    }
    if !operands.is_empty() {
        // Behind this nothing is taken for an option, whatever it begins with.
        words.push("--".into());
        words.append(&mut operands);
    }
    Ok(words)
}

/// What a verb takes, in the order of its help.
pub fn options(verb: &str) -> Result<Vec<NamedOption>, Failure> {
    let command = verb_command(verb)?;
    let shown = command.get_arguments().filter(|arg| is_for_programs(arg) && !arg.is_hide_set());
    Ok(shown.map(described).collect())
}

fn verb_command(verb: &str) -> Result<Command, Failure> {
    let mut command = help::plain_command();
    // Only then the verbs have the global options.
    command.build();
    let found = command.find_subcommand(verb).cloned();
    found.ok_or_else(|| Failure::usage(&format!("there is no command `{verb}`")))
}

fn is_for_programs(arg: &Arg) -> bool {
    !arg.get_long().is_some_and(|long| NOT_FOR_PROGRAMS.contains(&long))
}

/// The name for programs.
fn name_of(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).replace('-', "_")
}

/// Finds an option by its name, or by an older one. One underscore at the end is left out, for
/// names that a language keeps for itself.
fn find<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    let plain = name.strip_suffix('_').unwrap_or(name);
    let is_named = |arg: &&Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        name_of(arg) == plain || aliases.iter().any(|alias| alias.replace('-', "_") == plain)
    };
    command.get_arguments().filter(|arg| is_for_programs(arg)).find(is_named)
}

fn kind_of(arg: &Arg) -> OptionKind {
    let is_many = matches!(arg.get_action(), ArgAction::Append)
        || arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => OptionKind::Flag,
        _ if is_many => OptionKind::Values,
        _ => OptionKind::Value,
    }
}

fn described(arg: &Arg) -> NamedOption {
    let text = |values: &[clap::builder::OsStr]| {
        values.first().map(|value| value.to_string_lossy().into_owned())
    };
    let kind = kind_of(arg);
    NamedOption {
        name: name_of(arg),
        is_required: arg.is_required_set(),
        values: match kind {
            OptionKind::Flag => Vec::new(),
            _ => arg.get_possible_values().iter().map(|one| one.get_name().to_owned()).collect(),
        },
        default: text(arg.get_default_values()).filter(|_| kind != OptionKind::Flag),
        help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        kind,
    }
}

fn add_option(
    words: &mut Vec<OsString>,
    long: &str,
    arg: &Arg,
    value: &OptionValue,
    name: &str,
) -> Result<(), Failure> {
    let is_flag = kind_of(arg) == OptionKind::Flag;
    match value {
        OptionValue::None | OptionValue::Flag(false) => {}
        OptionValue::Flag(true) if is_flag => words.push(format!("--{long}").into()),
        OptionValue::Flag(true) => {
            return Err(Failure::usage(&format!("`{name}` takes a value, not True")));
        }
        _ if is_flag => {
            return Err(Failure::usage(&format!("`{name}` takes True or False")));
        }
        value => {
            for one in listed(value, name)? {
                // In one word, so that a value may begin with a hyphen.
                let mut word = OsString::from(format!("--{long}="));
                word.push(one);
                words.push(word);
            }
        }
    }
    Ok(())
}

fn listed(value: &OptionValue, name: &str) -> Result<Vec<OsString>, Failure> {
    match value {
        OptionValue::None | OptionValue::Flag(false) => Ok(Vec::new()),
        OptionValue::Flag(true) => Err(Failure::usage(&format!("`{name}` takes a value"))),
        OptionValue::Value(value) => Ok(vec![value.clone()]),
        OptionValue::Values(values) => Ok(values.clone()),
    }
}

fn unknown(verb: &str, name: &str, command: &Command) -> Failure {
    let names: Vec<String> =
        command.get_arguments().filter(|arg| is_for_programs(arg)).map(name_of).collect();
    let near = pitree_host::settings::nearest(names.iter().map(String::as_str), name);
    let hint = near.map(|near| format!("did you mean `{near}`?"));
    Failure { hint, ..Failure::usage(&format!("`{verb}` has no option `{name}`")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(options: &[(&str, OptionValue)]) -> Vec<(String, OptionValue)> {
        options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn value(text: &str) -> OptionValue {
        OptionValue::Value(text.into())
    }

    #[test]
    fn named_options_become_the_words_that_are_typed() {
        let options = given(&[
            ("scope", value("all")),
            ("has", OptionValue::Values(vec!["fork".into(), "branch".into()])),
            ("no_index", OptionValue::Flag(true)),
            ("text", OptionValue::Flag(false)),
            ("limit", OptionValue::None),
        ]);
        let expected = ["list", "--scope=all", "--has=fork", "--has=branch", "--no-index"];
        assert_eq!(words("list", &options).unwrap(), expected.map(OsString::from));
        let search = given(&[("query", value("-x")), ("in_", value("all"))]);
        let expected = ["search", "--in=all", "--", "-x"].map(OsString::from);
        assert_eq!(words("search", &search).unwrap(), expected);
        let old = given(&[("cap", value("3"))]);
        assert_eq!(
            words("extract", &old).unwrap(),
            ["extract", "--max-similar=3"].map(OsString::from)
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (name, value, hint) in [
            ("scpoe", value("all"), Some("did you mean `scope`?")),
            ("json", OptionValue::Flag(true), None),
            ("no_index", value("yes"), None),
            ("scope", OptionValue::Flag(true), None),
        ] {
            let failure = words("list", &given(&[(name, value)])).unwrap_err();
            assert_eq!((failure.kind, failure.hint.as_deref()), ("usage", hint), "{name}");
        }
        assert!(words("nothing", &[]).is_err());
    }

    #[test]
    fn every_option_of_every_verb_has_a_name_of_its_own() {
        let mut command = help::plain_command();
        command.build();
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            let mut names: Vec<String> =
                options(verb.get_name()).unwrap().into_iter().map(|it| it.name).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{}", verb.get_name());
        }
    }
}
