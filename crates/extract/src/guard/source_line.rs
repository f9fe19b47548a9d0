//! A line of a session file that is decoded once, whoever looks at it.

use std::cell::OnceCell;

use pitree_format::Value;
use pitree_format::js::parse_noting_repeats;

/// A line of a session file. It is decoded when somebody first asks for its value, and only then.
#[derive(Debug)]
pub struct SourceLine<'l> {
    bytes: &'l [u8],
    /// The value, and whether an object in it has a name twice; `None` if it is not JSON.
    decoded: OnceCell<Option<(Value, bool)>>,
}

impl<'l> SourceLine<'l> {
    /// A line without its line feed.
    pub fn new(bytes: &'l [u8]) -> Self {
        Self { bytes, decoded: OnceCell::new() }
    }

    /// The line as it stands in the file.
    pub fn bytes(&self) -> &'l [u8] {
        self.bytes
    }

    /// What the line says; `None` if it is not JSON.
    pub fn value(&self) -> Option<&Value> {
        let decoded = self.decoded.get_or_init(|| parse_noting_repeats(self.bytes).ok());
        decoded.as_ref().map(|(value, _)| value)
    }

    /// The same to keep, and whether an object has a name twice: then the line holds more than the
    /// value.
    pub fn into_value(self) -> Option<(Value, bool)> {
        let bytes = self.bytes;
        self.decoded.into_inner().unwrap_or_else(|| parse_noting_repeats(bytes).ok())
    }
}
