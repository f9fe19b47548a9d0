//! `pitree demo`: a tour for newcomers, on a sample that is unpacked, worked on and removed.

mod facts;
mod spend;
mod store;
mod store_tour;
mod tell;
mod training;

use std::path::PathBuf;

use clap::Args;
use pitree_format::Value;
use pitree_session::paths;

use crate::error::{Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::shell_word;
use facts::Facts;
use store::SampleStore;

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// Also write the sample sessions to this new or empty folder, so you can try other commands on
    /// them with --session-dir DIR
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// What to try next: the command and what it does.
const NEXT: [(&str, &str); 12] = [
    ("pitree", "find a session, read it, walk its tree, full screen"),
    ("pitree list --scope all", "all sessions; --sort threaded shows forks"),
    ("pitree search WORDS", "what was said, in all of them"),
    ("pitree cost --by month", "what was spent"),
    ("pitree show FILE", "what was said, turn by turn"),
    ("pitree tree FILE", "the tree, with the id of each entry"),
    ("pitree context FILE", "what the next request sends to the model"),
    ("pitree fork FILE", "the messages you can fork before; --at ENTRY forks"),
    ("pitree goto FILE ENTRY", "move to another entry; Pi resumes there"),
    ("pitree show FILE --mode costs", "tokens and money, by model and by use"),
    ("pitree check FILE", "check a file for problems"),
    ("pitree extract --output DIR", "training data of all sessions, without their secrets"),
];

pub(crate) fn run(args: &DemoArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let kept = args.keep.as_ref().map(|folder| paths::resolve(folder, &workspace.environment));
    if let Some(folder) = &kept {
        store::write_to(folder)?;
    }
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
    if let Some(folder) = kept {
        let word = shell_word(folder.as_os_str());
        output.remark(&format!(
            "the sample is in {}; next: pitree list --scope all --session-dir {word}",
            workspace.display(&folder)
        ))?;
    }
    Ok(Exit::Ok)
}
