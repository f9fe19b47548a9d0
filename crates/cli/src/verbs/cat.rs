//! `pitree cat`: the file, byte for byte.

use std::io::{ErrorKind, Read};

use clap::Args;

use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::{Target, Workspace};

#[derive(Args, Debug)]
pub(crate) struct CatArgs {
    #[command(flatten)]
    target: Target,
}

pub(crate) fn run(args: &CatArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let path = workspace.find(&args.target)?;
    let mut file = pitree_session::open_file(&path)?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        let failed = |source| CommandError::File { path: path.clone(), source };
        let count = match file.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            other => other.map_err(failed)?,
        };
        if count == 0 {
            return Ok(Exit::Ok);
        }
        output.bytes(&buffer[..count])?;
    }
}
