//! Compacts a session with a summarizer of one's own.
//!
//! ```text
//! cargo run -p pitree-session --example compact -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_session::compaction::{CompactOptions, CompactionSettings};
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};
use pitree_session::{Environment, Session};

/// Ask a model here: `request.system` and `request.prompt` are the whole request.
struct FirstWords;

impl Summarizer for FirstWords {
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        if cancel.is_cancelled() {
            return Err(SummaryError::Cancelled);
        }
        let text = request.prompt.split_whitespace().take(8).collect::<Vec<_>>().join(" ");
        Ok(SummaryReply { text, usage: None })
    }
}

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut session = Session::open(path, &Environment::system())?;
    let settings = CompactionSettings { keep_recent_tokens: 10, ..Default::default() };
    let options = CompactOptions { settings, ..Default::default() };
    let before = session.context()?.messages.len();
    session.compact(&options, &FirstWords, &Cancel::new())?;
    let after = session.context()?.messages.len();
    writeln!(out, "{before} messages in the context before, {after} after")?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: compact SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
