//! Modules of a crate that use each other in a ring: none of them can be understood, or changed,
//! without the others.
//!
//! Only the modules at the top of a crate are compared. Tests are exempt, and so are links in
//! comments.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use crate::files::{self, SourceFile};
use crate::process::Workspace;

/// The folders of the crates that are free of rings, and stay so.
const CRATES: [&str; 2] = ["crates/extract/src/", "crates/sample/src/"];

/// Which module uses which.
type Uses<'f> = BTreeMap<&'f str, BTreeSet<&'f str>>;

/// Fails if modules of a crate use each other in a ring.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let rings = find(&files::list(workspace)?);
    ensure!(rings.is_empty(), "modules use each other in a ring:\n  {}", rings.join("\n  "));
    Ok(())
}

/// The rings in all crates that are looked at, one for each module that is the first in one.
fn find(files: &[SourceFile]) -> Vec<String> {
    CRATES.iter().flat_map(|folder| rings(folder, &uses(folder, files))).collect()
}

fn uses<'f>(folder: &str, files: &'f [SourceFile]) -> Uses<'f> {
    let mut uses = Uses::new();
    for file in files {
        let Some(path) = file.path.strip_prefix(folder).filter(|_| file.extension() == "rs") else {
            continue;
        };
        let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
        if module == "lib" || matches!(file.name(), "tests.rs" | "testing.rs") {
            continue;
        }
        let text = file.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let used = code.flat_map(|line| line.split("crate::").skip(1)).filter_map(module_name);
        uses.entry(module).or_default().extend(used.filter(|used| *used != module));
    }
    uses
}

/// The module that a path begins with; none if it begins with something else.
fn module_name(path: &str) -> Option<&str> {
    let end = path.find(|c: char| !c.is_ascii_lowercase() && c != '_')?;
    (end > 0 && path[end..].starts_with("::")).then_some(&path[..end])
}

fn rings(folder: &str, uses: &Uses<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for &first in uses.keys() {
        if let Some(ring) = ring_through(first, uses) {
            found.push(format!("{folder}: {}", ring.join(" uses ")));
        }
    }
    found
}

/// The shortest ring that a module is the first of, by name.
fn ring_through<'f>(first: &'f str, uses: &Uses<'f>) -> Option<Vec<&'f str>> {
    let mut open = vec![vec![first]];
    let mut seen = BTreeSet::new();
    while !open.is_empty() {
        let mut longer = Vec::new();
        for path in open {
            let last = path[path.len() - 1];
            for &next in uses.get(last).into_iter().flatten() {
                let path: Vec<&str> = path.iter().copied().chain([next]).collect();
                if next == first {
                    return Some(path);
                }
                if next > first && seen.insert(next) {
                    longer.push(path);
                }
            }
        }
        open = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: format!("crates/sample/src/{path}"), text: text.to_owned() }
    }

    #[test]
    fn a_ring_is_found_once_and_tests_and_comments_are_none() {
        let files = [
            file("a.rs", "use crate::b::x;\n"),
            file("b/mod.rs", "//! See [c](crate::a).\nfn f() { crate::c::f() }\n"),
            file("c.rs", "use crate::a::y;\nuse crate::Top;\n"),
            file("d.rs", "use crate::a::x;\n#[cfg(test)]\nmod tests { use crate::e::x; }\n"),
            file("e.rs", "use crate::d::x;\n"),
        ];
        assert_eq!(find(&files), ["crates/sample/src/: a uses b uses c uses a"]);
        assert!(find(&files[1..]).is_empty());
    }
}
