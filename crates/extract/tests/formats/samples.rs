//! Random samples, and what they mean, written down without the help of any form.

use std::sync::Arc;

use pitree_extract::{
    About, ChatMessage, ChatRole, Part, Sample, SampleKind, ToolCall, ToolResult,
};
use pitree_format::{Value as JsValue, js};
use pitree_testkit::{Rng, seed};
use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "the build",
    "fails",
    "\n",
    "naïve 🙂 text",
    "\"quoted\" \\ back",
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "<tool_response>",
    "{{ jinja }}",
    "{% raw %}",
    "<|im_end|>",
    "  spaces  ",
    "\u{2028}line\u{2028}",
    "[image]",
];
/// Words that no template takes for its own marks.
const PLAIN_WORDS: &[&str] =
    &["the build", "fails", "naïve 🙂 text", "\"quoted\" \\ back", "ok\nso"];

/// How wild the samples are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// With marks of templates in them.
    Any,
    /// As a template gives them back unchanged.
    Plain,
}

/// This many samples of the kind.
pub(crate) fn samples(count: usize, kind: SampleKind, texts: Texts) -> Vec<Sample> {
    let start = seed();
    (0..count).map(|at| sample(start + at as u64, kind, texts)).collect()
}

fn sample(seed: u64, kind: SampleKind, texts: Texts) -> Sample {
    let mut maker = Maker { rng: Rng::new(seed), texts, calls: 0, messages: Vec::new() };
    if maker.rng.chance(80) {
        let text = maker.text();
        maker.say(ChatRole::System, &text);
    }
    for _ in 0..maker.rng.between(1, 4) {
        maker.turn();
    }
    let tools = maker.rng.chance(80).then(|| Arc::new(vec![parse(BASH), parse(EDIT)]));
    let trained = maker.trained(kind);
    Sample {
        id: format!("s{seed}:leaf:0"),
        kind,
        leaf_id: "leaf".to_owned(),
        segment: 0,
        messages: maker.messages.into_iter().map(Arc::new).collect(),
        trained,
        tools,
        wire: None,
        altered: Vec::new(),
        about: Arc::new(About {
            session_id: format!("s{seed}"),
            family_id: format!("s{seed}"),
            cwd: "/srv/app".to_owned(),
            ..About::default()
        }),
    }
}

const BASH: &str = r#"{"name":"bash","description":"Run a command","parameters":{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"number"}},"required":["command"]}}"#;
const EDIT: &str = r#"{"name":"edit","description":"Change a file","parameters":{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},"required":["oldText","newText"]}}},"required":["path","edits"]}}"#;

fn parse(text: &str) -> JsValue {
    js::parse(text.as_bytes()).unwrap()
}

struct Maker {
    rng: Rng,
    texts: Texts,
    calls: usize,
    messages: Vec<ChatMessage>,
}

impl Maker {
    fn text(&mut self) -> String {
        let words = if self.texts == Texts::Any { WORDS } else { PLAIN_WORDS };
        let count = self.rng.between(1, 6);
        (0..count).map(|_| self.rng.pick(words)).collect::<Vec<_>>().join(" ")
    }

    fn say(&mut self, role: ChatRole, text: &str) -> &mut ChatMessage {
        self.messages.push(ChatMessage {
            role,
            content: if text.is_empty() { vec![] } else { vec![Part::Text(text.to_owned())] },
            reasoning: None,
            tool_calls: Vec::new(),
            result: None,
            entry_id: None,
            timestamp: None,
            speaker: None,
        });
        self.messages.last_mut().unwrap()
    }

    /// A message of the user, or two, and the replies to it with their tools.
    fn turn(&mut self) {
        for _ in 0..self.rng.weighted(&[(8, 1), (2, 2)]) {
            let text = self.text();
            let has_image = self.texts == Texts::Any && self.rng.chance(10);
            let message = self.say(ChatRole::User, &text);
            if has_image {
                let data = Arc::new("iVBORw0KGgo=".to_owned());
                message.content.push(Part::Image { mime_type: "image/png".to_owned(), data });
            }
        }
        for _ in 0..self.rng.below(4) {
            let count = self.rng.weighted(&[(7, 1), (3, 2)]);
            let calls: Vec<ToolCall> = (0..count).map(|_| self.call()).collect();
            let text = if self.rng.chance(60) { self.text() } else { String::new() };
            self.reply(&text, calls.clone());
            for call in calls {
                let text = self.text();
                let is_error = self.rng.chance(10);
                self.say(ChatRole::Tool, &text).result =
                    Some(ToolResult { call_id: call.id, name: call.name, is_error });
            }
        }
        let text = self.text();
        self.reply(&text, Vec::new());
    }

    fn reply(&mut self, text: &str, calls: Vec<ToolCall>) {
        let reasoning = self.rng.chance(50).then(|| self.text());
        let reply = self.say(ChatRole::Assistant, text);
        reply.reasoning = reasoning;
        reply.tool_calls = calls;
    }

    fn call(&mut self) -> ToolCall {
        self.calls += 1;
        let (name, arguments) = if self.rng.chance(60) {
            let mut arguments = json!({ "command": self.text() });
            if self.rng.chance(30) {
                arguments["timeout"] = json!(self.rng.below(600));
            }
            ("bash", arguments)
        } else {
            let edit = json!({ "oldText": self.text(), "newText": self.text() });
            ("edit", json!({ "path": "/srv/app/a.rs", "edits": [edit] }))
        };
        ToolCall {
            id: format!("call_{}", self.calls),
            made_up_id: false,
            name: name.to_owned(),
            arguments: parse(&arguments.to_string()),
        }
    }

    /// Which replies are trained: those of the last turn, the last one, or for a branch any.
    fn trained(&mut self, kind: SampleKind) -> Vec<bool> {
        let is_reply = |message: &ChatMessage| message.role == ChatRole::Assistant;
        let replies: Vec<usize> =
            (0..self.messages.len()).filter(|&at| is_reply(&self.messages[at])).collect();
        let mut trained = vec![false; self.messages.len()];
        let first = match kind {
            SampleKind::Request => replies.len() - 1,
            SampleKind::Turn => {
                let is_user = |message: &ChatMessage| message.role == ChatRole::User;
                let asked = self.messages.iter().rposition(is_user).unwrap();
                replies.iter().position(|&at| at > asked).unwrap()
            }
            SampleKind::Path if self.rng.chance(60) => 0,
            SampleKind::Path => self.rng.below(replies.len()),
        };
        replies[first..].iter().for_each(|&at| trained[at] = true);
        if kind == SampleKind::Path && replies.len() > 1 && self.rng.chance(15) {
            trained[self.rng.pick(&replies[..replies.len() - 1])] = false;
        }
        trained
    }
}

/// What a sample means: its messages as they are.
pub(crate) fn meaning(sample: &Sample) -> Value {
    let messages = sample.turns().map(|(message, trained)| {
        let calls = message.tool_calls.iter().map(
            |call| json!({ "id": call.id, "name": call.name, "arguments": value(&call.arguments) }),
        );
        json!({
            "role": role(message.role),
            "text": text(message),
            "reasoning": message.reasoning.as_ref().filter(|thought| !thought.trim().is_empty()),
            "calls": calls.collect::<Vec<_>>(),
            "call_id": message.result.as_ref().map(|result| &result.call_id),
            "trained": trained,
        })
    });
    let tools = sample.tools.as_ref();
    json!({
        "sampleId": sample.id,
        "messages": messages.collect::<Vec<_>>(),
        "tools": tools.map(|tools| tools.iter().map(value).collect::<Vec<_>>()),
    })
}

pub(crate) fn value(value: &JsValue) -> Value {
    serde_json::from_str(&js::stringify(value)).unwrap()
}

pub(crate) fn role(role: ChatRole) -> &'static str {
    match role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
        ChatRole::Tool => "tool",
    }
}

fn text(message: &ChatMessage) -> String {
    let texts = message.content.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Image { .. } => "[image]".to_owned(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The messages up to the last reply that is trained, as [`meaning`] has them.
pub(crate) fn learned_part(meaning: &Value) -> &[Value] {
    let messages = meaning["messages"].as_array().unwrap();
    let end = messages.iter().rposition(|message| message["trained"] == true);
    &messages[..end.map_or(0, |end| end + 1)]
}
