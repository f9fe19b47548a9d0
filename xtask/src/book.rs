//! The book: README and docs as pages with a search that needs no network, in `<target>/book`.
//!
//! mdbook builds it. It is installed into `<target>/tools` when it is first needed. Its sources are
//! copies, in `<target>/book-source`, with a table of contents made from `docs/README.md`. When the
//! book is built, every link in it must lead to a page and a heading of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::process::{self, Workspace};

const MDBOOK: &str = "0.5.1";

/// The pages next to `docs`, with their titles: those before it and those behind it.
const FIRST: [(&str, &str); 1] = [("pitree", "README.md")];
const LAST: [(&str, &str); 3] = [
    ("Architecture", "ARCHITECTURE.md"),
    ("Contributing", "CONTRIBUTING.md"),
    ("Changelog", "CHANGELOG.md"),
];

/// Files that pages link to and that are not pages.
const LICENSES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// No preprocessors: the one for indexes gives `README.md` the name that `index.md` has.
const CONFIGURATION: &str = "\
[book]
title = \"pitree\"
src = \"src\"
language = \"en\"

[build]
use-default-preprocessors = false
create-missing = false

[output.html]
no-section-label = true
";

/// Builds the book and returns its folder.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let program = install(workspace)?;
    let source = workspace.target.join("book-source");
    copy_sources(&workspace.root, &source)?;
    let book = workspace.target.join("book");
    if book.exists() {
        fs_err::remove_dir_all(&book)?;
    }
    let mut command = workspace.command(&program.to_string_lossy(), &["build"]);
    process::run(command.arg(&source).arg("--dest-dir").arg(&book))?;
    let (pages, links) = check(&book)?;
    println!("book: {pages} pages, {links} links lead somewhere");
    Ok(book)
}

/// Installs mdbook unless it is there, and returns its path.
fn install(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("tools");
    let program = folder.join("bin/mdbook");
    fs_err::create_dir_all(&workspace.target)?;
    // Two commands at once must not install into the same folder; closing the file unlocks it.
    let lock = fs_err::File::create(workspace.target.join("tools.lock"))?;
    lock.lock()?;
    let version = program.exists().then(|| {
        process::capture(workspace.command(&program.to_string_lossy(), &[]).arg("--version"))
    });
    if version.is_some_and(|text| text.is_ok_and(|text| text.trim() == format!("mdbook v{MDBOOK}")))
    {
        return Ok(program);
    }
    println!("installing mdbook {MDBOOK} into {}; this takes some minutes", folder.display());
    let mut command = workspace.command("cargo", &["install", "mdbook", "--version", MDBOOK]);
    command.args(["--locked", "--force", "--no-default-features", "--features", "search"]);
    // Without a target folder Cargo builds in a temporary one, and nothing is left behind.
    process::run(command.arg("--root").arg(&folder).env_remove("CARGO_TARGET_DIR"))?;
    Ok(program)
}

/// Copies all that belongs to the book, with a table of contents.
fn copy_sources(root: &Path, source: &Path) -> Result<()> {
    if source.exists() {
        fs_err::remove_dir_all(source)?;
    }
    let pages = source.join("src");
    let beside = FIRST.iter().chain(&LAST).map(|(_, file)| PathBuf::from(file));
    let mut files: Vec<PathBuf> = beside.chain(LICENSES.map(PathBuf::from)).collect();
    files.extend(
        files_below(&root.join("docs"))?.into_iter().map(|file| Path::new("docs").join(file)),
    );
    let known: BTreeSet<PathBuf> = files.iter().cloned().collect();
    for file in &files {
        let target = pages.join(file);
        fs_err::create_dir_all(target.parent().context("a page is in a folder")?)?;
        if file.extension().is_some_and(|end| end == "md") {
            let text = fs_err::read_to_string(root.join(file))?;
            fs_err::write(target, without_dead_links(&text, file, &known))?;
        } else {
            fs_err::copy(root.join(file), target)?;
        }
    }
    let index = fs_err::read_to_string(root.join("docs/README.md"))?;
    fs_err::write(pages.join("SUMMARY.md"), summary(&index))?;
    fs_err::write(source.join("book.toml"), CONFIGURATION)?;
    Ok(())
}

/// The files below a folder, by their paths from there.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The table of contents: the headings of the index as parts, and its links as pages.
fn summary(index: &str) -> String {
    let mut summary = "# Summary\n\n".to_owned();
    let mut chapter = |prefix: &str, title: &str, file: &str| {
        summary.push_str(&format!("{prefix}[{title}]({file})\n"));
    };
    for (title, file) in FIRST {
        chapter("", title, file);
    }
    chapter("", "All pages", "docs/README.md");
    chapter("", "Getting started", "docs/getting-started.md");
    for line in index.lines() {
        if let Some(part) = line.strip_prefix("## ") {
            summary.push_str(&format!("\n# {part}\n\n"));
        } else if line.starts_with("- ") {
            for (title, target) in links(line) {
                // The word that begins a page's name in the list is not always the first.
                let mut letters = title.chars();
                let first = letters.next().map(char::to_uppercase).into_iter().flatten();
                let title: String = first.chain(letters).collect();
                summary.push_str(&format!("- [{title}](docs/{target})\n"));
            }
        }
    }
    summary.push_str("\n# The project\n\n");
    for (title, file) in LAST {
        summary.push_str(&format!("- [{title}]({file})\n"));
    }
    summary
}

/// The links of a line: text and target.
fn links(line: &str) -> Vec<(&str, &str)> {
    let ends = line.match_indices("](");
    let link = |(at, _): (usize, &str)| {
        let text = &line[line[..at].rfind('[')? + 1..at];
        let target = line[at + 2..].split_once(')')?.0;
        Some((text, target))
    };
    ends.filter_map(link).collect()
}

/// The page with links to source code as plain text: the book does not hold it.
fn without_dead_links(text: &str, page: &Path, known: &BTreeSet<PathBuf>) -> String {
    let mut text = text.to_owned();
    let found: Vec<(String, String)> = text
        .lines()
        .flat_map(links)
        .map(|(text, target)| (text.to_owned(), target.to_owned()))
        .collect();
    for (label, target) in found {
        let file = target.split('#').next().unwrap_or_default();
        let is_dead = !file.is_empty()
            && !file.contains("://")
            && !known.contains(&resolved(page.parent().unwrap_or(Path::new("")), file));
        if is_dead {
            text = text.replace(&format!("[{label}]({target})"), &label);
        }
    }
    text
}

/// A path from a folder, without `..`.
fn resolved(folder: &Path, file: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for part in file.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    path
}

/// Pages of mdbook's own: the one for printing, for a missing page, and for the table of contents.
const OF_MDBOOK: [&str; 3] = ["print.html", "404.html", "toc.html"];

/// Follows every link between the pages of the book, and counts pages and links.
fn check(book: &Path) -> Result<(usize, usize)> {
    let mut pages = BTreeMap::new();
    let mut others = BTreeSet::new();
    for file in files_below(book)? {
        let is_page = file.extension().is_some_and(|end| end == "html");
        if is_page && !OF_MDBOOK.iter().any(|own| file == Path::new(own)) {
            let text = fs_err::read_to_string(book.join(&file))?;
            pages.insert(file, text);
        } else {
            others.insert(file);
        }
    }
    let (count, broken) = follow(&pages, &others);
    ensure!(broken.is_empty(), "links of the book that lead nowhere:\n  {}", broken.join("\n  "));
    Ok((pages.len(), count))
}

/// How many links the pages have, and those that lead neither to a heading or page nor to one of
/// the other files.
fn follow(pages: &BTreeMap<PathBuf, String>, others: &BTreeSet<PathBuf>) -> (usize, Vec<String>) {
    let mut broken = Vec::new();
    let mut count = 0;
    for (page, text) in pages {
        let folder = page.parent().unwrap_or(Path::new(""));
        for link in values(text, "href").into_iter().filter(|link| !link.contains(':')) {
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { resolved(folder, file) };
            let is_there = match pages.get(&target) {
                Some(text) => anchor.is_empty() || values(text, "id").contains(&anchor),
                None => others.contains(&target),
            };
            if !is_there {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    (count, broken)
}

/// The values of an attribute in a page.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    page.split(&begin).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_the_parts_and_pages_of_the_index() {
        let index = "# Docs\n\nSee [this](x.md).\n\n## Use\n\n- [Search](search.md): words\n\
                     - [One](a.md) and [two](b.md)\n";
        let made = summary(index);
        let (_, parts) = made.split_once("# Use\n\n").unwrap();
        assert!(parts.starts_with("- [Search](docs/search.md)\n"), "{parts}");
        assert!(parts.contains("- [One](docs/a.md)\n- [Two](docs/b.md)\n"), "{parts}");
        assert!(made.starts_with("# Summary\n\n[pitree](README.md)\n"), "{made}");
        assert!(!made.contains("x.md"), "{made}");
    }

    #[test]
    fn links_to_source_code_become_text() {
        let known = BTreeSet::from([PathBuf::from("docs/a.md"), PathBuf::from("README.md")]);
        let text =
            "[a](a.md#b) [up](../README.md) [code](../crates/cli) [web](https://x.y) [h](#h)";
        let made = without_dead_links(text, Path::new("docs/b.md"), &known);
        assert_eq!(made, text.replace("[code](../crates/cli)", "code"));
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let page = r##"<h1 id="top"></h1><a href="#top">1</a> <a href="../b.html#c">2</a>
            <a href="b.html">3</a> <a href="#gone">4</a> <a class="x" href="../s.css">5</a>
            <a href="https://x.y/z">6</a>"##;
        let other = r#"<h2 id="c">C</h2>"#;
        let pages = BTreeMap::from([
            (PathBuf::from("docs/a.html"), page.to_owned()),
            (PathBuf::from("b.html"), other.to_owned()),
        ]);
        let (count, broken) = follow(&pages, &BTreeSet::from([PathBuf::from("s.css")]));
        assert_eq!(
            (count, broken),
            (5, ["b.html", "#gone"].map(|link| format!("docs/a.html: {link}")).to_vec())
        );
    }
}
