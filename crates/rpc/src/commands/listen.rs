//! What a client wants to hear, and its answers to events that ask.

use std::time::Duration;

use pitree_format::{Object, Value};
use pitree_host::events::EventKind;

use crate::answer::{Answer, Failure};
use crate::client::{MOST_PATIENCE, USUAL_PATIENCE, Wishes};
use crate::request::sentence_text;
use crate::server::Call;

pub(crate) fn subscribe(call: &Call<'_>) -> Result<Answer, Failure> {
    let mut wishes = Wishes { file: call.request.flag("file")?, ..Wishes::default() };
    match call.request.get("events") {
        None | Some(Value::Null) => {}
        Some(Value::Array(names)) => {
            for name in names {
                let text = sentence_text(Some(name));
                let known = name.as_string().and_then(|_| EventKind::from_name(&text));
                let unknown = || {
                    let names = EventKind::ALL.map(EventKind::name).join(", ");
                    Failure::new(format!("unknown event {text}; the events are {names}"))
                };
                wishes.events.insert(known.ok_or_else(unknown)?);
            }
        }
        Some(_) => return Err(Failure::new("`events` of subscribe must be a list of names")),
    }
    let patience = match call.request.optional_count("timeoutMs")? {
        Some(ms) => Duration::from_millis(ms as u64).min(MOST_PATIENCE),
        None => USUAL_PATIENCE,
    };
    wishes.patience = Some(patience);
    let names = EventKind::ALL.into_iter().filter(|kind| wishes.events.contains(kind));
    let names: Vec<Value> = names.map(|kind| kind.name().into()).collect();
    let file = wishes.file;
    *call.client.wishes() = wishes;
    if file {
        call.server.follow_file(call.client);
    }
    Ok(Object::new()
        .with("events", names)
        .with("file", file)
        .with("timeoutMs", patience.as_millis() as f64)
        .into())
}

pub(crate) fn answer_event(call: &Call<'_>) -> Result<Answer, Failure> {
    let number = call.request.text("eventId")?.to_string();
    let answer = call.request.get("answer").cloned().unwrap_or(Value::Null);
    if call.client.take_answer(&number, answer) {
        return Ok(Answer::Done);
    }
    Err(Failure::new(format!("no request {number} is waiting for an answer")))
}
