//! The stages of an extraction: whoever does them, in whatever order, however often, the data set is
//! the one that a run on one machine makes.

pub(crate) mod engine;
mod equal;
mod hostile;
mod layout;
