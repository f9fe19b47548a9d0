//! Commands that replace the session or write into it.

use pitree_format::{JsString, Value};
use pitree_host::events::ForkPosition;
use pitree_host::live::{LiveError, LiveSession};

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn new_session(call: &Call<'_>) -> Result<Answer, Failure> {
    let parent = call.request.optional_text("parentSession")?.map(ToString::to_string);
    replace(call, |live| Ok(live.new_session(parent.as_deref())?.to_value()))
}

pub(crate) fn switch_session(call: &Call<'_>) -> Result<Answer, Failure> {
    let path = call.request.text("sessionPath")?.to_string();
    replace(call, |live| Ok(live.switch_session(&path)?.to_value()))
}

pub(crate) fn fork(call: &Call<'_>) -> Result<Answer, Failure> {
    let entry_id = call.request.text("entryId")?.to_string();
    replace(call, |live| Ok(live.fork(&entry_id, ForkPosition::Before)?.to_value()))
}

pub(crate) fn clone(call: &Call<'_>) -> Result<Answer, Failure> {
    replace(call, |live| Ok(live.clone_session()?.to_value()))
}

/// Lets another session take the place, and selects its model.
fn replace(
    call: &Call<'_>,
    change: impl FnOnce(&mut LiveSession) -> Result<Value, LiveError>,
) -> Result<Answer, Failure> {
    let mut live = call.live_mut();
    let answer = change(&mut live)?;
    call.server.select_anew(&mut live)?;
    Ok(Answer::Data(answer))
}

pub(crate) fn set_session_name(call: &Call<'_>) -> Result<Answer, Failure> {
    let name = call.request.text("name")?;
    call.live_mut().set_name(name.trim())?;
    Ok(Answer::Done)
}

pub(crate) fn set_label(call: &Call<'_>) -> Result<Answer, Failure> {
    let entry_id = call.request.text("entryId")?.to_string();
    let label = call.request.optional_text("label")?.map(JsString::trim);
    call.live_mut().set_label(&entry_id, label)?;
    Ok(Answer::Done)
}
