//! Tokens and what they cost, in the shape of Pi's `usage`.

use pitree_format::Value;
use pitree_format::usage::{Cost, Usage};

use super::Model;

/// What an answer used, as the provider reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    /// Tokens sent that no cache held.
    pub input: f64,
    /// Tokens received.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cache_read: f64,
    /// Tokens written to it.
    pub cache_write: f64,
    /// The part of `cache_write` that is kept for an hour, if the provider tells.
    pub cache_write_1h: Option<f64>,
    /// The part of `output` that was thinking, if the provider tells.
    pub reasoning: Option<f64>,
}

/// Prices in dollars for a million tokens.
#[derive(Clone, Copy, Default)]
struct Rates {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

impl Rates {
    fn of(prices: &Value) -> Self {
        let number = |key| prices.get_number(key).unwrap_or_default();
        Self {
            input: number("input"),
            output: number("output"),
            cache_read: number("cacheRead"),
            cache_write: number("cacheWrite"),
        }
    }
}

impl Tokens {
    /// All of them.
    pub fn total(&self) -> f64 {
        self.input + self.output + self.cache_read + self.cache_write
    }

    /// The `usage` without prices: they count as nothing.
    pub fn without_prices(&self) -> Usage {
        self.usage(Rates::default())
    }

    fn usage(&self, rates: Rates) -> Usage {
        let long_write = self.cache_write_1h.unwrap_or_default();
        let short_write = self.cache_write - long_write;
        let input = rates.input / 1e6 * self.input;
        let output = rates.output / 1e6 * self.output;
        let cache_read = rates.cache_read / 1e6 * self.cache_read;
        // What is kept for an hour costs twice the price of the input.
        let cache_write = (rates.cache_write * short_write + rates.input * 2.0 * long_write) / 1e6;
        let mut cost = Cost::dollars(input, output).cached(cache_read, cache_write);
        cost.total = Some(input + output + cache_read + cache_write);
        cost.total_from_provider = Some(false.into());
        let mut usage = Usage::default();
        usage.input = Some(self.input);
        usage.output = Some(self.output);
        usage.cache_read = Some(self.cache_read);
        usage.cache_write = Some(self.cache_write);
        usage.cache_write_1h = self.cache_write_1h;
        usage.reasoning = self.reasoning;
        usage.total_tokens = Some(self.total());
        usage.costing(cost)
    }
}

impl Model {
    /// The `usage` of an answer with the model's prices.
    pub fn usage(&self, tokens: &Tokens) -> Usage {
        tokens.usage(self.rates(tokens.input + tokens.cache_read + tokens.cache_write))
    }

    /// The prices for a request of this size: the highest tier that it exceeds.
    fn rates(&self, sent: f64) -> Rates {
        let Some(prices) = self.get("cost") else { return Rates::default() };
        let tiers = prices.get("tiers").and_then(Value::as_array).unwrap_or_default();
        let reached = tiers
            .iter()
            .filter_map(|tier| Some((tier.get_number("inputTokensAbove")?, tier)))
            .filter(|(above, _)| sent > *above && *above > -1.0)
            .max_by(|(a, _), (b, _)| a.total_cmp(b));
        Rates::of(reached.map_or(prices, |(_, tier)| tier))
    }
}
