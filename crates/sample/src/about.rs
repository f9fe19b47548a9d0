//! What is known of a session: what it says of itself, and what only its caller knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use pitree_format::{JsString, Value};
use pitree_session::{Session, SessionError};

use crate::message::{ChatMessage, Usage};
use crate::turns::clean;

/// What is known of a session.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The id in the header.
    pub session_id: String,
    /// Whether another file of the data set has the same id.
    pub shares_id: bool,
    /// Where the file was found, as it may be shown.
    pub source_path: String,
    /// The working directory, as it may be shown.
    pub cwd: String,
    /// When it began, ISO.
    pub created_at: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// The last provider on the active branch.
    pub provider: Option<String>,
    /// The last model on the active branch.
    pub model: Option<String>,
    /// The thinking level on the active branch.
    pub thinking_level: Option<String>,
    /// The session at the top of those that this one was forked from or sent out by, as far up as
    /// it is known; its own id if there is none.
    pub family_id: String,
    /// The session that this one was forked from, or that sent it out as a sub-agent.
    pub parent_session_id: Option<String>,
    /// Whether it is the session of a sub-agent.
    pub is_subagent: bool,
    /// How many sub-agents it sent out, if that is known.
    pub subagent_count: Option<usize>,
    /// Who the agent is in its Gas Town, if the caller knows.
    pub role: Option<AgentRole>,
    /// Which one it is of several files with the same bytes, from 0.
    pub copy: usize,
    /// What came of it, from a file of the user's.
    pub outcome: Option<Value>,
    /// What came of single branches and replies, by the ids of their entries, from the same file.
    pub entry_outcomes: BTreeMap<String, Value>,
    /// What the sub-agents did that it sent out, by the id of the tool result that tells it.
    pub subagents: BTreeMap<String, Vec<SubagentRun>>,
}

/// What one sub-agent did.
#[derive(Clone, Debug, Default)]
pub struct SubagentRun {
    /// The agent's name.
    pub agent: String,
    /// What it was told to do.
    pub task: Option<String>,
    /// How its process ended; 0 is success.
    pub exit_code: Option<f64>,
    /// What the whole run cost, if the parent tells it.
    pub usage: Option<Usage>,
    /// Which of its records was read: `sessionFile`, `artifactPaths.jsonlPath`,
    /// `artifacts.files` or `messages`; none if nothing is left of it.
    pub source: Option<&'static str>,
    /// Its conversation.
    pub messages: Vec<Arc<ChatMessage>>,
    /// What is known of its own session.
    pub about: Arc<About>,
}

/// Who an agent is in its Gas Town, and what says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentRole {
    /// The role, such as `crew`.
    pub role: String,
    /// The rig that it works in.
    pub rig: Option<String>,
    /// Its own name.
    pub name: Option<String>,
    /// The sign that decided, such as `beacon`; `inherited` if it is the parent's role.
    pub source: &'static str,
    /// How sure it is: `high` or `low`.
    pub confidence: &'static str,
    /// Whether signs disagree.
    pub conflict: bool,
    /// Every sign, the strongest first.
    pub signs: Vec<RoleSign>,
    /// The folder of the town, if it is known.
    pub town: Option<String>,
}

/// Something that tells a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleSign {
    /// What it is, such as `beacon`.
    pub source: &'static str,
    /// The role.
    pub role: String,
    /// The rig, if it tells it.
    pub rig: Option<String>,
    /// The name, if it tells it.
    pub name: Option<String>,
}

impl About {
    /// What a session says of itself.
    ///
    /// # Errors
    /// Fails if the session cannot be read.
    pub fn of(session: &Session) -> Result<Self, SessionError> {
        let id = session.id();
        Self { family_id: id.clone(), session_id: id, ..Self::default() }.completed(session)
    }

    /// The same with what the session says of itself in place of what the caller knew of that.
    ///
    /// # Errors
    /// Fails if the session cannot be read.
    pub fn completed(self, session: &Session) -> Result<Self, SessionError> {
        let header = session.header();
        let text = |text: &Option<JsString>| text.as_ref().map(clean::text);
        let value =
            |value: Option<Value>| value.as_ref().and_then(Value::as_string).map(clean::text);
        let restored = session.restored()?;
        let (provider, model) = match restored.model {
            Some(model) => (value(model.provider), value(model.model_id)),
            None => (None, None),
        };
        Ok(Self {
            session_id: session.id(),
            cwd: text(&header.cwd).unwrap_or_default(),
            created_at: text(&header.timestamp),
            name: session.name()?.as_ref().map(clean::text),
            // Where nothing else is recorded, the header has what was chosen in the beginning.
            provider: provider.or_else(|| text(&header.provider)),
            model: model.or_else(|| text(&header.model_id)),
            thinking_level: value(restored.thinking_level).or_else(|| text(&header.thinking_level)),
            ..self
        })
    }
}
