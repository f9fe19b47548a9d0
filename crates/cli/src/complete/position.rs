//! Which argument is being typed.

use std::path::PathBuf;

use clap::{Arg, Command};

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A session.
    Session,
    /// An entry of the session that is named before.
    Entry,
    /// A model that sessions have used.
    UsedModel,
    /// A model that Pi knows.
    Model,
}

impl Kind {
    /// What an argument takes, if it can be completed.
    pub(crate) fn of(arg: &Arg) -> Option<Self> {
        if !arg.is_positional() && !arg.get_action().takes_values() {
            return None;
        }
        let name = value_name(arg);
        let has = |part: &str| name.split('|').any(|other| other == part);
        match arg.get_id().as_str() {
            "summarizer_model" => Some(Self::Model),
            "model" if has("TEXT") => Some(Self::UsedModel),
            "model" => Some(Self::Model),
            _ if has("ENTRY") => Some(Self::Entry),
            _ if has("FILE") && has("ID") => Some(Self::Session),
            _ => None,
        }
    }
}

fn value_name(arg: &Arg) -> &str {
    arg.get_value_names().and_then(<[_]>::first).map(clap::builder::Str::as_str).unwrap_or_default()
}

/// The cursor, and what was typed before it.
#[derive(Debug)]
pub(super) struct Position {
    pub(super) kind: Kind,
    pub(super) verb: String,
    /// What is being typed.
    pub(super) typed: String,
    /// The words that the argument also takes, such as `active` and `all`.
    pub(super) words: Vec<String>,
    /// The last session that was named.
    pub(super) session: Option<String>,
    pub(super) session_dir: Vec<PathBuf>,
    pub(super) sessions_root: Vec<PathBuf>,
    pub(super) no_index: bool,
}

/// A walk over the words.
struct Walk<'c> {
    command: &'c Command,
    /// The option whose value comes next.
    pending: Option<&'c Arg>,
    /// How many positional arguments there were.
    count: usize,
    /// Whether `--` was there.
    only_values: bool,
    session: Option<String>,
    session_dir: Vec<PathBuf>,
    sessions_root: Vec<PathBuf>,
    no_index: bool,
}

impl Position {
    /// Finds the argument that the last of these words belongs to. The command has to be built.
    pub(super) fn find(command: &Command, words: &[String]) -> Option<Self> {
        let (typed, before) = words.split_last()?;
        let mut walk = Walk {
            command,
            pending: None,
            count: 0,
            only_values: false,
            session: None,
            session_dir: Vec::new(),
            sessions_root: Vec::new(),
            no_index: false,
        };
        before.iter().for_each(|word| walk.pass(word));
        let (arg, typed) = walk.stand_at(typed)?;
        let is_plain = |word: &&str| !word.is_empty() && word.chars().all(char::is_lowercase);
        let words = value_name(arg).split('|').filter(is_plain).map(str::to_owned);
        Some(Self {
            kind: Kind::of(arg)?,
            verb: walk.command.get_name().to_owned(),
            typed: typed.to_owned(),
            words: words.collect(),
            session: walk.session,
            session_dir: walk.session_dir,
            sessions_root: walk.sessions_root,
            no_index: walk.no_index,
        })
    }
}

impl<'c> Walk<'c> {
    /// Goes over a word before the cursor.
    fn pass(&mut self, word: &str) {
        if let Some(arg) = self.pending.take() {
            return self.note(arg, word);
        }
        if word == "--" && !self.only_values {
            self.only_values = true;
        } else if let Some(name) = word.strip_prefix("--").filter(|_| !self.only_values) {
            let (name, value) = name.split_once('=').map_or((name, None), |(n, v)| (n, Some(v)));
            let Some(arg) = self.long(name) else { return };
            match value {
                Some(value) => self.note(arg, value),
                None => self.pending = Some(arg).filter(|arg| takes_next(arg)),
            }
            self.no_index |= arg.get_id() == "no_index";
        } else if word.starts_with('-') && word.len() > 1 && !self.only_values {
            let last = word.chars().next_back();
            let arg = self.command.get_arguments().find(|arg| arg.get_short() == last);
            self.pending = arg.filter(|arg| takes_next(arg));
        } else if let Some(verb) = self.subcommand(word) {
            self.command = verb;
        } else {
            let arg = self.positional();
            self.count += 1;
            arg.into_iter().for_each(|arg| self.note(arg, word));
        }
    }

    /// The argument at the cursor, and what of it is typed.
    fn stand_at<'w>(&self, typed: &'w str) -> Option<(&'c Arg, &'w str)> {
        if let Some(arg) = self.pending {
            return Some((arg, typed));
        }
        if typed.starts_with('-') && !self.only_values {
            let (name, value) = typed.strip_prefix("--")?.split_once('=')?;
            return Some((self.long(name)?, value));
        }
        Some((self.positional()?, typed))
    }

    fn long(&self, name: &str) -> Option<&'c Arg> {
        let has_name = |arg: &&Arg| {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            arg.get_long() == Some(name) || aliases.contains(&name)
        };
        self.command.get_arguments().find(has_name)
    }

    fn subcommand(&self, word: &str) -> Option<&'c Command> {
        self.command.find_subcommand(word).filter(|_| self.count == 0 && !self.only_values)
    }

    /// The positional argument that comes next; the last one may be repeated.
    fn positional(&self) -> Option<&'c Arg> {
        let repeats = |arg: &&Arg| arg.get_num_args().is_some_and(|range| range.max_values() > 1);
        let nth = self.command.get_positionals().nth(self.count);
        nth.or_else(|| self.command.get_positionals().last().filter(repeats))
    }

    /// Keeps what the candidates depend on.
    fn note(&mut self, arg: &Arg, value: &str) {
        match arg.get_id().as_str() {
            "session_dir" => self.session_dir.push(value.into()),
            "sessions_root" => self.sessions_root.push(value.into()),
            _ if Kind::of(arg) == Some(Kind::Session) => self.session = Some(value.to_owned()),
            _ => {}
        }
    }
}

/// Whether the next word is the value of an option.
fn takes_next(arg: &Arg) -> bool {
    arg.get_action().takes_values() && !arg.is_require_equals_set()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str) -> Option<(Kind, String, Option<String>)> {
        let mut command = crate::help::command();
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let position = Position::find(&command, &words)?;
        Some((position.kind, position.typed, position.session))
    }

    #[test]
    fn the_argument_at_the_cursor_is_known() {
        let session = |typed: &str| Some((Kind::Session, typed.to_owned(), None));
        let entry = |typed: &str| Some((Kind::Entry, typed.to_owned(), Some("01a".to_owned())));
        let model = |kind, typed: &str| Some((kind, typed.to_owned(), None));
        assert_eq!(at("show "), session(""));
        assert_eq!(at("--json --session-dir x show --mode full 01"), session("01"));
        assert_eq!(at("secrets scan "), session(""));
        assert_eq!(at("resume "), session(""));
        assert_eq!(at("rpc --session 0"), session("0"));
        assert_eq!(at("check a b"), Some((Kind::Session, "b".to_owned(), Some("a".to_owned()))));
        assert_eq!(at("goto 01a "), entry(""));
        assert_eq!(at("path 01a bb"), entry("bb"));
        assert_eq!(at("branch 01a bb"), entry("bb"));
        assert_eq!(at("fork 01a --at c"), entry("c"));
        assert_eq!(at("fork 01a --at=c"), entry("c"));
        assert_eq!(at("append --wait 2s 01a --parent c"), entry("c"));
        assert_eq!(at("list --model "), model(Kind::UsedModel, ""));
        assert_eq!(at("rpc --model cl"), model(Kind::Model, "cl"));
        assert_eq!(at("compact --summarizer-model x"), model(Kind::Model, "x"));
        let nothing = [
            "",
            "sho",
            "show -",
            "show --mode ",
            "show 01a ",
            "list ",
            "new --name ",
            "search x",
            "import ",
        ];
        for line in nothing {
            assert_eq!(at(line), None, "{line}");
        }
    }

    #[test]
    fn what_was_typed_before_counts() {
        let mut command = crate::help::command();
        command.build();
        let line = "--session-dir a show --sessions-root=b --no-index 0";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let position = Position::find(&command, &words).unwrap();
        assert_eq!(position.session_dir, [PathBuf::from("a")]);
        assert_eq!(position.sessions_root, [PathBuf::from("b")]);
        assert!(position.no_index);
        let words = ["export", "01a", "--branches", ""].map(str::to_owned);
        assert_eq!(Position::find(&command, &words).unwrap().words, ["active", "all"]);
    }
}
