//! Counts, tokens and cost of a session, as Pi counts them: over all branches.

use std::collections::HashSet;

use pitree_format::entry::Body;
use pitree_format::message::{Block, Message};
use pitree_format::usage::Usage;
use pitree_format::{EntryKind, Object, Role, Value};
use pitree_session::context::estimate_projected_context;
use pitree_session::{EntryRef, Session};

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn get_session_stats(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let stats = Stats::of(&session)?;
    let window = call.server.selection().context_window();
    let usage = match window {
        Some(window) => Some(context_usage(&session, window as f64)?),
        None => None,
    };
    let file = session.path().map(|path| path.to_string_lossy().into_owned());
    let tokens = Object::new()
        .with("input", stats.input)
        .with("output", stats.output)
        .with("cacheRead", stats.cache_read)
        .with("cacheWrite", stats.cache_write)
        .with("total", stats.input + stats.output + stats.cache_read + stats.cache_write);
    Ok(Object::new()
        .with_some("sessionFile", file)
        .with("sessionId", session.id())
        .with("userMessages", stats.user_messages)
        .with("assistantMessages", stats.assistant_messages)
        .with("toolCalls", stats.tool_calls)
        .with("toolResults", stats.tool_results)
        .with("totalMessages", stats.total_messages)
        .with("tokens", tokens)
        .with("cost", stats.cost)
        .with_some("contextUsage", usage)
        .into())
}

#[derive(Default)]
struct Stats {
    user_messages: usize,
    assistant_messages: usize,
    tool_calls: usize,
    tool_results: usize,
    total_messages: usize,
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
    cost: f64,
}

impl Stats {
    fn of(session: &Session) -> Result<Self, Failure> {
        let mut stats = Self::default();
        for entry in session.entries() {
            stats.count(entry);
            if may_have_usage(entry) {
                stats.add(&entry.body()?);
            }
        }
        Ok(stats)
    }

    fn count(&mut self, entry: EntryRef<'_>) {
        if entry.kind() != EntryKind::Message {
            return;
        }
        self.total_messages += 1;
        match entry.role() {
            Role::User => self.user_messages += 1,
            Role::Assistant => self.assistant_messages += 1,
            Role::ToolResult => self.tool_results += 1,
            _ => {}
        }
    }

    fn add(&mut self, body: &Body) {
        let usage = match body {
            Body::Message(Message::Assistant(answer)) => {
                let blocks = answer.content.blocks().iter();
                self.tool_calls +=
                    blocks.filter(|block| matches!(block, Block::ToolCall { .. })).count();
                answer.usage.as_ref()
            }
            Body::Message(Message::ToolResult(result)) => result.usage.as_ref(),
            Body::Compaction(compaction) => compaction.usage.as_ref(),
            Body::BranchSummary(summary) => summary.usage.as_ref(),
            Body::Usage { usage, .. } => usage.as_ref(),
            _ => None,
        };
        let Some(usage) = usage else { return };
        // A number such as 1e999 would make the whole sum useless.
        let known = |number: Option<f64>| number.filter(|number| number.is_finite()).unwrap_or(0.0);
        self.input += known(usage.input);
        self.output += known(usage.output);
        self.cache_read += known(usage.cache_read);
        self.cache_write += known(usage.cache_write);
        self.cost += known(usage.cost.as_ref().and_then(|cost| cost.total));
    }
}

/// Whether an entry of this kind can have a usage; the bodies of the others are not read.
fn may_have_usage(entry: EntryRef<'_>) -> bool {
    match entry.kind() {
        EntryKind::Message => matches!(entry.role(), Role::Assistant | Role::ToolResult),
        kind => {
            matches!(kind, EntryKind::Usage | EntryKind::Compaction | EntryKind::BranchSummary)
        }
    }
}

/// How full the context is. After a compaction nothing is known until an answer with a usage
/// follows it.
fn context_usage(session: &Session, window: f64) -> Result<Object, Failure> {
    let projection = session.projection()?;
    let path = session.active_path();
    let reporting: HashSet<usize> = projection
        .entries
        .iter()
        .filter(|projected| projected.messages.iter().any(reports_usage))
        .map(|projected| projected.entry.index())
        .collect();
    let compaction = path.iter().rposition(|entry| entry.kind() == EntryKind::Compaction);
    let is_known = compaction.is_none_or(|compaction| {
        path[compaction + 1..].iter().any(|entry| reporting.contains(&entry.index()))
    });
    let tokens = is_known.then(|| estimate_projected_context(&projection, &path).tokens);
    Ok(Object::new()
        .with("tokens", tokens)
        .with("contextWindow", window)
        .with("percent", tokens.map(|tokens| tokens / window * 100.0)))
}

fn reports_usage(message: &Value) -> bool {
    let Message::Assistant(answer) = Message::decode(message) else { return false };
    let stop = answer.stop_reason.as_ref();
    let failed = stop.is_some_and(|stop| *stop == "aborted" || *stop == "error");
    !failed && answer.usage.as_ref().map_or(0.0, Usage::context_tokens) > 0.0
}
