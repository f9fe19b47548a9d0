//! What is said below the table of `pitree cost`: requests without a price, what was not a reply,
//! and with `--explain` the parts and what counts once.

use pitree_store::ledger::{Group, Money, PART_NAMES, Sum};

use super::print::{CostPage, Decimals, requests};
use crate::error::Result;
use crate::output::Output;
use crate::text::{clean_line, counted};
use crate::verbs::show::plain;
use crate::verbs::show::table::print_table;

/// So many models are named in a note.
const MOST_NAMED: usize = 4;

/// "$20", "$0.10", "$0.125": as somebody writes it.
fn whole_or_cents(dollars: f64) -> String {
    let cents = format!("{dollars:.2}");
    match cents.parse() == Ok(dollars) && dollars.fract() != 0.0 {
        true => format!("${cents}"),
        false => format!("${dollars}"),
    }
}

impl CostPage<'_> {
    pub(super) fn print_notes(&self, output: &mut Output) -> Result<()> {
        let decimals = Decimals::for_total(&self.report.total);
        let mut notes = Vec::new();
        let others = PART_NAMES.iter().zip(&self.report.parts).skip(1);
        for ((_, _, words), sum) in others.filter(|(_, sum)| sum.cost > Money::default()) {
            let unknown = match sum.unknown_costs {
                0 => String::new(),
                more => format!(" and {more} without a price"),
            };
            notes.push(format!("includes {} for {words}{unknown}", decimals.some(sum)));
        }
        if let Some(budget) = self.budget {
            let groups = self.report.groups.iter();
            let over = groups.filter(|group| budget.overrun(&group.sum).is_some()).count();
            let period = self.periods(over);
            notes.push(format!("{period} over the budget of {}", whole_or_cents(budget.dollars)));
        }
        notes.extend(self.without_price());
        notes.extend(self.at_no_price());
        if !notes.is_empty() {
            output.line("")?;
        }
        notes.iter().try_for_each(|note| output.line(note))
    }

    /// Requests of which no file says what they cost.
    fn without_price(&self) -> Option<String> {
        let groups = || self.by_model.groups.iter().filter(|group| group.sum.unknown_costs > 0);
        let count = groups().map(|group| group.sum.unknown_costs).sum();
        (count > 0).then(|| {
            let models = self.models_named(groups());
            format!("no price recorded for {} ({models}); not in the total", requests(count))
        })
    }

    /// Requests to models that never cost anything: Pi knew them, and their price was zero.
    fn at_no_price(&self) -> Option<String> {
        let is_free = |sum: &Sum| {
            let known = sum.count.saturating_sub(sum.unknown_costs);
            known > 0 && sum.cost == Money::default() && sum.tokens.total() > 0
        };
        let groups = || self.by_model.groups.iter().filter(|group| is_free(&group.sum));
        let count = groups().map(|group| group.sum.count - group.sum.unknown_costs).sum();
        (count > 0).then(|| {
            let models = self.models_named(groups());
            let is_list = "Pi's price list has $0 for local models and subscriptions";
            format!("a price of $0 recorded for {} ({models}); {is_list}", requests(count))
        })
    }

    fn periods(&self, number: usize) -> String {
        let name = self.by.name();
        counted(number, name, &format!("{name}s"))
    }

    fn models_named<'g>(&self, groups: impl Iterator<Item = &'g Group>) -> String {
        let names: Vec<String> = groups
            .map(|group| clean_line(group.key.as_deref().unwrap_or("not recorded")))
            .collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        let named = names[..names.len() - more].join(", ");
        if more == 0 { named } else { format!("{named} and {more} more") }
    }

    /// The parts of the cost, that they add up, and why a list may add up to more.
    pub(super) fn explain(&self, listed: Option<f64>, output: &mut Output) -> Result<()> {
        output.line("")?;
        self.print_parts(output)?;
        output.line("")?;
        output.line(&self.identity())?;
        match listed {
            Some(listed) => output.line(&self.beside_list(listed)),
            None => Ok(()),
        }
    }

    /// What the sessions of a list add up to, and why that may be more.
    fn beside_list(&self, listed: f64) -> String {
        let total = self.report.total.cost.dollars();
        let sum = plain::dollars(listed);
        if sum == plain::dollars(total) {
            return format!("`pitree list` also adds up to {sum}");
        }
        format!(
            "`pitree list` adds up to {sum} because it counts entries copied into forks, and \
             sub-agent runs with their own file, more than once"
        )
    }

    fn print_parts(&self, output: &mut Output) -> Result<()> {
        let row = |name: &str, sum: &Sum| {
            let tokens = sum.tokens;
            let kinds = [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
            let mut row = vec![name.to_owned(), plain::counted(sum.count as f64)];
            row.extend(kinds.map(|kind| plain::counted(kind as f64)));
            row.extend([plain::counted(tokens.total() as f64), cost_text(sum)]);
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
    pub(super) fn identity(&self) -> String {
        let parts: Vec<String> = PART_NAMES
            .iter()
            .zip(&self.report.parts)
            .map(|((_, _, words), sum)| format!("{} {words}", plain::dollars(sum.cost.dollars())))
            .collect();
        let total = &self.report.total;
        let lines = self.periods(self.report.groups.len());
        let holds = if self.report.adds_up() { "adds up" } else { "does NOT add up" };
        let unknown = match total.unknown_costs {
            0 => String::new(),
            1 => "; 1 usage record has no cost".to_owned(),
            more => format!("; {more} usage records have no cost"),
        };
        format!(
            "{} = {}; the breakdown ({lines}) {holds} to the same cost, tokens and count{unknown}",
            plain::dollars(total.cost.dollars()),
            parts.join(" + "),
        )
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
