//! Adds up what the sessions below a folder cost, by model.
//!
//! ```text
//! cargo run -p pitree-store --example cost -- ROOT
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_store::Store;
use pitree_store::ledger::{By, Selection};

pub(crate) fn run(root: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let environment = Environment::system();
    let store = Store::new(vec![Location::root(root)], &environment);
    // Forks and sub-agents repeat usages; the ledger counts each of them once.
    let report = store.ledger().report(By::Model, &Selection::default(), &environment);
    for group in &report.groups {
        let model = group.key.as_deref().unwrap_or("unknown");
        writeln!(
            out,
            "{model}: {} tokens, ${:.4}",
            group.sum.tokens.total(),
            group.sum.cost.dollars()
        )?;
    }
    writeln!(out, "total: ${:.4}", report.total.cost.dollars())?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: cost ROOT")?;
    run(Path::new(&path), &mut std::io::stdout())
}
