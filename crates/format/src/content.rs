//! The text in the content of a message, and the words beside it.

use crate::JsString;
use crate::message::{BashExecution, Block, Content};

impl Content {
    /// The text for people: the string, or the text blocks joined by `separator`.
    pub fn to_text(&self, separator: &str) -> String {
        match self {
            Self::Text(text) => text.to_text().into_owned(),
            Self::Blocks(blocks) => {
                let texts: Vec<_> = blocks
                    .iter()
                    .filter_map(|block| match block {
                        Block::Text { text, .. } => Some(text.to_text()),
                        _ => None,
                    })
                    .collect();
                texts.join(separator)
            }
            Self::Missing | Self::Other => String::new(),
        }
    }

    /// The text as JavaScript has it, half emojis included, with nothing between the blocks.
    pub fn to_js_text(&self) -> JsString {
        let mut joined = if let Self::Text(text) = self { text.clone() } else { "".into() };
        for block in self.blocks() {
            if let Block::Text { text, .. } = block {
                joined.push(text);
            }
        }
        joined
    }
}

impl BashExecution {
    /// What is to be said beside the output, in words.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> {
        let marks = [
            (self.cancelled, "cancelled"),
            (self.truncated, "output cut"),
            (self.exclude_from_context, "kept from the model"),
        ];
        marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark)
    }
}
