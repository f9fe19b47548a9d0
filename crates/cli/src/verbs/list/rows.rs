//! A session as a line of text, and as Pi's `SessionInfo`.

use pitree_format::js::date::format_iso;
use pitree_format::message::Content;
use pitree_format::{JsString, Object, Role, Value};
use pitree_session::OpenOptions;

use super::ListedSession;
use crate::error::CommandError;
use crate::output::{Output, Style};
use crate::target::Place;
use crate::text::{clean_line, shorten};

/// How long ago, in Pi's short form.
fn age(now: i64, then: i64) -> String {
    let minutes = (now - then).max(0) / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h", minutes / 60),
        1440..10_080 => format!("{}d", minutes / 1440),
        10_080..43_200 => format!("{}w", minutes / 10_080),
        43_200..525_600 => format!("{}mo", minutes / 43_200),
        _ => format!("{}y", minutes / 525_600),
    }
}

pub(crate) fn to_line(
    session: &ListedSession<'_>,
    now: i64,
    with_cwd: bool,
    place: &Place,
    output: &Output,
) -> String {
    let facts = session.facts;
    let title = match (&facts.name, &facts.first_message) {
        (Some(name), _) => output.paint(Style::Label, &clip(name, 60)),
        (None, Some(text)) => clip(text, 60),
        (None, None) => "(no messages)".to_owned(),
    };
    let indent = match session.depth {
        0 => String::new(),
        depth => format!("{}└ ", "  ".repeat(depth - 1)),
    };
    let id: String = facts.id.chars().take(13).collect();
    let cost = match (facts.spend.count, facts.spend.unknown_costs) {
        (0, _) => "-".to_owned(),
        (count, unknown) if count == unknown => "?".to_owned(),
        _ => format!("${:.2}", facts.spend.cost),
    };
    let role = session
        .role
        .as_ref()
        .map(|role| format!("  {}{}", role.role, if role.is_certain() { "" } else { "?" }));
    let cwd = if with_cwd {
        let cwd = place.display(facts.cwd.as_ref());
        output.paint(Style::Dim, &format!("  {}", clean_line(&cwd)))
    } else {
        String::new()
    };
    format!(
        "{:>4}  {:<13}  {:>5}  {cost:>8}  {indent}{title}{}{cwd}",
        age(now, facts.modified_ms),
        clean_line(&id),
        facts.message_count,
        role.unwrap_or_default(),
    )
}

fn clip(text: &JsString, most: usize) -> String {
    shorten(clean_line(&text.to_text()).trim(), most)
}

/// Pi's `SessionInfo`, with our facts beside it.
pub(crate) fn to_value(
    session: &ListedSession<'_>,
    with_text: bool,
) -> Result<Value, CommandError> {
    let facts = session.facts;
    let first = facts.first_message.clone().unwrap_or_else(|| "(no messages)".into());
    let models: Vec<Value> = facts
        .models
        .iter()
        .map(|used| {
            Object::new()
                .with("provider", used.provider.as_str())
                .with("model", used.model.as_str())
                .with("answers", used.answers)
                .into()
        })
        .collect();
    let spend = Object::new()
        .with("cost", facts.spend.cost)
        .with("tokens", facts.spend.tokens)
        .with("unknownCosts", facts.spend.unknown_costs);
    let role = session.role.as_ref().map(|role| {
        Object::new()
            .with("role", role.role.to_string())
            .with("rig", role.rig.clone())
            .with("name", role.name.clone())
            .with("certain", role.is_certain())
            .with("conflict", role.conflict)
    });
    let text = if with_text { Some(all_text(session)?) } else { None };
    Ok(Object::new()
        .with("path", facts.path.to_string_lossy().into_owned())
        .with("id", facts.id.as_str())
        .with("cwd", facts.cwd.as_str())
        .with_some("name", facts.name.clone())
        .with_some("parentSessionPath", facts.parent_session.clone())
        .with("created", facts.created_ms.map(format_iso))
        .with("modified", format_iso(facts.modified_ms))
        .with("messageCount", facts.message_count)
        .with("firstMessage", first)
        .with_some("allMessagesText", text)
        .with("size", facts.stamp.size as f64)
        .with("entries", facts.entries)
        .with("branches", facts.branches)
        .with("compactions", facts.compactions)
        .with("errors", facts.errors)
        .with("subagents", facts.subagents)
        .with("damagedLines", facts.damaged_lines)
        .with("models", models)
        .with("spend", spend)
        .with("family", session.family)
        .with("role", role)
        .into())
}

/// What users and assistants said, joined by spaces.
fn all_text(session: &ListedSession<'_>) -> Result<String, CommandError> {
    let environment = crate::environment::system();
    let opened = OpenOptions::new().open(&session.facts.path, &environment)?;
    let mut texts = Vec::new();
    for entry in opened.entries() {
        if entry.is_message(Role::User) || entry.is_message(Role::Assistant) {
            let message = entry.message()?.unwrap_or(Value::Null);
            let text = Content::decode(message.get("content")).to_text(" ");
            if !text.is_empty() {
                texts.push(text);
            }
        }
    }
    Ok(texts.join(" "))
}
