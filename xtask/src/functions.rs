//! Finds functions and their length by the look of formatted code.
//!
//! A function ends at the first line that has its indentation and a closing brace. That needs no
//! parser and is right for code that went through a formatter, which the suite checks first.

/// A function with a body of more than one line.
#[derive(Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Where it starts, counted from 1.
    pub(crate) line: usize,
    /// Lines from the first of the signature to the closing brace.
    pub(crate) length: usize,
}

/// Words that may stand before `fn` or `function`.
const MODIFIERS: [&str; 9] =
    ["pub", "const", "async", "unsafe", "extern", "\"C\"", "export", "default", "static"];

/// Every function in the lines of a file with this extension.
pub(crate) fn find(lines: &[&str], extension: &str) -> Vec<Function> {
    let name_of = match extension {
        "rs" => rust_name,
        "js" | "mjs" | "ts" => script_name,
        _ => return Vec::new(),
    };
    let starts = lines.iter().enumerate().filter_map(|(at, line)| Some((at, name_of(line)?)));
    starts
        .filter_map(|(at, name)| {
            let length = length(&lines[at..])?;
            Some(Function { name: name.to_owned(), line: at + 1, length })
        })
        .collect()
}

/// Lines up to the closing brace; nothing for a declaration or a body on one line.
fn length(lines: &[&str]) -> Option<usize> {
    let indent = indent(lines.first()?);
    let opens = lines.iter().position(|line| {
        let line = line.trim_end();
        line.ends_with('{') || line.ends_with(';') || line.ends_with('}')
    })?;
    if !lines[opens].trim_end().ends_with('{') {
        return None;
    }
    let closes = lines[opens + 1..]
        .iter()
        .position(|line| indent == self::indent(line) && line.trim_start().starts_with('}'))?;
    Some(opens + closes + 2)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name in `pub(crate) async fn name<T>(`.
fn rust_name(line: &str) -> Option<&str> {
    let rest = after_modifiers(line).strip_prefix("fn ")?;
    Some(leading_name(rest)).filter(|name| !name.is_empty())
}

/// The name in `export async function name(` and in `const name = (…) => {`.
fn script_name(line: &str) -> Option<&str> {
    let rest = after_modifiers(line);
    let name = match rest.strip_prefix("function") {
        Some(rest) => leading_name(rest.trim_start_matches(['*', ' '])),
        None if line.trim_end().ends_with("=> {") => {
            let (name, _) = rest.split_once(" = ")?;
            leading_name(name.trim_start_matches("let ").trim_start_matches("var "))
        }
        None => return None,
    };
    Some(name).filter(|name| !name.is_empty())
}

fn after_modifiers(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some((word, after)) = rest.split_once(' ') {
        if !MODIFIERS.contains(&word) && !word.starts_with("pub(") {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, extension: &str) -> Vec<(String, usize, usize)> {
        let lines: Vec<&str> = text.lines().collect();
        find(&lines, extension).into_iter().map(|f| (f.name, f.line, f.length)).collect()
    }

    #[test]
    fn rust_functions() {
        let text = "pub(crate) async fn a<T>(\n    x: T,\n) -> T\nwhere\n    T: B,\n{\n    x\n}\n\
                    trait C {\n    fn declared(&self);\n    fn short(&self) {}\n\
                    \x20   const fn d() {\n        if e {\n        }\n    }\n}\n// fn f() {\n";
        let expected = vec![("a".to_owned(), 1, 8), ("d".to_owned(), 12, 4)];
        assert_eq!(found(text, "rs"), expected);
    }

    #[test]
    fn script_functions() {
        let text = "export async function a(b) {\n  return b;\n}\n\
                    const c = async (d) => {\n  d();\n};\n\
                    e(() => {\n  f();\n});\n";
        let expected = vec![("a".to_owned(), 1, 3), ("c".to_owned(), 4, 3)];
        assert_eq!(found(text, "mjs"), expected);
        assert!(found(text, "css").is_empty());
    }
}
