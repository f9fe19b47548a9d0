//! The cost of a summary that took two calls.

use pitree_format::{Object, Value};

/// The sum of two usages, in Pi's shape. Splits that one side does not report count as zero; a
/// total of money is the provider's own only if both are. Pi's `combineUsage`.
pub fn combine_usage(first: &Value, second: &Value) -> Value {
    let sum = |key: &str| number(first, key) + number(second, key);
    let optional = |key: &str| {
        let reported = first.get(key).is_some() || second.get(key).is_some();
        reported.then(|| sum(key))
    };
    let (cost, other_cost) = (first.get("cost"), second.get("cost"));
    let money = |key: &str| {
        let part = |cost: Option<&Value>| cost.map_or(0.0, |cost| number(cost, key));
        part(cost) + part(other_cost)
    };
    let from_provider = [cost, other_cost].iter().all(|cost| {
        cost.and_then(|cost| cost.get("totalFromProvider")).and_then(Value::as_bool) == Some(true)
    });
    Object::new()
        .with("input", sum("input"))
        .with("output", sum("output"))
        .with("cacheRead", sum("cacheRead"))
        .with("cacheWrite", sum("cacheWrite"))
        .with_some("cacheWrite1h", optional("cacheWrite1h"))
        .with_some("reasoning", optional("reasoning"))
        .with("totalTokens", sum("totalTokens"))
        .with(
            "cost",
            Object::new()
                .with("input", money("input"))
                .with("output", money("output"))
                .with("cacheRead", money("cacheRead"))
                .with("cacheWrite", money("cacheWrite"))
                .with("total", money("total"))
                .with("totalFromProvider", from_provider),
        )
        .into()
}

fn number(value: &Value, key: &str) -> f64 {
    value.get_number(key).unwrap_or(0.0)
}
