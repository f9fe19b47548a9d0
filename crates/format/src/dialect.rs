//! Files that look like Pi sessions and are none, named so that an error can say what they are.

use std::fmt;

use crate::Value;

/// A kind of file that shares Pi's looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookAlike {
    /// The event stream of `pi --mode json`, saved to a file: a header, then events.
    JsonModeStream,
    /// The store of pi-agent-core 0.84 to 0.87: `{"v":4,"kind":"header"}`.
    AgentCoreV4,
    /// oh-my-pi keeps a padded title line before the header.
    OhMyPiTitleSlot,
    /// A Pi session whose header was lost: entries from the first line on.
    HeaderlessSession,
    /// Another agent's log with messages that have Pi's shape.
    ForeignMessages,
    /// A harness that numbers its events (`seq`) behind a `session` line.
    SequencedHarness,
}

impl fmt::Display for LookAlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JsonModeStream => "an event stream of `pi --mode json`",
            Self::AgentCoreV4 => "a store of pi-agent-core (version 4)",
            Self::OhMyPiTitleSlot => "an oh-my-pi session (title line before the header)",
            Self::HeaderlessSession => "a Pi session without its header",
            Self::ForeignMessages => "another program's message log",
            Self::SequencedHarness => "an event log of another agent harness",
        })
    }
}

/// A relative of Pi that writes sessions which Pi opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The Rust port, `pi_agent_rust`.
    RustPort,
    /// oh-my-pi.
    OhMyPi,
    /// OpenClaw, which runs Pi inside.
    OpenClaw,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RustPort => "the Rust port of Pi",
            Self::OhMyPi => "oh-my-pi",
            Self::OpenClaw => "OpenClaw",
        })
    }
}

/// The writer of a session, as far as the header tells. Version 1 headers had some of the same
/// members, so they tell nothing.
pub fn variant_of_header(header: &Value) -> Option<Variant> {
    let cwd = header.get_string("cwd").map(|cwd| cwd.to_text().into_owned()).unwrap_or_default();
    if cwd.contains("/.openclaw/") || cwd.ends_with("/.openclaw") {
        return Some(Variant::OpenClaw);
    }
    if header.get("title").is_some() || header.get("titleSource").is_some() {
        return Some(Variant::OhMyPi);
    }
    let port_members = ["leafId", "branchedFrom", "fallbackProvider", "additionalRoots"];
    let is_version_3 = header.get_number("version") == Some(3.0);
    (is_version_3 && port_members.iter().any(|name| header.get(name).is_some()))
        .then_some(Variant::RustPort)
}

/// The writer of a session, as far as an entry tells.
pub fn variant_of_entry(entry: &Value) -> Option<Variant> {
    match entry.get_string("type")?.as_str()? {
        "service_tier_change" | "mode_change" | "ttsr_injection" | "session_init" => {
            Some(Variant::OhMyPi)
        }
        "model_change" if entry.get("modelId").is_none() && entry.get_string("model").is_some() => {
            Some(Variant::OhMyPi)
        }
        _ => None,
    }
}

/// Names a file by the first line that Pi would parse, when that line is no Pi header.
pub fn recognise_first(first: &Value) -> Option<LookAlike> {
    let kind = first.get_string("type").and_then(|kind| kind.as_str());
    if first.get_string("kind").is_some_and(|kind| *kind == "header") && first.get("v").is_some() {
        return Some(LookAlike::AgentCoreV4);
    }
    match kind? {
        "title" => Some(LookAlike::OhMyPiTitleSlot),
        name if is_stream_event(name) => Some(LookAlike::JsonModeStream),
        "message" if first.get("parentId").is_none() => Some(LookAlike::ForeignMessages),
        "message"
        | "model_change"
        | "thinking_level_change"
        | "compaction"
        | "custom"
        | "custom_message"
        | "label"
        | "session_info"
        | "branch_summary" => Some(LookAlike::HeaderlessSession),
        _ => None,
    }
}

/// Names a file by a later line. A header alone does not tell a session from a saved event
/// stream; the first line behind it does.
pub fn recognise_second(second: &Value) -> Option<LookAlike> {
    let kind = second.get_string("type").and_then(|kind| kind.as_str())?;
    if is_stream_event(kind) {
        return Some(LookAlike::JsonModeStream);
    }
    (second.get("seq").is_some() && second.get("id").is_none())
        .then_some(LookAlike::SequencedHarness)
}

/// The names of the events that Pi's JSON and RPC modes print.
fn is_stream_event(name: &str) -> bool {
    matches!(
        name,
        "agent_start"
            | "agent_end"
            | "agent_settled"
            | "turn_start"
            | "turn_end"
            | "message_start"
            | "message_update"
            | "message_end"
            | "tool_execution_start"
            | "tool_execution_update"
            | "tool_execution_end"
            | "queue_update"
            | "response"
    )
}
