//! The fork list: the user's messages, to say one of them anew in a new session.
//!
//! The new session ends before the message, and knows where it comes from. [`ForkList`] is what is
//! shown, without a terminal; [`ForkScreen`] adds the keys and does the forking.

mod list;
mod screen;
mod view;

pub use list::{ForkList, ForkMessage};
pub use screen::ForkScreen;
