//! The screens, driven by keys and seen through a terminal emulator.

mod colors;
mod fork;
mod harness;
mod help;
mod key_docs;
mod keys;
mod observers;
mod picker;
mod pictures;
mod shop;
mod tree;
mod view;
