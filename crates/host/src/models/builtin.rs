//! The models that are known without a `models.json`: those that Pi 1.5.0 has built in, as far as
//! one key is all that their provider needs.
//!
//! `known.jsonl` is made by `PITREE_BLESS=1 cargo test -p pitree-host pi::known`, which asks
//! the real Pi; without that variable the test compares. Models share most of their members, so
//! the file has three kinds of lines:
//!
//! 1. a list of values, to be named by their place in it;
//! 2. a list of shapes, each the list of a model's member names in order;
//! 3. one line for each model: the place of its shape, then the value of each member. `id`, `name`,
//!    `contextWindow` and `maxTokens` stand there themselves, all others as places in the first
//!    list.

use pitree_format::js::parse;
use pitree_format::{JsString, Object, Value};

use super::Model;

const KNOWN: &str = include_str!("known.jsonl");
/// Members that differ from model to model.
const OWN: [&str; 4] = ["id", "name", "contextWindow", "maxTokens"];

/// All of them, in Pi's order.
pub(super) fn models() -> Vec<Model> {
    let mut lines = KNOWN.lines().map(list);
    let (values, shapes) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let shapes: Vec<Vec<(JsString, bool)>> = shapes.iter().map(shape).collect();
    lines.filter_map(|line| model(&line, &values, &shapes)).collect()
}

fn list(line: &str) -> Vec<Value> {
    match parse(line.as_bytes()) {
        Ok(Value::Array(values)) => values.into_vec(),
        _ => Vec::new(),
    }
}

/// The member names of a shape, and whether their values stand in the line themselves.
fn shape(names: &Value) -> Vec<(JsString, bool)> {
    let names = names.as_array().unwrap_or_default().iter().filter_map(Value::as_string);
    names.map(|name| (name.clone(), OWN.iter().any(|own| *name == **own))).collect()
}

fn model(line: &[Value], values: &[Value], shapes: &[Vec<(JsString, bool)>]) -> Option<Model> {
    let (first, rest) = line.split_first()?;
    let place = |value: &Value| value.as_number().map(|number| number as usize);
    let shape = shapes.get(place(first)?)?;
    let members = shape.iter().zip(rest).map(|((name, is_own), value)| {
        let value = if *is_own { value } else { values.get(place(value)?)? };
        Some((name.clone(), value.clone()))
    });
    Some(Model(Object::from_members(members.collect::<Option<_>>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_whole_model() {
        let models = models();
        assert_eq!(models.len() + 2, KNOWN.lines().count());
        for model in &models {
            assert!(!model.id().is_empty() && !model.provider().is_empty());
            assert!(model.context_window() > 0.0, "{}", model.id());
            assert!(model.max_tokens() > 0.0, "{}", model.id());
            assert!(!model.api().is_empty());
        }
    }
}
