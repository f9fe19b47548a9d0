//! The protocol as a page of the documentation.

use std::fmt::Write;

use super::shape::{Definition, Member, Shape};
use super::{Command, Origin, commands};

const INTRODUCTION: &str = include_str!("introduction.md");

/// The page `docs/protocol.md`.
pub fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut found: Vec<&'static Definition> = Vec::new();
    for (origin, title) in
        [(Origin::Pi, "Pi's commands"), (Origin::Pitree, "pitree's own commands")]
    {
        let _ = write!(page, "\n## {title}\n");
        for command in commands().filter(|command| command.origin == origin) {
            describe(command, &mut page, &mut found);
        }
    }
    page.push_str("\n## Shapes\n");
    let mut at = 0;
    while let Some(definition) = found.get(at).copied() {
        at += 1;
        let _ = write!(page, "\n### {}\n\n{}\n", definition.name, definition.about);
        if let Shape::Object(members) = &definition.shape {
            table(members, &mut page, &mut found);
        }
    }
    page
}

fn describe(command: &'static Command, page: &mut String, found: &mut Vec<&'static Definition>) {
    let _ = write!(page, "\n### `{}`\n\n{}\n", command.name, command.about);
    if !command.takes.is_empty() {
        page.push_str("\nTakes:\n");
        table(command.takes, page, found);
    }
    match &command.answers {
        None => page.push_str("\nAnswers without `data`.\n"),
        Some(Shape::Object(members)) => {
            page.push_str("\nAnswers:\n");
            table(members, page, found);
        }
        Some(shape) => {
            let _ = write!(page, "\nAnswers {}.\n", words(shape, found));
        }
    }
}

fn table(members: &'static [Member], page: &mut String, found: &mut Vec<&'static Definition>) {
    if members.is_empty() {
        return;
    }
    page.push_str("\n| member | is | meaning |\n|---|---|---|\n");
    rows("", members, page, found);
}

/// One row a member; the members of an object inside follow with its name before theirs.
fn rows(
    before: &str,
    members: &'static [Member],
    page: &mut String,
    found: &mut Vec<&'static Definition>,
) {
    for member in members {
        let name = format!("{before}{}", member.name);
        let mark = if member.required { "" } else { "?" };
        let is = words(&member.shape, found);
        let _ = writeln!(page, "| `{name}`{mark} | {is} | {} |", member.about);
        match &member.shape {
            Shape::Object(inner) => rows(&format!("{name}."), inner, page, found),
            Shape::List(Shape::Object(inner)) => rows(&format!("{name}[]."), inner, page, found),
            _ => {}
        }
    }
}

/// A shape in a few words.
fn words(shape: &'static Shape, found: &mut Vec<&'static Definition>) -> String {
    match shape {
        Shape::Any => "anything".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Words(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
            quoted.join(" or ")
        }
        Shape::Number => "number".to_owned(),
        Shape::Count => "count".to_owned(),
        Shape::Flag => "boolean".to_owned(),
        Shape::List(item) => format!("list of {}", words(item, found)),
        Shape::Either(shapes) => {
            let shapes: Vec<String> = shapes.iter().map(|shape| words(shape, found)).collect();
            shapes.join(" or ")
        }
        Shape::Object(_) => "object".to_owned(),
        Shape::Named(definition) => {
            if !found.iter().any(|known| known.name == definition.name) {
                found.push(definition);
            }
            format!("[{}](#{})", definition.name, definition.name.to_lowercase())
        }
    }
}
