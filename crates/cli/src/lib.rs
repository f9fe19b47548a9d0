//! The command `pitree`: the sessions of the Pi coding agent from the command line.
//!
//! A program that brings the command along calls [`run`]. One that wants answers and not lines on a
//! terminal asks within its own process, see [`guest`]. Everything else of this crate is its own
//! affair; the library is the crates below it, such as `pitree-session`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod ambiguous;
mod arguments;
mod caller;
mod chart;
mod clipboard;
mod columns;
mod complete;
mod environment;
mod error;
pub mod guest;
mod help;
mod hints;
mod interface;
mod interrupt;
mod key;
mod links;
mod live;
mod named_locations;
mod neighborhood;
mod opened;
mod option_values;
mod output;
mod pager;
mod progress;
mod redaction;
mod target;
mod text;
mod unreadable;
mod verbs;
mod when;
mod zone;

use std::ffi::OsString;

use clap::FromArgMatches;

use arguments::{Arguments, Verb};
use caller::Caller;
use error::{CommandError, Exit};
use output::Output;

/// Runs the command with these words, the name of the program first, and gives its exit code.
pub fn run(words: Vec<OsString>) -> u8 {
    interrupt::survive_file_size_limit();
    if complete::answer(words.iter().cloned()).is_some() {
        return 0;
    }
    let parsed = help::matches(&words);
    let arguments = match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        // Help and version go to standard output with exit code 0, usage errors to standard
        // error with exit code 2; clap knows which is which.
        Err(mut error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            if error.use_stderr() {
                let hint = help::explain(&mut error);
                output::say_usage(&error);
                if let Some(hint) = hint {
                    output::say(&format!("hint: {}\n", text::clean_line(&hint)));
                }
            } else {
                let _ = error.print();
            }
            return code;
        }
    };
    let mut output = Output::new(&arguments);
    let result = verbs::run(&arguments, Caller::User(words), &mut output);
    let finished = output.finish();
    let result = result.and_then(|exit| match finished {
        // The signal may be that the terminal was closed, and then nothing can be written.
        Err(_) if matches!(exit, Exit::Signal(_)) => Ok(exit),
        finished => finished.map(|()| exit),
    });
    match result {
        Ok(exit) => exit.code(),
        // Whoever read our output has seen enough; that is no failure.
        Err(error) if error.is_broken_pipe() => 0,
        Err(error) => report(&error, arguments.verb.as_ref().is_some_and(Verb::writes)),
    }
}

/// Says what went wrong. A verb that writes prints its answer afterwards, so when the answer cannot
/// be printed, whoever repeats the command would do it twice.
fn report(error: &CommandError, writes: bool) -> u8 {
    output::say(&format!("error: {}\n", text::clean_line(&error.to_string())));
    for line in error.details() {
        output::say(&format!("  {}\n", text::clean_line(line)));
    }
    let may_be_done = writes && matches!(error, CommandError::Output(_));
    let done = "the change may have been made; look before you repeat the command";
    let hint = may_be_done.then(|| done.to_owned());
    if let Some(hint) = hint.or_else(|| error.hint()) {
        output::say(&format!("hint: {}\n", text::clean_line(&hint)));
    }
    error.exit().code()
}
