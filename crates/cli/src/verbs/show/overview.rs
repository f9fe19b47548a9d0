//! `--mode overview`: what the session is, and one line a turn.

use std::path::{Path, PathBuf};

use pitree_format::entry::Body;
use pitree_format::message::{Block, Message};
use pitree_format::migrate::SourceVersion;
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::context::ModelChoice;
use pitree_session::{EntryRef, EntrySpend, LineProblem, Session, SessionSpend};
use pitree_store::{FileStamp, SessionFacts, Spend, read_facts};

use super::View;
use super::plain;
use super::tally::{ModelName, Sums, cost_text, describe};
use super::turns::Turn;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, command, counted};

pub(super) fn run(view: &View<'_>, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let mut turns = Vec::new();
    for turn in &view.turns {
        turns.push(Summary::of(turn)?);
    }
    let facts = Facts::of(view.session)?;
    if output.json {
        let list: Vec<Value> = turns
            .iter()
            .filter(|turn| turn.number > 0)
            .map(|turn| turn.to_value(view.most))
            .collect();
        let object = facts.to_value(view.session)?.with("turnCount", view.all_turns);
        return output.value(&object.with("turns", list).into());
    }
    facts.print(view.session, workspace, output)?;
    output.line("")?;
    let heading = counted(view.all_turns, "turn", "turns");
    output.line(&output.paint(Style::Bold, &heading))?;
    for turn in turns.iter().filter(|turn| turn.number > 0) {
        turn.print(view.most, output)?;
    }
    Ok(())
}

/// What is known about the session as a whole.
struct Facts {
    name: Option<JsString>,
    size: Option<u64>,
    version: Value,
    created: Option<i64>,
    last_activity: Option<i64>,
    /// What the whole file cost.
    spend: Option<Spend>,
    /// The models that answered on the active path, and how often.
    models: Sums<ModelName, usize>,
    selected: Option<ModelChoice>,
    thinking_level: Option<Value>,
    branches: usize,
    compactions: usize,
    damaged_lines: usize,
}

/// What a list says of the session.
fn listed(session: &Session) -> Option<SessionFacts> {
    session.path().and_then(|path| read_facts(path, FileStamp::of(path)?).ok())
}

/// When the session was last active, as lists say it: by its messages, and for a new fork by its
/// header. Where a list has nothing to say of it, by its entries.
fn last_activity(session: &Session, listed: Option<&SessionFacts>) -> Option<i64> {
    let by_entries = || session.entries().filter_map(|entry| entry.time()).max();
    listed.map(SessionFacts::last_used_ms).or_else(by_entries)
}

impl Facts {
    fn of(session: &Session) -> Result<Self> {
        let restored = session.restored()?;
        let version = match session.source_version() {
            SourceVersion::V1 => Value::Number(1.0),
            SourceVersion::V2 => Value::Number(2.0),
            SourceVersion::Current => session.header().version.clone().unwrap_or(Value::Null),
        };
        let created = session.header_value().get("timestamp");
        let odd = session.odd_lines().iter();
        let listed = listed(session);
        Ok(Self {
            name: session.name()?,
            size: session
                .path()
                .and_then(|path| fs_err::metadata(path).ok())
                .map(|data| data.len()),
            version,
            created: created.and_then(|time| pitree_format::js::date::time_of(Some(time))),
            last_activity: last_activity(session, listed.as_ref()),
            spend: listed.map(|facts| facts.spend),
            models: models(session)?,
            selected: restored.model,
            thinking_level: restored.thinking_level,
            branches: session.tree().leaves().count(),
            compactions: session.entries().filter(|e| e.kind() == EntryKind::Compaction).count(),
            damaged_lines: odd.filter(|line| !matches!(line.what, LineProblem::Header)).count(),
        })
    }

    fn to_value(&self, session: &Session) -> Result<Object> {
        let header = session.header();
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|(model, messages)| model.to_object().with("messages", *messages).into())
            .collect();
        let selected = self.selected.as_ref().map(|choice| {
            Object::new()
                .with("provider", choice.provider.clone())
                .with("modelId", choice.model_id.clone())
        });
        let labels: Vec<Value> = session
            .labels()?
            .iter()
            .map(|label| {
                let target = label.target_id.as_str();
                Object::new().with("entryId", target).with("label", label.text.clone()).into()
            })
            .collect();
        Ok(Object::new()
            .with("id", session.id())
            .with("name", self.name.clone())
            .with("file", session.path().map(|path| path.to_string_lossy().into_owned()))
            .with("size", self.size.map(|size| size as f64))
            .with("version", self.version.clone())
            .with("cwd", header.cwd.clone())
            .with("created", plain::iso(self.created))
            .with("lastActivity", plain::iso(self.last_activity))
            .with("parentSession", header.parent_session.clone())
            .with("models", models)
            .with("model", selected)
            .with("thinkingLevel", self.thinking_level.clone())
            .with("entries", session.len())
            .with("branches", self.branches)
            .with("compactions", self.compactions)
            .with("damagedLines", self.damaged_lines)
            .with("labels", labels))
    }

    fn print(&self, session: &Session, workspace: &Workspace, output: &mut Output) -> Result<()> {
        let header = session.header();
        let file = session.path().map(|path| workspace.display(path)).unwrap_or_default();
        let size = self.size.map(|size| plain::size(size as f64)).unwrap_or_default();
        let labels: Vec<String> = session
            .labels()?
            .iter()
            .map(|label| format!("{} ({})", label.text, label.target_id))
            .collect();
        let damaged = match self.damaged_lines {
            0 => String::new(),
            lines => {
                let path = session.path().unwrap_or(Path::new("FILE"));
                let check = command("check", &[path.as_os_str()], "");
                format!("{} (`{check}` says more)", counted(lines, "line", "lines"))
            }
        };
        let version = match &self.version {
            Value::Null => "unknown (no header)".to_owned(),
            version => plain::json_line(version, 40),
        };
        let rows = [
            ("session", session.id()),
            ("name", plain::text_of(self.name.as_ref())),
            ("file", file),
            ("size", size),
            ("version", version),
            ("cwd", plain::text_of(header.cwd.as_ref())),
            ("created", plain::minute(self.created)),
            ("last activity", plain::minute(self.last_activity)),
            ("parent session", plain::text_of(header.parent_session.as_ref())),
            ("models used", self.models_text()),
            ("model", self.selected_text()),
            ("thinking level", level_text(self.thinking_level.as_ref())),
            ("entries", plain::counted(session.len() as f64)),
            ("branches", plain::counted(self.branches as f64)),
            ("compactions", plain::counted(self.compactions as f64)),
            ("cost", self.cost_text()),
            ("damaged", damaged),
            ("labels", labels.join(", ")),
        ];
        for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
            let path = match *name {
                "session" | "file" => session.path().map(Path::to_owned),
                "cwd" => Some(PathBuf::from(value)),
                _ => None,
            };
            let name = output.paint(Style::Dim, &format!("{name:<15}"));
            let value = clean_line(value);
            let value = path.map_or_else(|| value.clone(), |path| output.link(&path, &value));
            output.folded(&format!("{name} {value}"), 16)?;
        }
        Ok(())
    }

    fn models_text(&self) -> String {
        let name = |(model, messages): (&ModelName, &usize)| {
            format!("{} ({})", model.text(), counted(*messages, "reply", "replies"))
        };
        self.models.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// What all branches cost; nothing for a session without requests.
    fn cost_text(&self) -> String {
        let Some(spend) = &self.spend else { return String::new() };
        match (spend.cost > 0.0, spend.unknown_costs) {
            (false, 0) => String::new(),
            (true, 0) => plain::dollars(spend.cost),
            (false, _) => "unknown".to_owned(),
            (true, more) => format!("{} + {more} unknown", plain::dollars(spend.cost)),
        }
    }

    fn selected_text(&self) -> String {
        let Some(choice) = &self.selected else { return String::new() };
        let text = |value: &Option<Value>| value.as_ref().and_then(Value::as_string).cloned();
        plain::model(text(&choice.provider).as_ref(), text(&choice.model_id).as_ref())
    }
}

fn level_text(level: Option<&Value>) -> String {
    match level {
        Some(Value::String(level)) => level.to_string(),
        Some(other) => plain::json_line(other, 40),
        None => String::new(),
    }
}

/// The models that answered on the active path.
fn models(session: &Session) -> Result<Sums<ModelName, usize>> {
    let mut models = Sums::default();
    for entry in session.active_path() {
        if entry.is_message(Role::Assistant) {
            let message = entry.message()?.unwrap_or(Value::Null);
            if let Message::Assistant(answer) = Message::decode(&message) {
                let model = answer.answered_by().cloned();
                *models.of(ModelName { provider: answer.provider, model }) += 1;
            }
        }
    }
    Ok(models)
}

/// One turn in short.
#[derive(Default)]
struct Summary {
    number: usize,
    entry_id: String,
    time: Option<i64>,
    text: String,
    tools: Sums<String, usize>,
    answers: usize,
    spend: SessionSpend,
}

impl Summary {
    fn of(turn: &Turn<'_>) -> Result<Self> {
        let mut summary = Self { number: turn.number, ..Self::default() };
        if let Some(first) = turn.entries.first().filter(|_| turn.number > 0) {
            summary.entry_id = first.id().to_owned();
            summary.time = first.time();
            if let Body::Message(Message::User(user)) = first.body()? {
                summary.text = user.content.to_text(" ");
            }
        }
        for entry in turn.entries.iter().filter(|entry| EntrySpend::is_possible(**entry)) {
            summary.add(*entry)?;
        }
        Ok(summary)
    }

    fn add(&mut self, entry: EntryRef<'_>) -> Result<()> {
        let body = entry.body()?;
        if let Some(spend) = EntrySpend::of(&body) {
            self.spend.add_recorded(spend.usage);
        }
        let Body::Message(Message::Assistant(message)) = &body else { return Ok(()) };
        self.answers += 1;
        for block in message.content.blocks() {
            let Block::ToolCall { name, .. } = block else { continue };
            *self.tools.of(plain::text_of(name.as_ref())) += 1;
        }
        Ok(())
    }

    fn to_value(&self, most: usize) -> Value {
        let tool = |(name, count): (&String, &usize)| -> Value {
            Object::new().with("name", name.as_str()).with("count", *count).into()
        };
        let object = Object::new()
            .with("number", self.number)
            .with("entryId", self.entry_id.as_str())
            .with("timestamp", plain::iso(self.time))
            .with("text", plain::first_words(&self.text, most))
            .with("tools", self.tools.iter().map(tool).collect::<Vec<_>>())
            .with("assistantMessages", self.answers);
        describe(&self.spend, object).into()
    }

    fn print(&self, most: usize, output: &mut Output) -> Result<()> {
        let text = match clean_line(&plain::first_words(&self.text, most)) {
            text if text.is_empty() => "(no text)".to_owned(),
            text => text,
        };
        let time = output.paint(Style::Dim, &plain::minute(self.time));
        output.folded(&format!("{:>4}  {time}  {text}", self.number), 6)?;
        let mut parts = vec![counted(self.answers, "reply", "replies")];
        if !self.tools.is_empty() {
            let tools = self.tools.iter().map(|(name, count)| format!("{name} {count}"));
            parts.push(format!("tools: {}", tools.collect::<Vec<_>>().join(", ")));
        }
        if self.spend.usages > 0 {
            parts.push(format!("{} tokens", plain::counted(self.spend.tokens())));
            parts.push(format!("cost {}", cost_text(&self.spend)));
        }
        let parts = output.paint(Style::Dim, &clean_line(&parts.join("; ")));
        output.folded(&format!("      {parts}"), 6)
    }
}
