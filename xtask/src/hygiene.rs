//! What must not be in the tree: traces of a machine, addresses of a mirror, unfinished code, stilted
//! phrases in pages.

use anyhow::{Result, ensure};

use crate::files::{self, SourceFile};
use crate::process::Workspace;

/// Folders of a build machine; a file that names one works nowhere else. The words are put
/// together here so that this file does not hold what it forbids.
const MACHINE_PATHS: [&str; 3] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!(".cargo/reg", "istry/src")];

/// Code that was promised and not written.
const UNFINISHED: [&str; 2] = [concat!("todo", "!("), concat!("unimplemented", "!(")];

/// Lock files of the JavaScript package managers.
const SCRIPT_LOCKS: [&str; 4] =
    ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"];

/// The one source that a package in `Cargo.lock` may have: the public registry, by its fixed name.
const CARGO_SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Phrases that keep coming back into pages and that nobody would say over a desk.
const STILTED: [&str; 8] = [
    " anew",
    "the way that ",
    " is no JSON",
    " is no text",
    " is no session",
    " are no JSON",
    " of yours",
    "ummarise",
];

/// Reads every file of the project and fails if one holds something of the above.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let files = files::list(workspace)?;
    let found: Vec<String> = files.iter().flat_map(findings).collect();
    ensure!(found.is_empty(), "not fit for the tree:\n  {}", found.join("\n  "));
    println!("hygiene: {} files, nothing found", files.len());
    Ok(())
}

fn findings(file: &SourceFile) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        if let Some(what) = finding(file.name(), line) {
            found.push(format!("{}:{}: {what}", file.path, at + 1));
        }
    }
    found
}

/// What is wrong with one line of the file with this name.
fn finding(name: &str, line: &str) -> Option<String> {
    if let Some(path) = MACHINE_PATHS.iter().find(|path| names_path(line, path)) {
        return Some(format!("a path of one machine (`{path}`)"));
    }
    if let Some(code) = UNFINISHED.iter().find(|code| line.contains(*code)) {
        return Some(format!("unfinished code (`{code}`)"));
    }
    let is_page = name.ends_with(".md") && name != "CHANGELOG.md";
    if let Some(phrase) = STILTED.iter().find(|phrase| is_page && line.contains(*phrase)) {
        return Some(format!("say `{phrase}` in plain English"));
    }
    let line = line.trim();
    if SCRIPT_LOCKS.contains(&name) && has_address(line) {
        return Some("the address of a package registry".to_owned());
    }
    if name == "Cargo.lock" && line.starts_with("source = ") && line != CARGO_SOURCE {
        return Some("a package that is not from the public registry".to_owned());
    }
    None
}

/// Whether the line holds this path from its start, not as the middle of a longer one.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !path.starts_with('/') || !before.is_some_and(is_path_character)
    })
}

fn is_path_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '/' | '}' | ')' | '>')
}

fn has_address(line: &str) -> bool {
    let key = line.trim_start_matches(['"', '{', ' ']);
    (key.starts_with("resolved") || line.contains("tarball:")) && line.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found_only_from_their_start() {
        let [folder, ..] = MACHINE_PATHS;
        assert!(finding("a.md", &format!("see `{folder}x`")).is_some());
        assert!(finding("a.md", &format!("{folder}x")).is_some());
        assert!(finding("a.md", &format!("see ~{folder}x and a{folder}x")).is_none());
    }

    #[test]
    fn stilted_phrases_are_found_in_pages() {
        assert!(finding("cli.md", "Read every file anew").is_some());
        assert!(finding("cli.md", "a line that is no JSON").is_some());
        assert!(finding("cli.md", "there is no limit").is_none());
        assert!(finding("lib.rs", "// read anew").is_none());
    }

    #[test]
    fn unfinished_code_is_found() {
        let [code, ..] = UNFINISHED;
        assert!(finding("a.rs", &format!("    {code})")).is_some());
        assert!(finding("a.rs", "    let todo = 1;").is_none());
    }

    #[test]
    fn addresses_in_lock_files_are_found() {
        let npm = r#"      "resolved": "https://registry.example/a.tgz","#;
        assert!(finding("package-lock.json", npm).is_some());
        assert!(finding("package.json", npm).is_none());
        assert!(finding("package-lock.json", r#"  "version": "1.0.0","#).is_none());
        assert!(finding("Cargo.lock", "source = \"sparse+https://mirror.example/\"").is_some());
        assert!(finding("Cargo.lock", CARGO_SOURCE).is_none());
    }
}
