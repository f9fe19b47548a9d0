//! Prints a session as Markdown.
//!
//! ```text
//! cargo run -p pitree-export --example markdown -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_export::{ExportOptions, Format, export};
use pitree_session::{Environment, Session};

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = Session::open(path, &Environment::system())?;
    export(&session, Format::Markdown, &ExportOptions::default(), out)?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: markdown SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
