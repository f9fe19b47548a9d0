//! The runs of sub-agents that a session sent out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pitree_export::harmless::clean_line;
use pitree_format::message::{Message, content_text};
use pitree_format::{JsString, Role, Value};
use pitree_session::{Environment, Session, SessionError};
use pitree_store::subagents::{Form, PlaceState, SubagentCall, Trust, read_messages, resolve};

use crate::rich::{Line, LineEnds, Tone, render_markdown};

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
    /// The last messages, if they are kept elsewhere than in a session.
    pub(super) messages: Vec<(Role, String)>,
}

/// So many messages of a run are kept, and so many bytes of each.
const MOST_MESSAGES: usize = 60;
const MOST_TEXT: usize = 4000;

/// How wide the page of a run is.
const PAGE_WIDTH: usize = 74;

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
    let (session, messages) = match place.map(|place| (&place.state, &place.path)) {
        Some((PlaceState::There(Form::Session), path)) => (path.clone(), Vec::new()),
        Some((PlaceState::There(_), Some(path))) => {
            (None, last_of(&read_messages(path).unwrap_or_default()))
        }
        Some((PlaceState::There(_), None)) => (None, last_of(&run.messages)),
        _ => (None, Vec::new()),
    };
    RunFacts {
        agent: text(&run.agent),
        task: run.task.as_ref().map(text).unwrap_or_default(),
        model: run.model.as_ref().map(text),
        failed: run.exit_code.is_some_and(|code| code != 0.0),
        cost: run.usage.as_ref().and_then(|usage| usage.usage.counted_cost()),
        session,
        messages,
    }
}

/// Who said what at the end of a run.
fn last_of(messages: &[Value]) -> Vec<(Role, String)> {
    let from = messages.len().saturating_sub(MOST_MESSAGES);
    let said = messages[from..].iter().map(|message| {
        let message = message.get("message").unwrap_or(message);
        let mut text = content_text(message.get("content"), "\n").to_text().into_owned();
        text.truncate(text.floor_char_boundary(MOST_TEXT));
        (Role::of(message), text)
    });
    said.filter(|(_, text)| !text.trim().is_empty()).collect()
}

impl RunFacts {
    /// The run as a page: its task, and what was said.
    pub(super) fn page(&self) -> Vec<Line> {
        let mut lines = vec![Line::of(&clean_line(&self.agent), Tone::Heading)];
        lines.extend(render_markdown(&self.task, LineEnds::Kept, PAGE_WIDTH));
        for (role, text) in &self.messages {
            let (name, tone) = match role {
                Role::User => ("User", Tone::Heading),
                Role::Assistant => ("Assistant", Tone::Heading),
                _ => ("Tool", Tone::Dim),
            };
            lines.extend([Line::default(), Line::of(name, tone)]);
            lines.extend(render_markdown(text, LineEnds::Kept, PAGE_WIDTH));
        }
        lines
    }
}
