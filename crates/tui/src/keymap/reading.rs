//! The keys of the reader: the session view before the composer is open. Letters are commands here.

use super::bindings::KeyRow;

/// What the reader does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAction {
    /// One row down.
    Down,
    /// One row up.
    Up,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// To the beginning.
    First,
    /// To the end.
    Last,
    /// To the user's next message.
    NextPrompt,
    /// To the user's previous message.
    PreviousPrompt,
    /// To the next error.
    NextError,
    /// To the previous error.
    PreviousError,
    /// Asks what to find.
    Find,
    /// To the next match.
    FindNext,
    /// To the previous match.
    FindPrevious,
    /// Unfolds or folds the message at the cursor.
    Fold,
    /// Copies the message at the cursor.
    Copy,
    /// Copies a code block of the message at the cursor.
    CopyCode,
    /// Opens the message at the cursor in the user's editor.
    Edit,
    /// The tree.
    Tree,
    /// The fork list.
    Fork,
    /// Asks for a command.
    Command,
    /// Opens the composer.
    Write,
    /// Leaves.
    Quit,
}

pub(super) const READ: &[KeyRow<ReadAction>] = {
    use ReadAction as Do;
    &[
        KeyRow::new(Do::Down, "read.down", "j down", "move by one row"),
        KeyRow::new(Do::Up, "read.up", "k up", "move by one row"),
        KeyRow::new(Do::PageDown, "read.pageDown", "ctrl+f space", "a page down or up"),
        KeyRow::new(Do::PageUp, "read.pageUp", "ctrl+b", "a page down or up"),
        KeyRow::new(Do::First, "read.first", "g home", "to the beginning or the end"),
        KeyRow::new(Do::Last, "read.last", "shift+g end", "to the beginning or the end"),
        KeyRow::new(Do::NextPrompt, "read.nextPrompt", "]", "to your next or previous message"),
        KeyRow::new(
            Do::PreviousPrompt,
            "read.previousPrompt",
            "[",
            "to your next or previous message",
        ),
        KeyRow::new(Do::NextError, "read.nextError", "}", "to the next or previous error"),
        KeyRow::new(Do::PreviousError, "read.previousError", "{", "to the next or previous error"),
        KeyRow::new(Do::Find, "read.find", "/", "find in this session"),
        KeyRow::new(Do::FindNext, "read.findNext", "n", "to the next or previous match"),
        KeyRow::new(
            Do::FindPrevious,
            "read.findPrevious",
            "shift+n",
            "to the next or previous match",
        ),
        KeyRow::new(Do::Fold, "read.fold", "o enter", "unfold or fold the message at the cursor"),
        KeyRow::new(Do::Copy, "read.copy", "y", "copy the message at the cursor"),
        KeyRow::new(Do::CopyCode, "read.copyCode", "shift+y", "copy a code block or command of it"),
        KeyRow::new(Do::Edit, "read.edit", "e", "open a copy of it in $VISUAL or $EDITOR"),
        KeyRow::new(Do::Tree, "read.tree", "t", "the tree; Enter there shows the entry here"),
        KeyRow::new(Do::Fork, "read.fork", "f", "the fork list"),
        KeyRow::new(Do::Command, "read.command", ":", "run a command, such as :name"),
        KeyRow::new(Do::Write, "read.write", "i", "open the composer"),
        KeyRow::new(Do::Quit, "read.quit", "q ctrl+c", "leave").leaves(),
    ]
};
