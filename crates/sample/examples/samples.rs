//! Cuts a session into training samples.
//!
//! ```text
//! cargo run -p pitree-sample --example samples -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_sample::{SampleOptions, samples};
use pitree_session::{Environment, Session};

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = Session::open(path, &Environment::system())?;
    // The whole path to the leaf as one sample; `SampleOptions::selection` has the other cuts.
    for sample in samples(&session, &SampleOptions::default()) {
        let sample = sample?;
        let (messages, trained) = (sample.messages.len(), sample.target_count());
        writeln!(out, "{}: {messages} messages, {trained} trained", sample.id)?;
    }
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: samples SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
