//! Sub-agents: what a session tells of those that it sent out, and their records as sessions.

use std::ops::Range;
use std::path::PathBuf;

use memchr::memmem::Finder;
use pitree_export::harmless::clean_beginning;
use pitree_format::{JsString, Role};
use pitree_session::Session;
use pitree_store::subagents::{SubagentCall, Trust, record_paths, resolve};

use crate::answer::Problem;
use crate::key::Name;
use crate::state::App;

/// The length of a title.
const TITLE_CHARS: usize = 120;

/// A run that a session tells.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The entry that tells it.
    pub(crate) at: usize,
    /// Its number there, from 0.
    pub(crate) number: usize,
    /// The agent, and what it was told to do.
    pub(crate) title: String,
    /// Where its records are said to be.
    pub(crate) paths: Vec<PathBuf>,
}

/// The runs that some entries of a session tell, in file order. Nothing is opened for that.
pub(crate) fn find(
    session: &Session,
    entries: Range<usize>,
    trust: &Trust,
) -> Result<Vec<Run>, Problem> {
    // They only spare most entries a closer look.
    let marks = [Finder::new(br#""results""#), Finder::new(br#""agent""#)];
    let mut runs = Vec::new();
    let entries = entries.filter_map(|at| session.at(at));
    for entry in entries.filter(|entry| entry.is_message(Role::ToolResult)) {
        let raw = entry.raw()?;
        if !marks.iter().all(|mark| mark.find(&raw).is_some()) {
            continue;
        }
        let Some(call) = SubagentCall::of(entry)? else { continue };
        for (number, run) in call.runs.iter().enumerate() {
            let task = run.task.as_ref().map(JsString::to_text).unwrap_or_default();
            let agent = run.agent.to_text();
            let title = if task.is_empty() { agent.into() } else { format!("{agent}: {task}") };
            let title = clean_beginning(&title, TITLE_CHARS);
            let paths = record_paths(&call, number, trust);
            runs.push(Run { at: entry.index(), number, title, paths });
        }
    }
    Ok(runs)
}

impl App {
    /// The places below which paths from a session may be followed.
    pub(crate) fn trust(&self) -> Trust {
        Trust::new(self.store.locations(), &self.environment)
    }

    /// The record of a sub-agent, and the file that it was read from.
    pub(crate) fn open_run(&self, name: &Name) -> Result<(Session, PathBuf), Problem> {
        let unknown = || Problem::not_found("This session has no such sub-agent run");
        let unreadable = || {
            let message = "The record of this sub-agent run cannot be read: it is gone, or outside of the session folders";
            Problem::not_found(message)
        };
        let (sender, step) = name.sender().ok_or_else(unknown)?;
        let trust = self.trust();
        self.with_session(&sender, |opened| {
            let entry = opened.entry(step.at)?;
            let call = SubagentCall::of(entry)?.ok_or_else(unknown)?;
            let places = resolve(&call, step.number, &trust).ok_or_else(unknown)?;
            let place = places.used().ok_or_else(unreadable)?;
            let session = call.open(step.number, place, entry, &self.environment)?;
            let source = place.path.clone().unwrap_or_else(|| opened.source.clone());
            Ok((session.ok_or_else(unreadable)?, source))
        })
    }
}
