//! One `ExtractedSession` a line, in the classes of lora_forge.
//!
//! ```text
//! ExtractedSession  session_id, source_path, cwd, turns, runtime_type, mcp_servers, metadata
//! Turn              role (user or assistant), content, tool_calls, tool_results, timestamp, uuid
//! tool call         id, name, input, arguments (the same), source, mcp_server
//! tool result       tool_use_id, tool_name, content, is_error
//! ```
//!
//! The results of a reply's calls are one turn of the user. Thoughts have no place in a turn, so
//! a reply that only thought is left out. What the classes have no room for is in `metadata`: the
//! role, models and costs, the prompt, which turns are context only, and what sub-agents did.

use std::collections::BTreeSet;
use std::sync::Arc;

use pitree_format::js::{Members, print, stringify};
use pitree_format::{Object, Value};
use pitree_sample::{
    About, AgentRole, ChatMessage, ChatRole, IMAGE, Part, ReplyBlock, RoleSign, Sample, Speaker,
    SubagentRun, ToolCall, Usage,
};

pub use crate::options::ToolText;

use super::{Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::Printed;
use crate::reason::DropReason;

/// The format, ready for a run.
pub(super) fn prepare(options: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Lines {
        name: FormatName::LoraForge,
        format: Box::new(LoraForge { tool_text: options.tool_text }),
    })
}

/// The form.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoraForge {
    /// Whether calls and results stand in the text too.
    pub tool_text: ToolText,
}

impl Format for LoraForge {
    fn row(
        &self,
        sample: &Sample,
        _: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = self.turns(sample.turns().map(|(message, trained)| (&**message, trained)));
        let is_learned = |turn: &Turn<'_>| turn.is_reply && !turn.is_context;
        if !turns.iter().any(is_learned) {
            return Err(DropReason::NoTarget);
        }
        let metadata = metadata(sample, &turns, self);
        let session = extracted(&sample.about, &turns, metadata);
        session.iter().for_each(|(name, value)| print(value, row.key(&name.to_text())));
        Ok(())
    }
}

/// A turn, and what is told of it elsewhere.
struct Turn<'a> {
    value: Object,
    uuid: &'a str,
    is_reply: bool,
    is_context: bool,
    calls: &'a [ToolCall],
    speaker: Option<&'a Speaker>,
}

impl LoraForge {
    fn turns<'a>(&self, messages: impl Iterator<Item = (&'a ChatMessage, bool)>) -> Vec<Turn<'a>> {
        let mut turns: Vec<Turn<'a>> = Vec::new();
        let mut results: Vec<&ChatMessage> = Vec::new();
        for (message, is_trained) in messages {
            if message.role == ChatRole::Tool {
                results.push(message);
                continue;
            }
            turns.extend(self.result_turn(&std::mem::take(&mut results)));
            match message.role {
                ChatRole::User => turns.extend(self.user_turn(message)),
                ChatRole::Assistant => turns.extend(self.reply_turn(message, !is_trained)),
                ChatRole::System | ChatRole::Tool => {}
            }
        }
        turns.extend(self.result_turn(&results));
        turns
    }

    fn user_turn<'a>(&self, message: &'a ChatMessage) -> Option<Turn<'a>> {
        let content = self.text(message);
        (!stripped(&content).is_empty()).then(|| turn(message, content, Vec::new(), Vec::new()))
    }

    fn reply_turn<'a>(&self, message: &'a ChatMessage, is_context: bool) -> Option<Turn<'a>> {
        let content = match self.tool_text {
            ToolText::None => self.text(message),
            ToolText::Tagged => tagged_reply(message),
        };
        if content.is_empty() && message.tool_calls.is_empty() {
            return None;
        }
        let calls = message.tool_calls.iter().map(tool_call).collect();
        Some(Turn { is_context, ..turn(message, content, calls, Vec::new()) })
    }

    /// The results of one reply, as one turn.
    fn result_turn<'a>(&self, messages: &[&'a ChatMessage]) -> Option<Turn<'a>> {
        let last = messages.iter().rev().find(|message| message.entry_id.is_some());
        let last = last.or(messages.last())?;
        let results = messages.iter().filter_map(|message| {
            let result = message.result.as_ref()?;
            Some((result, self.text(message)))
        });
        let results: Vec<_> = results.collect();
        let tags = results.iter().map(|(result, content)| {
            format!("<tool_result tool_use_id=\"{}\">\n{content}\n</tool_result>", result.call_id)
        });
        let content = match self.tool_text {
            ToolText::None => String::new(),
            ToolText::Tagged => tags.collect::<Vec<_>>().join("\n"),
        };
        let values = results.iter().map(|(result, content)| {
            Object::new()
                .with("tool_use_id", result.call_id.as_str())
                .with("tool_name", result.name.as_str())
                .with("content", content.as_str())
                .with("is_error", result.is_error)
                .into()
        });
        Some(turn(last, content, Vec::new(), values.collect()))
    }

    /// The text of a message: its blocks.
    fn text(&self, message: &ChatMessage) -> String {
        let blocks = message.content.iter().map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Image { .. } => IMAGE,
        });
        match self.tool_text {
            ToolText::None => blocks.collect(),
            ToolText::Tagged => blocks.collect::<Vec<_>>().join("\n"),
        }
    }
}

/// A reply as lora_forge writes it: its texts without the white space around them and its calls in
/// tags, a line each, in the order in which the model gave them.
fn tagged_reply(message: &ChatMessage) -> String {
    let text = message.written_text();
    let blocks = message.speaker.as_ref().map_or(&[][..], |speaker| &speaker.blocks);
    let in_blocks = blocks.iter().map(|block| match block {
        ReplyBlock::Text(bytes) => *bytes,
        ReplyBlock::Call => 0,
    });
    // Reasoning that was put before the text stands in no block.
    let mut lead = text.len().saturating_sub(in_blocks.sum());
    let (mut rest, mut calls) = (&*text, message.tool_calls.iter().map(call_tag));
    let mut parts = Vec::new();
    for block in blocks {
        match block {
            ReplyBlock::Text(bytes) => {
                let bytes = bytes + std::mem::take(&mut lead);
                let (own, behind) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
                parts.push(stripped(own).to_owned());
                rest = behind;
            }
            ReplyBlock::Call => parts.extend(calls.next()),
        }
    }
    parts.push(stripped(rest).to_owned());
    parts.extend(calls);
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn call_tag(call: &ToolCall) -> String {
    let (source, server) = source_of(&call.name);
    let server = match server {
        "" => String::new(),
        server => format!(" mcp_server=\"{server}\""),
    };
    let (name, arguments) = (&call.name, stringify(&call.arguments));
    format!("<tool_call name=\"{name}\" source=\"{source}\"{server}>\n{arguments}\n</tool_call>")
}

/// The text without white space at its ends, as Python's `strip` takes it off.
fn stripped(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

fn turn(
    message: &ChatMessage,
    content: String,
    calls: Vec<Value>,
    results: Vec<Value>,
) -> Turn<'_> {
    let is_reply = message.role == ChatRole::Assistant;
    let role = if is_reply { "assistant" } else { "user" };
    let uuid = message.entry_id.as_deref().unwrap_or_default();
    let value = Object::new()
        .with("role", role)
        .with("content", content)
        .with("tool_calls", calls)
        .with("tool_results", results)
        .with("timestamp", message.timestamp.as_deref().unwrap_or_default())
        .with("uuid", uuid);
    let speaker = message.speaker.as_ref();
    Turn { value, uuid, is_reply, is_context: false, calls: &message.tool_calls, speaker }
}

fn tool_call(call: &ToolCall) -> Value {
    let (source, server) = source_of(&call.name);
    Object::new()
        .with("id", call.id.as_str())
        .with("name", call.name.as_str())
        .with("input", call.arguments.clone())
        .with("arguments", call.arguments.clone())
        .with("source", source)
        .with("mcp_server", server)
        .into()
}

/// Where a tool comes from: `mcp__server__tool` is a server's.
fn source_of(name: &str) -> (&'static str, &str) {
    match name.strip_prefix("mcp__") {
        Some(rest) => ("mcp", rest.split_once("__").map_or(rest, |(server, _)| server)),
        None => ("standard", ""),
    }
}

/// The role as lora_forge calls it, which counts the deacon's dogs as deacons.
fn forge_role(role: Option<&AgentRole>) -> String {
    match role.map(|found| found.role.as_str()) {
        None => "unknown".to_owned(),
        Some("dog") => "deacon".to_owned(),
        Some(role) => role.to_owned(),
    }
}

fn extracted(about: &About, turns: &[Turn<'_>], metadata: Object) -> Object {
    let servers: BTreeSet<&str> = turns
        .iter()
        .flat_map(|turn| turn.calls)
        .map(|call| source_of(&call.name).1)
        .filter(|server| !server.is_empty())
        .collect();
    let turns: Vec<Value> = turns.iter().map(|turn| turn.value.clone().into()).collect();
    Object::new()
        .with("session_id", about.session_id.as_str())
        .with("source_path", about.source_path.as_str())
        .with("cwd", about.cwd.as_str())
        .with("turns", turns)
        .with("runtime_type", "pi")
        .with("mcp_servers", servers.into_iter().map(Value::from).collect::<Vec<_>>())
        .with("metadata", metadata)
}

fn metadata(sample: &Sample, turns: &[Turn<'_>], form: &LoraForge) -> Object {
    let about = &*sample.about;
    let system = sample.messages.iter().find(|message| message.role == ChatRole::System);
    about_members(about)
        .with("sample_id", sample.id.as_str())
        .with("leaf_id", sample.leaf_id.as_str())
        .with("segment", f64::from(sample.segment))
        .with("system", system.map(|message| message.text()))
        .with("tools", sample.tools.as_ref().map(|tools| tools.to_vec()))
        .with("usage", total_usage(turns))
        .with("turns", spoken(turns))
        .with("context_only", uuids(turns.iter().filter(|turn| turn.is_context)))
        .with("made_up_ids", made_up_ids(turns))
        .with("subagents", subagents(&sample.messages, about, form))
        .with("context_altered", context_altered(sample))
        .with_some("request_notes", request_notes(sample))
}

/// What was changed in the context that the replies answer.
pub(super) fn context_altered(sample: &Sample) -> Vec<Value> {
    sample.altered.iter().map(|altered| altered.name().into()).collect()
}

/// What is not certain about the request, if the sample is one.
pub(super) fn request_notes(sample: &Sample) -> Option<Vec<Value>> {
    let notes = &sample.wire.as_ref()?.notes;
    Some(notes.iter().map(|note| note.name().into()).collect())
}

/// What is known of a session, as members of `metadata`.
fn about_members(about: &About) -> Object {
    let text = |text: &Option<String>| Value::from(text.clone());
    let role = about.role.as_ref();
    Object::new()
        .with("created_at", text(&about.created_at))
        .with("name", text(&about.name))
        .with("provider", text(&about.provider))
        .with("model", text(&about.model))
        .with("thinking_level", text(&about.thinking_level))
        .with("role", forge_role(role))
        .with("gt_role", role.map(|role| role.role.clone()))
        .with("gt_rig", role.and_then(|role| role.rig.clone()))
        .with("gt_name", role.and_then(|role| role.name.clone()))
        .with("role_source", role.map(|role| role.source))
        .with("role_confidence", role.map(|role| role.confidence))
        .with("role_conflict", role.map(|role| role.conflict))
        .with("role_signs", role.map(signs).unwrap_or_default())
        .with("family_id", about.family_id.as_str())
        .with("parent_session_id", text(&about.parent_session_id))
        .with("is_subagent", about.is_subagent)
        .with("outcome", about.outcome.clone())
}

/// Everything that tells the role, the strongest first.
fn signs(role: &AgentRole) -> Vec<Value> {
    let sign = |sign: &RoleSign| {
        Object::new()
            .with("source", sign.source)
            .with("role", sign.role.as_str())
            .with("rig", sign.rig.clone())
            .with("name", sign.name.clone())
            .into()
    };
    role.signs.iter().map(sign).collect()
}

fn uuids<'a>(turns: impl Iterator<Item = &'a Turn<'a>>) -> Vec<Value> {
    turns.map(|turn| turn.uuid.into()).collect()
}

fn made_up_ids(turns: &[Turn<'_>]) -> Vec<Value> {
    let calls = turns.iter().flat_map(|turn| turn.calls);
    calls.filter(|call| call.made_up_id).map(|call| call.id.as_str().into()).collect()
}

/// Who spoke in each turn of the assistant, and what it cost.
fn spoken(turns: &[Turn<'_>]) -> Vec<Value> {
    let spoken = turns.iter().filter_map(|turn| Some((turn.uuid, turn.speaker?)));
    let value = |(uuid, speaker): (&str, &Speaker)| {
        let text = |text: &Option<String>| Value::from(text.clone());
        Object::new()
            .with("uuid", uuid)
            .with("provider", text(&speaker.provider))
            .with("model", text(&speaker.model))
            .with("api", text(&speaker.api))
            .with("stop_reason", text(&speaker.stop_reason))
            .with("thinking_level", text(&speaker.thinking_level))
            .with("usage", speaker.usage.map(usage))
            .into()
    };
    spoken.map(value).collect()
}

fn usage(usage: Usage) -> Object {
    Object::new()
        .with("input", usage.input)
        .with("output", usage.output)
        .with("cache_read", usage.cache_read)
        .with("cache_write", usage.cache_write)
        .with("total_tokens", usage.total_tokens)
        .with("cost", usage.cost)
        .with("cost_parts", cost_parts(usage.cost_parts))
}

/// The parts of a cost; `null` where none is recorded.
fn cost_parts(parts: [Option<f64>; 4]) -> Value {
    if parts.iter().all(Option::is_none) {
        return Value::Null;
    }
    let [input, output, cache_read, cache_write] = parts;
    Object::new()
        .with("input", input)
        .with("output", output)
        .with("cache_read", cache_read)
        .with("cache_write", cache_write)
        .into()
}

/// What the turns to learn have cost together.
fn total_usage(turns: &[Turn<'_>]) -> Object {
    let mut sum = Usage::default();
    let mut without_cost = 0;
    for speaker in turns.iter().filter(|turn| !turn.is_context).filter_map(|turn| turn.speaker) {
        let own = speaker.usage.unwrap_or_default();
        without_cost += usize::from(own.cost.is_none() && !speaker.is_second_half);
        sum.add(&own);
    }
    usage(sum).with("turns_without_cost", without_cost)
}

/// What the sub-agents did that these messages sent out.
fn subagents(messages: &[Arc<ChatMessage>], about: &About, form: &LoraForge) -> Vec<Value> {
    let runs = messages.iter().filter_map(|message| {
        let runs = about.subagents.get(message.entry_id.as_deref()?)?;
        let call = message.result.as_ref().map(|result| result.call_id.as_str());
        Some(runs.iter().map(move |run| subagent(run, call, form)))
    });
    runs.flatten().collect()
}

/// What a sub-agent did: how it ran, and its conversation as a session of its own.
fn subagent(run: &SubagentRun, call_id: Option<&str>, form: &LoraForge) -> Value {
    let turns = form.turns(run.messages.iter().map(|message| (&**message, false)));
    let metadata = about_members(&run.about)
        .with("turns", spoken(&turns))
        .with("made_up_ids", made_up_ids(&turns))
        .with("subagents", subagents(&run.messages, &run.about, form));
    Object::new()
        .with("tool_use_id", call_id)
        .with("agent", run.agent.as_str())
        .with("task", run.task.clone())
        .with("exit_code", run.exit_code)
        .with("usage", run.usage.map(usage))
        .with("source", run.source)
        .with("session", extracted(&run.about, &turns, metadata))
        .into()
}
