//! What `/session` and `/cost` say.

use std::path::Path;

use pitree_session::Session;
use pitree_store::SessionFacts;

use super::follow::ContextFacts;
use super::numbers;
use crate::rich::{Line, Look, Tone};

fn fact(name: &str, value: &str) -> Line {
    Line::of(&format!("{name:<12}"), Tone::Dim).with(value, Tone::Plain)
}

/// A path as it is typed in a shell; one that needs more than quotes is left to the user.
fn shell_word(path: &Path) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./:@+,-".contains(c);
    match path.to_str() {
        Some(text) if text.chars().all(is_plain) => text.to_owned(),
        Some(text) if !text.contains(['\'', '\\']) && !text.contains(char::is_control) => {
            format!("'{text}'")
        }
        _ => "FILE".to_owned(),
    }
}

/// What `/session` says.
pub(crate) fn about(
    session: &Session,
    file: &str,
    facts: Option<&SessionFacts>,
    context: Option<&ContextFacts>,
) -> Vec<Line> {
    let name = session.name().ok().flatten().map(|name| name.to_string());
    let mut lines = vec![
        fact("Name", name.as_deref().unwrap_or("none")),
        fact("File", file),
        fact("Id", &session.id()),
        fact("Directory", &session.cwd().to_string_lossy()),
        fact("Entries", &numbers::grouped(session.len() as f64)),
        fact("Branch", &numbers::count(session.active_path().len(), "entry", "entries")),
    ];
    if let Some(facts) = facts {
        lines.push(fact("Branches", &numbers::grouped(facts.branches as f64)));
        lines.push(fact("Messages", &numbers::grouped(facts.message_count as f64)));
        lines.push(fact("Compactions", &numbers::grouped(facts.compactions as f64)));
        if facts.damaged_lines > 0 {
            let damaged = numbers::count(facts.damaged_lines, "line", "lines");
            let file = session.path().map_or_else(|| "FILE".to_owned(), shell_word);
            let check = format!("{damaged}; run `pitree check {file}` to see them");
            lines.push(fact("Damaged", &check));
        }
    }
    if let Some(context) = context {
        let model = context.model.as_deref().unwrap_or("none");
        lines.push(fact("Model", model));
        lines.push(fact("Context", &format!("{} tokens", numbers::tokens(context.tokens))));
    }
    lines.push(Line::default());
    lines.extend(cost(facts));
    lines
}

/// What `/cost` says.
pub(crate) fn cost(facts: Option<&SessionFacts>) -> Vec<Line> {
    let Some(facts) = facts else {
        return vec![Line::of("Nothing was spent yet.", Tone::Dim)];
    };
    let spend = &facts.spend;
    let mut lines = vec![
        fact("Cost", &numbers::dollars(spend.cost)),
        fact("Tokens", &numbers::tokens(spend.tokens)),
        fact("Replies", &format!("{} with usage data", numbers::grouped(spend.count as f64))),
    ];
    if spend.unknown_costs > 0 {
        let unknown =
            format!("{} of them without a cost", numbers::grouped(spend.unknown_costs as f64));
        lines.push(fact("", &unknown));
    }
    for model in &facts.models {
        let name = format!("{}/{}", model.provider, model.model);
        let answers = numbers::count(model.answers, "reply", "replies");
        let answers = format!("  {answers}");
        lines.push(Line::of(&name, Look::bold(Tone::Plain)).with(&answers, Tone::Dim));
    }
    lines
}
