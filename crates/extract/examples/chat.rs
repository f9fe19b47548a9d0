//! Makes chat lines of all sessions below a folder, without their secrets.
//!
//! ```text
//! cargo run --release --example chat -- ~/.pi/agent/sessions chat-data
//! ```
#![allow(clippy::print_stdout, reason = "an example says what it did")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use pitree_extract::sources::{SourceFinder, SourceSet};
use pitree_extract::{ExtractOptions, FormatName, Outcomes, Redacting, run};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::roles::RoleFinder;
use pitree_store::{Scope, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(sessions), Some(out)) = (args.next(), args.next()) else {
        return Err("usage: chat SESSIONS OUT".into());
    };
    let environment = Environment::new("/", "/", || 0, |bytes| bytes.fill(0));
    let origin = Origin::SessionsRootFlag;
    let location = Location { path: sessions, layout: Layout::PerDirectory, origin };
    let locations = vec![location];
    let finder = SourceFinder {
        store: &Store::new(locations.clone(), &environment),
        locations: &locations,
        environment: &environment,
        roles: &RoleFinder::default(),
        outcomes: &Outcomes::default(),
    };
    let chosen = finder.find(&SourceSet::Scope(Scope::All), &|_| None)?;
    // A real program keeps a random key in a file of its user's.
    let key = Key::new([0; Key::LEN]);
    let redactor = Redactor::new(key, Literals::default(), Pseudonyms::default());
    let options = ExtractOptions {
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        command: "cargo run --example chat".to_owned(),
        ..ExtractOptions::new(Arc::new(Redacting::new(redactor)), std::env::temp_dir())
    };
    let form = FormatName::Chat.prepare(&options.form);
    let report = run(&chosen.sources, &*form, &options, &out, &environment)?;
    println!("{} samples of {} sessions", report.samples, report.sessions);
    Ok(())
}
