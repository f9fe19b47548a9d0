//! The models that are known without a `models.json`.
//!
//! `known.jsonl` holds one model in each line, in the shape of Pi's `get_available_models`: those
//! of Anthropic, Google and OpenAI as Pi 1.5.0 lists them. It is made by
//! `PITREE_BLESS=1 cargo test -p pitree-host --test pi known`, which asks the real Pi; without that
//! variable the test compares.

use pitree_format::Value;
use pitree_format::js::parse;

use super::Model;

const KNOWN: &str = include_str!("known.jsonl");

/// All of them, in Pi's order.
pub(super) fn models() -> Vec<Model> {
    KNOWN
        .lines()
        .filter_map(|line| match parse(line.as_bytes()) {
            Ok(Value::Object(object)) => Some(Model(object)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_whole_model() {
        let models = models();
        assert_eq!(models.len(), KNOWN.lines().count());
        for model in &models {
            assert!(!model.id().is_empty() && !model.provider().is_empty());
            assert!(model.context_window() > 0.0, "{}", model.id());
            assert!(model.max_tokens() > 0.0, "{}", model.id());
            assert!(!model.base_url().is_empty() && !model.api().is_empty());
        }
    }
}
