//! Cuts a session into training samples.
//!
//! ```text
//! cargo run -p pitree-extract --example samples -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

// [cookbook]
use pitree_extract::request::RequestSettings;
use pitree_extract::{About, Selection, samples};
use pitree_session::{Environment, Session};

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = Session::open(path, &Environment::system())?;
    let about = Arc::new(About { session_id: session.id(), ..About::default() });
    let settings = RequestSettings::default();
    let mut lines = Vec::new();
    // The whole path to the leaf as one sample; `Selection` has the other cuts.
    samples(&session, &about, Selection::default(), &settings, &mut |sample| {
        let trained = sample.trained.iter().filter(|trained| **trained).count();
        let messages = sample.messages.len();
        lines.push(format!("{}: {messages} messages, {trained} trained", sample.id));
        Ok(())
    })?;
    writeln!(out, "{}", lines.join("\n"))?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: samples SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
