//! Lists the sessions of a folder and searches them.
//!
//! ```text
//! cargo run -p pitree-store --example list_and_search -- ROOT
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

// [cookbook]
use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_store::search::{Query, SearchOptions};
use pitree_store::{Scope, Store};

pub(crate) fn run(root: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let environment = Environment::system();
    let location = Location::root(root);
    if let Some(problem) = location.problem() {
        return Err(format!("{}: {problem}", root.display()).into());
    }
    let store = Store::new(vec![location], &environment);
    for facts in store.list_all().sessions {
        let first = facts.first_message.map(String::from).unwrap_or_default();
        writeln!(out, "{}  {} messages  {first}", facts.id, facts.message_count)?;
    }

    let query = Query::parse("file role:user", environment.now_ms())?;
    let options = SearchOptions { scope: Scope::All, conversation: false, limit: 20 };
    for hit in store.search(&query, &options).hits {
        writeln!(out, "{} {}: {}", hit.session.id, hit.entry_id, hit.snippet.text)?;
    }
    Ok(())
}
// [end]

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: list_and_search ROOT")?;
    run(Path::new(&path), &mut std::io::stdout())
}
