//! Marks for providers that cache a prompt only up to where they are told.

use std::convert::Infallible;
use std::sync::Arc;

use pitree_format::message::{is_type, text_block};
use pitree_format::{Object, Value};

use super::target::{CacheRetention, Compat};

/// The mark that a request to this endpoint carries, if any.
pub(super) fn mark(compat: &Compat, retention: CacheRetention) -> Option<Value> {
    if !compat.cache_marks || retention == CacheRetention::None {
        return None;
    }
    let is_long = retention == CacheRetention::Long && compat.long_cache;
    Some(Object::new().with("type", "ephemeral").with_some("ttl", is_long.then_some("1h")).into())
}

/// Marks the system prompt, the last tool and the last message that has text, as messages pass by.
pub(super) struct Marker {
    mark: Option<Value>,
    has_prompt: bool,
    /// The last message that has text, and those after it.
    held: Vec<Arc<Value>>,
}

impl Marker {
    pub(super) fn new(mark: Option<Value>) -> Self {
        Self { mark, has_prompt: false, held: Vec::new() }
    }

    /// Takes the next message, and tells those that will not be marked any more.
    pub(super) fn push<E>(
        &mut self,
        mut message: Arc<Value>,
        tell: &mut impl FnMut(Arc<Value>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(mark) = &self.mark else { return tell(message) };
        let is_prompt = is_prompt(&message);
        if is_prompt && !self.has_prompt {
            self.has_prompt = true;
            mark_text(&mut message, mark);
        }
        if !is_prompt && can_be_marked(&message) {
            self.held.drain(..).try_for_each(&mut *tell)?;
        }
        self.held.push(message);
        Ok(())
    }

    /// Marks the last message that has text, and tells what is left.
    pub(super) fn finish<E>(
        &mut self,
        tell: &mut impl FnMut(Arc<Value>) -> Result<(), E>,
    ) -> Result<(), E> {
        let last = self.held.iter_mut().find(|message| !is_prompt(message));
        if let (Some(mark), Some(last)) = (&self.mark, last) {
            mark_text(last, mark);
        }
        self.held.drain(..).try_for_each(tell)
    }

    pub(super) fn mark_tools(&self, tools: &mut [Value]) {
        if let (Some(mark), Some(Value::Object(tool))) = (&self.mark, tools.last_mut()) {
            tool.set("cache_control", mark.clone());
        }
    }
}

/// Marks the system prompt, the last tool and the last message that has text.
pub(super) fn set(messages: &mut Vec<Arc<Value>>, tools: Option<&mut Vec<Value>>, mark: Value) {
    let mut marker = Marker::new(Some(mark));
    if let Some(tools) = tools {
        marker.mark_tools(tools);
    }
    let mut marked = Vec::with_capacity(messages.len());
    let mut tell = |message| {
        marked.push(message);
        Ok::<_, Infallible>(())
    };
    for message in messages.drain(..) {
        let Ok(()) = marker.push(message, &mut tell);
    }
    let Ok(()) = marker.finish(&mut tell);
    *messages = marked;
}

fn is_prompt(message: &Value) -> bool {
    message.get_string("role").is_some_and(|role| *role == *"system" || *role == *"developer")
}

/// Whether a message has text.
fn can_be_marked(message: &Value) -> bool {
    match message.get("content") {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(parts)) => parts.iter().any(|part| is_type(part, "text")),
        _ => false,
    }
}

/// Marks the last text of a message. `false` if it has none.
fn mark_text(message: &mut Arc<Value>, mark: &Value) -> bool {
    if !can_be_marked(message) {
        return false;
    }
    // The unmarked message may belong to other requests too, so this one gets its own.
    let Some(object) = Arc::make_mut(message).as_object_mut() else { return false };
    let Some(content) = object.get_mut("content") else { return false };
    if let Value::String(text) = content {
        *content = vec![text_block(text.clone())].into();
    }
    if let Value::Array(parts) = content
        && let Some(Value::Object(part)) = parts.iter_mut().rev().find(|part| is_type(part, "text"))
    {
        part.set("cache_control", mark.clone());
    }
    true
}
