//! What becomes of the reasoning of a model.

use std::sync::Arc;

use pitree_format::named_enum;

use crate::memo::Memo;
use crate::message::{ChatMessage, Part, Speaker};
use crate::sample::Sample;

named_enum! {
    /// What becomes of the reasoning of a model.
    #[derive(Default)]
    pub enum Reasoning {
        #[default]
        Keep = "keep": "Keep it next to the text",
        Drop = "drop": "Leave it out",
        /// It comes before what is said.
        Inline = "inline": "Put it in the text, between `<think>` and `</think>`",
        /// Some templates take only two of the three at once.
        Split = "split": "Split a reply with reasoning, text and tool calls in two",
    }
}

impl Reasoning {
    /// Does it to a sample.
    pub fn apply(self, sample: &mut Sample) {
        self.apply_shared(sample, &mut Memo::default());
    }

    /// Does it to a sample. Messages that samples share are changed once.
    pub fn apply_shared(
        self,
        sample: &mut Sample,
        changed: &mut Memo<ChatMessage, Vec<Arc<ChatMessage>>>,
    ) {
        let change: fn(&ChatMessage) -> Vec<ChatMessage> = match self {
            Self::Keep => return,
            Self::Drop => dropped,
            Self::Inline => inlined,
            Self::Split => split,
        };
        let mut trained = Vec::with_capacity(sample.trained.len());
        let mut messages = Vec::with_capacity(sample.messages.len());
        let flags = sample.trained.iter().copied().chain(std::iter::repeat(false));
        for (message, is_trained) in sample.messages.drain(..).zip(flags) {
            if message.reasoning.is_none() {
                messages.push(message);
                trained.push(is_trained);
                continue;
            }
            let changed = changed
                .get_or(&message, |message| change(message).into_iter().map(Arc::new).collect());
            trained.extend(changed.iter().map(|_| is_trained));
            messages.extend(changed);
        }
        (sample.messages, sample.trained) = (messages, trained);
    }
}

/// A reply that only thought has nothing left, and goes.
fn dropped(message: &ChatMessage) -> Vec<ChatMessage> {
    let rest = ChatMessage { reasoning: None, ..message.clone() };
    let is_empty = rest.content.is_empty() && rest.tool_calls.is_empty();
    if is_empty { Vec::new() } else { vec![rest] }
}

/// Thoughts as they stand in a text, before what is said.
pub fn in_text(thought: &str) -> String {
    format!("<think>\n{thought}\n</think>\n\n")
}

fn inlined(message: &ChatMessage) -> Vec<ChatMessage> {
    let mut said = message.clone();
    if let Some(thought) = said.reasoning.take() {
        let thought = in_text(&thought);
        match said.content.first_mut() {
            Some(Part::Text(text)) => text.insert_str(0, &thought),
            _ => said.content.insert(0, Part::Text(thought)),
        }
    }
    vec![said]
}

fn split(message: &ChatMessage) -> Vec<ChatMessage> {
    if message.content.is_empty() || message.tool_calls.is_empty() {
        return vec![message.clone()];
    }
    let said = ChatMessage { tool_calls: Vec::new(), ..message.clone() };
    let second =
        |speaker: &Speaker| Speaker { usage: None, is_second_half: true, ..speaker.clone() };
    let called = ChatMessage {
        content: Vec::new(),
        reasoning: None,
        speaker: Some(second(message.speaker.as_ref().unwrap_or(&Speaker::default()))),
        ..message.clone()
    };
    vec![said, called]
}

#[cfg(test)]
mod tests {
    use pitree_format::{Object, Value};

    use super::*;
    use crate::about::About;
    use crate::message::{ChatRole, ToolCall};
    use crate::sample::SampleKind;

    fn reply(reasoning: Option<&str>, text: &str, calls: usize) -> Arc<ChatMessage> {
        let call = |at| ToolCall {
            id: format!("c{at}"),
            made_up_id: false,
            name: "bash".to_owned(),
            arguments: Value::Object(Object::new()),
        };
        Arc::new(ChatMessage {
            role: ChatRole::Assistant,
            content: (!text.is_empty()).then(|| Part::Text(text.to_owned())).into_iter().collect(),
            reasoning: reasoning.map(str::to_owned),
            tool_calls: (0..calls).map(call).collect(),
            result: None,
            entry_id: None,
            timestamp: None,
            speaker: None,
        })
    }

    fn after(how: Reasoning) -> Vec<(Option<String>, String, usize, bool)> {
        let messages = vec![
            reply(Some("a"), "said", 1),
            reply(Some("b"), "", 1),
            reply(Some("c"), "", 0),
            reply(None, "end", 0),
        ];
        let mut sample = Sample {
            id: "s".to_owned(),
            kind: SampleKind::Path,
            leaf_id: String::new(),
            segment: 0,
            messages,
            trained: vec![true, false, true, true],
            tools: None,
            wire: None,
            altered: Vec::new(),
            about: Arc::new(About::default()),
        };
        how.apply(&mut sample);
        let turns = sample.turns();
        turns
            .map(|(m, trained)| (m.reasoning.clone(), m.text(), m.tool_calls.len(), trained))
            .collect()
    }

    #[test]
    fn thoughts_stay_go_or_move() {
        let row = |reasoning: Option<&str>, text: &str, calls, trained| {
            (reasoning.map(str::to_owned), text.to_owned(), calls, trained)
        };
        let end = row(None, "end", 0, true);
        assert_eq!(
            after(Reasoning::Drop),
            [row(None, "said", 1, true), row(None, "", 1, false), end.clone()]
        );
        assert_eq!(
            after(Reasoning::Inline),
            [
                row(None, "<think>\na\n</think>\n\nsaid", 1, true),
                row(None, "<think>\nb\n</think>\n\n", 1, false),
                row(None, "<think>\nc\n</think>\n\n", 0, true),
                end.clone()
            ]
        );
        assert_eq!(
            after(Reasoning::Split),
            [
                row(Some("a"), "said", 0, true),
                row(None, "", 1, true),
                row(Some("b"), "", 1, false),
                row(Some("c"), "", 0, true),
                end
            ]
        );
    }
}
