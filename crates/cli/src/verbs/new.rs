//! `pitree new`: an empty session, written at once.

use std::path::PathBuf;

use clap::Args;
use pitree_format::Object;
use pitree_format::draft::Dialect;
use pitree_host::live::LiveOptions;
use pitree_session::{Durability, NewSession, Session};

use crate::arguments::one_of;
use crate::error::{CommandError, Exit, Result};
use crate::live;
use crate::output::Output;
use crate::target::Workspace;

#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// The working directory of the session (default: this one)
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// The session's id (default: a new one)
    #[arg(long)]
    id: Option<String>,

    /// The session's name
    #[arg(long)]
    name: Option<String>,

    /// The parent session file to name in the header
    #[arg(long, value_name = "FILE")]
    parent_session: Option<String>,

    /// Use this program's header and file name (default: pi)
    #[arg(long, value_parser = one_of(Dialect::ALL, Dialect::name, Dialect::about))]
    dialect: Option<Dialect>,
}

pub(crate) fn run(args: &NewArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if let Some(id) = &args.id {
        refuse_known(id, workspace)?;
    }
    let cwd = workspace.directory(args.cwd.as_deref())?;
    let mut new = NewSession::new().dialect(args.dialect.unwrap_or_default());
    new.id.clone_from(&args.id);
    new.parent_session.clone_from(&args.parent_session);
    let mut session = Session::create(&cwd, &workspace.location, &new, &workspace.environment)?;
    session.set_durability(Durability::Durable);
    let _change = session.path().map(|path| workspace.changing(path));
    if let Some(name) = &args.name {
        session.append_session_info(name.as_str())?;
    }
    session.write_now()?;
    live::with(workspace, session, LiveOptions::default(), output, |live, output| {
        super::print_new_session(live.session(), Object::new(), output)?;
        Ok(Exit::Ok)
    })
}

/// Two sessions with one id could not be told apart by it.
fn refuse_known(id: &str, workspace: &Workspace) -> Result<()> {
    let known = workspace.quiet_store().session_ids().into_iter().find(|found| found.id == id);
    known.map_or(Ok(()), |found| {
        Err(CommandError::Refused {
            message: format!("A session with the id {id} already exists: {}", found.path.display()),
            hint: Some("choose another id, or leave out --id to get a new one".to_owned()),
        })
    })
}
