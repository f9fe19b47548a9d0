//! The files that tools read and change, and what they are called.

use crate::stats::FileCount;

/// A path longer than this is not a file on any system.
const MOST_BYTES: usize = 4096;

/// A file that tools have read or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TouchedFile {
    /// The working directory of the session, if the file is in it; else empty.
    pub project: String,
    /// The path in the project; for other files the path as the tool was given it.
    pub path: String,
}

/// What a tool does with the file that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Read,
    Edit,
    Write,
}

impl Touch {
    /// By the name of the tool: Pi's, and what other agents and extensions call the same.
    pub(super) fn of_tool(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        Some(match &*lower {
            "read" | "read_file" | "readfile" => Self::Read,
            "edit" | "edit_file" | "editfile" | "multiedit" | "multi_edit" => Self::Edit,
            "write" | "write_file" | "writefile" => Self::Write,
            _ => return None,
        })
    }

    pub(super) fn count(self) -> FileCount {
        let (reads, edits, writes) = match self {
            Self::Read => (1, 0, 0),
            Self::Edit => (0, 1, 0),
            Self::Write => (0, 0, 1),
        };
        FileCount { reads, edits, writes }
    }
}

/// The file that a path of a tool call means in a session of this directory. Only the text is
/// looked at: the directory may be of another machine, or gone.
pub(super) fn touched_file(path: &str, cwd: &str) -> Option<TouchedFile> {
    // Pi takes `@` before a path for a mention of the file.
    let path = path.strip_prefix('@').unwrap_or(path);
    if path.is_empty() || path.len() > MOST_BYTES {
        return None;
    }
    let outside = |path: String| Some(TouchedFile { project: String::new(), path });
    if path.starts_with('~') || (!path.starts_with('/') && cwd.is_empty()) {
        return outside(path.to_owned());
    }
    let absolute = if path.starts_with('/') { tidy(path) } else { tidy(&format!("{cwd}/{path}")) };
    let directory = tidy(cwd);
    let inside = absolute.strip_prefix(&directory).and_then(|rest| match &*directory {
        "/" => Some(rest),
        _ => rest.strip_prefix('/'),
    });
    match inside {
        Some(inside) if !cwd.is_empty() && !inside.is_empty() => {
            Some(TouchedFile { project: cwd.to_owned(), path: inside.to_owned() })
        }
        _ => outside(absolute),
    }
}

/// An absolute path without `.`, `..` and doubled slashes.
fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_directory_of_the_session() {
        let file = |path: &str, cwd: &str| {
            let file = touched_file(path, cwd).unwrap();
            (file.project, file.path)
        };
        let is = |project: &str, path: &str| (project.to_owned(), path.to_owned());
        for path in ["src/a.rs", "./src/a.rs", "/w/src/a.rs", "/w//src/../src/a.rs", "@src/a.rs"] {
            assert_eq!(file(path, "/w"), is("/w", "src/a.rs"), "{path}");
        }
        assert_eq!(file("/wx/a", "/w"), is("", "/wx/a"));
        assert_eq!(file("../x/a", "/w"), is("", "/x/a"));
        assert_eq!(file("../../../a", "/w"), is("", "/a"));
        assert_eq!(file("~/a", "/w"), is("", "~/a"));
        assert_eq!(file("/w", "/w"), is("", "/w"));
        assert_eq!(file("a", ""), is("", "a"));
        assert_eq!(file("/a/b", "/"), is("/", "a/b"));
        assert_eq!(touched_file("", "/w"), None);
        assert_eq!(touched_file(&"x".repeat(5000), "/w"), None);
    }
}
