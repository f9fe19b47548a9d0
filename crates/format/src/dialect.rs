//! Files that look like Pi sessions and are none, named so that an error can say what they are.

use std::fmt;

use crate::js::parse;
use crate::scan::{Level, scan_members};
use crate::{EntryKind, Object, Value};

/// A first line up to this length is decoded whole.
const MOST_WHOLE_BYTES: usize = 1 << 20;

/// Of a longer one these members are.
const OPENING_MEMBERS: [&str; 15] = [
    "type",
    "version",
    "id",
    "timestamp",
    "cwd",
    "parentSession",
    "branchedFrom",
    "provider",
    "modelId",
    "thinkingLevel",
    "leafId",
    "parentId",
    "seq",
    "kind",
    "v",
];

/// A kind of file that shares Pi's looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookAlike {
    /// The event stream of `pi --mode json`, saved to a file: a header, then events.
    JsonModeStream,
    /// The store of pi-agent-core 0.84 to 0.87: `{"v":4,"kind":"header"}`.
    AgentCoreV4,
    /// oh-my-pi keeps a padded title line before the header.
    OhMyPiTitleSlot,
    /// A Pi session whose header was lost: entries from the first line on.
    HeaderlessSession,
    /// A Pi session with something before its header.
    LateHeader,
    /// A Pi session with a byte order mark before its header.
    ByteOrderMark,
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
            Self::LateHeader => "a Pi session with its header in the wrong place",
            Self::ByteOrderMark => "a Pi session that an editor has saved",
            Self::ForeignMessages => "another program's message log",
            Self::SequencedHarness => "an event log of another agent harness",
        })
    }
}

/// A relative of Pi that writes sessions which Pi opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
            Self::RustPort => "pi_agent_rust",
            Self::OhMyPi => "oh-my-pi",
            Self::OpenClaw => "OpenClaw",
        })
    }
}

/// The writer of a session, as far as the header tells.
pub fn variant_of_header(header: &Value) -> Option<Variant> {
    let cwd = header.get_string("cwd").map(|cwd| cwd.to_text().into_owned()).unwrap_or_default();
    if cwd.contains("/.openclaw/") || cwd.ends_with("/.openclaw") {
        return Some(Variant::OpenClaw);
    }
    if header.get("title").is_some() || header.get("titleSource").is_some() {
        return Some(Variant::OhMyPi);
    }
    is_header_of_the_port(header).then_some(Variant::RustPort)
}

/// Whether `pi_agent_rust` wrote this header. Pi's version 1 had some of the same members, and
/// migrating keeps them, but then `version` is the last member; the port writes it before them.
fn is_header_of_the_port(header: &Value) -> bool {
    const ITS_OWN: [&str; 3] = ["leafId", "fallbackProvider", "additionalRoots"];
    const SHARED: [&str; 4] = ["branchedFrom", "provider", "modelId", "thinkingLevel"];
    if header.get_number("version") != Some(3.0) {
        return false;
    }
    let mut after_version = header
        .as_object()
        .into_iter()
        .flat_map(Object::iter)
        .skip_while(|(name, _)| **name != *"version");
    ITS_OWN.iter().any(|name| header.get(name).is_some())
        || after_version.any(|(name, _)| SHARED.iter().any(|shared| *name == **shared))
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

/// The value of one of the first lines of a file, by which a session is recognized. Decoding takes
/// many times the memory of the text, and a hostile line may be very long, so a long line keeps
/// only the members that tell something, and objects and lists among them become `null`.
///
/// Everything that tells whether a file is a session goes through here, so that all of it gives
/// the same answer and needs the same memory.
pub(crate) fn opening_value(line: &[u8]) -> Value {
    if line.len() <= MOST_WHOLE_BYTES {
        return parse(line).unwrap_or(Value::Null);
    }
    let mut found: [Option<&[u8]>; OPENING_MEMBERS.len()] = [None; OPENING_MEMBERS.len()];
    scan_members(line, |level, name, value| {
        if level == Level::Entry
            && let Some(at) = OPENING_MEMBERS.iter().position(|known| name == known.as_bytes())
        {
            found[at] = Some(value);
        }
    });
    let mut object = Object::new();
    for (name, value) in OPENING_MEMBERS.iter().zip(found) {
        let Some(value) = value else { continue };
        let is_plain = !matches!(value.first(), None | Some(b'{' | b'['));
        let value = is_plain.then(|| parse(value).ok()).flatten().unwrap_or(Value::Null);
        object.set(name, value);
    }
    Value::Object(object)
}

/// Names a file by the first line that Pi would parse, when that line is no Pi header.
pub(crate) fn look_alike_by_first(first: &Value) -> Option<LookAlike> {
    let kind = first.get_string("type").and_then(|kind| kind.as_str());
    if first.get_string("kind").is_some_and(|kind| *kind == "header") && first.get("v").is_some() {
        return Some(LookAlike::AgentCoreV4);
    }
    match kind? {
        "title" => Some(LookAlike::OhMyPiTitleSlot),
        name if is_stream_event(name) => Some(LookAlike::JsonModeStream),
        "message" if first.get("parentId").is_none() => Some(LookAlike::ForeignMessages),
        name if EntryKind::from_name(name.as_bytes()) != EntryKind::Other => {
            Some(LookAlike::HeaderlessSession)
        }
        _ => None,
    }
}

/// Names a file by a later line. A header alone does not tell a session from a saved event
/// stream; the first line behind it does.
pub(crate) fn look_alike_by_second(second: &Value) -> Option<LookAlike> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Header;

    #[test]
    fn a_header_of_the_port_is_known_from_a_migrated_one() {
        let start = r#""type":"session","version":3,"id":"a","timestamp":"t","cwd":"/x""#;
        let old = r#""type":"session","id":"a","timestamp":"t","cwd":"/x""#;
        for member in ["provider", "modelId", "thinkingLevel", "branchedFrom"] {
            let of = |line: String| variant_of_header(&parse(line.as_bytes()).unwrap());
            let port = of(format!("{{{start},\"{member}\":\"y\"}}"));
            assert_eq!(port, Some(Variant::RustPort), "{member}");
            let migrated = of(format!("{{{old},\"{member}\":\"y\",\"version\":3}}"));
            assert_eq!(migrated, None, "{member}");
        }
    }

    #[test]
    fn a_long_line_tells_the_same_as_a_short_one() {
        for members in [
            r#""type":"session","version":3,"id":"a","cwd":"/x","branchedFrom":"/y""#,
            r#""type":"session","id":"a","id":["b"]"#,
            r#""type":"session","id":["a"],"id":"b""#,
            r#""t\u0079pe":"message_end","message":{"id":"x"}"#,
            r#""type":"x","seq":{},"message":[]"#,
            r#""type":"x","seq":1,"id":[]"#,
            r#""type":"message","parentId":{}"#,
            r#""kind":"header","v":[4]"#,
            r#""type":7"#,
        ] {
            let short = opening_value(format!("{{{members}}}").as_bytes());
            let filler = "1,".repeat(MOST_WHOLE_BYTES / 2);
            let long = opening_value(format!("{{{members},\"z\":[{filler}1]}}").as_bytes());
            assert!(long.get("z").is_none(), "{members}");
            assert_eq!(look_alike_by_first(&long), look_alike_by_first(&short), "{members}");
            assert_eq!(look_alike_by_second(&long), look_alike_by_second(&short), "{members}");
            assert_eq!(Header::decode(&long), Header::decode(&short), "{members}");
        }
    }
}
