//! Creates a session, goes back in it and forks it.
//!
//! ```text
//! cargo run -p pitree-session --example create_and_fork -- FOLDER
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_session::format::usage::Cost;
use pitree_session::location::Location;
use pitree_session::{Environment, ForkOptions, Message, NewSession, Object, Session, Usage};

pub(crate) fn run(folder: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let environment = Environment::system();
    // `Location::usual(&environment)` is where Pi keeps its own.
    let location = Location::folder(folder);
    let new = NewSession::default();
    let mut session = Session::create(environment.cwd(), &location, &new, &environment)?;

    session.append_session_info("Reading files")?;
    let question = session.append_message(Message::user("How do I read a file?"))?;
    session.append_message(
        Message::assistant("anthropic", "claude-sonnet-4-5")
            .thinking("Let me look at what is there.")
            .tool_call("call_1", "bash", Object::new().with("command", "ls"))
            .usage(Usage::tokens(1200, 40).costing(Cost::dollars(0.0036, 0.0006))),
    )?;
    session.append_message(Message::tool_result("call_1", "bash", "main.rs"))?;
    let answer = session.append_message(
        Message::assistant("anthropic", "claude-sonnet-4-5").text("Use std::fs::read."),
    )?;
    session.append_label(&answer, Some("first answer"))?;

    // Go back to the question: the next append makes a second branch.
    session.branch(&question)?;
    session.append_message(
        Message::assistant("anthropic", "claude-sonnet-4-5").text("Use fs_err::read."),
    )?;
    writeln!(out, "{} entries, {} leaves", session.len(), session.tree().leaves().count())?;

    // A session of its own with the path to the first answer.
    let fork = session.create_branched_session(&answer, &ForkOptions::default())?;
    writeln!(out, "fork with {} messages", fork.context()?.messages.len())?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: create_and_fork FOLDER")?;
    run(Path::new(&path), &mut std::io::stdout())
}
