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
    // What pitree says is in its sources; tests may quote anything.
    let is_source = file.path.starts_with("crates/")
        && file.path.contains("/src/")
        && !file.path.starts_with("crates/testkit/")
        && !file.path.ends_with("_tests.rs");
    let mut is_test = !is_source || !file.name().ends_with(".rs");
    for (at, line) in file.text.lines().enumerate() {
        is_test |= line == "mod tests {";
        let said = (!is_test).then(|| in_quotes(line)).flatten().and_then(stilted);
        let said = said.map(|phrase| format!("say `{phrase}` in plain English"));
        if let Some(what) = said.or_else(|| finding(file.name(), line)) {
            found.push(format!("{}:{}: {what}", file.path, at + 1));
        }
    }
    found
}

/// The part of a line of Rust that may be in a string: from its first quote to its last. A line
/// without one may be the middle of a string, unless it is a comment or has the marks of code.
fn in_quotes(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") {
        return None;
    }
    match (line.find('"'), line.rfind('"')) {
        (Some(first), Some(last)) if first < last => Some(&line[first..last]),
        (Some(quote), _) => Some(if trimmed.starts_with('"') { line } else { &line[quote..] }),
        _ => trimmed.ends_with('\\').then_some(line),
    }
}

/// The first of the phrases that a text has. "There is no session" is fine.
fn stilted(text: &str) -> Option<&'static str> {
    let is_meant = |at: usize| !text[..at].ends_with("here");
    STILTED.into_iter().find(|phrase| text.match_indices(phrase).any(|(at, _)| is_meant(at)))
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
    if is_page && let Some(phrase) = stilted(line) {
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
    fn stilted_phrases_are_found_in_what_sources_say() {
        let said = |path: &str, text: &str| {
            findings(&SourceFile { path: path.to_owned(), text: text.to_owned() }).len()
        };
        let print = "fn say() {\n    print(\"read it anew\");\n}\n";
        assert_eq!(said("crates/cli/src/a.rs", print), 1);
        assert_eq!(said("crates/cli/tests/a.rs", print), 0);
        assert_eq!(said("crates/cli/src/a.rs", &format!("mod tests {{\n{print}}}\n")), 0);
        let text = "const A: &str = \"a line \\\n    that is no JSON \\\n    at all\";\n";
        assert_eq!(said("crates/cli/src/a.rs", text), 1);
        assert_eq!(said("crates/cli/src/a.rs", "    // read anew, \"quoted\"\n"), 0);
        assert_eq!(said("crates/cli/src/a.rs", "let none = \"there is no JSON here\";\n"), 0);
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
