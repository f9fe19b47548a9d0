//! One file a verb.

pub(crate) mod branch;
pub(crate) mod cat;
pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod entries;
pub(crate) mod show;
pub(crate) mod tree;

use crate::arguments::{Arguments, Verb};
use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::Place;

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<Exit, CommandError> {
    let place = Place::new(arguments);
    match &arguments.verb {
        Verb::Show(args) => show::run(args, &place, output),
        Verb::Entries(args) => entries::run(args, &place, output),
        Verb::Tree(args) => tree::run(args, &place, output),
        Verb::Branch(args) => branch::run(args, &place, output),
        Verb::Context(args) => context::run(args, &place, output),
        Verb::Cat(args) => cat::run(args, &place, output),
        Verb::Check(args) => check::run(args, &place, output),
    }
}
