//! The list of commands in the help, grouped by task.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use crate::arguments::Arguments;

/// Every command, by what one wants to do.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Find", &["list", "search", "resume", "continue", "watch"]),
    ("Read", &["view", "show", "tree", "path", "entries", "context", "subagents", "cat"]),
    ("Change", &["fork", "clone", "goto", "name", "label", "append", "new", "compact", "delete"]),
    ("Share", &["export", "import", "secrets"]),
    ("Learn", &["demo", "cost", "stats", "extract"]),
    ("Maintain", &["check", "migrate", "undo", "index", "config"]),
    ("For programs", &["rpc", "completions", "man"]),
];

/// What most people need on most days; the short help shows only these.
const DAILY: [&str; 10] =
    ["list", "search", "resume", "view", "show", "tree", "fork", "name", "export", "cost"];

const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}

{before-help}Global options:
{options}
";

/// The command line with its help.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let short = list(&command, [("Most used", &DAILY[..])]);
    let long = list(&command, GROUPS);
    let more = "Run `pitree --help` for all commands, `pitree COMMAND --help` for one of them.\n\n";
    command.help_template(TEMPLATE).before_help(short + more).before_long_help(long)
}

fn list<'g>(
    command: &Command,
    groups: impl IntoIterator<Item = (&'g str, &'g [&'g str])>,
) -> String {
    let mut text = String::new();
    for (heading, names) in groups {
        let _ = writeln!(text, "{heading}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(StyledStr::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:<11}  {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = Arguments::command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = visible.map(Command::get_name).collect();
        grouped.sort_unstable();
        names.sort_unstable();
        assert_eq!(grouped, names);
        assert!(DAILY.iter().all(|name| names.contains(name)));
    }
}
