//! `--mode costs`: tokens and spend of all branches, counted as Pi's `get_session_stats` does.
//!
//! Pi adds up the usages of all assistant messages, `usage` entries, and of those tool results
//! and summaries that have one. Here a cost that was not recorded is not zero but unknown. The
//! breakdowns and their total come from the ledger, so that they have the runs of sub-agents and
//! say what `pitree cost` says.

use std::collections::HashSet;

use pitree_format::entry::Body;
use pitree_format::message::{Block, Message};
use pitree_format::usage::Usage;
use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::{EntryRef, Session};
use pitree_store::ledger::{Ledger, LedgerRow, PART_NAMES, SpendPart};

use super::plain;
use super::table::print_table;
use super::tally::{ModelName, Spend, SpentOn, Sums, Tally};
use crate::error::CommandError;
use crate::output::Output;
use crate::target::Workspace;

pub(super) fn run(
    session: &Session,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<(), CommandError> {
    let mut costs = Costs::of(session)?;
    let ledger = session.path().map(|path| workspace.quiet_store().ledger_of(path)).transpose()?;
    if let Some(ledger) = ledger.flatten() {
        costs.take_ledger(&ledger);
    }
    if output.json {
        return output.value(&costs.to_value(session));
    }
    costs.print(session, output)
}

fn source_index(source: SpentOn, active: bool) -> usize {
    match source {
        SpentOn::Assistant if active => 0,
        SpentOn::Assistant => 1,
        SpentOn::ToolResult => 2,
        SpentOn::Compaction => 3,
        SpentOn::BranchSummary => 4,
        SpentOn::UsageEntry => 5,
    }
}

#[derive(Default)]
struct Costs {
    user_messages: usize,
    assistant_messages: usize,
    tool_calls: usize,
    tool_results: usize,
    /// Commands that the user ran in the shell.
    bash_executions: usize,
    total_messages: usize,
    /// What Pi counts.
    pi: Tally,
    /// The same with the runs of sub-agents.
    total: Tally,
    sources: [Tally; PART_NAMES.len()],
    models: Sums<Option<ModelName>, Tally>,
    /// How full the context is, as far as a provider has reported it: `None` after a compaction
    /// until the next answer, as in Pi.
    context_tokens: Option<f64>,
    /// How full the context is, estimated where nothing was reported.
    estimated_tokens: f64,
}

impl Costs {
    fn of(session: &Session) -> Result<Self, CommandError> {
        let estimated_tokens = session.context_estimate()?.tokens;
        let context_tokens = is_reported(session)?.then_some(estimated_tokens);
        let mut costs = Self { context_tokens, estimated_tokens, ..Self::default() };
        let mut active = vec![false; session.len()];
        for entry in session.active_path() {
            if let Some(mark) = active.get_mut(entry.index()) {
                *mark = true;
            }
        }
        for entry in session.entries() {
            if entry.kind() == EntryKind::Message {
                costs.total_messages += 1;
                costs.user_messages += usize::from(entry.role() == Role::User);
                costs.assistant_messages += usize::from(entry.role() == Role::Assistant);
                costs.tool_results += usize::from(entry.role() == Role::ToolResult);
                costs.bash_executions += usize::from(entry.role() == Role::BashExecution);
            }
            if Spend::is_possible(entry) {
                let active = active.get(entry.index()).copied().unwrap_or(false);
                costs.add(&entry.body()?, active);
            }
        }
        Ok(costs)
    }

    /// The messages of roles that are not counted by name.
    fn other_messages(&self) -> usize {
        self.total_messages
            - self.user_messages
            - self.assistant_messages
            - self.tool_results
            - self.bash_executions
    }

    fn add(&mut self, body: &Body, active: bool) {
        if let Body::Message(Message::Assistant(message)) = body {
            let blocks = message.content.blocks().iter();
            self.tool_calls += blocks.filter(|b| matches!(b, Block::ToolCall { .. })).count();
        }
        let Some(spend) = Spend::of(body) else { return };
        self.pi.add(spend.usage);
        self.total.add(spend.usage);
        if let Some(tally) = self.sources.get_mut(source_index(spend.source, active)) {
            tally.add(spend.usage);
        }
        // Tools and summaries do not name their model.
        let named = matches!(spend.source, SpentOn::Assistant | SpentOn::UsageEntry);
        let model = named
            .then(|| ModelName { provider: spend.provider.cloned(), model: spend.model.cloned() });
        self.models.of(model).add(spend.usage);
    }

    /// Takes the breakdowns from the ledger.
    fn take_ledger(&mut self, ledger: &Ledger) {
        (self.total, self.sources, self.models) = Default::default();
        // Those that answered here come before those of sub-agents.
        let (runs, own): (Vec<&LedgerRow>, Vec<&LedgerRow>) =
            ledger.rows.iter().partition(|row| row.part == SpendPart::Subagent);
        for row in own.into_iter().chain(runs) {
            self.total.add_sum(&row.sum);
            let part = PART_NAMES.iter().position(|(part, ..)| *part == row.part);
            if let Some(tally) = part.and_then(|part| self.sources.get_mut(part)) {
                tally.add_sum(&row.sum);
            }
            let named = matches!(
                row.part,
                SpendPart::ActiveAssistant
                    | SpendPart::AbandonedAssistant
                    | SpendPart::UsageEntry
                    | SpendPart::Subagent
            );
            let model = ledger.models.get(row.model as usize).filter(|_| named);
            let text = |name: &Option<String>| name.as_deref().map(JsString::from);
            let model = model
                .map(|name| ModelName { provider: text(&name.provider), model: text(&name.model) });
            self.models.of(model).add_sum(&row.sum);
        }
    }

    /// Pi's shape first, then what Pi does not say. Pi's `contextUsage` needs the window of the
    /// model, which no session file knows; `contextTokens` is its first member.
    fn to_value(&self, session: &Session) -> Value {
        let models: Vec<Value> =
            self.models.iter().map(|(model, tally)| model_value(model.as_ref(), tally)).collect();
        let sources: Vec<Value> = PART_NAMES
            .iter()
            .zip(&self.sources)
            .map(|((_, name, _), tally)| {
                let object = Object::new().with("source", *name).with("count", tally.count);
                tally.describe(object).into()
            })
            .collect();
        let file = session.path().map(|path| path.to_string_lossy().into_owned());
        Object::new()
            .with_some("sessionFile", file)
            .with("sessionId", session.id())
            .with("userMessages", self.user_messages)
            .with("assistantMessages", self.assistant_messages)
            .with("toolCalls", self.tool_calls)
            .with("toolResults", self.tool_results)
            .with("totalMessages", self.total_messages)
            .with("tokens", self.pi.tokens_value())
            .with("cost", self.pi.cost)
            .with("unknownCosts", self.pi.unknown_costs)
            .with("contextTokens", self.context_tokens)
            .with("estimatedContextTokens", self.estimated_tokens)
            .with("bashExecutions", self.bash_executions)
            .with("otherMessages", self.other_messages())
            .with("models", models)
            .with("sources", sources)
            .with("total", self.total.describe(Object::new().with("count", self.total.count)))
            .into()
    }

    fn print(&self, session: &Session, output: &mut Output) -> Result<(), CommandError> {
        let mut parts = vec![
            format!("{} user", self.user_messages),
            format!("{} assistant", self.assistant_messages),
            plain::count(self.tool_results, "tool result"),
        ];
        if self.bash_executions > 0 {
            parts.push(plain::count(self.bash_executions, "shell command"));
        }
        if self.other_messages() > 0 {
            parts.push(format!("{} other", self.other_messages()));
        }
        output.line(&format!(
            "{}: {}; {}",
            plain::count(self.total_messages, "message"),
            parts.join(", "),
            plain::count(self.tool_calls, "tool call"),
        ))?;
        let tokens = plain::number(self.estimated_tokens);
        let context = match self.context_tokens {
            Some(_) => format!("context now {tokens} tokens"),
            None => format!("context now about {tokens} tokens (estimated until the next answer)"),
        };
        output.line(&format!("{} entries on all branches; {context}", session.len()))?;
        output.line("")?;
        let mut rows: Vec<Vec<String>> = self
            .models
            .iter()
            .map(|(model, tally)| cells(model_text(model.as_ref()), tally))
            .collect();
        rows.push(cells("total".to_owned(), &self.total));
        print_table(&head("model"), &rows, output)?;
        output.line("")?;
        let sources = PART_NAMES.iter().zip(&self.sources).filter(|(_, tally)| tally.count > 0);
        let mut rows: Vec<Vec<String>> =
            sources.map(|((_, _, words), tally)| cells((*words).to_owned(), tally)).collect();
        rows.push(cells("total".to_owned(), &self.total));
        print_table(&head("spent on"), &rows, output)
    }
}

fn head(first: &str) -> [&str; 8] {
    [first, "count", "input", "output", "cache read", "cache write", "tokens", "cost"]
}

fn cells(name: String, tally: &Tally) -> Vec<String> {
    let numbers = [tally.input, tally.output, tally.cache_read, tally.cache_write, tally.total()];
    let mut row = vec![name, tally.count.to_string()];
    row.extend(numbers.map(plain::number));
    row.push(tally.cost_text());
    row
}

fn model_text(model: Option<&ModelName>) -> String {
    model.map_or("(tools and summaries)".to_owned(), ModelName::text)
}

fn model_value(model: Option<&ModelName>, tally: &Tally) -> Value {
    let nameless = || Object::new().with("provider", Value::Null).with("model", Value::Null);
    let object = model.map_or_else(nameless, ModelName::to_object);
    tally.describe(object.with("messages", tally.count)).into()
}

/// Whether Pi would show a size of the context: after a compaction it shows none until an answer
/// with a usage follows.
fn is_reported(session: &Session) -> Result<bool, CommandError> {
    let path = session.active_path();
    let compaction = path.iter().rposition(|entry| entry.kind() == EntryKind::Compaction);
    let Some(compaction) = compaction else { return Ok(true) };
    let after = path.get(compaction + 1..).unwrap_or_default();
    let after: HashSet<usize> = after.iter().map(EntryRef::index).collect();
    let mut reported = false;
    if !after.is_empty() {
        let leaf = session.leaf().map(|leaf| leaf.index());
        session.each_projected_at(leaf, |projected| {
            reported |=
                after.contains(&projected.entry.index()) && projected.messages.iter().any(reports);
            Ok::<_, CommandError>(())
        })?;
    }
    Ok(reported)
}

/// Whether the usage of a message tells the size of the context.
fn reports(message: &Value) -> bool {
    match Message::decode(message) {
        Message::Assistant(message) => {
            let stop = plain::text_of(message.stop_reason.as_ref());
            let tokens = message.usage.as_ref().map_or(0.0, Usage::context_tokens);
            !matches!(&*stop, "aborted" | "error") && tokens > 0.0
        }
        _ => false,
    }
}
