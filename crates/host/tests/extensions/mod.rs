//! Extension processes: what they are told, what their answers do, and that nothing they do wrong
//! can block, slow or damage a session.

mod examples;
mod faults;
mod finding;
mod talking;
mod world;
