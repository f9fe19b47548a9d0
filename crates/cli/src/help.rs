//! The list of commands in the help, grouped by task.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};
use pitree_tui::text::wrap;

use crate::arguments::Arguments;
use crate::environment::{screen_size, variable};
use crate::text::shell_word;

/// Every command, by what one wants to do.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Find", &["list", "search", "resume", "continue", "watch"]),
    (
        "Read",
        &["view", "show", "tree", "path", "entries", "context", "subagents", "cat", "open", "copy"],
    ),
    (
        "Change",
        &[
            "fork", "clone", "goto", "name", "label", "append", "new", "compact", "delete",
            "restore",
        ],
    ),
    ("Share", &["export", "import", "secrets"]),
    ("Learn", &["demo", "cost", "stats", "extract"]),
    ("Maintain", &["check", "migrate", "undo", "index", "config"]),
    ("For programs", &["rpc", "completions", "man"]),
];

/// What most people need on most days; the short help shows only these.
const DAILY: [&str; 10] =
    ["list", "search", "resume", "view", "show", "tree", "fork", "name", "export", "cost"];

/// No beginning of an id that anybody types is shorter.
const SHORTEST_ID: usize = 4;

const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}

{before-help}Global options:
{options}
";

/// Where the words about a command begin.
const INDENT: usize = 15;

/// The help is at most so wide, and not narrower than words need.
const WIDEST: usize = 100;
const NARROWEST: usize = 30;

/// How wide the help is, as clap decides it for the rest.
fn help_width() -> usize {
    let columns = || variable("COLUMNS")?.parse().ok();
    let width = screen_size().map(|screen| screen.columns).or_else(columns);
    width.unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

/// The command line with its help.
pub(crate) fn command() -> Command {
    let command = Arguments::command();
    let width = help_width();
    let short = list(&command, [("Most used", &DAILY[..])], width);
    let long = list(&command, GROUPS, width);
    let more = "Run `pitree --help` for all commands, `pitree COMMAND --help` for one of them.\n\n";
    command.help_template(TEMPLATE).before_help(short + more).before_long_help(long)
}

fn list<'g>(
    command: &Command,
    groups: impl IntoIterator<Item = (&'g str, &'g [&'g str])>,
    width: usize,
) -> String {
    let mut text = String::new();
    for (heading, names) in groups {
        let _ = writeln!(text, "{heading}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(StyledStr::to_string).unwrap_or_default();
            let about = wrap(&about, width - INDENT).join(&format!("\n{:INDENT$}", ""));
            let _ = writeln!(text, "  {name:<11}  {about}");
        }
        text.push('\n');
    }
    text
}

/// What helps somebody who named a session where a command belongs.
pub(crate) fn session_hint(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_id = |word: &str| {
        word.len() >= SHORTEST_ID
            && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    };
    let is_session = word.ends_with(".jsonl") || is_id(word);
    let word = shell_word(word.as_ref());
    is_session.then(|| {
        format!("`pitree view {word}` opens a session, `pitree resume {word}` resumes it in Pi")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_commands_fits_a_narrow_terminal() {
        let command = Arguments::command();
        for width in [NARROWEST, 40, 80, WIDEST] {
            let text = list(&command, GROUPS, width);
            for line in text.lines() {
                assert!(line.trim_end().chars().count() <= width, "{width}: {line}");
                let is_more = line.starts_with("   ");
                assert!(!is_more || line.starts_with(&" ".repeat(INDENT)), "{width}: {line}");
            }
            assert_eq!(text.lines().any(|line| line.starts_with("   ")), width < WIDEST);
        }
    }

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
    #[test]
    fn a_session_in_place_of_a_command_gets_a_hint() {
        let hint = |word: &str| {
            let error = command().try_get_matches_from(["pitree", word]).unwrap_err();
            session_hint(&error)
        };
        for session in ["019cadd3", "019c-", "x/a.jsonl"] {
            assert!(hint(session).unwrap().contains(&format!("`pitree view {session}`")));
        }
        assert!(hint("a b.jsonl").unwrap().contains("pitree view 'a b.jsonl'"));
        for other in ["lst", "019", "serach"] {
            assert_eq!(hint(other), None);
        }
    }
}
