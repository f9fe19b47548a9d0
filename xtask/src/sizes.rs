//! Budgets: how long a file and a function may be.

use anyhow::{Result, ensure};

use crate::files::{self, SourceFile};
use crate::functions::{self, Function};
use crate::process::Workspace;

/// Files that are code, by the end of their name.
const CODE: [&str; 5] = ["rs", "mjs", "js", "ts", "css"];
/// What is built from sources that are measured.
const BUILT: &str = "crates/web/assets/";
/// A file, its tests included, is never longer than this.
const FILE_CEILING: usize = 800;
/// A file without its tests should not be longer than this.
const FILE_BUDGET: usize = 500;
/// A function is never longer than this.
const FUNCTION_CEILING: usize = 120;
/// A function should fit a screen.
const FUNCTION_BUDGET: usize = 80;

/// Measures every code file, warns above the budgets and fails above the ceilings.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let files = files::list(workspace)?;
    let is_code =
        |file: &&SourceFile| CODE.contains(&file.extension()) && !file.path.starts_with(BUILT);
    let code: Vec<_> = files.iter().filter(is_code).collect();
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    for file in &code {
        measure(file, &mut warnings, &mut errors);
    }
    for warning in &warnings {
        println!("warning: {warning}");
    }
    ensure!(errors.is_empty(), "too long:\n  {}", errors.join("\n  "));
    println!(
        "sizes: {} files, {} over the budget, none over the ceiling",
        code.len(),
        warnings.len()
    );
    Ok(())
}

fn measure(file: &SourceFile, warnings: &mut Vec<String>, errors: &mut Vec<String>) {
    let path = &file.path;
    let lines: Vec<&str> = file.text.lines().collect();
    let untested = if is_test(path) { 0 } else { lines.len() - test_lines(&lines) };
    if lines.len() > FILE_CEILING {
        errors.push(format!("{path}: {} lines, the ceiling is {FILE_CEILING}", lines.len()));
    } else if untested > FILE_BUDGET {
        warnings
            .push(format!("{path}: {untested} lines without tests, the budget is {FILE_BUDGET}"));
    }
    for Function { name, line, length } in functions::find(&lines, file.extension()) {
        let what = format!("{path}:{line}: `{name}` has {length} lines");
        if length > FUNCTION_CEILING {
            errors.push(format!("{what}, the ceiling is {FUNCTION_CEILING}"));
        } else if length > FUNCTION_BUDGET {
            warnings.push(format!("{what}, the budget is {FUNCTION_BUDGET}"));
        }
    }
}

/// Whether the whole file is test code.
fn is_test(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "benches" | "tests.rs"))
}

/// Lines of the test modules of a formatted Rust file, from `#[cfg(test)]` to the closing brace.
fn test_lines(lines: &[&str]) -> usize {
    let mut count = 0;
    let mut rest = lines.iter();
    while rest.by_ref().any(|line| *line == "#[cfg(test)]") {
        count += 1;
        for line in rest.by_ref() {
            count += 1;
            if *line == "}" || line.ends_with(';') && !line.starts_with(' ') {
                break;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_modules_are_not_counted() {
        let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n\nfn b() {}\n\
                    #[cfg(test)]\nmod more;\nfn c() {}\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(test_lines(&lines), 6);
    }

    #[test]
    fn long_files_and_functions_are_named() {
        let body = "    x();\n".repeat(FUNCTION_CEILING);
        let mut text = format!("fn long() {{\n{body}}}\n");
        text.push_str(&"//\n".repeat(FILE_CEILING));
        let file = SourceFile { path: "src/a.rs".to_owned(), text };
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        measure(&file, &mut warnings, &mut errors);
        assert!(warnings.is_empty());
        assert_eq!(errors.len(), 2);
        assert!(errors[1].starts_with("src/a.rs:1: `long` has 122 lines"));
    }

    #[test]
    fn test_files_have_only_the_ceiling() {
        for (path, warned) in [("crates/a/tests/b.rs", 0), ("crates/a/src/b.rs", 1)] {
            let file = SourceFile { path: path.to_owned(), text: "//\n".repeat(FILE_BUDGET + 1) };
            let (mut warnings, mut errors) = (Vec::new(), Vec::new());
            measure(&file, &mut warnings, &mut errors);
            assert_eq!((warnings.len(), errors.len()), (warned, 0), "{path}");
        }
    }
}
