//! The tree navigator.
//!
//! What is shown is decided without a terminal: [`TreeModel`] holds filter, search, folds and
//! cursor, [`TreeRows`] is what is left of the tree, [`lines()`] makes lines of it. All of it
//! follows Pi's navigator, row by row. [`TreeScreen`] adds the keys, the dialogs and the colours.

mod calls;
mod facts;
mod keys;
mod labels;
mod line;
mod model;
mod navigation;
mod preview;
mod reading;
mod rows;
mod screen;
mod shape;
mod view;
mod words;

pub use facts::{Bodies, BodyPart};
pub use labels::{EntryLabel, short_time};
pub use line::{CURSOR_COLUMNS, Ink, TreeLine, lines};
pub use model::{TreeAction, TreeModel};
pub use rows::{STEP_COLUMNS, TreeRow, TreeRows};
pub use screen::{Purpose, TreeScreen};
pub use words::{RowText, RowTone, copy_text};
