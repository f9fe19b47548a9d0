//! The formats and their names.

use std::path::Path;

use pitree_format::named_enum;

use crate::Branch;

named_enum! {
    /// What an export looks like.
    #[non_exhaustive]
    pub enum Format {
        Text = "text": "Plain text",
        Markdown = "markdown": "Markdown",
        Jsonl = "jsonl":
            "One branch as a session file, as Pi's `/export FILE.jsonl`; with `--branches all` the \
             file byte for byte",
        Html = "html": "A self-contained web page",
    }
}

impl Format {
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
