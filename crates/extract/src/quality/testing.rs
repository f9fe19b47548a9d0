//! Samples for tests.

use pitree_sample::{About, ChatMessage, ChatRole, Part, Sample, SampleKind, Speaker};
use std::sync::Arc;

pub(super) fn message(role: ChatRole, text: &str) -> Arc<ChatMessage> {
    Arc::new(ChatMessage {
        role,
        content: vec![Part::Text(text.to_owned())],
        reasoning: None,
        tool_calls: Vec::new(),
        result: None,
        entry_id: None,
        timestamp: None,
        speaker: None,
    })
}

/// A reply that ended like this.
pub(super) fn speaking(text: &str, end: &str) -> Arc<ChatMessage> {
    let mut reply = message(ChatRole::Assistant, text);
    let speaker = Speaker { stop_reason: Some(end.to_owned()), ..Speaker::default() };
    Arc::make_mut(&mut reply).speaker = Some(speaker);
    reply
}

/// A sample in which all replies are trained.
pub(super) fn sample(messages: Vec<Arc<ChatMessage>>) -> Sample {
    let trained = messages.iter().map(|message| message.role == ChatRole::Assistant).collect();
    Sample {
        id: "sample".to_owned(),
        kind: SampleKind::Path,
        leaf_id: "leaf".to_owned(),
        segment: 0,
        messages,
        trained,
        tools: None,
        wire: None,
        altered: Vec::new(),
        about: Arc::new(About::default()),
    }
}
