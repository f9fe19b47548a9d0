//! Modes of this process. Pi stores them in its settings; pitree writes no settings.

use pitree_format::{Object, Value};

use crate::answer::{Answer, Failure, Need};
use crate::request::Request;
use crate::server::Call;

pub(crate) fn set_steering_mode(call: &Call<'_>) -> Result<Answer, Failure> {
    let mode = queue_mode(call.request)?;
    call.server.process.state().steering_mode = mode;
    Ok(Answer::Done)
}

pub(crate) fn set_follow_up_mode(call: &Call<'_>) -> Result<Answer, Failure> {
    let mode = queue_mode(call.request)?;
    call.server.process.state().follow_up_mode = mode;
    Ok(Answer::Done)
}

fn queue_mode(request: &Request) -> Result<Value, Failure> {
    let mode = request.text("mode")?;
    if *mode == "all" || *mode == "one-at-a-time" {
        return Ok(mode.clone().into());
    }
    Err(Failure::new("`mode` must be \"all\" or \"one-at-a-time\""))
}

pub(crate) fn set_auto_compaction(call: &Call<'_>) -> Result<Answer, Failure> {
    let enabled = enabled(call.request)?;
    call.server.process.state().auto_compaction = enabled;
    call.server.adapt(&mut call.live_mut())?;
    Ok(Answer::Done)
}

pub(crate) fn set_auto_retry(call: &Call<'_>) -> Result<Answer, Failure> {
    let enabled = enabled(call.request)?;
    call.server.process.state().auto_retry = enabled;
    Ok(Answer::Done)
}

fn enabled(request: &Request) -> Result<bool, Failure> {
    match request.get("enabled") {
        Some(Value::Bool(enabled)) => Ok(*enabled),
        _ => Err(Failure::new("`enabled` must be true or false")),
    }
}

/// Without an agent nothing waits in a queue.
pub(crate) fn clear_queue(call: &Call<'_>) -> Result<Answer, Failure> {
    let empty = || Value::from(Vec::new());
    let queues = Object::new().with("steering", empty()).with("followUp", empty());
    let mut event = Object::new().with("type", "queue_update");
    for (name, queue) in queues.iter() {
        event.set(&name.to_text(), queue.clone());
    }
    call.client.send_event(&event.into());
    Ok(queues.into())
}

/// Without an agent nothing is tried again.
pub(crate) fn abort_retry(_call: &Call<'_>) -> Result<Answer, Failure> {
    Ok(Answer::Done)
}

/// pitree has no slash commands of its own.
pub(crate) fn get_commands(_call: &Call<'_>) -> Result<Answer, Failure> {
    Ok(Object::new().with("commands", Vec::<Value>::new()).into())
}

pub(crate) fn needs_agent(call: &Call<'_>) -> Result<Answer, Failure> {
    let command = call.request.command_text();
    Err(Failure::needing(Need::Agent, format!("{command} needs an agent")))
}
