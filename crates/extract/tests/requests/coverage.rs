//! Which kinds of requests were compared.

use std::collections::BTreeMap;

use pitree_extract::request::Request;
use pitree_format::js::stringify;
use pitree_format::{EntryKind, Value};
use pitree_session::{EntryRef, Session};

/// A request with all that is known of it.
pub(crate) struct Seen<'s> {
    session: &'s Session,
    reply: EntryRef<'s>,
    request: &'s Request,
    /// The body that Pi sent.
    sent: &'s Value,
    text: String,
    /// Pi's context before it was changed for the model.
    context: Vec<Value>,
}

impl<'s> Seen<'s> {
    pub(crate) fn new(
        session: &'s Session,
        reply: EntryRef<'s>,
        request: &'s Request,
        sent: &'s Value,
    ) -> Self {
        let parent = reply.parent().map(|parent| parent.index());
        let context = session.context_at(parent).unwrap().messages;
        Self { session, reply, request, sent, text: stringify(sent), context }
    }

    fn says(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    fn messages(&self) -> &[Value] {
        self.sent.get("messages").and_then(Value::as_array).unwrap()
    }

    fn was(&self, key: &str, value: &str) -> bool {
        self.context.iter().any(|message| is(message, key, value))
    }

    fn has_entry(&self, wanted: impl Fn(&EntryRef<'_>) -> bool) -> bool {
        self.session.path_to(self.reply.index()).iter().any(wanted)
    }

    fn edits(&self, omits: bool) -> bool {
        self.has_entry(|entry| {
            entry.kind() == EntryKind::ContextEdit
                && entry.value().unwrap().get("replacement").is_some_and(Value::is_null) == omits
        })
    }

    fn is_foreign(&self, message: &Value) -> bool {
        is(message, "role", "assistant") && !is(message, "model", &self.request.model)
    }

    fn call_ids(&self) -> Vec<String> {
        let calls = self.context.iter().flat_map(|message| blocks(message, "content"));
        let calls = calls.filter(|block| is(block, "type", "toolCall"));
        calls.filter_map(|call| Some(call.get_string("id")?.to_string())).collect()
    }
}

fn is(value: &Value, key: &str, expected: &str) -> bool {
    value.get_string(key).is_some_and(|text| *text == *expected)
}

fn blocks<'v>(message: &'v Value, key: &str) -> &'v [Value] {
    message.get(key).and_then(Value::as_array).unwrap_or_default()
}

type Kind = (&'static str, fn(&Seen<'_>) -> bool);

const KINDS: &[Kind] = &[
    ("tool results", |seen| seen.says(r#""role":"tool""#)),
    ("calls in parallel", |seen| {
        seen.messages().iter().any(|message| blocks(message, "tool_calls").len() > 1)
    }),
    ("failed tools", |seen| {
        seen.context.iter().any(|message| message.get("isError") == Some(&Value::Bool(true)))
    }),
    ("unknown tools", |seen| seen.says("Tool juggle not found")),
    ("made-up results", |seen| seen.says("No result provided")),
    ("failed replies left out", |seen| seen.was("stopReason", "error")),
    ("aborted replies left out", |seen| seen.was("stopReason", "aborted")),
    ("replies cut off", |seen| {
        seen.has_entry(|entry| {
            let message = entry.message().unwrap();
            message.is_some_and(|message| is(&message, "stopReason", "length"))
        })
    }),
    ("retries", |seen| seen.edits(true)),
    ("edited messages", |seen| seen.edits(false)),
    ("compactions", |seen| seen.says("compacted into the following summary")),
    ("branch summaries", |seen| seen.says("summary of a branch")),
    ("forks", |seen| seen.session.header().parent_session.is_some()),
    ("another model before", |seen| seen.context.iter().any(|it| seen.is_foreign(it))),
    ("call ids rewritten", |seen| {
        seen.call_ids().iter().any(|id| !seen.says(&format!("\"id\":\"{id}\"")))
    }),
    ("shell commands", |seen| seen.says("Ran `")),
    ("excluded shell commands", |seen| {
        seen.context.iter().any(|message| message.get("excludeFromContext").is_some())
    }),
    ("messages of extensions", |seen| seen.was("role", "custom")),
    ("messages while a tool ran", |seen| seen.says("and another thing")),
    ("images seen", |seen| seen.says("image_url")),
    ("images not seen", |seen| seen.says("(image omitted")),
    ("tool images seen", |seen| seen.says("Attached image(s)")),
    ("tool images not seen", |seen| seen.says("(tool image omitted")),
    ("images blocked", |seen| seen.says("Image reading is disabled.")),
    ("thinking sent back", |seen| {
        let fields = ["reasoning_content", "reasoning", "reasoning_text"];
        let thinks = |message: &Value| {
            fields.iter().any(|field| message.get(field).is_some_and(Value::is_truthy))
        };
        seen.messages().iter().any(thinks)
    }),
    ("thinking left out", |seen| {
        let thinks = |message: &&Value| {
            blocks(message, "content").iter().any(|block| is(block, "type", "thinking"))
        };
        seen.context.iter().filter(thinks).any(|message| seen.is_foreign(message))
    }),
    ("thinking as text", |seen| seen.says(r#"{"type":"text","text":"thought "#)),
    ("reasoning details", |seen| seen.says(r#""reasoning_details":[{"#)),
    ("empty reasoning", |seen| seen.says(r#""reasoning_content":"""#)),
    ("prompt of the developer", |seen| seen.says(r#""role":"developer""#)),
    ("changed prompts", |seen| {
        seen.context.iter().filter(|message| is(message, "role", "system")).count() > 1
    }),
    ("prompts updated in place", |seen| seen.says("Updated system prompt section")),
    ("tools added in place", |seen| seen.says(r#"{"role":"system","tools":[{"#)),
    ("tools all gone", |seen| seen.says(r#""tools":[]"#)),
    ("strict tools", |seen| seen.says(r#""strict":true"#)),
    ("tools with a grammar", |seen| seen.says(r#""type":"custom","custom""#)),
    ("cache marks", |seen| seen.says(r#""cache_control":{"type":"ephemeral"}"#)),
    ("names of tool results", |seen| seen.says(r#","name":"look"}"#)),
    ("words after tool results", |seen| seen.says("I have processed the tool results.")),
    ("halves of emoji", |seen| {
        seen.context.iter().any(|message| stringify(message).contains("\\ud83d"))
    }),
];

/// How many requests of each kind were compared.
#[derive(Default)]
pub(crate) struct Coverage(BTreeMap<&'static str, usize>);

impl Coverage {
    pub(crate) fn add(&mut self, seen: &Seen<'_>) {
        for (name, is_of_kind) in KINDS {
            *self.0.entry(name).or_default() += usize::from(is_of_kind(seen));
        }
    }

    /// The kinds with their numbers, in order.
    pub(crate) fn table(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        KINDS.iter().map(|(name, _)| (*name, self.0.get(name).copied().unwrap_or_default()))
    }
}
