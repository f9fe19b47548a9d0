//! The second layer: messages in the form of OpenAI's chat completions.
//!
//! An encoder takes the messages of a transcript one after another. What it has written stays as
//! it is, so requests that only grow share their beginning.

use std::sync::Arc;

use pitree_format::js::stringify;
use pitree_format::message::{is_type, text_block};
use pitree_format::{JsString, Object, Role, Value};

use super::reasoning;
use super::target::TargetModel;
use super::tools::{self, ToolUse};
use crate::texts::{
    NO_OUTPUT, blocks, is_blank, joined, reply_texts, result_text, sanitized, system_text,
    system_update_text,
};

const AFTER_RESULTS: &str = "I have processed the tool results.";
const IMAGES_FOLLOW: &str = "(see attached image)";
const IMAGES_OF_RESULTS: &str = "Attached image(s) from tool result:";

/// Messages on their way into a request.
#[derive(Clone, Debug)]
pub(super) struct ChatEncoder {
    target: Arc<TargetModel>,
    tool_use: ToolUse,
    messages: Vec<Arc<Value>>,
    /// The images of the tool results that were written last.
    images: Vec<Arc<Value>>,
    /// Whether a tool result was written last.
    after_result: bool,
    /// How many messages were taken.
    taken: usize,
    systems: usize,
}

impl ChatEncoder {
    pub(super) fn new(target: Arc<TargetModel>, tool_use: ToolUse) -> Self {
        Self {
            target,
            tool_use,
            messages: Vec::new(),
            images: Vec::new(),
            after_result: false,
            taken: 0,
            systems: 0,
        }
    }

    /// How tools are written.
    pub(super) fn tool_use(&self) -> &ToolUse {
        &self.tool_use
    }

    /// Writes the next message of a transcript.
    pub(super) fn push(&mut self, message: &Value) {
        let role = Role::of(message);
        if role != Role::ToolResult {
            self.flush_images();
        }
        match role {
            Role::ToolResult => self.push_result(message),
            Role::System => {
                let written = self.system(message);
                self.messages.extend(written.map(Arc::new));
                self.after_result = false;
            }
            Role::Assistant => self.push_if_any(self.assistant(message)),
            _ => {
                if self.target.compat.assistant_after_tool_result && self.after_result {
                    self.write(assistant_text(AFTER_RESULTS));
                }
                self.push_if_any(user(message));
            }
        }
        self.taken += 1;
    }

    /// A message that leaves nothing behind does not come between its neighbours.
    fn push_if_any(&mut self, message: Option<Value>) {
        if let Some(message) = message {
            self.messages.push(Arc::new(message));
            self.after_result = false;
        }
    }

    /// The messages of the request.
    pub(super) fn finish(mut self) -> Vec<Arc<Value>> {
        self.flush_images();
        self.messages
    }

    /// Takes out what is written so far.
    pub(super) fn take(&mut self) -> Vec<Arc<Value>> {
        std::mem::take(&mut self.messages)
    }

    fn write(&mut self, message: Object) {
        self.messages.push(Arc::new(message.into()));
    }

    /// The images of tool results follow them in a message of the user.
    fn flush_images(&mut self) {
        if self.images.is_empty() {
            return;
        }
        if self.target.compat.assistant_after_tool_result {
            self.write(assistant_text(AFTER_RESULTS));
        }
        let images = self.images.drain(..).map(Arc::unwrap_or_clone);
        let content: Vec<Value> =
            [text_block(IMAGES_OF_RESULTS)].into_iter().chain(images).collect();
        self.write(Object::new().with("role", "user").with("content", content));
        self.after_result = false;
    }

    fn push_result(&mut self, message: &Value) {
        let blocks = blocks(message);
        let text = result_text(&blocks);
        let images = blocks.iter().filter(|block| is_type(block, "image"));
        let has_images = images.clone().next().is_some();
        let content = match (is_blank(&text), has_images) {
            (false, _) => sanitized(&text),
            (true, true) => IMAGES_FOLLOW.into(),
            (true, false) => NO_OUTPUT.into(),
        };
        let mut result = Object::new()
            .with("role", "tool")
            .with("content", content)
            .with_some("tool_call_id", message.get("toolCallId").cloned());
        let name = message.get("toolName").filter(|name| name.is_truthy());
        if let (true, Some(name)) = (self.target.compat.tool_result_name, name) {
            result.set("name", name.clone());
        }
        self.write(result);
        if self.target.sees_images {
            self.images.extend(images.map(|image| Arc::new(image_url(image))));
        }
        self.after_result = true;
    }

    fn system(&mut self, message: &Value) -> Option<Value> {
        let is_beside = self.tool_use.added_from.is_some_and(|from| self.systems >= from);
        self.systems += 1;
        let added = tools::list(message, "toolsAdded");
        if is_beside && !added.is_empty() {
            let added = added.iter().map(|tool| tools::encoded(tool, &self.target.compat));
            let added: Vec<Value> = added.collect();
            self.write(Object::new().with("role", "system").with("tools", added));
        }
        let text = if self.taken == 0 { system_text(message) } else { system_update_text(message) };
        let is_developer = self.target.reasoning && self.target.compat.developer_role;
        let role = if is_developer { "developer" } else { "system" };
        let content = sanitized(&text);
        (!text.is_empty()).then(|| Object::new().with("role", role).with("content", content).into())
    }

    fn assistant(&self, message: &Value) -> Option<Value> {
        let compat = &self.target.compat;
        let blocks = blocks(message);
        let texts = reply_texts(&blocks);
        let thoughts: Vec<&Value> = blocks
            .iter()
            .filter(|block| is_type(block, "thinking"))
            .filter(|block| thought(block).is_some_and(|text| !is_blank(text)))
            .collect();
        let details = reasoning::details(&blocks);
        let mut reply = Object::new().with("role", "assistant");
        let whole = joined(&texts, "");
        let content: Value = if !thoughts.is_empty() && compat.thinking_as_text {
            let thinking: Vec<JsString> =
                thoughts.iter().filter_map(|block| thought(block)).map(sanitized).collect();
            let parts = [joined(&thinking, "\n\n")].into_iter().chain(texts);
            parts.map(text_block).collect::<Vec<_>>().into()
        } else if !whole.is_empty() {
            whole.into()
        } else if compat.assistant_after_tool_result {
            "".into()
        } else {
            Value::Null
        };
        let says_something = content.is_truthy();
        reply.set("content", content);
        if !compat.thinking_as_text && details.is_none() {
            self.set_reasoning(&mut reply, &thoughts);
        }
        let calls: Vec<Value> = blocks
            .iter()
            .filter(|block| is_type(block, "toolCall"))
            .map(|call| self.tool_call(call))
            .collect();
        if calls.is_empty() && !says_something {
            return None;
        }
        if !calls.is_empty() {
            reply.set("tool_calls", calls.into());
        }
        if let Some(details) = details {
            reply.set("reasoning_details", details);
        }
        let wants_field = compat.reasoning_content && self.target.reasoning;
        if wants_field && reply.get(reasoning::FIELD).is_none() {
            reply.set(reasoning::FIELD, "".into());
        }
        Some(reply.into())
    }

    /// Thinking goes back in the member that it came in.
    fn set_reasoning(&self, reply: &mut Object, thoughts: &[&Value]) {
        let Some(first) = thoughts.first() else { return };
        let field = first.get_string("thinkingSignature");
        let Some(field) = reasoning::field(field, &self.target.provider) else { return };
        let text = joined(thoughts.iter().filter_map(|block| thought(block)), "\n");
        reply.set(field, text.into());
    }

    fn tool_call(&self, call: &Value) -> Value {
        let (id, name) = (call.get("id").cloned(), call.get("name").cloned());
        let inputs = &self.tool_use.grammar_inputs;
        let grammar_input = call.get_string("name").and_then(|name| inputs.get(name));
        if let Some(input) = grammar_input {
            let input = call.get("arguments").and_then(|given| given.get_string(&input.to_text()));
            let custom =
                Object::new().with_some("name", name).with_some("input", input.map(sanitized));
            return Object::new()
                .with_some("id", id)
                .with("type", "custom")
                .with("custom", custom)
                .into();
        }
        let function = Object::new()
            .with_some("name", name)
            .with_some("arguments", call.get("arguments").map(stringify));
        Object::new().with_some("id", id).with("type", "function").with("function", function).into()
    }
}

fn thought(block: &Value) -> Option<&JsString> {
    block.get_string("thinking")
}

fn assistant_text(text: &str) -> Object {
    Object::new().with("role", "assistant").with("content", text)
}

fn user(message: &Value) -> Option<Value> {
    let content: Value = match message.get("content") {
        Some(Value::String(text)) => sanitized(text).into(),
        Some(Value::Array(blocks)) => {
            let parts: Vec<Value> = blocks.iter().filter_map(user_part).collect();
            if parts.is_empty() {
                return None;
            }
            parts.into()
        }
        _ => return None,
    };
    Some(Object::new().with("role", "user").with("content", content).into())
}

/// A part of a user's message. Pi takes for an image whatever is no text.
fn user_part(block: &Value) -> Option<Value> {
    if !is_type(block, "text") {
        return Some(image_url(block));
    }
    let text = block.get_string("text")?;
    (!text.is_empty()).then(|| text_block(sanitized(text)))
}

fn image_url(image: &Value) -> Value {
    let mut url = JsString::from("data:");
    let part = |key: &str| image.get_string(key).cloned().unwrap_or_else(|| "undefined".into());
    url.push(&part("mimeType"));
    url.push_str(";base64,");
    url.push(&part("data"));
    Object::new().with("type", "image_url").with("image_url", Object::new().with("url", url)).into()
}
