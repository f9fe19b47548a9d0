//! All that a chat-completions model can say in one answer.

use serde_json::{Map, Value, json};

/// An answer of a chat-completions model, always streamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MockAnswer {
    /// The id of the answer, which Pi stores with the reply.
    pub id: String,
    /// The member in which it thinks, and what it thinks.
    pub thinking: Option<(String, String)>,
    /// Its `reasoning_details`.
    pub details: Option<Value>,
    /// The text; none if it is empty.
    pub text: String,
    /// The tools it calls.
    pub calls: Vec<MockCall>,
    /// Tokens of the request and of the answer.
    pub tokens: (u64, u64),
    /// Why it ends, such as `stop`; without a reason the connection is closed.
    pub finish: Option<String>,
    /// Whether it says nothing more in place of its end, until the client leaves.
    pub stalls: bool,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MockCall {
    /// The id that the result will name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as JSON, or whatever the model takes for it.
    pub arguments: String,
}

impl MockAnswer {
    /// The answer as a stream of events.
    pub(super) fn events(&self) -> Vec<String> {
        let mut events = Vec::new();
        if let Some((field, thought)) = &self.thinking {
            let delta = Map::from_iter([(field.clone(), json!(thought))]);
            events.push(self.delta(&delta.into(), None));
        }
        if let Some(details) = &self.details {
            events.push(self.delta(&json!({ "reasoning_details": details }), None));
        }
        // Pieces, so that the answer has begun before it ends.
        let half = self.text.len() / 2;
        let middle = (half..=self.text.len()).find(|at| self.text.is_char_boundary(*at));
        let (first, second) = self.text.split_at(middle.unwrap_or_default());
        for piece in [first, second].into_iter().filter(|piece| !piece.is_empty()) {
            events.push(self.delta(&json!({ "content": piece }), None));
        }
        for (index, call) in self.calls.iter().enumerate() {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            let call =
                json!({ "index": index, "id": call.id, "type": "function", "function": function });
            events.push(self.delta(&json!({ "tool_calls": [call] }), None));
        }
        let Some(finish) = self.finish.as_ref().filter(|_| !self.stalls) else { return events };
        events.push(self.delta(&json!({}), Some(finish)));
        let (input, output) = self.tokens;
        let usage = json!({
            "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        });
        events.push(self.event(&json!([]), Some(&usage)));
        events.push("data: [DONE]\n\n".to_owned());
        events
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> String {
        self.event(&json!([{ "index": 0, "delta": delta, "finish_reason": finish }]), None)
    }

    fn event(&self, choices: &Value, usage: Option<&Value>) -> String {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": 0, "choices": choices,
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage.clone();
        }
        format!("data: {chunk}\n\n")
    }
}
