//! What `/session` and `/cost` say.

use pitree_session::Session;
use pitree_store::SessionFacts;

use super::follow::ContextFacts;
use super::numbers;
use crate::rich::{Line, Look, Tone};

fn fact(name: &str, value: &str) -> Line {
    Line::of(&format!("{name:<12}"), Tone::Dim).with(value, Tone::Plain)
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
        fact("Entries", &numbers::count(session.len())),
        fact("Branch", &format!("{} entries", numbers::count(session.active_path().len()))),
    ];
    if let Some(facts) = facts {
        lines.push(fact("Branches", &numbers::count(facts.branches)));
        lines.push(fact("Messages", &numbers::count(facts.message_count)));
        lines.push(fact("Compactions", &numbers::count(facts.compactions)));
        if facts.damaged_lines > 0 {
            let lines_damaged = numbers::count(facts.damaged_lines);
            lines.push(fact(
                "Damaged",
                &format!("{lines_damaged} lines; run `pitree check` to see them"),
            ));
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
        fact("Replies", &format!("{} with usage data", numbers::count(spend.count))),
    ];
    if spend.unknown_costs > 0 {
        let unknown = format!("{} of them without a cost", numbers::count(spend.unknown_costs));
        lines.push(fact("", &unknown));
    }
    for model in &facts.models {
        let name = format!("{}/{}", model.provider, model.model);
        let word = if model.answers == 1 { "reply" } else { "replies" };
        let answers = format!("  {} {word}", numbers::count(model.answers));
        lines.push(Line::of(&name, Look::bold(Tone::Plain)).with(&answers, Tone::Dim));
    }
    lines
}
