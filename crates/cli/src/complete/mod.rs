//! `pitree complete-words`: what can stand at the cursor, for the completion scripts.
//!
//! It is not a verb for people, so it is in no help, and it is answered before the arguments are
//! parsed. The scripts call it with the words up to the cursor, the name of the program first; the
//! last word is the one that is being typed. It prints a line for each candidate, the value and,
//! behind a tab, a description. Whatever goes wrong, it prints nothing: an error message in the
//! middle of a command line that somebody types helps nobody.
//!
//! A candidate becomes part of a command line without being quoted, so values that mean anything
//! to a shell are never offered, whatever a session file says.

mod candidates;
mod line;
mod position;

use std::ffi::OsString;

use crate::arguments::Arguments;
use crate::help;
use crate::output::Output;
use candidates::{Candidate, candidates};
use line::split_line;
pub(crate) use position::Kind;
use position::Position;

/// What the scripts call.
const NAME: &str = "complete-words";

/// Answers a completion script, if one asks.
pub(crate) fn answer(arguments: impl Iterator<Item = OsString>) -> Option<()> {
    let mut arguments = arguments.skip(1).map(|word| word.to_string_lossy().into_owned());
    if arguments.next()? != NAME {
        return None;
    }
    let arguments: Vec<String> = arguments.collect();
    let found = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--line", line, breaks] => of_line(line, breaks),
        ["--", ..] => of_words(&arguments[1..]),
        _ => Vec::new(),
    };
    print(&found);
    Some(())
}

/// The candidates for the last of these words.
fn of_words(words: &[String]) -> Vec<Candidate> {
    let mut command = help::command();
    // Only then the verbs have the global options.
    command.build();
    let position = Position::find(&command, words.get(1..).unwrap_or_default());
    position.map(|position| candidates(&position)).unwrap_or_default()
}

/// The candidates for the end of a line as bash has it. Bash also cuts words at these characters,
/// and replaces only what is behind the last cut.
fn of_line(line: &str, breaks: &str) -> Vec<Candidate> {
    let words = split_line(line);
    let mut found = of_words(&words);
    let is_cut = |c: char| matches!(c, ':' | '=') && breaks.contains(c);
    let typed = words.last().map(String::as_str).unwrap_or_default();
    // What is typed as `--option=value` is completed without the option.
    let typed = typed.split_once('=').filter(|_| typed.starts_with("--")).map_or(typed, |(_, v)| v);
    if let Some(cut) = typed.rfind(is_cut) {
        found.retain(|candidate| candidate.value.starts_with(typed));
        for candidate in &mut found {
            candidate.value.drain(..=cut);
        }
    }
    found
}

fn print(found: &[Candidate]) {
    let mut output = Output::new(&Arguments::default());
    let line = |candidate: &Candidate| match candidate.about.is_empty() {
        true => format!("{}\n", candidate.value),
        false => format!("{}\t{}\n", candidate.value, candidate.about),
    };
    let text: String = found.iter().map(line).collect();
    // Whoever asked may be gone.
    let _ = output.own_bytes(text.as_bytes()).and_then(|()| output.flush());
}
