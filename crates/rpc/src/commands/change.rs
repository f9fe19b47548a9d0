//! Commands that replace the session or write into it.

use pitree_session::events::ForkPosition;

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn new_session(call: &Call<'_>) -> Result<Answer, Failure> {
    let parent = call.request.optional_text("parentSession")?.map(ToString::to_string);
    let replaced = call.live_mut().new_session(parent.as_deref())?;
    Ok(Answer::Data(replaced.to_value()))
}

pub(crate) fn switch_session(call: &Call<'_>) -> Result<Answer, Failure> {
    let path = call.request.text("sessionPath")?.to_string();
    let replaced = call.live_mut().switch_session(&path)?;
    Ok(Answer::Data(replaced.to_value()))
}

pub(crate) fn fork(call: &Call<'_>) -> Result<Answer, Failure> {
    let entry_id = call.request.text("entryId")?.to_string();
    let forked = call.live_mut().fork(&entry_id, ForkPosition::Before)?;
    Ok(Answer::Data(forked.to_value()))
}

pub(crate) fn clone(call: &Call<'_>) -> Result<Answer, Failure> {
    Ok(Answer::Data(call.live_mut().clone_session()?.to_value()))
}

pub(crate) fn set_session_name(call: &Call<'_>) -> Result<Answer, Failure> {
    let name = call.request.text("name")?;
    call.live_mut().set_name(&name.trim())?;
    Ok(Answer::Done)
}

pub(crate) fn set_label(call: &Call<'_>) -> Result<Answer, Failure> {
    let entry_id = call.request.text("entryId")?.to_string();
    let label = call.request.optional_text("label")?.map(|label| label.trim());
    call.live_mut().set_label(&entry_id, label)?;
    Ok(Answer::Done)
}
