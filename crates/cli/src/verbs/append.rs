//! `pitree append`: entries from standard input.

use std::io::Read;

use clap::Args;
use pitree_format::draft::Draft;
use pitree_format::js::parse;
use pitree_format::{EntryKind, JsString, Object, Value};
use pitree_session::{Appended, NewBranchSummary, NewCompaction, Session};

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::{Place, Target};

#[derive(Args, Debug)]
pub(crate) struct AppendArgs {
    #[command(flatten)]
    target: Target,

    /// Append below this entry instead of the leaf
    #[arg(long, value_name = "ENTRY")]
    parent: Option<String>,

    /// Take standard input as the text of a user message, even if it is JSON
    #[arg(long)]
    text: bool,
}

/// Standard input is the text of a user message, or JSON: a message (with `role`), an entry
/// (with `type`), or several of them, one a line.
pub(crate) fn run(
    args: &AppendArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input).map_err(CommandError::Input)?;
    let mut session = place.open_to_write(&args.target)?;
    if let Some(parent) = &args.parent {
        let id = session.entry_by_prefix(parent)?.id().to_owned();
        session.branch(&id)?;
    }
    let now = place.environment.now_ms();
    let appended = match json_lines(&input).filter(|_| !args.text) {
        Some(values) => append_values(&mut session, &values)?,
        None => {
            let text = String::from_utf8_lossy(&input);
            let text = text.strip_suffix('\n').unwrap_or(&text);
            if text.is_empty() {
                return Err(CommandError::usage("standard input is empty; nothing was appended"));
            }
            vec![session.append_message(user_message(text, now))?]
        }
    };
    if output.json {
        let ids: Vec<Value> = appended.iter().map(|one| one.id.as_str().into()).collect();
        output.value(&Object::new().with("ids", ids).with("leafId", session.leaf_id()).into())?;
    } else {
        for one in &appended {
            output.line(&one.id)?;
        }
    }
    Ok(Exit::Ok)
}

/// A user message as Pi writes it.
fn user_message(text: &str, now: i64) -> Value {
    let block = Object::new().with("type", "text").with("text", text);
    Object::new()
        .with("role", "user")
        .with("content", vec![Value::Object(block)])
        .with("timestamp", now as f64)
        .into()
}

/// The objects on the lines of the input (or the one object over all lines); `None` when it is
/// no JSON of that kind.
fn json_lines(input: &[u8]) -> Option<Vec<Value>> {
    let is_entry = |value: &Value| value.get("role").is_some() || value.get("type").is_some();
    if let Ok(value) = parse(input) {
        return is_entry(&value).then(|| vec![value]);
    }
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let values: Option<Vec<Value>> = lines.map(|line| parse(line).ok().filter(is_entry)).collect();
    values.filter(|values| !values.is_empty())
}

/// Appends all or nothing of what one write can take; entries with rules of their own go one by
/// one.
fn append_values(session: &mut Session, values: &[Value]) -> Result<Vec<Appended>, CommandError> {
    let plain: Option<Vec<Draft>> = values.iter().map(plain_draft).collect();
    if let Some(drafts) = plain {
        return Ok(session.append_all(&drafts)?);
    }
    values.iter().map(|value| append_value(session, value)).collect()
}

/// The kinds that need no look at the session.
fn plain_draft(value: &Value) -> Option<Draft> {
    let text = |key: &str| value.get_string(key).cloned();
    if value.get("role").is_some() {
        return Some(Draft::Message(value.clone()));
    }
    match EntryKind::from_name(value.get_string("type")?.as_bytes()) {
        EntryKind::Message => Some(Draft::Message(value.get("message")?.clone())),
        EntryKind::ThinkingLevelChange => Some(Draft::ThinkingLevelChange(text("thinkingLevel")?)),
        EntryKind::ModelChange => {
            Some(Draft::ModelChange { provider: text("provider")?, model_id: text("modelId")? })
        }
        EntryKind::Usage => Some(Draft::Usage {
            kind: text("kind")?,
            provider: text("provider")?,
            model: text("model")?,
            usage: value.get("usage")?.clone(),
            note: text("note"),
        }),
        EntryKind::Custom => Some(Draft::Custom {
            custom_type: text("customType")?,
            data: value.get("data").cloned(),
        }),
        EntryKind::CustomMessage => Some(Draft::CustomMessage {
            custom_type: text("customType")?,
            content: value.get("content")?.clone(),
            display: value.get("display").is_none_or(Value::is_truthy),
            details: value.get("details").cloned(),
        }),
        _ => None,
    }
}

fn append_value(session: &mut Session, value: &Value) -> Result<Appended, CommandError> {
    if let Some(draft) = plain_draft(value) {
        return Ok(session.append(&draft)?);
    }
    let text = |key: &str| value.get_string(key).cloned();
    let kind = text("type").unwrap_or_default();
    let target = text("targetId").map(|id| id.to_string());
    let missing = |member: &str| CommandError::BadData {
        message: format!("An entry of type `{kind}` needs `{member}`"),
        hint: Some("docs/session-format.md lists the members of each type".to_owned()),
    };
    let from_hook = value.get("fromHook").and_then(Value::as_bool);
    Ok(match EntryKind::from_name(kind.as_bytes()) {
        EntryKind::Label => {
            session.append_label(&target.ok_or_else(|| missing("targetId"))?, text("label"))?
        }
        EntryKind::ContextEdit => {
            let replacement = value.get("replacement").cloned();
            let replacement = replacement.ok_or_else(|| missing("replacement"))?;
            session.append_context_edit(&target.ok_or_else(|| missing("targetId"))?, replacement)?
        }
        EntryKind::SessionInfo => {
            session.append_session_info(&text("name").ok_or_else(|| missing("name"))?)?
        }
        EntryKind::Compaction => session.append_compaction(NewCompaction {
            summary: text("summary").ok_or_else(|| missing("summary"))?,
            first_kept_entry_id: text("firstKeptEntryId"),
            tokens_before: value.get_number("tokensBefore").unwrap_or_default(),
            details: value.get("details").cloned(),
            from_hook,
            usage: value.get("usage").cloned(),
        })?,
        EntryKind::BranchSummary => {
            let leaf = session.leaf_id().map(str::to_owned);
            session.branch_with_summary(
                leaf.as_deref(),
                NewBranchSummary {
                    summary: text("summary").ok_or_else(|| missing("summary"))?,
                    details: value.get("details").cloned(),
                    from_hook,
                    usage: value.get("usage").cloned(),
                },
            )?
        }
        _ => return Err(unknown_kind(&kind)),
    })
}

fn unknown_kind(kind: &JsString) -> CommandError {
    CommandError::BadData {
        message: format!("`{kind}` is no entry type that can be appended, or it lacks a member"),
        hint: Some("docs/session-format.md lists the types and their members".to_owned()),
    }
}
