//! Money and tokens as whole numbers, so that sums do not depend on their order.

use pitree_format::Object;
use pitree_format::usage::Usage;
use serde::{Deserialize, Serialize};

/// Parts of a dollar in a unit of [`Money`].
const UNITS: f64 = 1e12;

/// More dollars are no price, and would not fit.
const MOST_DOLLARS: f64 = 1e6;

/// An amount of dollars in whole units of a millionth of a millionth.
///
/// Recorded costs are fractions that binary numbers only come near to. Each is rounded once to a
/// unit, which is finer than any price for a token; then every sum is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Money(i128);

impl Money {
    /// The number of dollars nearest to the amount.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / UNITS
    }

    /// The amount in millionths of a millionth of a dollar.
    pub fn units(self) -> i128 {
        self.0
    }
}

/// The cost of one usage, in the units of [`Money`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(i64);

impl Price {
    /// The price nearest to a number of dollars; `None` for what cannot be a price.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        (dollars.abs() <= MOST_DOLLARS).then(|| Self((dollars * UNITS).round() as i64))
    }

    /// The number of dollars nearest to the price.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / UNITS
    }

    /// The price in millionths of a millionth of a dollar.
    pub fn units(self) -> i64 {
        self.0
    }

    pub(crate) fn from_units(units: i64) -> Self {
        Self(units)
    }
}

/// Tokens by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Sent, and in no cache.
    pub input: u64,
    /// Received, reasoning included.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Written to the provider's cache.
    pub cache_write: u64,
}

impl Tokens {
    /// The tokens of a usage, as they count.
    pub fn of(usage: &Usage) -> Self {
        let [input, output, cache_read, cache_write] =
            usage.counted().map(|tokens| tokens.round() as u64);
        Self { input, output, cache_read, cache_write }
    }

    /// All four kinds.
    pub fn total(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write].iter().fold(self.input, add)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.input = add(self.input, &other.input);
        self.output = add(self.output, &other.output);
        self.cache_read = add(self.cache_read, &other.cache_read);
        self.cache_write = add(self.cache_write, &other.cache_write);
    }
}

fn add(sum: u64, more: &u64) -> u64 {
    sum.saturating_add(*more)
}

/// The recorded cost of a usage; `None` where it is unknown.
pub(crate) fn cost_of(usage: &Usage) -> Option<Price> {
    usage.counted_cost().and_then(Price::from_dollars)
}

/// A sum of what was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// How many usages it sums up.
    pub count: usize,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their recorded costs.
    pub cost: Money,
    /// How many of them have no recorded cost.
    pub unknown_costs: usize,
}

impl Sum {
    /// The sum of one usage.
    pub fn of(tokens: &Tokens, cost: Option<Price>) -> Self {
        let mut sum = Self::default();
        sum.add(tokens, cost);
        sum
    }

    /// The usage, if it is the sum of one.
    pub(crate) fn single(&self) -> Option<(Tokens, Option<Price>)> {
        let price = || i64::try_from(self.cost.0).ok().map(Price);
        (self.count == 1).then(|| (self.tokens, if self.is_unknown() { None } else { price() }))
    }

    /// Adds one usage.
    pub fn add(&mut self, tokens: &Tokens, cost: Option<Price>) {
        self.count += 1;
        self.tokens.add(tokens);
        match cost {
            Some(cost) => self.cost.0 += i128::from(cost.0),
            None => self.unknown_costs += 1,
        }
    }

    /// Adds another sum.
    pub fn add_sum(&mut self, other: &Self) {
        self.count += other.count;
        self.tokens.add(&other.tokens);
        self.cost.0 += other.cost.0;
        self.unknown_costs += other.unknown_costs;
    }

    /// Whether nothing is known about the cost of anything in it.
    pub fn is_unknown(&self) -> bool {
        self.count > 0 && self.unknown_costs == self.count
    }

    /// Adds `count`, `cost`, `tokens` and `unknownCosts` to an object; a cost of which nothing is
    /// known is `null`.
    pub fn described(&self, object: Object) -> Object {
        let number = |number: u64| number as f64;
        let tokens = Object::new()
            .with("input", number(self.tokens.input))
            .with("output", number(self.tokens.output))
            .with("cacheRead", number(self.tokens.cache_read))
            .with("cacheWrite", number(self.tokens.cache_write))
            .with("total", number(self.tokens.total()));
        let cost = (!self.is_unknown()).then(|| self.cost.dollars());
        object
            .with("count", self.count)
            .with("cost", cost)
            .with("tokens", tokens)
            .with("unknownCosts", self.unknown_costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_add_up() {
        let mut sum = Sum::default();
        for _ in 0..10 {
            sum.add(&Tokens::default(), Price::from_dollars(0.1));
        }
        assert_eq!(sum.cost.dollars().to_bits(), 1.0f64.to_bits());
    }

    #[test]
    fn what_is_no_price_is_unknown() {
        for dollars in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Price::from_dollars(dollars), None);
        }
    }
}
