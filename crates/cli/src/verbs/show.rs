//! `pitree show`: a session for people.

use clap::Args;

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::{Place, Target};

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    target: Target,
}

pub(crate) fn run(
    args: &ShowArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let session = place.open(&args.target)?;
    output.line(&session.id())?;
    Ok(Exit::Ok)
}
