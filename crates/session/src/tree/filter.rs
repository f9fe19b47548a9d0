//! Which entries a tree shows: the filters of Pi's `/tree`.

use pitree_format::message::{AssistantMessage, Block, Content, Message};
use pitree_format::{EntryKind, Role, Value, named_enum};

use crate::error::Result;
use crate::session::EntryRef;

named_enum! {
    /// Pi's filters of the tree, in the order in which a key cycles through them, with the names
    /// of its setting `treeFilterMode`.
    #[derive(Default)]
    pub enum TreeFilter {
        #[default]
        Default = "default": "Messages and summaries",
        NoTools = "no-tools": "The same without tool results",
        UserOnly = "user-only": "Only user messages",
        LabeledOnly = "labeled-only": "Only entries with a label",
        /// But spending and assistant messages without text.
        All = "all": "Everything",
    }
}

/// What a filter knows an entry by. It stands in the envelope, so no body is read for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeClass {
    /// A user message.
    User,
    /// An assistant message; whether it is shown depends on its body, see [`is_silent`].
    Assistant,
    /// The result of a tool call.
    ToolResult,
    /// Labels, names, model changes and the like.
    Bookkeeping,
    /// Spending that belongs to no message; no filter shows it.
    Usage,
    /// Everything else.
    Other,
}

impl TreeFilter {
    /// The one after it.
    #[must_use]
    pub fn next(self) -> Self {
        self.steps(1)
    }

    /// The one before it.
    #[must_use]
    pub fn previous(self) -> Self {
        self.steps(Self::ALL.len() - 1)
    }

    fn steps(self, steps: usize) -> Self {
        let at = Self::ALL.iter().position(|filter| *filter == self).unwrap_or(0);
        Self::ALL[(at + steps) % Self::ALL.len()]
    }

    /// Whether an entry of a class passes, going by its envelope alone.
    pub fn passes(self, class: TreeClass, has_label: bool) -> bool {
        match self {
            _ if class == TreeClass::Usage => false,
            Self::Default => class != TreeClass::Bookkeeping,
            Self::NoTools => !matches!(class, TreeClass::Bookkeeping | TreeClass::ToolResult),
            Self::UserOnly => class == TreeClass::User,
            Self::LabeledOnly => has_label,
            Self::All => true,
        }
    }

    /// Whether an entry is shown. The leaf is shown even if it is a message without text, so
    /// that the current position can be seen.
    pub fn shows(self, entry: EntryRef<'_>, has_label: bool, is_leaf: bool) -> Result<bool> {
        let class = TreeClass::of(entry);
        if !self.passes(class, has_label) {
            return Ok(false);
        }
        if class != TreeClass::Assistant || is_leaf {
            return Ok(true);
        }
        let message = entry.message()?.unwrap_or(Value::Null);
        Ok(!matches!(Message::decode(&message), Message::Assistant(said) if is_silent(&said)))
    }
}

impl TreeClass {
    /// The class of an entry.
    pub fn of(entry: EntryRef<'_>) -> Self {
        match entry.kind() {
            EntryKind::Message => match entry.role() {
                Role::User => Self::User,
                Role::Assistant => Self::Assistant,
                Role::ToolResult => Self::ToolResult,
                _ => Self::Other,
            },
            EntryKind::Usage => Self::Usage,
            EntryKind::Label
            | EntryKind::ContextEdit
            | EntryKind::Custom
            | EntryKind::ModelChange
            | EntryKind::ThinkingLevelChange
            | EntryKind::SessionInfo => Self::Bookkeeping,
            _ => Self::Other,
        }
    }
}

/// Whether an assistant message has no text of its own and did not fail: the results of its
/// calls speak for it, and no filter shows it.
pub fn is_silent(assistant: &AssistantMessage) -> bool {
    let speaks = match &assistant.content {
        Content::Text(text) => !text.trim().is_empty(),
        content => content
            .blocks()
            .iter()
            .any(|block| matches!(block, Block::Text { text, .. } if !text.trim().is_empty())),
    };
    let stop = assistant.stop_reason.as_ref();
    let ended_oddly =
        stop.is_some_and(|stop| !stop.is_empty() && *stop != "stop" && *stop != "toolUse");
    !speaks && !ended_oddly
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_comes_back_both_ways() {
        let mut filter = TreeFilter::Default;
        for _ in TreeFilter::ALL {
            assert_eq!(filter.next().previous(), filter);
            assert_eq!(TreeFilter::from_name(filter.name()), Some(filter));
            filter = filter.next();
        }
        assert_eq!(filter, TreeFilter::Default);
    }
}
