//! Follows the sessions below a folder and prints what is appended; ends after ten quiet seconds.
//!
//! ```text
//! cargo run -p pitree-store --example follow_live -- ROOT
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

// [cookbook]
use pitree_session::location::Location;
use pitree_session::{Environment, outline_of};
use pitree_store::Store;
use pitree_store::watch::WatchOptions;

pub(crate) fn run(root: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let store = Store::new(vec![Location::root(root)], &Environment::system());
    let mut watcher = store.watch(WatchOptions::default());
    writeln!(out, "following {} sessions", watcher.count())?;
    // `Duration::MAX` follows for ever.
    for event in watcher.events(Duration::from_secs(10)) {
        if let Some(entry) = event.change.entry() {
            writeln!(out, "{} {}", event.id, outline_of(entry))?;
        }
    }
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: follow_live ROOT")?;
    run(Path::new(&path), &mut std::io::stdout())
}
