//! Modes of this process. Pi stores them in its settings; pitree writes no settings.

use pitree_format::Value;

use crate::answer::{Answer, Failure};
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
