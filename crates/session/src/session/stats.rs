//! What Pi's `get_session_stats` counts: messages, tokens and cost over all branches, and how
//! full the context is.

use std::collections::HashSet;

use pitree_format::entry::Body;
use pitree_format::message::{Block, Message};
use pitree_format::{EntryKind, Role};

use super::usage::EntrySpend;
use super::{EntryRef, Session, SessionSpend};
use crate::context::usable_usage;
use crate::error::{Result, SessionError};

/// Counts over all branches of a session; see [`Session::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionStats {
    /// Messages of the user.
    pub user_messages: usize,
    /// Replies of a model.
    pub assistant_messages: usize,
    /// Tool calls in them.
    pub tool_calls: usize,
    /// Results of tool calls.
    pub tool_results: usize,
    /// Commands that the user ran in the shell.
    pub bash_executions: usize,
    /// Messages of all roles.
    pub total_messages: usize,
    /// What they cost. A reply or a summary without a usage counts as one of unknown cost.
    pub spend: SessionSpend,
    /// The same as Pi adds it up: each number as it is recorded, however odd.
    pub pi_spend: SessionSpend,
}

impl SessionStats {
    fn count(&mut self, entry: EntryRef<'_>) {
        if entry.kind() != EntryKind::Message {
            return;
        }
        self.total_messages += 1;
        match entry.role() {
            Role::User => self.user_messages += 1,
            Role::Assistant => self.assistant_messages += 1,
            Role::ToolResult => self.tool_results += 1,
            Role::BashExecution => self.bash_executions += 1,
            _ => {}
        }
    }

    fn add(&mut self, body: &Body) {
        if let Body::Message(Message::Assistant(reply)) = body {
            let blocks = reply.content.blocks().iter();
            self.tool_calls += blocks.filter(|b| matches!(b, Block::ToolCall { .. })).count();
        }
        if let Some(spend) = EntrySpend::of(body) {
            self.spend.add_recorded(spend.usage);
            spend.usage.into_iter().for_each(|usage| self.pi_spend.add_as_pi(usage));
        }
    }
}

impl Session {
    /// Counts messages, tokens and cost over all branches.
    pub fn stats(&self) -> Result<SessionStats> {
        let mut stats = SessionStats::default();
        for entry in self.entries() {
            stats.count(entry);
            if EntrySpend::is_possible(entry) {
                stats.add(&entry.body()?);
            }
        }
        Ok(stats)
    }

    /// Whether Pi shows a size of the context: after a compaction it shows none until a reply
    /// with a usage follows.
    pub fn is_context_size_reported(&self) -> Result<bool> {
        let path = self.active_path();
        let compaction = path.iter().rposition(|entry| entry.kind() == EntryKind::Compaction);
        let Some(compaction) = compaction else { return Ok(true) };
        let after: HashSet<usize> = path[compaction + 1..].iter().map(EntryRef::index).collect();
        let mut is_reported = false;
        if !after.is_empty() {
            let leaf = self.leaf().map(|leaf| leaf.index());
            self.each_projected_at(leaf, |projected| {
                is_reported |= after.contains(&projected.entry.index())
                    && projected.messages.iter().any(|message| usable_usage(message).is_some());
                Ok::<_, SessionError>(())
            })?;
        }
        Ok(is_reported)
    }
}
