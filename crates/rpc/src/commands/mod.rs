//! What the commands do.

pub(crate) mod change;
pub(crate) mod context;
pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod listen;
pub(crate) mod models;
pub(crate) mod modes;
pub(crate) mod shell;
pub(crate) mod state;
pub(crate) mod stats;
pub(crate) mod store;
pub(crate) mod summaries;
