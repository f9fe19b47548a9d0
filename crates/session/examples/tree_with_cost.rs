//! Prints the tree of a session with what each reply cost.
//!
//! ```text
//! cargo run -p pitree-session --example tree_with_cost -- SESSION.jsonl
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_session::{Environment, Session};

pub(crate) fn run(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = Session::open(path, &Environment::system())?;
    for step in session.tree().walk() {
        let entry = session.require(step.entry)?;
        let cost = entry.usage()?.and_then(|usage| usage.counted_cost());
        let cost = cost.map(|dollars| format!("  ${dollars:.4}")).unwrap_or_default();
        let current = if session.leaf_id() == Some(entry.id()) { "  ← current" } else { "" };
        let indent = "  ".repeat(step.depth);
        writeln!(out, "{indent}{} {}{cost}{current}", entry.id(), entry.outline()?)?;
    }
    let spend = session.spend()?;
    writeln!(out, "{} tokens, ${:.4}", spend.tokens(), spend.cost)?;
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: tree_with_cost SESSION.jsonl")?;
    run(Path::new(&path), &mut std::io::stdout())
}
