//! The interface as a terminal shows it, and its tree against that of the real Pi.

mod screens;
mod tree;
