//! Pages for people, and what must never be on them.
//!
//! `memory` is a program of its own: it counts what the whole process allocates.

mod export;
