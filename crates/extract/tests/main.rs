//! Runs over whole stores, the formats that they print, and the consumers of these.
//!
//! `memory` is a program of its own: it counts what the whole process allocates.

mod formats;
mod library;
mod requests;
mod runs;
mod tables;
