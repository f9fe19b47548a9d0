//! `--mode costs`: tokens and spend of all branches, counted as Pi's `get_session_stats` does.
//!
//! Pi adds up the usages of all assistant messages, `usage` entries, and of those tool results
//! and summaries that have one. Here a cost that was not recorded is not zero but unknown. The
//! breakdowns and their total come from the ledger, so that they have the runs of sub-agents and
//! say what `pitree cost` says.

use std::collections::HashSet;

use pitree_format::{EntryKind, JsString, Object, Role, Value};
use pitree_session::{EntryRef, EntrySpend, Session, SessionSpend, SessionStats};
use pitree_store::ledger::{Ledger, LedgerRow, PART_NAMES, SpendPart};

use super::plain;
use super::table::print_table;
use super::tally::{ModelName, Sums, add_sum, cost_text, describe};
use crate::error::Result;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::counted;

pub(super) fn run(session: &Session, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let mut costs = Costs::of(session)?;
    let ledger = session.path().map(|path| workspace.quiet_store().ledger_of(path)).transpose()?;
    match ledger.flatten() {
        Some(ledger) => costs.take_ledger(&ledger),
        None => costs.take_entries(session)?,
    }
    if output.json {
        return output.value(&costs.to_value(session));
    }
    costs.print(session, output)
}

/// What an entry spent its tokens on.
fn part_of(entry: EntryRef<'_>, is_active: bool) -> SpendPart {
    match entry.kind() {
        EntryKind::Compaction => SpendPart::Compaction,
        EntryKind::BranchSummary => SpendPart::BranchSummary,
        EntryKind::Usage => SpendPart::UsageEntry,
        _ if entry.role() == Role::ToolResult => SpendPart::ToolResult,
        _ if is_active => SpendPart::ActiveAssistant,
        _ => SpendPart::AbandonedAssistant,
    }
}

#[derive(Default)]
struct Costs {
    /// What Pi counts.
    pi: SessionStats,
    /// The spend with the runs of sub-agents.
    total: SessionSpend,
    sources: [SessionSpend; PART_NAMES.len()],
    models: Sums<Option<ModelName>, SessionSpend>,
    /// How full the context is, as far as a provider has reported it: `None` after a compaction
    /// until the next answer, as in Pi.
    context_tokens: Option<f64>,
    /// How full the context is, estimated where nothing was reported.
    estimated_tokens: f64,
}

impl Costs {
    fn of(session: &Session) -> Result<Self> {
        let estimated_tokens = session.context_estimate()?.tokens;
        let context_tokens = session.is_context_size_reported()?.then_some(estimated_tokens);
        let pi = session.stats()?;
        Ok(Self { pi, context_tokens, estimated_tokens, ..Self::default() })
    }

    /// The messages of roles that are not counted by name.
    fn other_messages(&self) -> usize {
        self.pi.total_messages
            - self.pi.user_messages
            - self.pi.assistant_messages
            - self.pi.tool_results
            - self.pi.bash_executions
    }

    /// The sums that one spend goes into.
    fn sums(&mut self, part: SpendPart, model: Option<ModelName>) -> [&mut SessionSpend; 3] {
        let at = PART_NAMES.iter().position(|(other, ..)| *other == part).unwrap_or(0);
        // Tools and summaries do not name their model.
        let is_named = !matches!(
            part,
            SpendPart::ToolResult | SpendPart::Compaction | SpendPart::BranchSummary
        );
        [&mut self.total, &mut self.sources[at], self.models.of(model.filter(|_| is_named))]
    }

    /// Takes the breakdowns from the entries, for a file that no ledger takes.
    fn take_entries(&mut self, session: &Session) -> Result<()> {
        let active: HashSet<usize> = session.active_path().iter().map(EntryRef::index).collect();
        for entry in session.entries().filter(|entry| EntrySpend::is_possible(*entry)) {
            let body = entry.body()?;
            let Some(spend) = EntrySpend::of(&body) else { continue };
            let (provider, model) = (spend.provider.cloned(), spend.model.cloned());
            let part = part_of(entry, active.contains(&entry.index()));
            let sums = self.sums(part, Some(ModelName { provider, model }));
            sums.into_iter().for_each(|sum| sum.add_recorded(spend.usage));
        }
        Ok(())
    }

    /// Takes the breakdowns from the ledger.
    fn take_ledger(&mut self, ledger: &Ledger) {
        // Those that answered here come before those of sub-agents.
        let (runs, own): (Vec<&LedgerRow>, Vec<&LedgerRow>) =
            ledger.rows.iter().partition(|row| row.part == SpendPart::Subagent);
        for row in own.into_iter().chain(runs) {
            let text = |name: &Option<String>| name.as_deref().map(JsString::from);
            let model = ledger
                .models
                .get(row.model as usize)
                .map(|name| ModelName { provider: text(&name.provider), model: text(&name.model) });
            let sums = self.sums(row.part, model);
            sums.into_iter().for_each(|sum| add_sum(sum, &row.sum));
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
                let object = Object::new().with("source", *name).with("count", tally.usages);
                describe(tally, object).into()
            })
            .collect();
        let file = session.path().map(|path| path.to_string_lossy().into_owned());
        Object::new()
            .with_some("sessionFile", file)
            .with("sessionId", session.id())
            .with("userMessages", self.pi.user_messages)
            .with("assistantMessages", self.pi.assistant_messages)
            .with("toolCalls", self.pi.tool_calls)
            .with("toolResults", self.pi.tool_results)
            .with("totalMessages", self.pi.total_messages)
            .with("tokens", self.pi.spend.tokens_value())
            .with("cost", self.pi.spend.cost)
            .with("unknownCosts", self.pi.spend.unknown_costs)
            .with("contextTokens", self.context_tokens)
            .with("estimatedContextTokens", self.estimated_tokens)
            .with("bashExecutions", self.pi.bash_executions)
            .with("otherMessages", self.other_messages())
            .with("models", models)
            .with("sources", sources)
            .with("total", describe(&self.total, Object::new().with("count", self.total.usages)))
            .into()
    }

    fn print(&self, session: &Session, output: &mut Output) -> Result<()> {
        let mut parts = vec![
            format!("{} user", plain::counted(self.pi.user_messages as f64)),
            format!("{} assistant", plain::counted(self.pi.assistant_messages as f64)),
            counted(self.pi.tool_results, "tool result", "tool results"),
        ];
        if self.pi.bash_executions > 0 {
            parts.push(counted(self.pi.bash_executions, "shell command", "shell commands"));
        }
        if self.other_messages() > 0 {
            parts.push(format!("{} other", plain::counted(self.other_messages() as f64)));
        }
        output.line(&format!(
            "{}: {}; {}",
            counted(self.pi.total_messages, "message", "messages"),
            parts.join(", "),
            counted(self.pi.tool_calls, "tool call", "tool calls"),
        ))?;
        let tokens = plain::counted(self.estimated_tokens);
        let context = match self.context_tokens {
            Some(_) => format!("context now {tokens} tokens"),
            None => format!("context now about {tokens} tokens (estimated until the next reply)"),
        };
        let entries = counted(session.len(), "entry", "entries");
        output.line(&format!("{entries} on all branches; {context}"))?;
        output.line("")?;
        let mut rows: Vec<Vec<String>> = self
            .models
            .iter()
            .map(|(model, tally)| cells(model_text(model.as_ref()), tally))
            .collect();
        rows.push(cells("total".to_owned(), &self.total));
        print_table(&head("model"), &rows, output)?;
        output.line("")?;
        let sources = PART_NAMES.iter().zip(&self.sources).filter(|(_, tally)| tally.usages > 0);
        let mut rows: Vec<Vec<String>> =
            sources.map(|((_, _, words), tally)| cells((*words).to_owned(), tally)).collect();
        rows.push(cells("total".to_owned(), &self.total));
        print_table(&head("spent on"), &rows, output)
    }
}

fn head(first: &str) -> [&str; 8] {
    [first, "count", "input", "output", "cache read", "cache write", "tokens", "cost"]
}

fn cells(name: String, tally: &SessionSpend) -> Vec<String> {
    let numbers = [tally.input, tally.output, tally.cache_read, tally.cache_write, tally.tokens()];
    let mut row = vec![name, plain::counted(tally.usages as f64)];
    row.extend(numbers.map(plain::counted));
    row.push(cost_text(tally));
    row
}

fn model_text(model: Option<&ModelName>) -> String {
    model.map_or("(tools and summaries)".to_owned(), ModelName::text)
}

fn model_value(model: Option<&ModelName>, tally: &SessionSpend) -> Value {
    let nameless = || Object::new().with("provider", Value::Null).with("model", Value::Null);
    let object = model.map_or_else(nameless, ModelName::to_object);
    describe(tally, object.with("messages", tally.usages)).into()
}
