//! The texts of a sample are those of the request, blank by blank.

use std::cell::Cell;
use std::sync::Arc;

use pitree_extract::request::{self, RequestSettings};
use pitree_extract::{ChatMessage, ChatRole, Part, Paths, Selection};
use pitree_format::Value;

use super::all_samples;
use super::odd::with_odd_texts;
use super::random::on_changed_sessions;

/// Messages that Pi adds for images of results and for models that want a reply after results.
const ADDED: [&str; 2] =
    ["Attached image(s) from tool result:", "I have processed the tool results."];

/// What is told, and by whom.
type Told = (ChatRole, String);

#[test]
fn texts_are_those_of_the_request() {
    let settings = RequestSettings::default();
    let (compared, joined) = (Cell::new(0), Cell::new(0));
    on_changed_sessions(
        |bytes, seed| with_odd_texts(&bytes, seed),
        |session| {
            let selection = Selection { paths: Paths::All, ..Selection::default() };
            for sample in all_samples(session, selection) {
                for (at, (message, _)) in sample.turns().enumerate().filter(|(_, (_, it))| *it) {
                    let id = message.entry_id.as_deref().unwrap();
                    let request = request::for_reply(session, id, &settings).unwrap();
                    let Some(theirs) = told_in_request(&request.messages) else { continue };
                    let ours: Vec<Told> = sample.messages[..at].iter().filter_map(told).collect();
                    assert_eq!(without_results(&ours), without_results(&theirs), "{id}");
                    results_are_among(&ours, &theirs, id);
                    compared.set(compared.get() + 1);
                }
            }
            joined.set(joined.get() + several_blocks(session));
        },
    );
    assert!(compared.get() > 200, "only {} replies were compared", compared.get());
    assert!(joined.get() > 100, "only {} replies have several texts", joined.get());
}

/// How many replies have more than one text.
fn several_blocks(session: &pitree_session::Session) -> usize {
    let replies = session.entries().filter(|it| it.is_message(pitree_format::Role::Assistant));
    let texts = replies.map(|entry| {
        let message = entry.message().unwrap().unwrap();
        let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
        blocks.iter().filter(|block| block.get_string("text").is_some()).count()
    });
    texts.filter(|texts| *texts > 1).count()
}

fn told(message: &Arc<ChatMessage>) -> Option<Told> {
    let texts = message.content.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Image { .. } => "[image]",
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    (message.role != ChatRole::User || !text.is_empty()).then_some((message.role, text))
}

/// What a request tells; none if it has more than one system message, which samples put together.
fn told_in_request(messages: &[Arc<Value>]) -> Option<Vec<Told>> {
    let mut told = Vec::new();
    for message in messages {
        let role = match message.get_string("role")?.as_str()? {
            "user" => ChatRole::User,
            "assistant" => ChatRole::Assistant,
            "tool" => ChatRole::Tool,
            _ => ChatRole::System,
        };
        let text = match message.get("content") {
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(text_of);
                // A sample does without texts that are empty.
                texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
            }
            Some(Value::String(text)) => text.to_string(),
            _ => String::new(),
        };
        let is_added = ADDED.iter().any(|added| text.starts_with(added));
        if !is_added && (role != ChatRole::User || !text.is_empty()) {
            told.push((role, text));
        }
    }
    let systems = told.iter().filter(|(role, _)| *role == ChatRole::System).count();
    (systems < 2).then_some(told)
}

/// The text of a part. Pi takes for an image whatever is no text, even without its bytes; samples
/// do not have those.
fn text_of(part: &Value) -> Option<String> {
    match part.get_string("text") {
        Some(text) => Some(text.to_string()),
        None => {
            let url = part.get("image_url")?.get_string("url")?.to_string();
            (!url.ends_with("undefined")).then(|| "[image]".to_owned())
        }
    }
}

fn without_results(told: &[Told]) -> Vec<&Told> {
    told.iter().filter(|(role, _)| *role != ChatRole::Tool).collect()
}

/// Results stand in another order, those without a call are left out, and images stay in them.
fn results_are_among(ours: &[Told], theirs: &[Told], id: &str) {
    for result in ours.iter().filter(|(role, _)| *role == ChatRole::Tool) {
        let is_known = theirs.contains(result)
            || result.1.contains("[image]")
            || result.1 == "No result provided";
        assert!(is_known, "{id}: {result:?}");
    }
}
