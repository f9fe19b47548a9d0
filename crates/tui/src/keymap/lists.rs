//! The keys of the screens that are lists: the picker, the tree, the fork list; and of pages.

use super::bindings::KeyRow;

/// What the picker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerAction {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Shows what is folded below a row.
    Unfold,
    /// Hides it.
    Fold,
    /// Reads the session; where one is picked to be resumed, resumes it in Pi.
    Choose,
    /// The other of the two.
    OpenInPi,
    /// Marks the session.
    Mark,
    /// Mark all from the last marked one to this one.
    MarkRange,
    /// Exports the session, or the marked ones.
    Export,
    /// Scrolls the preview up.
    PreviewUp,
    /// Scrolls the preview down.
    PreviewDown,
    /// Gives the search field the focus.
    Search,
    /// Leaves the field, empties it, closes.
    Back,
    /// Closes.
    Close,
    /// More sessions.
    NextScope,
    /// Fewer sessions.
    PreviousScope,
    /// Another order.
    NextSort,
    /// Only sessions with a name.
    NamedOnly,
    /// Shows paths.
    Paths,
    /// Renames the session.
    Rename,
    /// Deletes the session.
    Delete,
    /// Deletes the session if nothing is typed.
    DeleteIfEmpty,
}

pub(super) const PICKER: &[KeyRow<PickerAction>] = {
    use PickerAction as Do;
    &[
        KeyRow::new(Do::Up, "picker.up", "up", "move").pi("tui.select.up").also("k"),
        KeyRow::new(Do::Down, "picker.down", "down", "move")
            .pi("tui.select.down")
            .also("j")
            .words("mouse wheel"),
        KeyRow::new(Do::PageUp, "picker.pageUp", "pageUp", "move by ten").pi("tui.select.pageUp"),
        KeyRow::new(Do::PageDown, "picker.pageDown", "pageDown", "move by ten")
            .pi("tui.select.pageDown"),
        KeyRow::new(Do::First, "picker.first", "home", "to the first or last session"),
        KeyRow::new(Do::Last, "picker.last", "end", "to the first or last session"),
        KeyRow::new(Do::Unfold, "picker.unfold", "right", "unfold or fold forks and sub-agents"),
        KeyRow::new(Do::Fold, "picker.fold", "left", "unfold or fold forks and sub-agents"),
        KeyRow::new(
            Do::Choose,
            "picker.open",
            "enter",
            "read the session (`pitree resume`: resume it in Pi)",
        )
        .pi("tui.select.confirm"),
        KeyRow::new(
            Do::OpenInPi,
            "picker.openInPi",
            "ctrl+o",
            "resume it in Pi (`pitree resume`: read it)",
        ),
        KeyRow::new(Do::Search, "picker.search", "/", "search: words, \"a phrase\", re:expression")
            .words("or any letter"),
        KeyRow::new(Do::Mark, "picker.mark", "space", "mark, to delete, rename or export many"),
        KeyRow::new(
            Do::MarkRange,
            "picker.markRange",
            "alt+space alt+m",
            "mark all from the last marked one to this one",
        ),
        KeyRow::new(Do::Export, "picker.export", "ctrl+x", "export to HTML, after a question"),
        KeyRow::new(Do::PreviewUp, "picker.previewUp", "shift+up", "scroll the preview"),
        KeyRow::new(Do::PreviewDown, "picker.previewDown", "shift+down", "scroll the preview"),
        KeyRow::new(
            Do::Back,
            "picker.back",
            "escape",
            "leave the field, unmark, clear the search, close",
        )
        .pi("tui.select.cancel")
        .leaves(),
        KeyRow::new(
            Do::NextScope,
            "picker.nextScope",
            "tab",
            "more or fewer: this directory, the repository, all",
        )
        .pi("tui.input.tab"),
        KeyRow::new(
            Do::PreviousScope,
            "picker.previousScope",
            "shift+tab",
            "more or fewer: this directory, the repository, all",
        ),
        KeyRow::new(
            Do::NextSort,
            "picker.sort",
            "ctrl+s",
            "order: threaded, recent, oldest, relevance",
        )
        .pi("app.session.toggleSort"),
        KeyRow::new(Do::NamedOnly, "picker.namedOnly", "ctrl+n", "only sessions with a name")
            .pi("app.session.toggleNamedFilter"),
        KeyRow::new(Do::Paths, "picker.paths", "ctrl+p", "show paths").pi("app.session.togglePath"),
        KeyRow::new(Do::Rename, "picker.rename", "ctrl+r", "rename the session")
            .pi("app.session.rename"),
        KeyRow::new(Do::Delete, "picker.delete", "ctrl+d", "delete the session, after a question")
            .pi("app.session.delete"),
        KeyRow::new(
            Do::DeleteIfEmpty,
            "picker.deleteIfEmpty",
            "ctrl+backspace",
            "the same, when the search field is empty",
        )
        .pi("app.session.deleteNoninvasive"),
        KeyRow::new(Do::Close, "picker.close", "ctrl+c", "close").leaves(),
    ]
};

/// What the tree navigator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKey {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Folds the branch, or goes to where it begins.
    FoldOrUp,
    /// Unfolds the branch, or goes to the next branch point.
    UnfoldOrDown,
    /// Goes to the entry.
    Go,
    /// Goes to the entry and saves the position.
    GoAndSave,
    /// Edits the label.
    EditLabel,
    /// To the next label.
    NextLabel,
    /// To the previous label.
    PreviousLabel,
    /// Shows when labels were set.
    LabelTimes,
    /// Copies the entry's text.
    Copy,
    /// The default filter.
    FilterDefault,
    /// Hides tool results.
    FilterNoTools,
    /// Only the user's messages.
    FilterUserOnly,
    /// Only labeled entries.
    FilterLabeledOnly,
    /// All entries.
    FilterAll,
    /// The next filter.
    NextFilter,
    /// The filter before.
    PreviousFilter,
    /// Takes the last letter of the search away.
    Erase,
    /// Ends the search, then closes.
    Back,
}

pub(super) const TREE: &[KeyRow<TreeKey>] = {
    use TreeKey as Do;
    &[
        KeyRow::new(Do::Up, "tree.up", "up", "move; wraps around at the ends").pi("tui.select.up"),
        KeyRow::new(Do::Down, "tree.down", "down", "move; wraps around at the ends")
            .pi("tui.select.down")
            .words("mouse wheel"),
        KeyRow::new(Do::PageUp, "tree.pageUp", "pageUp", "a page up or down")
            .pi("tui.select.pageUp")
            .also("left"),
        KeyRow::new(Do::PageDown, "tree.pageDown", "pageDown", "a page up or down")
            .pi("tui.select.pageDown")
            .also("right"),
        KeyRow::new(Do::First, "tree.first", "home", "to the first or last row"),
        KeyRow::new(Do::Last, "tree.last", "end", "to the first or last row"),
        KeyRow::new(
            Do::FoldOrUp,
            "tree.fold",
            "ctrl+left alt+left",
            "fold the branch, or go to its start",
        )
        .pi("app.tree.foldOrUp"),
        KeyRow::new(
            Do::UnfoldOrDown,
            "tree.unfold",
            "ctrl+right alt+right",
            "unfold it, or go to the next branch point",
        )
        .pi("app.tree.unfoldOrDown"),
        KeyRow::new(
            Do::Go,
            "tree.go",
            "enter",
            "go there; your own message can be edited and resent",
        )
        .pi("tui.select.confirm"),
        KeyRow::new(Do::GoAndSave, "tree.save", "ctrl+s", "go there and save the position for Pi"),
        KeyRow::new(
            Do::EditLabel,
            "tree.label",
            "shift+l",
            "set the label; an empty one removes it",
        )
        .pi("app.tree.editLabel"),
        KeyRow::new(Do::NextLabel, "tree.nextLabel", "alt+down", "to the next or previous label"),
        KeyRow::new(
            Do::PreviousLabel,
            "tree.previousLabel",
            "alt+up",
            "to the next or previous label",
        ),
        KeyRow::new(Do::LabelTimes, "tree.labelTimes", "shift+t", "show when labels were set")
            .pi("app.tree.toggleLabelTimestamp"),
        KeyRow::new(Do::Copy, "tree.copy", "ctrl+x", "copy the entry's text")
            .pi("app.message.copy"),
        KeyRow::new(
            Do::FilterDefault,
            "tree.filter.default",
            "ctrl+d",
            "filter: messages and summaries",
        )
        .pi("app.tree.filter.default"),
        KeyRow::new(Do::FilterNoTools, "tree.filter.noTools", "ctrl+t", "filter: no tool results")
            .pi("app.tree.filter.noTools"),
        KeyRow::new(Do::FilterUserOnly, "tree.filter.userOnly", "ctrl+u", "filter: only yours")
            .pi("app.tree.filter.userOnly"),
        KeyRow::new(
            Do::FilterLabeledOnly,
            "tree.filter.labeledOnly",
            "ctrl+l",
            "filter: only labeled ones",
        )
        .pi("app.tree.filter.labeledOnly"),
        KeyRow::new(Do::FilterAll, "tree.filter.all", "ctrl+a", "filter: everything")
            .pi("app.tree.filter.all"),
        KeyRow::new(Do::NextFilter, "tree.filter.next", "ctrl+o", "the next filter")
            .pi("app.tree.filter.cycleForward"),
        KeyRow::new(
            Do::PreviousFilter,
            "tree.filter.previous",
            "ctrl+shift+o",
            "the previous filter",
        )
        .pi("app.tree.filter.cycleBackward")
        .also("alt+o"),
        KeyRow::note("tree.search", "letters", "search: all words, anywhere"),
        KeyRow::new(Do::Erase, "tree.erase", "backspace", "delete the last letter of the search")
            .pi("tui.editor.deleteCharBackward"),
        KeyRow::new(Do::Back, "tree.back", "escape ctrl+c", "end the search; then close")
            .pi("tui.select.cancel")
            .leaves(),
    ]
};

/// What the fork list does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkAction {
    /// One message up.
    Up,
    /// One message down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first message.
    First,
    /// To the last message.
    Last,
    /// A new session that ends before the message.
    Fork,
    /// A new session with all of the branch.
    Clone,
    /// Closes.
    Close,
}

pub(super) const FORK: &[KeyRow<ForkAction>] = {
    use ForkAction as Do;
    &[
        KeyRow::new(Do::Up, "fork.up", "up", "move; wraps around at the ends")
            .pi("tui.select.up")
            .also("k"),
        KeyRow::new(Do::Down, "fork.down", "down", "move; wraps around at the ends")
            .pi("tui.select.down")
            .also("j")
            .words("mouse wheel"),
        KeyRow::new(Do::PageUp, "fork.pageUp", "pageUp", "a page up or down")
            .pi("tui.select.pageUp")
            .also("left"),
        KeyRow::new(Do::PageDown, "fork.pageDown", "pageDown", "a page up or down")
            .pi("tui.select.pageDown")
            .also("right"),
        KeyRow::new(Do::First, "fork.first", "home", "to the first or last message"),
        KeyRow::new(Do::Last, "fork.last", "end", "to the first or last message"),
        KeyRow::new(
            Do::Fork,
            "fork.fork",
            "enter",
            "a new session that ends before the message, to edit and resend it",
        )
        .pi("tui.select.confirm"),
        KeyRow::new(Do::Clone, "fork.clone", "c", "a new session with all of the active branch"),
        KeyRow::new(Do::Close, "fork.close", "escape ctrl+c", "close")
            .pi("tui.select.cancel")
            .also("q")
            .leaves(),
    ]
};

/// What a page above a screen does. Any other key closes it, and text goes to the screen below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetAction {
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// Ten lines up.
    PageUp,
    /// Ten lines down.
    PageDown,
}

pub(super) const SHEET: &[KeyRow<SheetAction>] = {
    use SheetAction as Do;
    &[
        KeyRow::new(Do::Up, "sheet.up", "up", "scroll").pi("tui.select.up"),
        KeyRow::new(Do::Down, "sheet.down", "down", "scroll")
            .pi("tui.select.down")
            .words("mouse wheel"),
        KeyRow::new(Do::PageUp, "sheet.pageUp", "pageUp", "scroll by ten lines")
            .pi("tui.select.pageUp"),
        KeyRow::new(Do::PageDown, "sheet.pageDown", "pageDown", "scroll by ten lines")
            .pi("tui.select.pageDown"),
        KeyRow::note("sheet.close", "any other key", "close; text goes to the screen below"),
    ]
};
