//! The pages that describe the command say what the command does.
//!
//! `docs/cli.md` is made from the help texts; `PITREE_BLESS=1` rebuilds it. The other pages are
//! read: their links lead somewhere. `docs` runs the commands in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::files_below;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The help text that the command prints, 100 columns wide.
pub(crate) fn help(verbs: &[&str]) -> String {
    help_of_width(verbs, 100)
}

fn help_of_width(verbs: &[&str], columns: usize) -> String {
    // No terminal on any stream, or its width would count.
    let output = Command::new(env!("CARGO_BIN_EXE_pitree"))
        .env_clear()
        .env("COLUMNS", columns.to_string())
        .args(verbs)
        .arg("--help")
        .stdin(Stdio::null())
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "no help for {verbs:?}");
    let text = String::from_utf8(output.stdout).expect("the help is UTF-8");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// The verbs, in the order of the help, which lists them in groups.
pub(crate) fn verbs() -> Vec<String> {
    let help = help(&[]);
    let (groups, _) = help.split_once("Global options:").expect("the options follow");
    let (_, groups) = groups.split_once("\nFind:\n").expect("those used most come first");
    let names = groups.lines().filter_map(|line| line.strip_prefix("  "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The verbs that a help text lists.
pub(crate) fn verbs_of(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect()
}

const INTRODUCTION: &str = "\
# The command

This page is generated from the program's help; do not edit it. To rebuild it:
`PITREE_BLESS=1 cargo test -p pitree --test all reference::`.

Data goes to standard output, everything else to standard error. In a terminal, tables are cut to
its width and long text is shown in a pager; [configuration.md](configuration.md#colors-and-the-pager)
says when there are colors and which pager is used. What `--json` prints, with a schema for each
command, is in [json/README.md](json/README.md). In a terminal, JSON escapes control characters,
which does not change its meaning. Exit codes:

| code | meaning |
|---|---|
| 0 | done |
| 1 | nothing found |
| 2 | wrong command line |
| 3 | damaged data, or a file that cannot be read or written |
| 4 | refused, to protect something |
";

fn page() -> String {
    let verbs = verbs();
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\nCommands: ");
    let links: Vec<String> = verbs.iter().map(|verb| format!("[{verb}](#pitree-{verb})")).collect();
    page.push_str(&links.join(", "));
    page.push_str(".\n\n## pitree\n\n```text\n");
    page.push_str(&help(&[]));
    page.push_str("\n```\n");
    for verb in &verbs {
        let text = help(&[verb]);
        page.push_str(&format!("\n## pitree {verb}\n\n```text\n{text}\n```\n"));
        for inner in verbs_of(&text) {
            let text = help(&[verb, &inner]);
            page.push_str(&format!("\n### pitree {verb} {inner}\n\n```text\n{text}\n```\n"));
        }
    }
    page
}

#[test]
fn the_page_of_the_command_is_up_to_date() {
    let path = root().join("docs/cli.md");
    let page = page();
    if std::env::var("PITREE_BLESS").is_ok_and(|value| value == "1") {
        fs_err::write(&path, page).expect("the page is written");
        return;
    }
    let there = fs_err::read_to_string(&path).unwrap_or_default();
    let pairs = page.lines().zip(there.lines()).enumerate();
    if let Some((at, (new, old))) = pairs.into_iter().find(|(_, (new, old))| new != old) {
        panic!(
            "docs/cli.md, line {}, is out of date (PITREE_BLESS=1 rebuilds it):\n  page {old}\n  help {new}",
            at + 1
        );
    }
    assert_eq!(page.lines().count(), there.lines().count(), "docs/cli.md: PITREE_BLESS=1");
}

#[test]
fn the_help_fits_a_narrow_terminal() {
    let mut pages = vec![Vec::new()];
    for verb in verbs() {
        pages.extend(verbs_of(&help(&[&verb])).into_iter().map(|inner| vec![verb.clone(), inner]));
        pages.push(vec![verb]);
    }
    for page in pages {
        let words: Vec<&str> = page.iter().map(String::as_str).collect();
        let text = help_of_width(&words, 40);
        // A usage line is one piece.
        for line in text.lines().filter(|line| !line.starts_with("Usage: ")) {
            assert!(line.chars().count() <= 40, "{words:?}: {line}");
        }
    }
}

/// The pages for people, with their names from the root of the project.
pub(crate) fn pages() -> Vec<(String, String)> {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    let docs = files_below(&root().join("docs")).into_iter();
    let docs = docs.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    let mut names: Vec<String> = top.into_iter().chain(docs).collect();
    names.sort();
    let read = |name: &String| fs_err::read_to_string(root().join(name)).expect("a page is text");
    names.iter().map(|name| (name.clone(), read(name))).collect()
}

/// A line of a page, and whether it lies in a fenced block.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut fenced = false;
    text.lines().filter_map(move |line| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        Some((fenced, line))
    })
}

/// The targets of the links outside of code.
fn links(text: &str) -> Vec<&str> {
    let prose = lines(text).filter(|(fenced, _)| !fenced).map(|(_, line)| line);
    prose
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .collect()
}

/// The anchors of the headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = lines(text).filter(|(fenced, line)| !fenced && line.starts_with('#'));
    let anchor = |(_, line): (bool, &str)| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    for (name, text) in pages() {
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let page = root().join(&name);
            let target = match file {
                "" => page,
                file => page.parent().expect("a page is in a folder").join(file),
            };
            assert!(target.exists(), "{name} links to {link}, which is not there");
            if !anchor.is_empty() {
                let there = fs_err::read_to_string(&target).expect("an anchor is in a page");
                assert!(
                    anchors(&there).contains(anchor),
                    "{name} links to {link}: no such heading"
                );
            }
        }
    }
}

/// The index in `docs/README.md` is what the book is made from, so each page is in it once.
#[test]
fn the_index_lists_every_page() {
    let index = fs_err::read_to_string(root().join("docs/README.md")).expect("there is an index");
    let mut listed: Vec<&str> = links(&index);
    listed.retain(|link| *link != "getting-started.md");
    let unique: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(listed.len(), unique.len(), "a page is listed twice");
    for (name, _) in pages().iter().filter(|(name, _)| name.starts_with("docs/")) {
        let name = name.trim_start_matches("docs/");
        let is_listed =
            unique.contains(name) || ["README.md", "getting-started.md"].contains(&name);
        assert!(is_listed, "docs/README.md does not list {name}");
    }
}
