//! What a listing says about a session: Pi's facts and ours, from one pass over the file.

pub(crate) mod codec;
mod filter;
mod reader;
mod spend;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::JsString;
use pitree_session::SessionError;

use crate::discover::FileStamp;

pub use filter::ListFilter;
pub(crate) use reader::FactsReader;
pub use reader::{NotListed, read_facts};
pub use spend::{ModelUse, Spend, SpendPart};

/// What a listing says about a session.
#[derive(Clone, Debug)]
pub struct SessionFacts {
    /// The file.
    pub path: PathBuf,
    /// Its size, times and identity when it was read.
    pub stamp: FileStamp,
    /// The session's id.
    pub id: String,
    /// Its working directory; empty if the header has none.
    pub cwd: Arc<str>,
    /// Its name: the last one that was set.
    pub name: Option<JsString>,
    /// The session it was forked from, as the header names it.
    pub parent_session: Option<String>,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: Option<i64>,
    /// The last thing a user or an assistant said, else when it was created, else when the file
    /// changed.
    pub modified_ms: i64,
    /// How many messages there are, of all roles and on all branches.
    pub message_count: usize,
    /// The first thing the user said.
    pub first_message: Option<JsString>,
    /// How many entries there are.
    pub entries: usize,
    /// How many ends the tree has.
    pub branches: usize,
    /// How many compactions there are.
    pub compactions: usize,
    /// How many answers and tools failed.
    pub errors: usize,
    /// Whether the last reply in the file failed or was aborted.
    pub ends_failed: bool,
    /// How many runs of sub-agents it holds.
    pub subagents: usize,
    /// How many lines are no entries and no header.
    pub damaged_lines: usize,
    /// The models that answered, first come first.
    pub models: Vec<ModelUse>,
    /// What it cost.
    pub spend: Spend,
    /// The first message that tells the role of a Gas Town agent, if there is one.
    pub role_marker: Option<String>,
}

impl SessionFacts {
    /// What the session is called: its name, else its first message.
    pub fn title(&self) -> Option<&JsString> {
        self.name.as_ref().or(self.first_message.as_ref())
    }

    /// When the session was last used. A new fork was used when it was created, although the last
    /// message that it copied, and with it [`modified_ms`](Self::modified_ms), may be old.
    pub fn last_used_ms(&self) -> i64 {
        self.created_ms.map_or(self.modified_ms, |created| created.max(self.modified_ms))
    }

    /// The file that the session was forked from, made absolute beside this one.
    pub fn parent_path(&self) -> Option<PathBuf> {
        let parent = Path::new(self.parent_session.as_deref()?);
        Some(match self.path.parent() {
            Some(folder) if parent.is_relative() => folder.join(parent),
            _ => parent.to_owned(),
        })
    }
}

/// A file that was looked at: its facts, or why it is not listed.
pub type FactsResult = Result<SessionFacts, NotListed>;

impl From<SessionError> for NotListed {
    fn from(error: SessionError) -> Self {
        // The path is reported with the reason, so the reason need not repeat it.
        Self::Unreadable(error.reason())
    }
}
