//! Object stores: what is read from and written to real servers on loopback, also when the way to
//! them fails.

mod azure;
mod common;
mod fetch;
mod hostile;
mod publish;
mod replaced;
mod stages;
