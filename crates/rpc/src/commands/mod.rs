//! What the commands do.

pub(crate) mod change;
pub(crate) mod context;
pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod listen;
pub(crate) mod models;
pub(crate) mod modes;
pub(crate) mod state;
pub(crate) mod stats;
pub(crate) mod store;
pub(crate) mod summaries;

use pitree_format::JsString;
use pitree_format::message::{Block, Content};

/// The text of a message without a separator between its blocks, half emojis included.
fn content_text(content: &Content) -> JsString {
    if let Content::Text(text) = content {
        return text.clone();
    }
    let mut text = JsString::default();
    for block in content.blocks() {
        if let Block::Text { text: part, .. } = block {
            text.push(part);
        }
    }
    text
}
