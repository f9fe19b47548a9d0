//! The lines that pitree and an extension exchange.
//!
//! ```text
//! pitree     {"type":"hello","protocol":1,"pitree":"0.1.0","events":["session_start",…]}
//! extension  {"type":"hello","protocol":1,"events":["session_before_tree"]}
//! pitree     {"type":"event","id":1,"event":{"type":"session_before_tree",…},"session":{…},"limitMs":5000}
//! extension  {"type":"reply","id":1,"result":{"label":"checkpoint"}}
//! ```

use std::time::Duration;

use crate::events::{EventKind, SessionEvent};
use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_session::Session;

/// The version of the protocol. It grows when an extension would have to change.
pub const PROTOCOL_VERSION: u32 = 1;

/// How much of a wrong line a report shows.
const SHOWN: usize = 80;
/// How much of an error an extension can report.
const MOST_ERROR: usize = 2000;

/// A line of an extension that means something.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    Hello(Hello),
    Reply {
        id: u64,
        result: Value,
    },
    /// It has done with an event that asks nothing.
    Done {
        id: u64,
    },
    /// Something went wrong in it, and it goes on.
    Error {
        event: Option<EventKind>,
        error: String,
    },
}

/// What an extension wants.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Hello {
    pub(super) events: Vec<EventKind>,
    /// Names of events that do not exist.
    pub(super) unknown: Vec<String>,
    /// Whether it says when it has done with an event that asks nothing.
    pub(super) acknowledges: bool,
}

/// The first line to an extension.
pub(super) fn hello() -> String {
    let events: Vec<Value> = EventKind::ALL.into_iter().map(|kind| kind.name().into()).collect();
    let hello = Object::new()
        .with("type", "hello")
        .with("protocol", f64::from(PROTOCOL_VERSION))
        .with("pitree", env!("CARGO_PKG_VERSION"))
        .with("events", events);
    stringify(&hello.into())
}

/// An event and where it happens; with a limit if it asks.
pub(super) fn event(
    id: u64,
    event: &SessionEvent,
    session: &Session,
    limit: Option<Duration>,
) -> String {
    let file = session.path().map(|path| path.to_string_lossy().into_owned());
    let place = Object::new()
        .with("id", session.id())
        .with("file", file)
        .with("cwd", session.cwd().to_string_lossy().into_owned())
        .with("leafId", session.leaf_id());
    let line = Object::new()
        .with("type", "event")
        .with("id", id as f64)
        .with("event", event.to_value())
        .with("session", place)
        .with_some("limitMs", limit.map(|limit| limit.as_millis() as f64));
    stringify(&line.into())
}

/// Reads a line of an extension, or says what is wrong with it.
pub(super) fn read(line: &[u8]) -> Result<Said, String> {
    let Ok(value) = parse(line) else {
        return Err(format!("wrote a line that is not valid JSON: {}", shown(line)));
    };
    let kind = value.get_string("type").map(|kind| kind.to_text().into_owned());
    match kind.as_deref() {
        Some("hello") => read_hello(&value).map(Said::Hello),
        Some(kind @ ("reply" | "done")) => {
            let id = value.get_number("id").filter(|id| *id >= 1.0 && id.fract() == 0.0);
            let Some(id) = id.map(|id| id as u64) else {
                return Err(format!("wrote a {kind} without the id of an event: {}", shown(line)));
            };
            let result = value.get("result").cloned().unwrap_or(Value::Null);
            Ok(if kind == "done" { Said::Done { id } } else { Said::Reply { id, result } })
        }
        Some("error") => {
            let text = |name: &str| value.get_string(name).map(ToString::to_string);
            let event = text("event").and_then(|name| EventKind::from_name(&name));
            let error = text("error").unwrap_or_else(|| "reports an error".to_owned());
            Ok(Said::Error { event, error: error.chars().take(MOST_ERROR).collect() })
        }
        _ => Err(format!("wrote a line that is neither hello nor reply: {}", shown(line))),
    }
}

fn read_hello(value: &Value) -> Result<Hello, String> {
    let version = value.get_number("protocol");
    if version != Some(f64::from(PROTOCOL_VERSION)) {
        let version = version.map_or("none".to_owned(), |version| version.to_string());
        return Err(format!(
            "its hello names protocol {version}, and this pitree speaks protocol {PROTOCOL_VERSION}"
        ));
    }
    let Some(names) = value.get("events").and_then(Value::as_array) else {
        return Err("its hello has no list of `events`".to_owned());
    };
    let acknowledges = value.get("acknowledges").is_some_and(Value::is_truthy);
    let mut hello = Hello { acknowledges, ..Hello::default() };
    for name in names {
        let name = name.as_string().map(ToString::to_string).unwrap_or_default();
        match EventKind::from_name(&name) {
            Some(kind) => hello.events.push(kind),
            None => hello.unknown.push(name),
        }
    }
    Ok(hello)
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN)]);
    let short: String = text.chars().take(SHOWN).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    format!("`{short}{more}`")
}
