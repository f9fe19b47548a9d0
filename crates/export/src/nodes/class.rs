//! The classes that an element can have.

/// What an element looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A word of the programming language.
    Keyword,
    /// A string or a number.
    Literal,
    /// A comment.
    Comment,
    /// The name of a function where it is called or defined.
    Function,
    /// The name of a type.
    Type,
    /// A line that a change adds.
    DiffAdded,
    /// A line that a change removes.
    DiffRemoved,
    /// Where a change is.
    DiffHunk,
    /// A color of the terminal, 0 to 15, for the text.
    Foreground(u8),
    /// A color of the terminal, 0 to 15, behind the text.
    Background(u8),
    /// Bold on a terminal.
    Bold,
    /// Dim on a terminal.
    Dim,
    /// Italic on a terminal.
    Italic,
    /// Underlined on a terminal.
    Underlined,
    /// Struck out on a terminal.
    Struck,
    /// Colors that are swapped on a terminal.
    Reversed,
    /// A label.
    Label,
    /// A remark of pitree itself.
    Note,
    /// What went wrong.
    Error,
    /// The reasoning of a model.
    Thinking,
    /// The call of a tool.
    Call,
    /// What a tool gave back.
    Result,
    /// The output of a program.
    Output,
    /// An image.
    Image,
    /// A name and its value.
    Fact,
    /// The name of a tool, a file or a fact.
    Name,
    /// A command, a path or a pattern: what tells calls apart.
    What,
    /// A block of code, with its language above it.
    Code,
    /// The language of a block of code.
    Language,
    /// Lines of code with their numbers: a list whose items are the lines.
    Lines,
    /// Where a link leads that is not one here.
    Address,
    /// A check box that is empty.
    Todo,
    /// A check box that is checked.
    Done,
    /// A footnote or the definition of a link.
    Definition,
    /// Text whose lines and spaces are kept.
    Plain,
    /// Aligned to the right.
    Right,
    /// Centered.
    Center,
    /// A change, line by line.
    Diff,
    /// A long text was cut here; the element says how much is left.
    Cut,
}

const FOREGROUND: [&str; 16] = [
    "ansi-fg-0",
    "ansi-fg-1",
    "ansi-fg-2",
    "ansi-fg-3",
    "ansi-fg-4",
    "ansi-fg-5",
    "ansi-fg-6",
    "ansi-fg-7",
    "ansi-fg-8",
    "ansi-fg-9",
    "ansi-fg-10",
    "ansi-fg-11",
    "ansi-fg-12",
    "ansi-fg-13",
    "ansi-fg-14",
    "ansi-fg-15",
];

const BACKGROUND: [&str; 16] = [
    "ansi-bg-0",
    "ansi-bg-1",
    "ansi-bg-2",
    "ansi-bg-3",
    "ansi-bg-4",
    "ansi-bg-5",
    "ansi-bg-6",
    "ansi-bg-7",
    "ansi-bg-8",
    "ansi-bg-9",
    "ansi-bg-10",
    "ansi-bg-11",
    "ansi-bg-12",
    "ansi-bg-13",
    "ansi-bg-14",
    "ansi-bg-15",
];

/// Those without a color of the terminal.
const WITHOUT_COLOR: [Class; 37] = [
    Class::Keyword,
    Class::Literal,
    Class::Comment,
    Class::Function,
    Class::Type,
    Class::DiffAdded,
    Class::DiffRemoved,
    Class::DiffHunk,
    Class::Bold,
    Class::Dim,
    Class::Italic,
    Class::Underlined,
    Class::Struck,
    Class::Reversed,
    Class::Label,
    Class::Note,
    Class::Error,
    Class::Thinking,
    Class::Call,
    Class::Result,
    Class::Output,
    Class::Image,
    Class::Fact,
    Class::Name,
    Class::What,
    Class::Code,
    Class::Language,
    Class::Lines,
    Class::Address,
    Class::Todo,
    Class::Done,
    Class::Definition,
    Class::Plain,
    Class::Right,
    Class::Center,
    Class::Diff,
    Class::Cut,
];

impl Class {
    /// All of them, for a page that lists what it allows.
    pub fn all() -> impl Iterator<Item = Self> {
        let colors = (0..16).flat_map(|color| [Self::Foreground(color), Self::Background(color)]);
        WITHOUT_COLOR.into_iter().chain(colors)
    }

    /// Its name in HTML and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyword => "tok-keyword",
            Self::Literal => "tok-literal",
            Self::Comment => "tok-comment",
            Self::Function => "tok-function",
            Self::Type => "tok-type",
            Self::DiffAdded => "diff-add",
            Self::DiffRemoved => "diff-del",
            Self::DiffHunk => "diff-hunk",
            Self::Foreground(color) => FOREGROUND[usize::from(color & 15)],
            Self::Background(color) => BACKGROUND[usize::from(color & 15)],
            Self::Bold => "ansi-bold",
            Self::Dim => "ansi-dim",
            Self::Italic => "ansi-italic",
            Self::Underlined => "ansi-underline",
            Self::Struck => "ansi-strike",
            Self::Reversed => "ansi-reverse",
            Self::Label => "label",
            Self::Note => "note",
            Self::Error => "error",
            Self::Thinking => "thinking",
            Self::Call => "call",
            Self::Result => "result",
            Self::Output => "output",
            Self::Image => "image",
            Self::Fact => "fact",
            Self::Name => "name",
            Self::What => "what",
            Self::Code => "code",
            Self::Language => "language",
            Self::Lines => "lines",
            Self::Address => "address",
            Self::Todo => "todo",
            Self::Done => "done",
            Self::Definition => "definition",
            Self::Plain => "plain",
            Self::Right => "right",
            Self::Center => "center",
            Self::Diff => "diff",
            Self::Cut => "cut",
        }
    }
}
