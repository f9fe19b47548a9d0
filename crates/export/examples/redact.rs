//! Makes a copy of a session without its secrets.
//!
//! ```text
//! cargo run -p pitree-export --example redact -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_export::{SecretRedactor, redact_session};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::{Environment, Session};

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let environment = Environment::system();
    let session = Session::open(path, &environment)?;
    // The same key gives the same placeholders; keep it to compare later copies.
    let mut key = [0; Key::LEN];
    environment.fill_random(&mut key);
    let rules = Redactor::new(Key::new(key), Literals::default(), Pseudonyms::default());
    let redactor = SecretRedactor::new(&rules);
    let copy = redact_session(&session, &redactor)?;
    for entry in copy.entries() {
        writeln!(out, "{}", String::from_utf8_lossy(&entry.raw()?))?;
    }
    for found in redactor.into_found() {
        let place = found.entry.as_deref().unwrap_or("the header");
        writeln!(out, "{} in {place}: {}", found.finding.rule, found.finding.masked)?;
    }
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: redact SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
