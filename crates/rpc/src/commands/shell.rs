//! A user's shell command. Only if the user who started pitree allows it.

use pitree_format::Object;
use pitree_host::shell::Shell;

use crate::answer::{Answer, Failure};
use crate::server::Call;

/// Runs a command in the session's directory and stores what it said. The session is free
/// meanwhile; if another one took its place, nothing is stored.
pub(crate) fn bash(call: &Call<'_>) -> Result<Answer, Failure> {
    if !call.server.allows_bash() {
        return Err(Failure::new(
            "Shell commands are not allowed: start `pitree rpc` with --allow-bash",
        ));
    }
    let command = call.request.text("command")?.to_string();
    let excluded = match call.request.get("excludeFromContext") {
        None => None,
        Some(_) => Some(call.request.flag("excludeFromContext")?),
    };
    let choices = call.server.choices();
    let shell = Shell::choose(choices.settings(), choices.environment())?;
    let (cwd, session_id) = {
        let session = call.session();
        (session.cwd().to_owned(), session.id())
    };
    let cancel = call.server.process.begin_shell();
    call.client.add_work(cancel.clone());
    let result = shell.run(&command, &cwd, choices.environment(), &cancel, |delta| {
        let event = Object::new()
            .with("type", "bash_execution_update")
            .with_some("id", call.request.id.clone())
            .with("delta", delta);
        call.client.send_event(&event.into());
    })?;
    let change = call.server.announce_change();
    let mut live = call.live_mut();
    if live.session().id() == session_id {
        let message = result.to_message(&command, choices.environment().now_ms(), excluded);
        live.session_mut().append_message(message)?;
        drop(live);
        call.server.announced(change);
        super::summaries::compact_later(call);
    }
    Ok(Answer::Data(result.to_value()))
}

pub(crate) fn abort_bash(call: &Call<'_>) -> Result<Answer, Failure> {
    call.server.process.stop_shells();
    Ok(Answer::Done)
}
