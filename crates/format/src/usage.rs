//! Tokens and money as Pi records them.

use crate::Value;

/// The `usage` of an assistant message, tool result, summary or `usage` entry.
///
/// Old files lack fields; an absent one is `None`, not zero, so that an unknown cost can be
/// shown as unknown.
#[derive(Clone, Debug, Default, PartialEq)]
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

    /// The sum of the four kinds of tokens, absent ones as zero.
    pub fn sum(&self) -> f64 {
        [self.input, self.output, self.cache_read, self.cache_write].iter().flatten().sum()
    }

    /// How many tokens the context held: Pi takes the total, or the sum where it is missing.
    pub fn context_tokens(&self) -> f64 {
        self.total_tokens.filter(|total| *total != 0.0).unwrap_or_else(|| self.sum())
    }
}

impl Cost {
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
}
