//! A report as tables, and as JSON.

use pitree_format::js::date::format_iso;
use pitree_format::{Object, Value};
use pitree_store::ledger::{By, Group, Ledger, PART_NAMES, Report, Sum};

use pitree_store::ShortIds;

use crate::error::Result;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, shorten};
use crate::unreadable::unreadable_value;
use crate::verbs::show::plain;
use crate::verbs::show::table::print_table;

/// The longest bar.
const BAR_WIDTH: usize = 24;

/// The most characters of a name in the table.
const NAME_WIDTH: usize = 44;

pub(super) struct Page<'p> {
    pub(super) ledger: &'p Ledger,
    pub(super) report: &'p Report,
    pub(super) by: By,
    pub(super) workspace: &'p Workspace,
    pub(super) ids: ShortIds,
}

impl Page<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<()> {
        let with_bars = output.is_terminal();
        let most = self.report.groups.iter().map(|g| g.sum.cost).max().unwrap_or_default();
        let row = |name: String, sum: &Sum, bar: String| {
            let mut row = vec![name, sum.count.to_string(), sum.tokens.total().to_string()];
            row.push(cost_text(sum));
            if with_bars {
                row.push(bar);
            }
            row
        };
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(self.report.groups.len() + 1);
        for group in &self.report.groups {
            let share = group.sum.cost.dollars() / most.dollars();
            rows.push(row(self.name(group), &group.sum, painted_bar(share, output)));
        }
        rows.push(row("total".to_owned(), &self.report.total, String::new()));
        let head = [self.by.name(), "count", "tokens", "cost", ""];
        print_table(&head[..if with_bars { 5 } else { 4 }], &rows, output)?;
        output.line("")?;
        self.print_parts(output)?;
        output.line("")?;
        output.line(&self.identity())
    }

    fn print_parts(&self, output: &mut Output) -> Result<()> {
        let row = |name: &str, sum: &Sum| {
            let tokens = sum.tokens;
            let kinds = [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
            let mut row = vec![name.to_owned(), sum.count.to_string()];
            row.extend(kinds.map(|kind| kind.to_string()));
            row.extend([tokens.total().to_string(), cost_text(sum)]);
            row
        };
        let parts = PART_NAMES.iter().zip(&self.report.parts).filter(|(_, sum)| sum.count > 0);
        let mut rows: Vec<Vec<String>> =
            parts.map(|((_, _, words), sum)| row(words, sum)).collect();
        rows.push(row("total", &self.report.total));
        let head =
            ["spent on", "count", "input", "output", "cache read", "cache write", "tokens", "cost"];
        print_table(&head, &rows, output)
    }

    /// What was checked, in words.
    fn identity(&self) -> String {
        let parts: Vec<String> = PART_NAMES
            .iter()
            .zip(&self.report.parts)
            .map(|((_, _, words), sum)| format!("{} {words}", plain::dollars(sum.cost.dollars())))
            .collect();
        let total = &self.report.total;
        let lines = plain::count(self.report.groups.len(), self.by.name());
        let holds = if self.report.adds_up() { "adds up" } else { "does NOT add up" };
        let unknown = match total.unknown_costs {
            0 => String::new(),
            1 => "; 1 usage has no recorded cost".to_owned(),
            more => format!("; {more} usages have no recorded cost"),
        };
        format!(
            "{} = {}; the breakdown ({lines}) {holds} to the same cost, tokens and count{unknown}",
            plain::dollars(total.cost.dollars()),
            parts.join(" + "),
        )
    }

    fn name(&self, group: &Group) -> String {
        let Some(key) = &group.key else { return self.nameless().to_owned() };
        let text = match self.by {
            By::Project => self.workspace.display(key.as_ref()),
            By::Session | By::Family => {
                let session = group.session.and_then(|at| self.ledger.sessions.get(at));
                let cwd = session.map(|session| self.workspace.display(session.cwd.as_ref()));
                let id = self.ids.short(key);
                format!("{id}  {}", cwd.unwrap_or_default())
            }
            _ => key.clone(),
        };
        shorten(&clean_line(&text), NAME_WIDTH)
    }

    fn nameless(&self) -> &'static str {
        match self.by {
            By::Day | By::Week | By::Month => "(no time)",
            By::Model | By::Provider => "(not recorded)",
            By::Project => "(no directory)",
            By::Role | By::SeedRole => "(no role)",
            By::Session | By::Family => "(no id)",
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut parts = Object::new();
        for ((_, name, _), sum) in PART_NAMES.iter().zip(&self.report.parts) {
            parts.set(name, describe(Object::new(), sum).into());
        }
        let total = describe(Object::new(), &self.report.total).with("parts", parts);
        let rows: Vec<Value> = self.report.groups.iter().map(|group| self.row(group)).collect();
        Object::new()
            .with("by", self.by.name())
            .with("total", total)
            .with("rows", rows)
            .with("identity", self.identity())
            .with("checked", self.report.adds_up())
            .with("unreadable", unreadable_value(&self.ledger.unreadable))
            .into()
    }

    fn row(&self, group: &Group) -> Value {
        let row = describe(Object::new().with("key", group.key.clone()), &group.sum);
        let Some(session) = group.session.and_then(|at| self.ledger.sessions.get(at)) else {
            return row.into();
        };
        row.with("path", session.path.to_string_lossy().into_owned())
            .with("cwd", session.cwd.as_str())
            .with("created", session.created_ms.map(format_iso))
            .into()
    }
}

fn cost_text(sum: &Sum) -> String {
    let dollars = plain::dollars(sum.cost.dollars());
    match sum.unknown_costs {
        0 => dollars,
        _ if sum.is_unknown() => "unknown".to_owned(),
        more => format!("{dollars} + {more} unknown"),
    }
}

/// Adds `count`, `cost`, `tokens` and `unknownCosts`; a cost of which nothing is known is `null`.
fn describe(object: Object, sum: &Sum) -> Object {
    let number = |number: u64| number as f64;
    let tokens = Object::new()
        .with("input", number(sum.tokens.input))
        .with("output", number(sum.tokens.output))
        .with("cacheRead", number(sum.tokens.cache_read))
        .with("cacheWrite", number(sum.tokens.cache_write))
        .with("total", number(sum.tokens.total()));
    let cost = if sum.is_unknown() { Value::Null } else { sum.cost.dollars().into() };
    object
        .with("count", sum.count)
        .with("cost", cost)
        .with("tokens", tokens)
        .with("unknownCosts", sum.unknown_costs)
}

/// A bar of eighths of a block, as long as the longest one.
fn painted_bar(share: f64, output: &Output) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * (BAR_WIDTH * 8) as f64).round() as usize;
    let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
    let fill = " ".repeat(BAR_WIDTH - bar.chars().count().min(BAR_WIDTH));
    // Spaces keep bars of unlike length in one column; paint is put on last, since it has no
    // width.
    output.paint(Style::Active, &bar) + &fill
}
