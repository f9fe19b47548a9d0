//! The runs of sub-agents that a session sent out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pitree_format::message::Message;
use pitree_format::{JsString, Role, Value};
use pitree_session::{Environment, Session, SessionError};
use pitree_store::subagents::{Form, PlaceState, SubagentCall, Trust, resolve};

/// The runs of the sessions that are unfolded.
pub(super) type OpenRuns = HashMap<PathBuf, Vec<RunFacts>>;

/// What one sub-agent did.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunFacts {
    pub(super) agent: String,
    pub(super) task: String,
    pub(super) model: Option<String>,
    /// Whether it ended badly.
    pub(super) failed: bool,
    /// Dollars, as far as they were recorded.
    pub(super) cost: Option<f64>,
    /// Its own session, if there is one that may be opened.
    pub(super) session: Option<PathBuf>,
}

/// Reads the runs of a session; for a thread.
pub(super) fn read(
    path: &Path,
    trust: &Trust,
    environment: &Environment,
) -> Result<Vec<RunFacts>, SessionError> {
    let session = Session::open(path, environment)?;
    let mut runs = Vec::new();
    for entry in session.entries().filter(|entry| entry.is_message(Role::ToolResult)) {
        let message = entry.message()?.unwrap_or(Value::Null);
        let Message::ToolResult(result) = Message::decode(&message) else { continue };
        let Some(call) = result.details.as_ref().and_then(SubagentCall::decode) else { continue };
        runs.extend((0..call.runs.len()).map(|at| run_of(&call, at, trust)));
    }
    Ok(runs)
}

fn run_of(call: &SubagentCall, at: usize, trust: &Trust) -> RunFacts {
    let run = &call.runs[at];
    let text = |text: &JsString| text.to_text().into_owned();
    let resolution = resolve(call, at, trust);
    let place = resolution.as_ref().and_then(|resolution| resolution.used());
    let session = place.and_then(|place| match &place.state {
        PlaceState::There(Form::Session) => place.path.clone(),
        _ => None,
    });
    RunFacts {
        agent: text(&run.agent),
        task: run.task.as_ref().map(text).unwrap_or_default(),
        model: run.model.as_ref().map(text),
        failed: run.exit_code.is_some_and(|code| code != 0.0),
        cost: run.usage.as_ref().and_then(|usage| usage.usage.counted_cost()),
        session,
    }
}
