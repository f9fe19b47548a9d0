//! Random sequences of calls on a session manager.

use serde_json::{Map, Value, json};

use crate::generate::messages::{self, PendingCall, new_call};
use crate::generate::system;
use crate::generate::text::{self, BROKEN_BYTE_MARK, word};
use crate::json::{Json, Layout, Object, line};
use crate::rng::Rng;

/// A random sequence of operations for the `run` request of the oracle.
///
/// Entries are named by ordinals: the how-manieth entry the run has met. Some name none on purpose.
pub fn operations(seed: u64) -> Vec<Value> {
    let mut script = Script::new(Rng::new(seed ^ 0x0303_0303_0303_0303));
    let length = script.rng.between(15, 60);
    script.begin();
    while script.ops.len() < length {
        script.step();
    }
    script.ops
}

/// The operations so far, and a guess at what they have made.
#[derive(Debug)]
struct Script {
    rng: Rng,
    ops: Vec<Value>,
    /// How many entries there are, if no operation failed.
    entries: usize,
    /// The ordinals of entries that a context edit may change.
    editable: Vec<usize>,
    labelled: Vec<usize>,
    call: PendingCall,
    time: i64,
}

impl Script {
    fn new(mut rng: Rng) -> Self {
        let call = new_call(&mut rng);
        let (ops, editable, labelled) = (Vec::new(), Vec::new(), Vec::new());
        Self { rng, ops, entries: 0, editable, labelled, call, time: 1_760_000_000_000 }
    }

    fn begin(&mut self) {
        if self.rng.chance(60) {
            self.model();
            self.thinking();
        }
        if self.rng.chance(60) {
            let message = system::first(&mut self.rng, self.time);
            self.message(message, false);
        }
    }

    fn step(&mut self) {
        match self.rng.below(100) {
            0..=15 => self.user(),
            16..=35 => self.assistant(),
            36..=43 => self.tool_result(),
            44..=48 => self.other_message(),
            49..=51 => self.thinking(),
            52..=54 => self.model(),
            55..=57 => self.usage(),
            58..=62 => self.compaction(),
            63..=65 => self.custom(),
            66..=69 => self.custom_message(),
            70..=74 => self.context_edit(),
            75..=80 => self.label(),
            81..=82 => self.name(),
            _ => self.move_or_replace(),
        }
    }

    fn move_or_replace(&mut self) {
        match self.rng.below(17) {
            0..=5 => {
                let target = self.target();
                self.ops.push(json!({"do": "branch", "target": target}));
            }
            6 => self.ops.push(json!({"do": "resetLeaf"})),
            7..=10 => self.branch_with_summary(),
            11..=12 => {
                let target = if self.rng.chance(5) { Value::Null } else { self.target() };
                self.ops.push(json!({"do": "createBranched", "target": target}));
            }
            13 if self.rng.chance(50) => {
                let mut op = json!({"do": "newSession"});
                self.maybe(&mut op, "parentSession", 50, |_| json!("/tmp/parent.jsonl"));
                self.ops.push(op);
            }
            13 | 14 => self.ops.push(json!({"do": "forkFrom"})),
            _ => self.ops.push(json!({"do": "reopen"})),
        }
    }

    /// Adds an operation that makes an entry.
    fn append(&mut self, op: Value, editable: bool) {
        if editable {
            self.editable.push(self.entries);
        }
        self.entries += 1;
        self.time += self.rng.between(1, 90_000) as i64;
        self.ops.push(op);
    }

    /// Mostly an entry that exists; sometimes one that does not.
    fn target(&mut self) -> Value {
        match self.rng.below(20) {
            0 => json!(100_000),
            1..=8 => json!(self.entries.saturating_sub(1 + self.rng.below(6))),
            _ => json!(self.rng.below(self.entries)),
        }
    }

    fn maybe(&mut self, op: &mut Value, key: &str, percent: usize, make: fn(&mut Rng) -> Value) {
        if self.rng.chance(percent) {
            op[key] = make(&mut self.rng);
        }
    }

    fn message(&mut self, message: Object, editable: bool) {
        let message = plain_value(message.into(), &mut self.rng);
        self.append(json!({"do": "message", "message": message}), editable);
    }

    fn user(&mut self) {
        let message = messages::user(&mut self.rng, self.time);
        self.message(message, true);
    }

    fn assistant(&mut self) {
        let calls = if self.rng.chance(50) { vec![new_call(&mut self.rng)] } else { vec![] };
        let message = messages::assistant(&mut self.rng, self.time, &calls);
        self.message(message, true);
        self.call = calls.into_iter().next().unwrap_or_else(|| self.call.clone());
    }

    fn tool_result(&mut self) {
        let message = messages::tool_result(&mut self.rng, self.time, &self.call);
        self.message(message, true);
    }

    fn other_message(&mut self) {
        let (rng, time) = (&mut self.rng, self.time);
        let message = match rng.below(4) {
            0 => messages::bash_execution(rng, time),
            1 => messages::extension_message(rng, time, "custom"),
            2 => messages::unknown_role(rng, time),
            _ => system::patch(rng, time),
        };
        self.message(message, false);
    }

    fn thinking(&mut self) {
        let level = self.rng.pick(&["off", "low", "medium", "high", "xhigh"]);
        self.append(json!({"do": "thinking", "level": level}), false);
    }

    fn model(&mut self) {
        let (provider, model) = self.rng.pick(&[("anthropic", "claude"), ("local", "qwen3")]);
        self.append(json!({"do": "model", "provider": provider, "modelId": model}), false);
    }

    fn usage(&mut self) {
        let usage = usage(&mut self.rng);
        let mut op = json!({
            "do": "usage", "kind": "cache_warm", "provider": "anthropic", "model": "claude",
            "usage": usage,
        });
        self.maybe(&mut op, "note", 40, |rng| json!(rng.pick(&["extension override", ""])));
        self.append(op, false);
    }

    fn compaction(&mut self) {
        let first_kept = if self.rng.chance(25) { Value::Null } else { self.target() };
        let summary = sentence(&mut self.rng);
        let mut op = json!({
            "do": "compaction", "summary": summary, "firstKept": first_kept, "tokensBefore": 12_345,
        });
        self.summary_extras(&mut op);
        self.append(op, false);
    }

    fn summary_extras(&mut self, op: &mut Value) {
        self.maybe(op, "details", 50, free_object);
        self.maybe(op, "fromHook", 50, |rng| json!(rng.chance(50)));
        self.maybe(op, "usage", 40, usage);
    }

    fn custom(&mut self) {
        let mut op = json!({"do": "custom", "customType": word(&mut self.rng)});
        self.maybe(&mut op, "data", 80, free_object);
        self.append(op, false);
    }

    fn custom_message(&mut self) {
        let content = content(&mut self.rng);
        let (custom_type, display) = (word(&mut self.rng), self.rng.chance(60));
        let mut op = json!({
            "do": "customMessage", "customType": custom_type, "content": content,
            "display": display,
        });
        self.maybe(&mut op, "details", 30, free_object);
        self.append(op, true);
    }

    /// An edit of a fitting entry, or of any entry, or with a replacement that Pi refuses.
    fn context_edit(&mut self) {
        let target = if self.editable.is_empty() || self.rng.chance(25) {
            self.target()
        } else {
            let last_ones = self.editable.len().saturating_sub(6);
            json!(self.rng.pick(&self.editable[last_ones..]))
        };
        let replacement = match self.rng.below(12) {
            0 => json!({"text": "no content"}),
            1 => json!({"content": 42}),
            2 => json!("a string"),
            3..=5 => Value::Null,
            _ => json!({"content": content(&mut self.rng)}),
        };
        let op = json!({"do": "contextEdit", "target": target, "replacement": replacement});
        self.append(op, false);
    }

    fn label(&mut self) {
        let again = !self.labelled.is_empty() && self.rng.chance(40);
        let target = if again { json!(self.rng.pick(&self.labelled)) } else { self.target() };
        self.labelled.extend(target.as_u64().map(|ordinal| ordinal as usize));
        let mut op = json!({"do": "label", "target": target});
        self.maybe(&mut op, "label", 75, |rng| json!(rng.pick(&["start", "日本", "", " a b "])));
        self.append(op, false);
    }

    fn name(&mut self) {
        let names = ["work", "  spaces  ", "", "two\r\n\nlines", "\u{feff}name\u{3000}", "🦀"];
        let name = self.rng.pick(&names);
        self.append(json!({"do": "name", "name": name}), false);
    }

    fn branch_with_summary(&mut self) {
        let target = if self.rng.chance(15) { Value::Null } else { self.target() };
        let summary = if self.rng.chance(10) { String::new() } else { sentence(&mut self.rng) };
        let mut op = json!({"do": "branchWithSummary", "target": target, "summary": summary});
        self.summary_extras(&mut op);
        self.append(op, false);
    }
}

fn sentence(rng: &mut Rng) -> String {
    (0..rng.between(2, 9)).map(|_| word(rng)).collect::<Vec<_>>().join(" ")
}

fn content(rng: &mut Rng) -> Value {
    let content = if rng.chance(50) { text::text(rng) } else { messages::plain_blocks(rng) };
    plain_value(content, rng)
}

fn usage(rng: &mut Rng) -> Value {
    let usage = messages::usage(rng);
    plain_value(usage, rng)
}

fn free_object(rng: &mut Rng) -> Value {
    let object = text::free_object(rng, 1);
    plain_value(object, rng)
}

/// The value of a piece of JSON text, or a plain one where a parsed value cannot hold it.
fn plain_value(json: Json, rng: &mut Rng) -> Value {
    let wrapped = line(Object::new().with("value", json), Layout::Pi, rng);
    let mut parsed: Map<String, Value> =
        serde_json::from_str(&wrapped.replace(BROKEN_BYTE_MARK, "?")).unwrap_or_default();
    let fallback = || json!({"role": "user", "content": "plain", "timestamp": 1});
    parsed.remove("value").unwrap_or_else(fallback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn same_seed_same_operations() {
        assert_eq!(operations(5), operations(5));
        assert_ne!(operations(5), operations(6));
    }

    #[test]
    fn every_operation_occurs() {
        let all: Vec<_> = (0..100).flat_map(operations).collect();
        let names: BTreeSet<_> = all.iter().filter_map(|op| op["do"].as_str()).collect();
        assert_eq!(names.len(), 17, "{names:?}");
        assert!((0..100).all(|seed| (15..=62).contains(&operations(seed).len())));
    }
}
