//! The session view.

mod commands;
mod conversation;
mod entry;
mod highlight;
mod markdown;
mod numbers;
mod row;
mod table;
