//! `pitree append`: entries from standard input.

use clap::Args;
use pitree_format::draft::Draft;
use pitree_format::js::parse;
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::{Appended, NewBranchSummary, NewCompaction, Session};

use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::{AppendTarget, Workspace};

#[derive(Args, Debug)]
pub(crate) struct AppendArgs {
    #[command(flatten)]
    target: AppendTarget,

    /// Append below this entry instead of the leaf
    #[arg(long, alias = "parent", value_name = "ENTRY")]
    at: Option<String>,

    /// Treat standard input as the text of a user message, even if it looks like JSON
    #[arg(long)]
    text: bool,
}

/// Standard input is the text of a user message, or JSON: a message (with `role`), an entry
/// (with `type`), or several of them, one a line.
pub(crate) fn run(args: &AppendArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let input = workspace.caller.read_input()?;
    let values = if args.text { None } else { json_lines(&input)? };
    let mut session = workspace.open_shared_to_append(&args.target)?;
    if let Some(parent) = &args.at {
        let id = session.entry_by_prefix(parent)?.id().to_owned();
        session.branch(&id)?;
    }
    let _change = session.path().map(|path| workspace.changing(path));
    let appended = match values {
        Some(values) => append_values(&mut session, &values)?,
        None => {
            let message = user_message(plain_text(&input)?, workspace.environment.now_ms());
            vec![session.append_message(message)?]
        }
    };
    let migrated = workspace.report_migration(&mut session, output)?;
    if output.json {
        let ids: Vec<Value> = appended.iter().map(|one| one.id.as_str().into()).collect();
        let value = Object::new().with("ids", ids).with("leafId", session.leaf_id());
        output.value(&value.with_some("migrated", migrated).into())?;
    } else {
        for one in &appended {
            output.line(&one.id)?;
        }
    }
    Ok(Exit::Ok)
}

/// The input as the text of a message, without the line end that a shell adds.
fn plain_text(input: &[u8]) -> Result<&str> {
    let Ok(text) = std::str::from_utf8(input) else {
        let message = "Standard input is not UTF-8 text; nothing was appended".to_owned();
        return Err(CommandError::BadData { message, hint: None });
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(CommandError::usage("standard input is empty; nothing was appended"));
    }
    Ok(text)
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
/// text. What begins like JSON and is not is an error: it must not end as the text of a message,
/// in a file from which nothing is removed.
fn json_lines(input: &[u8]) -> Result<Option<Vec<Value>>> {
    let is_entry = |value: &Value| value.get("role").is_some() || value.get("type").is_some();
    let begin = input.strip_prefix("\u{feff}".as_bytes()).unwrap_or(input).trim_ascii_start();
    if !matches!(begin.first(), Some(b'{' | b'[')) {
        return Ok(None);
    }
    if let Ok(value) = parse(input) {
        return match is_entry(&value) {
            true => Ok(Some(vec![value])),
            false => Err(not_appended(
                "looks like JSON, but it is neither a message (no `role`) nor an entry (no `type`)",
            )),
        };
    }
    let mut values = Vec::new();
    for (at, line) in input.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match parse(line) {
            Ok(value) if is_entry(&value) => values.push(value),
            Ok(_) => return Err(not_entries(&format!("line {} is not one", at + 1))),
            Err(error) => return Err(not_entries(&format!("line {}: {error}", at + 1))),
        }
    }
    Ok(Some(values))
}

fn not_entries(problem: &str) -> CommandError {
    not_appended(&format!("begins like JSON, but it is not messages or entries: {problem}"))
}

fn not_appended(problem: &str) -> CommandError {
    CommandError::BadData {
        message: format!("Standard input {problem}; nothing was appended"),
        hint: Some("pass `--text` to append it as the text of a user message".to_owned()),
    }
}

/// Appends all, or nothing if one of them is wrong.
fn append_values(session: &mut Session, values: &[Value]) -> Result<Vec<Appended>> {
    for value in values {
        check_value(session, value)?;
    }
    let plain: Option<Vec<Draft>> = values.iter().map(plain_draft).collect();
    if let Some(drafts) = plain {
        return Ok(session.append_all(&drafts)?);
    }
    values.iter().map(|value| append_value(session, value)).collect()
}

/// Whether an entry can be appended, as far as that can be said before the others are.
fn check_value(session: &Session, value: &Value) -> Result<()> {
    let message = match value.get("role") {
        Some(_) => Some(value),
        None => value.get("message").filter(|_| is_kind(value, EntryKind::Message)),
    };
    if let Some(message) = message {
        return check_message(message);
    }
    if plain_draft(value).is_some() {
        return Ok(());
    }
    let Some(needed) = needed_members(EntryKind::of(value)) else {
        return Err(unknown_kind(&value.get_string("type").cloned().unwrap_or_default()));
    };
    for member in needed {
        let what = match value.get(member) {
            None => "",
            Some(value) if STRINGS.contains(member) && value.as_string().is_none() => ", a string",
            Some(_) => continue,
        };
        let kind = EntryKind::of(value).name();
        let message =
            format!("An entry of type `{kind}` needs `{member}`{what}; nothing was appended");
        let hint = Some("docs/session.md lists the members of each type".to_owned());
        return Err(CommandError::BadData { message, hint });
    }
    if let Some(target) = value.get_string("targetId") {
        session.require(target.to_text())?;
    }
    Ok(())
}

/// Members that must be strings where they are needed at all.
const STRINGS: [&str; 6] = ["thinkingLevel", "provider", "modelId", "kind", "model", "customType"];

/// What an entry must have apart from its type; `None` for a type that is not known.
fn needed_members(kind: EntryKind) -> Option<&'static [&'static str]> {
    Some(match kind {
        EntryKind::Message => &["message"],
        EntryKind::ThinkingLevelChange => &["thinkingLevel"],
        EntryKind::ModelChange => &["provider", "modelId"],
        EntryKind::Usage => &["kind", "provider", "model", "usage"],
        EntryKind::Custom => &["customType"],
        EntryKind::CustomMessage => &["customType", "content"],
        EntryKind::Label => &["targetId"],
        EntryKind::ContextEdit => &["targetId", "replacement"],
        EntryKind::SessionInfo => &["name"],
        EntryKind::Compaction | EntryKind::BranchSummary => &["summary"],
        _ => return None,
    })
}

/// A message that Pi could not show or send is not appended; neither is one without what it says,
/// which Pi would take and show empty, or a reply without what it cost, over which Pi stumbles when
/// it adds up a session.
fn check_message(message: &Value) -> Result<()> {
    pitree_session::check_message(message)?;
    let Some(role) = message.get_string("role") else { return Ok(()) };
    let kind = Role::from_name(role.as_bytes());
    let needs_content = matches!(
        kind,
        Role::System | Role::User | Role::Assistant | Role::ToolResult | Role::Custom
    );
    if needs_content && !matches!(message.get("content"), Some(Value::String(_) | Value::Array(_)))
    {
        let message = format!(
            "A message with the role `{role}` needs `content`: a string or a list of blocks; \
             nothing was appended"
        );
        return Err(CommandError::BadData { message, hint: None });
    }
    let cost = message.get("usage").and_then(|usage| usage.get("cost"));
    if kind == Role::Assistant && cost.and_then(Value::as_object).is_none() {
        let message = "A message with the role `assistant` needs `usage` with `cost`, as Pi writes \
                       them; nothing was appended";
        let hint = "for a reply that cost nothing, add \"usage\":{\"input\":0,\"output\":0,\
                    \"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":0,\"cost\":{\"input\":0,\
                    \"output\":0,\"cacheRead\":0,\"cacheWrite\":0,\"total\":0}}";
        let (message, hint) = (message.to_owned(), Some(hint.to_owned()));
        return Err(CommandError::BadData { message, hint });
    }
    Ok(())
}

fn is_kind(value: &Value, kind: EntryKind) -> bool {
    EntryKind::of(value) == kind
}

/// The kinds that need no look at the session.
fn plain_draft(value: &Value) -> Option<Draft> {
    let text = |key: &str| value.get_string(key).cloned();
    if value.get("role").is_some() {
        return Some(Draft::Message(value.clone()));
    }
    match EntryKind::of(value) {
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

/// Appends an entry whose members were checked.
fn append_value(session: &mut Session, value: &Value) -> Result<Appended> {
    if let Some(draft) = plain_draft(value) {
        return Ok(session.append(&draft)?);
    }
    let text = |key: &str| value.get_string(key).cloned();
    let target = text("targetId").map(|id| id.to_string()).unwrap_or_default();
    Ok(match EntryKind::of(value) {
        EntryKind::Label => session.append_label(&target, text("label"))?,
        EntryKind::ContextEdit => {
            let replacement = value.get("replacement").cloned();
            session.append_context_edit(&target, replacement.unwrap_or(Value::Null))?
        }
        EntryKind::SessionInfo => session.append_session_info(text("name").unwrap_or_default())?,
        EntryKind::Compaction => session.append_compaction(NewCompaction::from_entry(value))?,
        EntryKind::BranchSummary => {
            let leaf = session.leaf_id().map(str::to_owned);
            session.branch_with_summary(leaf.as_deref(), NewBranchSummary::from_entry(value))?
        }
        _ => return Err(unknown_kind(&text("type").unwrap_or_default())),
    })
}

fn unknown_kind(kind: &JsString) -> CommandError {
    CommandError::BadData {
        message: format!("`{kind}` is not a known entry type; nothing was appended"),
        hint: Some("docs/session.md lists the types and their members".to_owned()),
    }
}
