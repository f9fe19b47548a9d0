//! Token estimates as Pi makes them: a quarter of the UTF-16 length, and what the provider
//! reported where that still holds.

use pitree_format::js::stringify;
use pitree_format::message::is_type;
use pitree_format::usage::Usage;
use pitree_format::{EntryKind, JsString, Object, Role, Value};

use super::{Projected, Projection, current_system_message};
use crate::error::{Result, SessionError};
use crate::session::{EntryRef, Session};

/// What an image counts, in characters.
const IMAGE_CHARS: usize = 4800;

/// How full the context is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextEstimate {
    /// All tokens.
    pub tokens: f64,
    /// The part that the provider reported.
    pub usage_tokens: f64,
    /// The part that is estimated.
    pub trailing_tokens: f64,
    /// Which message the report belongs to.
    pub last_usage_index: Option<usize>,
}

/// Estimates the tokens of one message.
pub fn estimate_tokens(message: &Value) -> usize {
    let chars = match Role::of(message) {
        Role::System => {
            let sections = message.get("sections").and_then(Value::as_object);
            let sections: usize = sections
                .into_iter()
                .flat_map(Object::iter)
                .filter_map(|(_, part)| part.as_string())
                .map(JsString::utf16_len)
                .sum();
            let tools = message.get("toolsAdded").filter(|tools| tools.is_truthy());
            content_chars(message.get("content")) + sections + tools.map_or(0, json_chars)
        }
        Role::User | Role::Custom | Role::ToolResult => content_chars(message.get("content")),
        Role::Assistant => {
            let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
            blocks.iter().map(assistant_block_chars).sum()
        }
        Role::BashExecution => {
            text_chars(message.get("command")) + text_chars(message.get("output"))
        }
        Role::BranchSummary | Role::CompactionSummary => text_chars(message.get("summary")),
        _ => 0,
    };
    chars.div_ceil(4)
}

fn text_chars(value: Option<&Value>) -> usize {
    value.and_then(Value::as_string).map_or(0, JsString::utf16_len)
}

fn json_chars(value: &Value) -> usize {
    JsString::from(stringify(value)).utf16_len()
}

fn content_chars(content: Option<&Value>) -> usize {
    match content {
        Some(Value::String(text)) => text.utf16_len(),
        Some(Value::Array(blocks)) => blocks
            .iter()
            .map(|block| {
                if is_type(block, "text") {
                    text_chars(block.get("text"))
                } else if is_type(block, "image") {
                    IMAGE_CHARS
                } else {
                    0
                }
            })
            .sum(),
        _ => 0,
    }
}

fn assistant_block_chars(block: &Value) -> usize {
    if is_type(block, "text") {
        text_chars(block.get("text"))
    } else if is_type(block, "thinking") {
        text_chars(block.get("thinking"))
    } else if is_type(block, "toolCall") {
        text_chars(block.get("name")) + block.get("arguments").map_or(0, json_chars)
    } else {
        0
    }
}

/// The usage of an assistant message that tells the size of the context: not of one that was
/// aborted or failed, and not an empty one.
pub(crate) fn usable_usage(message: &Value) -> Option<Usage> {
    if Role::of(message) != Role::Assistant {
        return None;
    }
    let stop = message.get_string("stopReason");
    if stop.is_some_and(|stop| *stop == "aborted" || *stop == "error") {
        return None;
    }
    message.get("usage").and_then(Usage::decode).filter(|usage| {
        let parts = [usage.input, usage.output, usage.cache_read, usage.cache_write];
        let has_total = usage.total_tokens.is_some_and(|total| total != 0.0);
        // In JavaScript a sum with a missing part is no number.
        (has_total || parts.iter().all(Option::is_some)) && usage.context_tokens() > 0.0
    })
}

/// The last reported size plus an estimate of what came after. Pi's `estimateContextTokens`.
pub fn estimate_context(messages: &[Value]) -> ContextEstimate {
    let mut estimator = ContextEstimator::default();
    messages.iter().for_each(|message| estimator.add(message));
    estimator.estimate()
}

/// Estimates a context message by message. Gives what [`estimate_context`] gives for all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextEstimator {
    messages: usize,
    estimate: ContextEstimate,
}

impl ContextEstimator {
    /// Takes the next message.
    pub fn add(&mut self, message: &Value) {
        match usable_usage(message) {
            Some(usage) => {
                let usage_tokens = usage.context_tokens();
                self.estimate = ContextEstimate {
                    tokens: usage_tokens,
                    usage_tokens,
                    trailing_tokens: 0.0,
                    last_usage_index: Some(self.messages),
                };
            }
            None => {
                self.estimate.trailing_tokens += estimate_tokens(message) as f64;
                self.estimate.tokens = self.estimate.usage_tokens + self.estimate.trailing_tokens;
            }
        }
        self.messages += 1;
    }

    /// The estimate of the messages so far.
    pub fn estimate(&self) -> ContextEstimate {
        self.estimate
    }
}

/// The same, but a report older than the last compaction or context edit on the path does not
/// count. Pi's `estimateProjectedContextTokens`.
pub fn estimate_projected_context(
    projection: &Projection<'_>,
    path: &[EntryRef<'_>],
) -> ContextEstimate {
    let mut estimator = ProjectedEstimator::default();
    projection.entries.iter().for_each(|projected| estimator.add(projected));
    estimator.finish(path)
}

/// Estimates a projection entry by entry.
#[derive(Default)]
struct ProjectedEstimator {
    reported: ContextEstimator,
    /// The entry of the last message that reported a size.
    owner: Option<usize>,
    /// The system messages: what they say together is known at the end.
    system: Vec<Value>,
    /// The tokens of all others.
    others: usize,
}

impl ProjectedEstimator {
    fn add(&mut self, projected: &Projected<'_>) {
        for message in &projected.messages {
            let before = self.reported.estimate.last_usage_index;
            self.reported.add(message);
            if self.reported.estimate.last_usage_index != before {
                self.owner = Some(projected.entry.index());
            }
            match Role::of(message) {
                Role::System => self.system.push(message.clone()),
                _ => self.others += estimate_tokens(message),
            }
        }
    }

    fn finish(self, path: &[EntryRef<'_>]) -> ContextEstimate {
        if let Some(owner) = self.owner {
            let place = path.iter().position(|entry| entry.index() == owner);
            let last_change = path
                .iter()
                .rposition(|e| matches!(e.kind(), EntryKind::ContextEdit | EntryKind::Compaction));
            if place.is_some() && place > last_change {
                return self.reported.estimate();
            }
        }
        let system = current_system_message(&self.system).map(Value::Object);
        let tokens = (self.others + system.as_ref().map_or(0, estimate_tokens)) as f64;
        ContextEstimate {
            tokens,
            usage_tokens: 0.0,
            trailing_tokens: tokens,
            last_usage_index: None,
        }
    }
}

impl Session {
    /// How full the context at the leaf is.
    pub fn context_estimate(&self) -> Result<ContextEstimate> {
        self.context_estimate_at(self.leaf().map(|leaf| leaf.index()))
    }

    /// How full the context at an entry is, or at the start of the tree.
    pub fn context_estimate_at(&self, leaf: Option<usize>) -> Result<ContextEstimate> {
        let mut estimator = ProjectedEstimator::default();
        self.each_projected_at(leaf, |projected| {
            estimator.add(&projected);
            Ok::<_, SessionError>(())
        })?;
        let path = leaf.map_or_else(Vec::new, |leaf| self.path_to(leaf));
        Ok(estimator.finish(&path))
    }
}
