//! Files that no module has: the compiler never sees them, so their tests never run. And the other
//! way round, files that ARCHITECTURE.md names and that are not there.

use std::collections::HashMap;

use anyhow::{Result, ensure};

use crate::files::SourceFile;

/// Files that Cargo begins with.
const ROOTS: [&str; 3] = ["lib.rs", "main.rs", "build.rs"];

/// Fails if a file of a crate is neither a module nor named by its manifest.
pub(crate) fn check(files: &[SourceFile]) -> Result<()> {
    let texts: HashMap<&str, &str> =
        files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let orphans: Vec<&str> = texts
        .keys()
        .copied()
        .filter(|path| path.starts_with("crates/") && path.ends_with(".rs"))
        .filter(|path| path.contains("/src/") || path.contains("/tests/"))
        .filter(|path| !is_seen(path, &texts))
        .collect();
    ensure!(
        orphans.is_empty(),
        "no module has these files, so nothing compiles them:\n  {}",
        orphans.join("\n  ")
    );
    Ok(())
}

/// Fails if ARCHITECTURE.md names a file or folder below `crates` that is not there.
pub(crate) fn check_named(files: &[SourceFile]) -> Result<()> {
    let text = files.iter().find(|file| file.path == "ARCHITECTURE.md").map(|file| &*file.text);
    let is_there = |named: &str| {
        files.iter().any(|file| {
            let rest = file.path.strip_prefix(named);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let quoted = text.unwrap_or_default().split('`').skip(1).step_by(2);
    let gone: Vec<&str> = quoted
        .filter(|word| word.contains("/src") || word.contains("/tests"))
        .filter(|word| !word.contains(char::is_whitespace))
        .filter(|word| !["", "crates/"].iter().any(|above| is_there(&format!("{above}{word}"))))
        .collect();
    ensure!(gone.is_empty(), "ARCHITECTURE.md names what is not there:\n  {}", gone.join("\n  "));
    Ok(())
}

fn is_seen(path: &str, texts: &HashMap<&str, &str>) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return true };
    if ROOTS.contains(&name) && !folder.contains("/tests") {
        return true;
    }
    let crate_folder: Vec<&str> = path.splitn(3, '/').collect();
    let [crates, krate, rest] = crate_folder[..] else { return true };
    let manifest = texts.get(format!("{crates}/{krate}/Cargo.toml").as_str());
    let manifest = manifest.copied().unwrap_or_default();
    if manifest.contains(&format!("path = \"{rest}\"")) {
        return true;
    }
    let inner = rest.strip_prefix("tests/").unwrap_or_default().trim_end_matches("/main.rs");
    if !manifest.contains("autotests = false") && !inner.is_empty() && !inner.contains('/') {
        return true;
    }
    // `a/mod.rs` is the module `a` of the folder above; `a.rs` that of its own folder.
    let (parent, module) = match name.strip_suffix(".rs") {
        Some("mod") => folder.rsplit_once('/').unwrap_or(("", folder)),
        Some(stem) => (folder, stem),
        None => return true,
    };
    let declaration = format!("mod {module};");
    let beside = ["mod.rs", "lib.rs", "main.rs"].map(|name| format!("{parent}/{name}"));
    beside.into_iter().chain([format!("{parent}.rs")]).any(|path| {
        let text = texts.get(path.as_str());
        text.is_some_and(|text| text.lines().any(|line| line.trim_end().ends_with(&declaration)))
    }) || is_named_by_path(name, parent, texts)
}

/// Whether a file beside it has it by a `#[path]`.
fn is_named_by_path(name: &str, folder: &str, texts: &HashMap<&str, &str>) -> bool {
    texts.iter().any(|(path, text)| {
        path.rsplit_once('/').is_some_and(|(of, _)| of == folder)
            && text.contains(&format!("#[path = \"{name}\"]"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(files: &[(&str, &str)]) -> Result<()> {
        let file = |&(path, text): &(&str, &str)| SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check(&files.iter().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn what_the_architecture_names_is_there() {
        let named = |words: &str| {
            let files = [("ARCHITECTURE.md", words), ("crates/a/src/b/c.rs", "")];
            check_named(
                &files.map(|(path, text)| SourceFile { path: path.into(), text: text.into() }),
            )
        };
        named("`a/src/b` and `crates/a/src/b/c.rs`, not `a b`").expect("both are there");
        assert!(named("`a/src/b/d.rs`").is_err());
        assert!(named("`a/src/b/c`").is_err());
    }

    #[test]
    fn a_file_that_no_module_has_is_told() {
        let good = [
            (
                "crates/a/Cargo.toml",
                "autotests = false\npath = \"tests/main.rs\"\npath = \"tests/alone.rs\"",
            ),
            ("crates/b/Cargo.toml", ""),
            ("crates/b/tests/one.rs", ""),
            ("crates/b/tests/two/main.rs", ""),
            ("crates/a/src/lib.rs", "pub mod b;\nmod c;"),
            ("crates/a/src/b.rs", "mod d;"),
            ("crates/a/src/b/d.rs", ""),
            ("crates/a/src/c/mod.rs", "pub(crate) mod e;"),
            ("crates/a/src/c/e.rs", ""),
            ("crates/a/tests/main.rs", "mod f;"),
            ("crates/a/tests/f/mod.rs", ""),
            ("crates/a/tests/alone.rs", ""),
        ];
        judged(&good).expect("all files are modules");
        for lost in [
            "src/x.rs",
            "src/b/x.rs",
            "src/c/x/mod.rs",
            "tests/x.rs",
            "tests/x/main.rs",
            "tests/f/x.rs",
        ] {
            let path = format!("crates/a/{lost}");
            let mut files = good.to_vec();
            files.push((&path, ""));
            let error = judged(&files).expect_err(lost).to_string();
            assert!(error.contains(&path), "{error}");
        }
    }
}
