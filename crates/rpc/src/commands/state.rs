//! The state of the session.

use pitree_format::Object;
use pitree_host::models::Model;

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn get_state(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let outline = call.server.outline(&session)?;
    let process = call.server.process.state();
    let file = session.path().map(|path| path.to_string_lossy().into_owned());
    let selection = call.server.selection();
    let state = Object::new()
        .with_some("model", selection.model.as_ref().map(Model::to_value))
        .with("thinkingLevel", selection.level.name())
        .with("isStreaming", false)
        .with("isCompacting", session.is_compacting())
        .with("steeringMode", process.steering_mode.clone())
        .with("followUpMode", process.follow_up_mode.clone())
        .with_some("sessionFile", file)
        .with("sessionId", session.id())
        .with_some("sessionName", outline.name)
        .with("autoCompactionEnabled", process.auto_compaction)
        .with("messageCount", outline.messages)
        .with("pendingMessageCount", 0_usize);
    Ok(state.into())
}
