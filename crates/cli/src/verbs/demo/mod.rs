//! `pitree demo`: a tour for newcomers, on a sample that is unpacked, worked on and removed.

mod facts;
mod spend;
mod store;
mod tell;
mod together;
mod training;

use pitree_format::Value;

use crate::error::{Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use facts::Facts;
use store::SampleStore;

/// What to try next: the command and what it does.
const NEXT: [(&str, &str); 12] = [
    ("pitree", "find a session, read it, walk its tree, on the whole terminal"),
    ("pitree list --scope all", "all sessions; --sort threaded shows forks"),
    ("pitree search WORDS", "what was said, in all of them"),
    ("pitree cost --by month", "what was spent"),
    ("pitree show FILE", "what was said, turn by turn"),
    ("pitree tree FILE", "the tree, with the id of each entry"),
    ("pitree context FILE", "what the model is given now"),
    ("pitree fork FILE", "the messages to fork at; --at ENTRY does it"),
    ("pitree goto FILE ENTRY", "move to another entry; Pi resumes there"),
    ("pitree show FILE --mode costs", "tokens and money, by model and by use"),
    ("pitree check FILE", "check a file for problems"),
    ("pitree extract --output DIR", "training data of all sessions, without their secrets"),
];

pub(crate) fn run(workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let store = SampleStore::unpack(&workspace.environment)?;
    let Some(facts) = Facts::collect(&store)? else { return Ok(Exit::Nothing) };
    if output.json {
        let next: Vec<Value> = NEXT.iter().map(|(command, _)| Value::from(*command)).collect();
        output.value(&facts.to_value(next))?;
    } else {
        tell::tell(&facts, workspace, output)?;
    }
    drop(facts);
    store.remove()?;
    Ok(Exit::Ok)
}
