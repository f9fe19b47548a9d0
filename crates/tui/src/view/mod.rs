//! The session view.

mod entry;
mod highlight;
mod markdown;
mod numbers;
mod row;
mod table;
