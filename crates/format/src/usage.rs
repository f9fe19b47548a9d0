//! Tokens and money as Pi records them.

use crate::Value;

/// Nobody sends or gets more tokens at once.
const MOST_TOKENS: f64 = 1e12;

/// Nobody pays more dollars for one answer; a larger number is a mistake of who wrote it.
const MOST_DOLLARS: f64 = 1e6;

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
