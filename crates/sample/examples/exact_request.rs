//! Prints what was sent for the last reply, and what would be sent next.
//!
//! ```text
//! cargo run -p pitree-sample --example exact_request -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_sample::request::{self, RequestSettings};
use pitree_session::{Environment, Role, Session};

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = Session::open(path, &Environment::system())?;
    // What models can do is not in the file; `RequestSettings::new` takes them.
    let settings = RequestSettings::default();
    let path = session.active_path();
    if let Some(reply) = path.iter().rev().find(|entry| entry.is_message(Role::Assistant)) {
        let request = request::for_reply(&session, reply, &settings)?;
        writeln!(out, "{} got {} messages:", request.model, request.messages.len())?;
        for message in &request.messages {
            writeln!(out, "{message}")?;
        }
    }
    let next = request::next(&session, &settings)?;
    writeln!(out, "next: {} messages", next.messages.len())?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: exact_request SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
