//! The list of commands in the help, grouped by task.

use std::ffi::OsString;
use std::fmt::Write;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory};
use pitree_tui::text::wrap;

use crate::arguments::Arguments;
use crate::environment::{screen_size, variable};
use crate::text::{command as printed, shell_word};

/// Every command, by what one wants to do.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Find", &["list", "search", "resume", "continue", "watch", "serve"]),
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

/// What the user typed, as clap reads it. Putting the list of commands together takes longer than
/// all else of a short command, so it is there for whoever asks for help.
pub(crate) fn matches() -> Result<ArgMatches, clap::Error> {
    let asks = |word: OsString| word == "-h" || word == "--help" || word == "help";
    if std::env::args_os().skip(1).any(asks) {
        return command().try_get_matches();
    }
    match Arguments::command().try_get_matches() {
        // It can be asked for among other letters, too: `-vh`.
        Err(error) if error.kind() == ErrorKind::DisplayHelp => command().try_get_matches(),
        matches => matches,
    }
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
            // One that was left out of the build is not there.
            let Some(verb) = command.find_subcommand(name) else { continue };
            let about = verb.get_about().map(StyledStr::to_string).unwrap_or_default();
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
    let is_session = names_session(word);
    let word = shell_word(word.as_ref());
    is_session.then(|| {
        format!("`pitree view {word}` opens a session, `pitree resume {word}` resumes it in Pi")
    })
}

/// What helps somebody who named a session to `pitree cost`, which adds up many.
pub(crate) fn cost_hint(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    if !usage.to_string().contains("pitree cost") || !names_session(word) {
        return None;
    }
    let show = printed("show", &[word.as_ref()], "--mode costs");
    Some(format!("`{show}` shows the cost of one session"))
}

/// Whether a word looks like an id, the beginning of one, or a session file.
fn names_session(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    word.ends_with(".jsonl")
        || (word.len() >= SHORTEST_ID && !word.starts_with('-') && word.bytes().all(is_part))
}

/// What helps somebody who gave a command an option of another one. Clap proposes to pass it as a
/// value, which nobody means; that goes away.
pub(crate) fn option_hint(error: &mut clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = given.strip_prefix("--")?.split('=').next()?.to_owned();
    let command = Arguments::command();
    let has = |command: &&Command| {
        let mut options = command.get_arguments();
        options.any(|option| option.get_long() == Some(&name) && !option.is_hide_set())
    };
    let of: Vec<&str> = command.get_subcommands().filter(has).map(Command::get_name).collect();
    if of.is_empty() || error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    error.remove(ContextKind::Suggested);
    if name == "lenient" {
        return Some(
            "`pitree export --lenient FILE --branches all -o fixed.jsonl` repairs a session without a header"
                .to_owned(),
        );
    }
    Some(format!("`--{name}` is an option of: {}", of.join(", ")))
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
    fn an_option_of_another_command_is_not_offered_as_a_value() {
        let said = |words: &[&str]| {
            let words = ["pitree"].iter().chain(words);
            let mut error = command().try_get_matches_from(words).unwrap_err();
            let hint = option_hint(&mut error);
            (error.render().to_string(), hint)
        };
        let (text, hint) = said(&["resume", "--lenient", "x"]);
        assert!(!text.contains("as a value"), "{text}");
        assert!(
            hint.unwrap().contains("pitree export --lenient FILE --branches all -o fixed.jsonl")
        );
        let (text, hint) = said(&["list", "--dialect=pi"]);
        assert!(!text.contains("as a value"), "{text}");
        assert!(hint.unwrap().starts_with("`--dialect` is an option of: "));
        let (text, hint) = said(&["search", "--no-such-thing"]);
        assert!(text.contains("as a value") && hint.is_none(), "{text}");
    }

    #[test]
    fn a_session_for_cost_gets_a_hint() {
        let hint = |words: &[&str]| {
            let words = ["pitree"].iter().chain(words);
            cost_hint(&command().try_get_matches_from(words).unwrap_err())
        };
        let costs = "`pitree show 019cadd3 --mode costs` shows the cost of one session";
        assert_eq!(hint(&["cost", "019cadd3"]).as_deref(), Some(costs));
        assert_eq!(hint(&["cost", "--by", "day", "019cadd3"]).as_deref(), Some(costs));
        assert!(hint(&["cost", "x/a.jsonl"]).is_some());
        for other in [&["cost", "today"][..], &["cost", "--fade"], &["stats", "019cadd3"]] {
            assert_eq!(hint(other), None, "{other:?}");
        }
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
