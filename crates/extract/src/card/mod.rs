//! The data card: what is in a data set, how it was made, and what was left out.
//!
//! It holds no time of day and names no session, so the same sessions and options give the same
//! card, and a card may be published where paths may not.

mod page;
mod plot;
mod totals;
mod value;

pub(crate) use totals::CardTotals;

use crate::format::{Feature, FormatName};
use crate::names::{CARD, PAGE, SPEND, TOKENS, TURNS};
use crate::options::ExtractOptions;

/// What a card tells.
pub(crate) struct Card<'a> {
    pub(crate) format: FormatName,
    pub(crate) options: &'a ExtractOptions,
    /// The command that made the data set, as it may be shown.
    pub(crate) command: &'a str,
    pub(crate) totals: &'a CardTotals,
    /// The members of a row.
    pub(crate) features: &'static [Feature],
    /// What the form has to say to its users.
    pub(crate) note: Option<String>,
}

impl Card<'_> {
    /// The card, its page and its plots, by name and text.
    pub(crate) fn files(&self) -> Vec<(&'static str, String)> {
        let page = (PAGE, self.to_page());
        let beside: Vec<(&'static str, String)> = [page].into_iter().chain(self.plots()).collect();
        let card = (CARD, value::pretty(&self.to_value(&beside)));
        [card].into_iter().chain(beside).collect()
    }

    fn plots(&self) -> [(&'static str, String); 3] {
        let totals = self.totals;
        let roles = ["system", "user", "assistant", "tool"].into_iter();
        let turns = roles.zip(totals.messages).filter(|(_, count)| *count > 0);
        let turns = turns.map(|(role, count)| (role.to_owned(), count as f64));
        let tokens = totals.histogram.iter().enumerate().map(|(power, &count)| {
            (format!("up to {}", plot::number((1_u64 << power) as f64)), count as f64)
        });
        let spend = totals.models.values().map(|used| (used.model.clone(), used.dollars()));
        [
            (TURNS, plot::bars("Messages by role", turns.collect(), plot::number)),
            (TOKENS, plot::bars("Samples by tokens", trimmed(tokens.collect()), plot::number)),
            (SPEND, plot::bars("Spend by model, US dollars", spend.collect(), plot::money)),
        ]
    }

    /// Whether secrets were hidden.
    fn is_redacted(&self) -> bool {
        self.options.guard.fingerprint().is_some()
    }
}

/// The bars without the empty ones at both ends.
fn trimmed(bars: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let is_full = |(_, count): &(String, f64)| *count > 0.0;
    let first = bars.iter().position(is_full).unwrap_or(0);
    let last = bars.iter().rposition(is_full).map_or(0, |last| last + 1);
    bars.into_iter().take(last).skip(first).collect()
}
