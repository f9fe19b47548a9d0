//! The tree navigator without a terminal: equal to the real Pi's, and fluid on huge trees.

mod common;
mod large;
mod pi;
