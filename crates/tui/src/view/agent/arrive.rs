//! How the view goes to the session that the agent has.

use pitree_format::{JsString, Value};
use pitree_host::live::{Arrival, LiveSession};

use super::request::{AgentReply, AgentRequest, AgentSession};

/// Opens the session that the agent has, if it is another one or in the agent's memory only.
pub(crate) fn go_where_it_is(
    held: &AgentSession,
    arrival: Arrival,
    live: &mut LiveSession,
) -> Result<(), String> {
    let is_same = held.file.as_deref() == live.session().path();
    let session = held.open(live.session().cwd(), live.environment());
    let session = session.map_err(|error| error.to_string())?;
    if is_same {
        *live.session_mut() = session;
    } else {
        live.arrive(session, arrival);
    }
    Ok(())
}

/// How our observers are told of the session that the agent has now. A command of an extension
/// may have gone anywhere.
pub(crate) fn arrival(request: &AgentRequest, reply: &AgentReply) -> Arrival {
    let forked = |entry_id: &str, text| Arrival::Forked { entry_id: entry_id.to_owned(), text };
    match request {
        AgentRequest::New => Arrival::New,
        AgentRequest::Fork { entry_id } => forked(entry_id, text_to_say(reply).unwrap_or_default()),
        AgentRequest::Clone => forked("", JsString::default()),
        _ => Arrival::Resumed,
    }
}

/// The message that a fork ends before, to be edited and sent.
pub(crate) fn text_to_say(reply: &AgentReply) -> Option<JsString> {
    reply.data.get("text").and_then(Value::as_string).cloned()
}
