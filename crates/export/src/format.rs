//! The formats and their names.

use std::path::Path;

use crate::Branch;

/// What an export looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Plain text, harmless on a terminal.
    Text,
    /// Markdown.
    Markdown,
    /// JSON Lines: the session file, or one branch of it as a session.
    Jsonl,
    /// One page that needs nothing else.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Text, Self::Markdown, Self::Jsonl, Self::Html];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Jsonl => "jsonl",
            Self::Html => "html",
        }
    }

    /// How the names of its files end, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Markdown => "md",
            Self::Jsonl => "jsonl",
            Self::Html => "html",
        }
    }

    /// The format that a file's name asks for.
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "txt" | "text" => Some(Self::Text),
            "md" | "markdown" => Some(Self::Markdown),
            "jsonl" => Some(Self::Jsonl),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// What is exported unless something else is asked for: a page for the browser has every
    /// branch, as Pi's has; all else is the conversation as it stands.
    pub fn default_branch(self) -> Branch {
        match self {
            Self::Html => Branch::All,
            Self::Text | Self::Markdown | Self::Jsonl => Branch::Active,
        }
    }
}
