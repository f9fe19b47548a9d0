//! The list of commands in the help, grouped by task.

use std::ffi::OsString;
use std::fmt::Write;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory};
use pitree_host::settings::nearest;
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

/// What most people need on most days; the short help shows only these, the long one shows them first.
const DAILY: [&str; 10] =
    ["list", "search", "resume", "view", "show", "tree", "fork", "name", "export", "cost"];

/// The block of these, in both helps.
const MOST_USED: (&str, &[&str]) = ("Most used", &DAILY);

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
pub(crate) fn matches(words: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let asks = |word: &OsString| word == "-h" || word == "--help" || word == "help";
    if words.iter().skip(1).any(asks) {
        return command().try_get_matches_from(words);
    }
    match plain_command().try_get_matches_from(words) {
        // It can be asked for among other letters, too: `-vh`.
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            command().try_get_matches_from(words)
        }
        matches => matches,
    }
}

/// Makes what clap says of wrong arguments shorter, and gives a hint for them if there is one.
pub(crate) fn explain(error: &mut clap::Error) -> Option<String> {
    only_shown_commands(error);
    only_near_values(error);
    option_hint(error).or_else(|| session_hint(error)).or_else(|| operand_hint(error))
}

/// A number with a minus sign is a value and no option: what is wrong with it says the option that
/// it was meant for.
fn numbers_are_values(command: Command) -> Command {
    let command = command.allow_negative_numbers(true);
    command.mut_subcommands(numbers_are_values)
}

/// The command line without the list of commands in its help.
pub(crate) fn plain_command() -> Command {
    numbers_are_values(Arguments::command())
}

/// The command line with its help.
pub(crate) fn command() -> Command {
    let command = numbers_are_values(Arguments::command());
    let width = help_width();
    let short = list(&command, [MOST_USED], width);
    let long = list(&command, [MOST_USED].into_iter().chain(GROUPS), width);
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
fn session_hint(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_session = names_session(word);
    let word = shell_word(word.as_ref());
    is_session.then(|| {
        format!("`pitree view {word}` opens a session, `pitree resume {word}` resumes it in Pi")
    })
}

/// What helps somebody who named a session or words to `pitree cost` or `pitree list`, which take
/// options only.
fn operand_hint(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let verb = usage.split_whitespace().skip_while(|word| *word != "pitree").nth(1)?;
    let operand = [word.as_ref()];
    match (verb, names_session(word)) {
        ("cost", true) => {
            let show = printed("show", &operand, "--mode costs");
            Some(format!("`{show}` shows the cost of one session"))
        }
        ("list", true) => {
            let show = printed("show", &operand, "");
            Some(format!("`{show}` shows one session"))
        }
        ("list", false) if !word.starts_with('-') => {
            let name = printed("list", &[], &format!("--name {}", shell_word(word.as_ref())));
            let search = printed("search", &operand, "");
            Some(format!(
                "`{name}` lists the sessions with that in their names; `{search}` searches their text"
            ))
        }
        _ => None,
    }
}

/// Whether a word looks like an id, the beginning of one, or a session file.
fn names_session(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    word.ends_with(".jsonl")
        || (word.len() >= SHORTEST_ID && !word.starts_with('-') && word.bytes().all(is_part))
}

/// Takes away the commands that clap proposes and no help shows.
fn only_shown_commands(error: &mut clap::Error) {
    let Some(ContextValue::Strings(near)) = error.remove(ContextKind::SuggestedSubcommand) else {
        return;
    };
    let command = Arguments::command();
    let is_shown = |name: &String| {
        command
            .get_subcommands()
            .any(|command| command.get_name() == name && !command.is_hide_set())
    };
    let mut near: Vec<String> = near.into_iter().filter(is_shown).collect();
    // One that differs by a letter or two is the one that was meant.
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(meant) = nearest(near.iter().map(String::as_str), word).map(str::to_owned)
    {
        near = vec![meant];
    }
    if !near.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
    }
}

/// Takes away a value that clap proposes if it is another word: one with a slip or two is meant, and
/// hardly anybody slips on the first letter.
fn only_near_values(error: &mut clap::Error) {
    let Some(ContextValue::String(proposed)) = error.remove(ContextKind::SuggestedValue) else {
        return;
    };
    let is_meant = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(typed)) => {
            proposed.chars().next() == typed.chars().next()
                && nearest([proposed.as_str()], typed).is_some()
        }
        _ => true,
    };
    if is_meant {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(proposed));
    }
}

/// What helps somebody who gave a command an option that it does not have. Clap proposes to pass it
/// as a value, which hardly anybody means; that goes away.
fn option_hint(error: &mut clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument || !given.starts_with('-') {
        return None;
    }
    let name = given.trim_start_matches('-').split('=').next()?.to_owned();
    let is_long = given.starts_with("--");
    let command = Arguments::command();
    let has = |command: &&Command| {
        let mut options = command.get_arguments();
        options.any(|option| is_long && option.get_long() == Some(&name) && !option.is_hide_set())
    };
    let of: Vec<&str> = command.get_subcommands().filter(has).map(Command::get_name).collect();
    error.remove(ContextKind::Suggested);
    if of.is_empty() {
        // Clap has named one that is spelled much alike, or the command's help names them all.
        let is_near = error.get(ContextKind::SuggestedArg).is_some();
        return (!is_near).then(|| options_hint(error)).flatten();
    }
    if name == "lenient" {
        return Some(
            "`pitree export --lenient FILE --branches all -o fixed.jsonl` repairs a session without a header"
                .to_owned(),
        );
    }
    Some(format!("`--{name}` is an option of: {}", of.join(", ")))
}

/// Where the options of the command are listed.
fn options_hint(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let words = usage.trim_start_matches("Usage:").split_whitespace();
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let command = words.take_while(is_name).collect::<Vec<_>>().join(" ");
    let hyphen = match command.as_str() {
        "pitree search" => "; to search for a word that begins with a hyphen, put `--` before it",
        _ => "",
    };
    Some(format!("`{command} --help` lists the options{hyphen}"))
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
        let (text, hint) = said(&["list", "--no-such-thing"]);
        assert!(!text.contains("as a value"), "{text}");
        assert_eq!(hint.as_deref(), Some("`pitree list --help` lists the options"));
        let (text, hint) = said(&["secrets", "scan", "-x"]);
        assert!(!text.contains("as a value"), "{text}");
        assert_eq!(hint.as_deref(), Some("`pitree secrets scan --help` lists the options"));
        let (_, hint) = said(&["search", "-fast"]);
        assert!(hint.unwrap().ends_with("begins with a hyphen, put `--` before it"));
        // Clap has a better proposal.
        let (text, hint) = said(&["list", "--limitt", "1"]);
        assert!(text.contains("'--limit'") && hint.is_none(), "{text}");
    }

    #[test]
    fn a_number_below_zero_is_the_value_of_its_option() {
        for words in [&["search", "x", "--limit", "-1"][..], &["list", "--limit", "-1"]] {
            let words = ["pitree"].iter().chain(words);
            let error = command().try_get_matches_from(words).unwrap_err().to_string();
            assert!(error.contains("invalid value '-1' for '--limit <N>'"), "{error}");
        }
    }

    #[test]
    fn commands_that_no_help_shows_are_not_proposed() {
        let said = |word: &str| {
            let mut error = command().try_get_matches_from(["pitree", word]).unwrap_err();
            only_shown_commands(&mut error);
            error.render().to_string()
        };
        let text = said("serach");
        assert!(text.contains("'search'") && !text.contains("'branch'"), "{text}");
        assert!(!text.contains("'watch'"), "{text}");
        assert!(!said("brnch").contains("'branch'"));
    }

    #[test]
    fn what_takes_only_options_gets_a_hint() {
        let hint = |words: &[&str]| {
            let words = ["pitree"].iter().chain(words);
            operand_hint(&command().try_get_matches_from(words).unwrap_err())
        };
        let costs = "`pitree show 019cadd3 --mode costs` shows the cost of one session";
        assert_eq!(hint(&["cost", "019cadd3"]).as_deref(), Some(costs));
        assert_eq!(hint(&["cost", "--by", "day", "019cadd3"]).as_deref(), Some(costs));
        assert!(hint(&["cost", "x/a.jsonl"]).is_some());
        let hinted = hint(&["list", "weather app"]).unwrap();
        assert!(hinted.starts_with("`pitree list --name 'weather app'` lists "), "{hinted}");
        assert!(hinted.contains("`pitree search 'weather app'` searches"), "{hinted}");
        assert!(hint(&["list", "019cadd3"]).unwrap().starts_with("`pitree show 019cadd3` shows"));
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
