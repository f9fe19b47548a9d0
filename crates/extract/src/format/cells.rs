//! What the form `chat` writes, message by message, for a table.

use pitree_sample::Sample;

use super::conversation::{Thoughts, turns};
use super::messages::{HUGGING_FACE, print_metadata, print_tools};
use crate::reason::DropReason;

/// The parts of a line of `chat`, as JSON.
pub(crate) struct ChatCells {
    /// The messages.
    pub(crate) messages: Vec<String>,
    /// For each message whether it is to be learned.
    pub(crate) trained: Vec<bool>,
    /// The tools, where the session says which there were.
    pub(crate) tools: Option<String>,
    /// Where it comes from.
    pub(crate) metadata: String,
}

impl ChatCells {
    /// Makes the parts of a sample; `Err` says why it cannot be written.
    pub(crate) fn of(sample: &Sample) -> Result<Self, DropReason> {
        let turns = turns(sample, Thoughts::Beside)?;
        let printed = |print: &dyn Fn(&mut String)| {
            let mut text = String::new();
            print(&mut text);
            text
        };
        let messages =
            turns.iter().map(|turn| printed(&|out| HUGGING_FACE.print_message(turn, out)));
        Ok(Self {
            messages: messages.collect(),
            trained: turns.iter().map(|turn| turn.trained).collect(),
            tools: sample.tools.as_ref().map(|tools| printed(&|out| print_tools(tools, out))),
            metadata: printed(&|out| print_metadata(sample, out)),
        })
    }
}
