//! The verbs that write, and what surrounds them: where files go, who may read them, how a
//! command ends. Each test runs the command as a user does.

mod append;
mod branches;
mod endings;
mod hostile;
mod limits;
mod marks;
mod migrate;
mod places;
mod reading;
