//! The text in the content of a message, and the words beside it.

use crate::message::{BashExecution, Block, Content};
use crate::{JsString, Object, Value};

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

/// The text of a `content` as it stands in an entry: the string, or its text blocks joined by
/// `separator`. A text block without a text counts as an empty one. Pi's `contentText`.
pub fn content_text(content: Option<&Value>, separator: &str) -> JsString {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let mut joined = JsString::new();
            let texts = blocks.iter().filter(|block| is_type(block, "text"));
            for (at, block) in texts.enumerate() {
                if at > 0 {
                    joined.push_str(separator);
                }
                if let Some(text) = block.get_string("text") {
                    joined.push(text);
                }
            }
            joined
        }
        _ => JsString::new(),
    }
}

/// A text block.
pub fn text_block(text: impl Into<Value>) -> Value {
    Object::new().with("type", "text").with("text", text).into()
}

/// Whether the `type` of a block or an entry is this one.
pub fn is_type(value: &Value, name: &str) -> bool {
    value.get_string("type").is_some_and(|kind| *kind == name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    #[test]
    fn a_text_block_without_a_text_counts_as_an_empty_one() {
        let blocks = br#"[{"type":"text"},{"type":"image"},{"type":"text","text":"a"}]"#;
        let blocks = parse(blocks).unwrap();
        assert_eq!(content_text(Some(&blocks), "\n"), "\na");
        assert_eq!(content_text(Some(&"b".into()), "\n"), "b");
        assert_eq!(content_text(None, "\n"), "");
    }
}
