//! Slash commands: what there is, what was typed, and how it could go on.

use std::path::Path;

use crate::rich::{Line, Tone};

/// How many completions are seen at once.
const MOST_CHOICES: usize = 8;

/// What a slash command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlashCommand {
    Resume,
    Tree,
    Fork,
    Clone,
    New,
    Name,
    Label,
    Goto,
    Model,
    Thinking,
    Session,
    Compact,
    Export,
    Import,
    Copy,
    Search,
    Cost,
    Delete,
    Help,
    Quit,
}

/// A command as the help and the completion show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommandHelp {
    pub(crate) name: &'static str,
    /// What may follow it.
    pub(crate) takes: &'static str,
    pub(crate) does: &'static str,
    pub(crate) command: SlashCommand,
}

const fn entry(
    name: &'static str,
    takes: &'static str,
    does: &'static str,
    command: SlashCommand,
) -> CommandHelp {
    CommandHelp { name, takes, does, command }
}

/// All commands, in the order of the help.
pub(crate) const COMMANDS: [CommandHelp; 20] = [
    entry("resume", "", "open another session", SlashCommand::Resume),
    entry("tree", "", "move in the session tree", SlashCommand::Tree),
    entry("fork", "", "a new session from one of your messages", SlashCommand::Fork),
    entry("clone", "", "a new session with all of this branch", SlashCommand::Clone),
    entry("new", "", "an empty session", SlashCommand::New),
    entry("name", "[NAME]", "name the session, or show its name", SlashCommand::Name),
    entry(
        "label",
        "[LABEL]",
        "label the last message; without LABEL, remove the label",
        SlashCommand::Label,
    ),
    entry(
        "goto",
        "[ENTRY]",
        "save this position, or go to an entry and save that",
        SlashCommand::Goto,
    ),
    entry(
        "model",
        "[PROVIDER/MODEL]",
        "change the model from here on, or show it",
        SlashCommand::Model,
    ),
    entry(
        "thinking",
        "[LEVEL]",
        "change the thinking level from here on, or show it",
        SlashCommand::Thinking,
    ),
    entry("session", "", "file, id, messages, tokens and cost", SlashCommand::Session),
    entry("compact", "[INSTRUCTIONS]", "summarize the older part", SlashCommand::Compact),
    entry(
        "export",
        "[FILE]",
        "export to .html, .md or .txt, or the branch to .jsonl",
        SlashCommand::Export,
    ),
    entry("import", "FILE", "copy a session file here and open it", SlashCommand::Import),
    entry("copy", "", "copy the last reply", SlashCommand::Copy),
    entry("search", "[WORDS]", "search all sessions", SlashCommand::Search),
    entry("cost", "", "what this session cost", SlashCommand::Cost),
    entry("delete", "", "move this session to the trash", SlashCommand::Delete),
    entry("help", "", "keys and commands", SlashCommand::Help),
    entry("quit", "", "leave", SlashCommand::Quit),
];

/// What the user wants to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Submitted {
    /// Nothing but white space.
    Nothing,
    /// A message.
    Message(String),
    /// A command, and what follows it.
    Command(SlashCommand, String),
    /// What looks like a command and is not one of ours: its name.
    Unknown(String),
    /// A shell command, and whether it is kept from the model.
    Shell { command: String, excluded: bool },
}

/// Reads what was typed.
pub(crate) fn read(typed: &str) -> Submitted {
    let text = typed.trim();
    if text.is_empty() {
        return Submitted::Nothing;
    }
    if let Some(rest) = text.strip_prefix('!') {
        let (command, excluded) = match rest.strip_prefix('!') {
            Some(command) => (command.trim(), true),
            None => (rest.trim(), false),
        };
        if !command.is_empty() {
            return Submitted::Shell { command: command.to_owned(), excluded };
        }
    }
    let Some(rest) = text.strip_prefix('/') else { return Submitted::Message(text.to_owned()) };
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match COMMANDS.iter().find(|entry| entry.name == name) {
        Some(entry) => Submitted::Command(entry.command, argument.trim().to_owned()),
        // Pi sends to the model whatever it does not know. Here it would be stored for good, so
        // it takes a space before it.
        None if typed.starts_with(char::is_whitespace) || !may_be_command(name) => {
            Submitted::Message(text.to_owned())
        }
        None => Submitted::Unknown(name.to_owned()),
    }
}

/// Whether the first word behind a slash was meant as a command: not in `// a comment`, and not
/// if it is a path like `/usr/bin/env`. Two commands that were typed in a row are not one.
fn may_be_command(name: &str) -> bool {
    let begins_well = name.chars().next().is_none_or(|c| c.is_alphanumeric() || c == '_');
    let is_path = || {
        let folder = name.split_once('/').map(|(folder, _)| Path::new("/").join(folder));
        folder.is_some_and(|folder| folder.is_dir())
    };
    begins_well && !is_path()
}

/// A command that what was typed could become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    /// What may follow it.
    pub(crate) takes: &'static str,
    pub(crate) does: String,
}

impl From<&CommandHelp> for Offer {
    fn from(entry: &CommandHelp) -> Self {
        Self { name: entry.name.to_owned(), takes: entry.takes, does: entry.does.to_owned() }
    }
}

/// The commands that what was typed could become, ours before others. None once the name is
/// followed by something.
pub(crate) fn completions(typed: &str, others: &[Offer]) -> Vec<Offer> {
    let Some(begun) = typed.strip_prefix('/') else { return Vec::new() };
    let is_ours = |name: &str| COMMANDS.iter().any(|entry| entry.name == name);
    let ours = COMMANDS.iter().map(Offer::from);
    let others = others.iter().filter(|offer| !is_ours(&offer.name)).cloned();
    ours.chain(others).filter(|offer| offer.name.starts_with(begun)).collect()
}

/// The commands that what was typed could become, as rows. `sign` stands before a command.
pub(crate) fn offer_rows(offers: &[Offer], chosen: usize, sign: &str) -> Vec<Line> {
    let first = (chosen + 1).saturating_sub(MOST_CHOICES);
    let seen = offers.iter().enumerate().skip(first).take(MOST_CHOICES);
    seen.map(|(at, offer)| {
        let (mark, tone) = if at == chosen { ("› ", Tone::User) } else { ("  ", Tone::Plain) };
        let usage = format!("{sign}{} {}", offer.name, offer.takes);
        Line::of(mark, tone).with(&format!("{usage:<24}"), tone).with(&offer.does, Tone::Dim)
    })
    .collect()
}

/// The command that was meant, if a typing error is all that is wrong with a name.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    // Of a shorter name two wrong letters are nearly all.
    let known = COMMANDS.iter().map(|entry| entry.name).filter(|known| known.len() > 2);
    pitree_host::settings::nearest(known, name).filter(|_| name.chars().count() > 2)
}

/// A path that a command was given: quotes around it are no part of it.
pub(crate) fn unquoted(argument: &str) -> &str {
    let inside = |quote| argument.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(argument)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_messages_and_shell_commands_are_told_apart() {
        let message = |text: &str| Submitted::Message(text.to_owned());
        assert_eq!(read("  \n"), Submitted::Nothing);
        assert_eq!(read(" hello\nyou "), message("hello\nyou"));
        assert_eq!(read("/tree"), Submitted::Command(SlashCommand::Tree, String::new()));
        assert_eq!(
            read("/name  my  session "),
            Submitted::Command(SlashCommand::Name, "my  session".to_owned())
        );
        assert_eq!(read("/tre"), Submitted::Unknown("tre".to_owned()));
        assert_eq!(read("/usr/bin/env is odd"), message("/usr/bin/env is odd"));
        assert_eq!(read(" /Nonsense at all "), message("/Nonsense at all"));
        assert_eq!(read(" /tree"), Submitted::Command(SlashCommand::Tree, String::new()));
        assert_eq!(read("// a comment"), message("// a comment"));
        let unknown = |name: &str| Submitted::Unknown(name.to_owned());
        for name in ["", "Tree", "tree2", "skill:x", "a_b", "nonsense/export", "tree/tree", "é"] {
            assert_eq!(read(&format!("/{name}")), unknown(name));
            assert_eq!(read(&format!("/{name} /tmp/x.md")), unknown(name));
        }
        let shell =
            |command: &str, excluded| Submitted::Shell { command: command.to_owned(), excluded };
        assert_eq!(read("! ls -l"), shell("ls -l", false));
        assert_eq!(read("!!make"), shell("make", true));
        assert_eq!(read("!"), message("!"));
        assert_eq!(read("!!"), message("!!"));
    }

    #[test]
    fn names_are_completed_until_they_are_whole() {
        let other = |name: &str| Offer { name: name.to_owned(), takes: "", does: String::new() };
        let others = [other("cost"), other("counting")];
        let names = |typed| -> Vec<String> {
            completions(typed, &[]).into_iter().map(|offer| offer.name).collect()
        };
        assert_eq!(names("/").len(), COMMANDS.len());
        let with_others = completions("/co", &others);
        assert_eq!(with_others.len(), 4, "ours once: {with_others:?}");
        assert_eq!(with_others[3].name, "counting");
        assert_eq!(names("/co"), ["compact", "copy", "cost"]);
        assert!(names("/name x").is_empty());
        assert!(names("co").is_empty());
        assert_eq!(meant("resum"), Some("resume"));
        assert_eq!(meant("hlep"), Some("help"));
        assert_eq!(meant("xyz"), None);
    }

    #[test]
    fn every_command_has_one_name_and_every_name_a_command() {
        for (at, entry) in COMMANDS.iter().enumerate() {
            assert!(may_be_command(entry.name));
            assert_eq!(
                read(&format!("/{}", entry.name)),
                Submitted::Command(entry.command, String::new())
            );
            assert!(COMMANDS[..at].iter().all(|other| other.command != entry.command));
        }
    }

    #[test]
    fn paths_may_be_quoted() {
        assert_eq!(unquoted("\"a b.html\""), "a b.html");
        assert_eq!(unquoted("'x'"), "x");
        assert_eq!(unquoted("it's"), "it's");
    }
}
