//! Makes chat lines of all sessions below a folder, without their secrets.
//!
//! ```text
//! cargo run --release --example chat -- ~/.pi/agent/sessions chat-data
//! ```
#![allow(clippy::print_stdout, reason = "an example says what it did")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::{About, ExtractOptions, FormatName, Redacting, Source, run};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Store;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(sessions), Some(out)) = (args.next(), args.next()) else {
        return Err("usage: chat SESSIONS OUT".into());
    };
    let environment = Environment::new("/", "/", || 0, |bytes| bytes.fill(0));
    let origin = Origin::SessionsRootFlag;
    let location = Location { path: sessions, layout: Layout::PerDirectory, origin };
    let listing = Store::new(vec![location], &environment).list_all();
    let sources: Vec<Source> = listing
        .sessions
        .into_iter()
        .map(|facts| {
            let about = About { session_id: facts.id, ..About::default() };
            Source { path: facts.path, about: Arc::new(about) }
        })
        .collect();
    // A real program keeps a random key in a file of its user's.
    let key = Key::new([0; Key::LEN]);
    let redactor = Redactor::new(key, Literals::default(), Pseudonyms::default());
    let options = ExtractOptions {
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        command: "cargo run --example chat".to_owned(),
        ..ExtractOptions::new(Arc::new(Redacting::new(redactor)), std::env::temp_dir())
    };
    let form = FormatName::Chat.prepare(&options.form);
    let report = run(&sources, &*form, &options, &out, &environment)?;
    println!("{} samples of {} sessions", report.samples, report.sessions);
    Ok(())
}
