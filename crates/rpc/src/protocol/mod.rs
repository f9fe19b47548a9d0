//! The protocol as one table: each command with what it takes, what it answers and who carries it
//! out. The page `docs/protocol.md` and the JSON schema beside it are made from this table, and
//! tests hold the real answers against it.

mod agent;
mod changing;
mod files;
mod page;
mod reading;
mod schema;
mod shape;
mod shapes;

pub use page::page;
pub use schema::schema;
pub use shape::{Definition, Member, Shape};

use crate::answer::{Answer, Failure};
use crate::server::Call;

/// Carries out a command.
pub(crate) type Run = fn(&Call<'_>) -> Result<Answer, Failure>;

/// One command.
pub struct Command {
    /// The `type` of its requests.
    pub name: &'static str,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// Whether Pi has it too.
    pub origin: Origin,
    /// What a request has besides `type` and `id`.
    pub takes: &'static [Member],
    /// The `data` of its answer, if there is one.
    pub answers: Option<Shape>,
    pub(crate) turn: Turn,
    pub(crate) run: Run,
}

/// Where a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Pi 1.5.0 has it; what it takes and answers is the same, with additions where it says so.
    Pi,
    /// pitree's own.
    Pitree,
}

/// How a command takes part in the [order](crate::order) of a client's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Not at all: answered at once, even while a change is being made. Needs no session.
    AtOnce,
    /// Stops something that was sent before it.
    Stop,
    /// Reads the session.
    Read,
    /// The same, in no time: if nothing is in its way, the thread that reads requests answers it.
    QuickRead,
    /// The same, on a thread of its own, since it may take long.
    LongRead,
    /// Reads other sessions, on a thread of its own.
    StoreRead,
    /// Begins in its turn and then runs beside everything else.
    Beside,
    /// Says something to an attached agent.
    Message,
    /// Changes the session.
    Change,
}

/// All commands, in the order of the page.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    let changing = reading::COMMANDS.iter().chain(&changing::COMMANDS);
    changing.chain(&agent::COMMANDS).chain(&files::COMMANDS)
}

/// The command of this name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    commands().find(|command| command.name == name)
}
