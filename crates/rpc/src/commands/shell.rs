//! A user's shell command. Only if the user who started pitree allows it.

use std::sync::Arc;
use std::sync::mpsc::channel;

use pitree_format::{Object, Value};
use pitree_host::shell::Shell;

use crate::answer::{Answer, Failure, Need};
use crate::server::Call;

/// Runs a command in the session's directory and stores what it said. The session is free
/// meanwhile; if another one took its place, nothing is stored.
pub(crate) fn bash(call: &Call<'_>) -> Result<Answer, Failure> {
    if !call.server.allows_bash() {
        return Err(Failure::needing(Need::Shell, "Shell commands are not allowed"));
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
    call.let_others_go_on();
    let cancel = call.take_shell();
    call.client.add_work((*cancel).clone());
    let result = shell.run(&command, &cwd, choices.environment(), &cancel, |delta| {
        let event = Object::new()
            .with("type", "bash_execution_update")
            .with_some("id", call.request.id.clone())
            .with("delta", delta);
        call.client.send_event(&event.into());
    })?;
    drop(cancel);
    let message = result.to_message(&command, choices.environment().now_ms(), excluded);
    if store(call, session_id, message)? {
        super::summaries::compact_later(call);
    }
    Ok(Answer::Data(result.to_value()))
}

/// Stores a message in its turn among the changes, so that it comes in nobody's way; `false` if
/// there is another session by now.
fn store(call: &Call<'_>, session_id: String, message: Value) -> Result<bool, Failure> {
    let server = Arc::clone(call.server);
    let (sender, stored) = channel();
    call.server.changes.push(move || {
        let change = server.announce_change();
        let mut live = server.live_mut();
        let is_there = live.session().id() == session_id;
        let result = match is_there {
            true => live.session_mut().append_message(message).map(|_| true),
            false => Ok(false),
        };
        drop(live);
        server.announced(change);
        server.tell_migration();
        let _ = sender.send(result);
    });
    // The queue is served as long as anybody is.
    Ok(stored.recv().unwrap_or(Ok(false))?)
}

pub(crate) fn abort_bash(call: &Call<'_>) -> Result<Answer, Failure> {
    call.server.process.stop_shells();
    Ok(Answer::Done)
}
