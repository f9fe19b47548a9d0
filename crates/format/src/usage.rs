//! Tokens and money as Pi records them.

use crate::{Object, Value};

/// Nobody sends or gets more tokens at once.
const MOST_TOKENS: f64 = 1e12;

/// Nobody pays more dollars for one answer; a larger number is a mistake of who wrote it.
const MOST_DOLLARS: f64 = 1e6;

/// The `usage` of an assistant message, tool result, summary or `usage` entry.
///
/// Old files lack fields; an absent one is `None`, not zero, so that an unknown cost can be
/// shown as unknown.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens sent that no cache held.
    pub input: Option<f64>,
    /// Tokens received, reasoning included.
    pub output: Option<f64>,
    /// Tokens read from the provider's cache.
    pub cache_read: Option<f64>,
    /// Tokens written to the provider's cache.
    pub cache_write: Option<f64>,
    /// The part of `cache_write` that is kept for an hour.
    pub cache_write_1h: Option<f64>,
    /// The part of `output` that was reasoning.
    pub reasoning: Option<f64>,
    /// What the provider calls the total.
    pub total_tokens: Option<f64>,
    /// What it cost.
    pub cost: Option<Cost>,
}

/// The `cost` of a usage, in dollars.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// For `input`.
    pub input: Option<f64>,
    /// For `output`.
    pub output: Option<f64>,
    /// For `cacheRead`.
    pub cache_read: Option<f64>,
    /// For `cacheWrite`.
    pub cache_write: Option<f64>,
    /// All of it.
    pub total: Option<f64>,
    /// The total as the provider itself reported it.
    pub total_from_provider: Option<Value>,
}

impl Usage {
    /// Reads a `usage` object; anything else is `None`.
    pub fn decode(value: &Value) -> Option<Self> {
        value.as_object()?;
        let number = |key| value.get_number(key);
        Some(Self {
            input: number("input"),
            output: number("output"),
            cache_read: number("cacheRead"),
            cache_write: number("cacheWrite"),
            cache_write_1h: number("cacheWrite1h"),
            reasoning: number("reasoning"),
            total_tokens: number("totalTokens"),
            cost: value.get("cost").and_then(Cost::decode),
        })
    }

    /// So many tokens sent and received.
    ///
    /// ```
    /// use pitree_format::usage::{Cost, Usage};
    ///
    /// let usage = Usage::tokens(1200, 40).cached(800, 0).costing(Cost::dollars(0.0036, 0.0006));
    /// assert_eq!(usage.sum(), 2040.0);
    /// ```
    pub fn tokens(input: u64, output: u64) -> Self {
        let (input, output) = (Some(input as f64), Some(output as f64));
        Self { input, output, ..Self::default() }
    }

    /// The same with so many tokens read from the provider's cache and written to it.
    #[must_use]
    pub fn cached(mut self, read: u64, write: u64) -> Self {
        (self.cache_read, self.cache_write) = (Some(read as f64), Some(write as f64));
        self
    }

    /// The same with a cost.
    #[must_use]
    pub fn costing(mut self, cost: Cost) -> Self {
        self.cost = Some(cost);
        self
    }

    /// The usage as Pi writes it for a reply: absent numbers as zero, absent totals as sums.
    #[must_use]
    pub fn completed(mut self) -> Self {
        let sum = self.sum();
        let numbers =
            [&mut self.input, &mut self.output, &mut self.cache_read, &mut self.cache_write];
        numbers.into_iter().for_each(|number| *number = Some(number.unwrap_or(0.0)));
        self.total_tokens = Some(self.total_tokens.unwrap_or(sum));
        let mut cost = self.cost.take().unwrap_or_default();
        let total = cost.total().unwrap_or(0.0);
        let parts =
            [&mut cost.input, &mut cost.output, &mut cost.cache_read, &mut cost.cache_write];
        parts.into_iter().for_each(|part| *part = Some(part.unwrap_or(0.0)));
        self.cost = Some(Cost { total: Some(total), ..cost });
        self
    }

    /// The sum of the four kinds of tokens, absent ones as zero.
    pub fn sum(&self) -> f64 {
        [self.input, self.output, self.cache_read, self.cache_write].iter().flatten().sum()
    }

    /// Input, output, cache read and cache write as they count in a sum: absent and negative ones
    /// as none, and none as more than a trillion. So no sum of them is infinite. Where none of the
    /// four is recorded and the total is, it counts as input, which most of it is.
    pub fn counted(&self) -> [f64; 4] {
        let kinds = [self.input, self.output, self.cache_read, self.cache_write];
        let kinds = match kinds {
            [None, None, None, None] => [self.total_tokens, None, None, None],
            kinds => kinds,
        };
        kinds.map(|tokens| match tokens {
            Some(tokens) if tokens > 0.0 => tokens.min(MOST_TOKENS),
            _ => 0.0,
        })
    }

    /// The cost as it counts in a sum; `None` where it is unknown.
    pub fn counted_cost(&self) -> Option<f64> {
        self.cost.as_ref().and_then(Cost::counted)
    }

    /// How many tokens the context held: Pi takes the total, or the sum where it is missing.
    pub fn context_tokens(&self) -> f64 {
        self.total_tokens.filter(|total| *total != 0.0).unwrap_or_else(|| self.sum())
    }
}

/// The members that are there, in Pi's order.
impl From<Usage> for Value {
    fn from(usage: Usage) -> Self {
        Object::new()
            .with_some("input", usage.input)
            .with_some("output", usage.output)
            .with_some("cacheRead", usage.cache_read)
            .with_some("cacheWrite", usage.cache_write)
            .with_some("cacheWrite1h", usage.cache_write_1h)
            .with_some("reasoning", usage.reasoning)
            .with_some("totalTokens", usage.total_tokens)
            .with_some("cost", usage.cost)
            .into()
    }
}

/// The members that are there, in Pi's order.
impl From<Cost> for Value {
    fn from(cost: Cost) -> Self {
        Object::new()
            .with_some("input", cost.input)
            .with_some("output", cost.output)
            .with_some("cacheRead", cost.cache_read)
            .with_some("cacheWrite", cost.cache_write)
            .with_some("total", cost.total)
            .with_some("totalFromProvider", cost.total_from_provider)
            .into()
    }
}

impl Cost {
    /// So many dollars for what was sent and received.
    pub fn dollars(input: f64, output: f64) -> Self {
        Self { input: Some(input), output: Some(output), ..Self::default() }
    }

    /// The same with so many dollars for reading from the provider's cache and writing to it.
    #[must_use]
    pub fn cached(mut self, read: f64, write: f64) -> Self {
        (self.cache_read, self.cache_write) = (Some(read), Some(write));
        self
    }

    fn decode(value: &Value) -> Option<Self> {
        // The `usage` of a sub-agent result has the plain number here.
        if let Some(total) = value.as_number() {
            return Some(Self { total: Some(total), ..Self::default() });
        }
        value.as_object()?;
        let number = |key| value.get_number(key);
        Some(Self {
            input: number("input"),
            output: number("output"),
            cache_read: number("cacheRead"),
            cache_write: number("cacheWrite"),
            total: number("total"),
            total_from_provider: value.get("totalFromProvider").cloned(),
        })
    }

    /// The total, or the sum of the parts where only those are recorded.
    pub fn total(&self) -> Option<f64> {
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        self.total
            .or_else(|| parts.iter().any(Option::is_some).then(|| parts.iter().flatten().sum()))
    }

    /// The total as it counts in a sum. What is no number, or more than a million dollars up or
    /// down, is no cost, so it is unknown. A negative one is a credit.
    pub fn counted(&self) -> Option<f64> {
        self.total().filter(|dollars| dollars.abs() <= MOST_DOLLARS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    fn usage(text: &str) -> Usage {
        Usage::decode(&parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn what_is_no_amount_does_not_count() {
        for (cost, counted) in [
            ("1.5", Some(1.5)),
            (r#"{"total":-0.5}"#, Some(-0.5)),
            (r#"{"total":1e999}"#, None),
            (r#"{"total":-1e999}"#, None),
            (r#"{"total":1000001}"#, None),
            (r#"{"total":"1"}"#, None),
            (r#"{"total":null}"#, None),
            (r#"{"total":null,"input":1,"output":2}"#, Some(3.0)),
            (r#"{"input":1e999,"output":-1e999}"#, None),
            ("{}", None),
            ("null", None),
            ("\"1\"", None),
        ] {
            assert_eq!(usage(&format!("{{\"cost\":{cost}}}")).counted_cost(), counted, "{cost}");
        }
    }

    #[test]
    fn tokens_are_none_or_some_and_never_infinite() {
        let odd = usage(r#"{"input":1e999,"output":-5,"cacheRead":"7","cacheWrite":null}"#);
        assert_eq!(odd.counted(), [1e12, 0.0, 0.0, 0.0]);
        assert_eq!(usage(r#"{"totalTokens":7}"#).counted(), [7.0, 0.0, 0.0, 0.0]);
        assert_eq!(usage(r#"{"output":2,"totalTokens":7}"#).counted(), [0.0, 2.0, 0.0, 0.0]);
        assert_eq!(usage(r#"{"input":2,"output":-1e999}"#).counted(), [2.0, 0.0, 0.0, 0.0]);
    }
}
