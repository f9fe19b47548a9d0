//! The keys of the session view, of everything that is typed into, of questions, and those that
//! work on every screen.

use super::bindings::KeyRow;

/// What every screen does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAction {
    /// Shows the keys.
    Help,
    /// Suspends the program.
    Suspend,
}

pub(super) const GLOBAL: &[KeyRow<GlobalAction>] = &[
    KeyRow::new(
        GlobalAction::Help,
        "global.help",
        "?",
        "show the keys, where letters are not text",
    ),
    KeyRow::new(
        GlobalAction::Suspend,
        "global.suspend",
        "ctrl+z",
        "suspend pitree; `fg` continues",
    )
    .pi("app.suspend")
    .without_letters(),
];

/// What the session view does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAction {
    /// Scrolls a page up.
    PageUp,
    /// Scrolls a page down.
    PageDown,
    /// Scrolls a row up.
    LineUp,
    /// Scrolls a row down.
    LineDown,
    /// To the user's message before.
    PreviousPrompt,
    /// To the user's message after.
    NextPrompt,
    /// To the beginning.
    Top,
    /// To the end.
    Bottom,
    /// Unfolds or folds tools and summaries.
    Tools,
    /// Unfolds or folds thinking.
    Thinking,
    /// Saves the position.
    SavePosition,
    /// Opens the session in Pi.
    OpenInPi,
    /// Copies the last answer.
    Copy,
    /// Stops what is running; twice, opens the tree.
    Interrupt,
    /// Empties the editor, else stops what is running, else leaves.
    Clear,
    /// Leaves when the editor is empty.
    Exit,
    /// Completes a command.
    Complete,
    /// A new session.
    New,
    /// The tree.
    Tree,
    /// The fork list.
    Fork,
    /// The picker.
    Resume,
}

pub(super) const VIEW: &[KeyRow<ViewAction>] = {
    use ViewAction as Do;
    &[
        KeyRow::new(Do::PageUp, "view.pageUp", "pageUp", "scroll").pi("tui.altScreen.pageUp"),
        KeyRow::new(Do::PageDown, "view.pageDown", "pageDown", "scroll")
            .pi("tui.altScreen.pageDown")
            .words("mouse wheel"),
        KeyRow::new(Do::LineUp, "view.lineUp", "shift+up", "scroll by one row")
            .pi("tui.altScreen.lineUp"),
        KeyRow::new(Do::LineDown, "view.lineDown", "shift+down", "scroll by one row")
            .pi("tui.altScreen.lineDown"),
        KeyRow::new(
            Do::PreviousPrompt,
            "view.previousPrompt",
            "alt+up",
            "to your previous or next message",
        )
        .pi("tui.altScreen.previousPrompt"),
        KeyRow::new(
            Do::NextPrompt,
            "view.nextPrompt",
            "alt+down",
            "to your previous or next message",
        )
        .pi("tui.altScreen.nextPrompt"),
        KeyRow::new(Do::Top, "view.top", "ctrl+home", "to the beginning or the end")
            .pi("tui.altScreen.top"),
        KeyRow::new(Do::Bottom, "view.bottom", "ctrl+end", "to the beginning or the end")
            .pi("tui.altScreen.bottom"),
        KeyRow::new(Do::Tools, "view.tools", "alt+o ctrl+g", "unfold or fold tools and summaries")
            .pi("app.tools.expand"),
        KeyRow::new(Do::Thinking, "view.thinking", "ctrl+t", "unfold or fold reasoning")
            .pi("app.thinking.toggle"),
        KeyRow::new(
            Do::SavePosition,
            "view.savePosition",
            "ctrl+s",
            "save this position, so that Pi resumes here",
        ),
        KeyRow::new(
            Do::OpenInPi,
            "view.openInPi",
            "ctrl+o",
            "open this session in Pi, at this position",
        ),
        KeyRow::new(Do::Copy, "view.copy", "ctrl+x", "copy the last reply").pi("app.message.copy"),
        KeyRow::new(
            Do::Interrupt,
            "view.interrupt",
            "escape",
            "stop what is running, or close an empty composer; twice: the tree",
        )
        .pi("app.interrupt"),
        KeyRow::new(
            Do::Clear,
            "view.clear",
            "ctrl+c",
            "empty the editor, else stop what is running, else leave",
        )
        .pi("app.clear")
        .leaves(),
        KeyRow::new(Do::Exit, "view.exit", "ctrl+d", "leave, when the editor is empty")
            .pi("app.exit")
            .leaves(),
        KeyRow::new(Do::Complete, "view.complete", "tab", "complete a command").pi("tui.input.tab"),
        KeyRow::new(Do::New, "view.new", "", "an empty session, as /new").pi("app.session.new"),
        KeyRow::new(Do::Tree, "view.tree", "", "the tree, as /tree").pi("app.session.tree"),
        KeyRow::new(Do::Fork, "view.fork", "", "the fork list, as /fork").pi("app.session.fork"),
        KeyRow::new(Do::Resume, "view.resume", "", "the picker, as /resume")
            .pi("app.session.resume"),
    ]
};

/// What is done with a text that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputAction {
    /// It is done.
    Submit,
    /// It goes on in a new line.
    NewLine,
}

pub(super) const INPUT: &[KeyRow<InputAction>] = &[
    KeyRow::new(
        InputAction::Submit,
        "input.submit",
        "enter",
        "send the message, or run the command",
    )
    .pi("tui.input.submit"),
    KeyRow::new(InputAction::NewLine, "input.newLine", "shift+enter ctrl+j", "a new line")
        .pi("tui.input.newLine")
        .also("alt+enter")
        .words("\\ before Enter"),
];

/// What an editor does with its text and its cursor. A field of one line has no lines to move
/// between and nothing to undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditAction {
    /// A line up; from the first line, to what was sent before.
    Up,
    /// A line down; from the last line, to what was sent after.
    Down,
    /// A character left.
    Left,
    /// A character right.
    Right,
    /// A word left.
    WordLeft,
    /// A word right.
    WordRight,
    /// To the start of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Deletes the character before the cursor.
    DeleteBefore,
    /// Deletes the character behind the cursor.
    DeleteAfter,
    /// Deletes the word before the cursor.
    DeleteWordBefore,
    /// Deletes the word behind the cursor.
    DeleteWordAfter,
    /// Deletes to the start of the line.
    DeleteToStart,
    /// Deletes to the end of the line.
    DeleteToEnd,
    /// Inserts what was deleted last.
    Yank,
    /// Takes the last change back.
    Undo,
    /// Makes it again.
    Redo,
}

pub(super) const EDIT: &[KeyRow<EditAction>] = {
    use EditAction as Do;
    &[
        KeyRow::new(Do::Up, "edit.up", "up", "a line up or down; at the ends, sent messages")
            .pi("tui.editor.cursorUp")
            .also("ctrl+p"),
        KeyRow::new(Do::Down, "edit.down", "down", "a line up or down; at the ends, sent messages")
            .pi("tui.editor.cursorDown")
            .also("ctrl+n"),
        KeyRow::new(Do::Left, "edit.left", "left ctrl+b", "a character left or right")
            .pi("tui.editor.cursorLeft"),
        KeyRow::new(Do::Right, "edit.right", "right ctrl+f", "a character left or right")
            .pi("tui.editor.cursorRight"),
        KeyRow::new(
            Do::WordLeft,
            "edit.wordLeft",
            "ctrl+left alt+left alt+b",
            "a word left or right",
        )
        .pi("tui.editor.cursorWordLeft"),
        KeyRow::new(
            Do::WordRight,
            "edit.wordRight",
            "ctrl+right alt+right alt+f",
            "a word left or right",
        )
        .pi("tui.editor.cursorWordRight"),
        KeyRow::new(
            Do::LineStart,
            "edit.lineStart",
            "home ctrl+a",
            "to the start or end of the line",
        )
        .pi("tui.editor.cursorLineStart"),
        KeyRow::new(Do::LineEnd, "edit.lineEnd", "end ctrl+e", "to the start or end of the line")
            .pi("tui.editor.cursorLineEnd"),
        KeyRow::new(Do::PageUp, "edit.pageUp", "pageUp", "a page of a long text up or down")
            .pi("tui.editor.pageUp"),
        KeyRow::new(Do::PageDown, "edit.pageDown", "pageDown", "a page of a long text up or down")
            .pi("tui.editor.pageDown"),
        KeyRow::new(
            Do::DeleteBefore,
            "edit.deleteBefore",
            "backspace",
            "delete the character before or after the cursor",
        )
        .pi("tui.editor.deleteCharBackward")
        // Some terminals send Ctrl+H for Backspace.
        .also("ctrl+h"),
        KeyRow::new(
            Do::DeleteAfter,
            "edit.deleteAfter",
            "delete ctrl+d",
            "delete the character before or after the cursor",
        )
        .pi("tui.editor.deleteCharForward"),
        KeyRow::new(
            Do::DeleteWordBefore,
            "edit.deleteWordBefore",
            "ctrl+w alt+backspace",
            "delete the word before or after the cursor",
        )
        .pi("tui.editor.deleteWordBackward")
        .also("ctrl+backspace"),
        KeyRow::new(
            Do::DeleteWordAfter,
            "edit.deleteWordAfter",
            "alt+d alt+delete",
            "delete the word before or after the cursor",
        )
        .pi("tui.editor.deleteWordForward"),
        KeyRow::new(
            Do::DeleteToStart,
            "edit.deleteToStart",
            "ctrl+u",
            "delete to the start or end of the line",
        )
        .pi("tui.editor.deleteToLineStart"),
        KeyRow::new(
            Do::DeleteToEnd,
            "edit.deleteToEnd",
            "ctrl+k",
            "delete to the start or end of the line",
        )
        .pi("tui.editor.deleteToLineEnd"),
        KeyRow::new(Do::Yank, "edit.yank", "ctrl+y", "insert what was deleted last")
            .pi("tui.editor.yank"),
        KeyRow::new(Do::Undo, "edit.undo", "ctrl+-", "undo or redo the last change")
            .pi("tui.editor.undo"),
        KeyRow::new(Do::Redo, "edit.redo", "ctrl+r", "undo or redo the last change"),
    ]
};

/// What questions and lists of choices do. Where text is typed, letters are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogAction {
    /// One choice up.
    Up,
    /// One choice down.
    Down,
    /// To the first choice.
    First,
    /// To the last choice.
    Last,
    /// Takes the choice, says yes.
    Accept,
    /// Cancels, says no.
    Cancel,
    /// Says yes.
    Yes,
    /// Says no.
    No,
}

pub(super) const DIALOG: &[KeyRow<DialogAction>] = {
    use DialogAction as Do;
    &[
        KeyRow::new(Do::Up, "dialog.up", "up", "move").pi("tui.select.up").also("k"),
        KeyRow::new(Do::Down, "dialog.down", "down", "move").pi("tui.select.down").also("j"),
        KeyRow::new(Do::First, "dialog.first", "home", "to the first or last choice"),
        KeyRow::new(Do::Last, "dialog.last", "end", "to the first or last choice"),
        KeyRow::new(Do::Accept, "dialog.accept", "enter", "take the choice")
            .pi("tui.select.confirm"),
        KeyRow::new(Do::Cancel, "dialog.cancel", "escape ctrl+c", "cancel, or say no")
            .pi("tui.select.cancel")
            .leaves(),
        KeyRow::new(Do::Yes, "dialog.yes", "y shift+y", "yes or no"),
        KeyRow::new(Do::No, "dialog.no", "n shift+n", "yes or no"),
    ]
};
