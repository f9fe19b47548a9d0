//! What the model is given.

use pitree_format::message::{AssistantMessage, Content, Message};
use pitree_format::{Object, Value};
use pitree_session::context::to_llm;

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn get_messages(call: &Call<'_>) -> Result<Answer, Failure> {
    let messages = call.session().context()?.messages;
    Ok(Object::new().with("messages", messages).into())
}

pub(crate) fn get_context(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let leaf = match call.request.optional_text("entryId")? {
        Some(id) => Some(session.require(id.to_text())?.index()),
        None => session.leaf().map(|leaf| leaf.index()),
    };
    let mut context = session.context_at(leaf)?;
    if call.request.flag("llm")? {
        context.messages = to_llm(&context.messages);
    }
    Ok(Answer::Data(context.to_value()))
}

/// The text of the last answer; one that was broken off before it said anything does not count.
pub(crate) fn get_last_assistant_text(call: &Call<'_>) -> Result<Answer, Failure> {
    let messages = call.session().context()?.messages;
    let answer = messages.iter().rev().find_map(|message| match Message::decode(message) {
        Message::Assistant(answer) if !is_empty_and_aborted(&answer) => Some(answer.content),
        _ => None,
    });
    // As in Pi only text blocks count; it never writes an answer as a plain string.
    let blocks = answer.filter(|content| matches!(content, Content::Blocks(_)));
    let text = blocks.map(|content| content.to_js_text().trim()).filter(|text| !text.is_empty());
    Ok(Object::new().with_some("text", text.map(Value::from)).into())
}

fn is_empty_and_aborted(answer: &AssistantMessage) -> bool {
    let aborted = answer.stop_reason.as_ref().is_some_and(|reason| *reason == "aborted");
    let is_empty = match &answer.content {
        Content::Text(text) => text.is_empty(),
        content => content.blocks().is_empty(),
    };
    aborted && is_empty
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;

    use super::*;

    #[test]
    fn only_an_answer_of_length_zero_is_empty() {
        for (content, is_empty) in [("[]", true), (r#""""#, true), (r#""does it""#, false)] {
            let text =
                format!(r#"{{"role":"assistant","content":{content},"stopReason":"aborted"}}"#);
            let Message::Assistant(answer) = Message::decode(&parse(text.as_bytes()).unwrap())
            else {
                panic!("{text}");
            };
            assert_eq!(is_empty_and_aborted(&answer), is_empty, "{content}");
        }
    }
}
