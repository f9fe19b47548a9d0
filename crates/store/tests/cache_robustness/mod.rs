//! Whatever happens to the cache, the list is right.

mod common;
mod grown;
mod processes;
mod trouble;
