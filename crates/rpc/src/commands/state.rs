//! The state of the session.

use pitree_format::Object;

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn get_state(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let context = session.context()?;
    let file = session.path().map(|path| path.to_string_lossy().into_owned());
    let state = Object::new()
        .with("thinkingLevel", context.thinking_level)
        .with("isStreaming", false)
        .with("isCompacting", false)
        .with("steeringMode", "one-at-a-time")
        .with("followUpMode", "one-at-a-time")
        .with_some("sessionFile", file)
        .with("sessionId", session.id())
        .with_some("sessionName", session.name()?)
        .with("autoCompactionEnabled", true)
        .with("messageCount", context.messages.len())
        .with("pendingMessageCount", 0_usize);
    Ok(state.into())
}
