//! The request behind a reply, and what of it the provider had seen before.

use pitree_export::harmless::clean_beginning;
use pitree_export::nodes::{Class, Element, Node, Tag, to_json};
use pitree_format::js::stringify;
use pitree_format::message::content_text;
use pitree_format::{Object, Role, Value};
use pitree_sample::request::{Request, RequestSettings, for_replies};
use pitree_session::{EntryRef, Session};

use crate::answer::{Answer, Json, Problem};
use crate::opened::OpenSession;

/// The length of what is shown of a message in the list.
const CHARS: usize = 160;

/// Of the messages that were sent before, the last ones are shown.
const SHOWN_BEFORE: usize = 40;

/// So many messages are shown.
const MOST_SHOWN: usize = 400;

/// Of a longer message the beginning is shown.
const MOST_BYTES: usize = 64 << 10;

/// The request behind a reply, beside the one before it.
pub(crate) fn of_reply(opened: &OpenSession, at: usize) -> Answer {
    let session = &opened.session;
    let reply = opened.entry(at)?;
    let settings = RequestSettings::default();
    let previous = previous(session, reply);
    // In this order, so that the second is built on the first.
    let both = previous.iter().map(EntryRef::index).chain([at]);
    let both = for_replies(session, &settings, both).collect::<Result<Vec<_>, _>>()?;
    let (before, request) = match &both[..] {
        [before, request] => (Some(before), request),
        [request] => (None, request),
        _ => return Err(Problem::not_found("This request cannot be rebuilt")),
    };
    let shared = before.map_or(0, |before| shared(before, request));
    let object = Object::new()
        .with("at", at)
        .with("model", format!("{}/{}", request.provider, request.model))
        .with("total", request.messages.len())
        .with("shared", shared)
        .with("previous", previous.map(|previous| previous.index()))
        .with("body", to_json(&body(request, shared)))
        .with("difference", before.map(|before| to_json(&difference(before, request, shared))))
        .with("cacheBreak", before.and_then(|before| cache_break(before, request, shared)));
    Ok(Json::of(object))
}

/// The reply before this one on its branch.
fn previous<'s>(session: &'s Session, reply: EntryRef<'s>) -> Option<EntryRef<'s>> {
    let path = session.path_to(reply.index());
    path.into_iter().rev().skip(1).find(|entry| entry.is_message(Role::Assistant))
}

/// How many messages at the beginning of two requests are the same.
fn shared(before: &Request, request: &Request) -> usize {
    let pairs = before.messages.iter().zip(&request.messages);
    pairs.take_while(|(one, other)| one == other).count()
}

/// The first place where a request is not the one before with more behind it, so that the provider
/// could not use what it had cached.
fn cache_break(before: &Request, request: &Request, shared: usize) -> Option<Value> {
    let place = |message: usize, path: &str| {
        Some(Object::new().with("message", message).with("path", path).into())
    };
    if (&before.provider, &before.model) != (&request.provider, &request.model) {
        return place(0, "model");
    }
    // Providers put the tools before the messages.
    if tools(before) != tools(request) {
        return place(0, "tools");
    }
    (shared < before.messages.len()).then(|| place(shared, "messages")).flatten()
}

fn tools(request: &Request) -> Vec<&Value> {
    request.tools.iter().flat_map(|tools| tools.iter()).collect()
}

/// All of a request: how it was sent, the tools, the messages.
fn body(request: &Request, shared: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    nodes.push(paragraph(&format!("Interface: {}", request.api)));
    nodes.extend(request.notes.iter().map(|note| remark(note.about())));
    let tools = tools(request);
    if !tools.is_empty() {
        let mut fold = fold(&format!("{} tools", tools.len()));
        for tool in tools {
            let name = tool.get("function").unwrap_or(tool).get_string("name");
            let name = name.map(ToString::to_string).unwrap_or_default();
            fold = fold.child(fold_of(&name, tool));
        }
        nodes.push(Node::Element(fold));
    }
    let from = shared.saturating_sub(SHOWN_BEFORE);
    if from > 0 {
        nodes.push(remark(&format!("{from} earlier messages are not shown")));
    }
    nodes.extend(messages(request, from));
    nodes
}

/// What was sent that the request before did not have, and what is missing of that one.
fn difference(before: &Request, request: &Request, shared: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    if (&before.provider, &before.model) != (&request.provider, &request.model) {
        nodes.push(paragraph(&format!("Sent before to {}/{}", before.provider, before.model)));
    }
    let dropped = before.messages.len() - shared;
    if dropped > 0 {
        nodes.push(paragraph(&format!("{dropped} messages of the request before are gone:")));
        nodes.extend(messages(before, shared));
    }
    let added = request.messages.len() - shared;
    if added > 0 {
        nodes.push(paragraph(&format!("{added} new messages:")));
        nodes.extend(messages(request, shared));
    }
    nodes
}

/// The messages from a number on, each as JSON in a fold that says what it is.
fn messages(request: &Request, from: usize) -> Vec<Node> {
    let rest = request.messages.get(from..).unwrap_or_default();
    let shown = rest.iter().take(MOST_SHOWN).enumerate().map(|(number, message)| {
        let role = message.get_string("role").map(ToString::to_string).unwrap_or_default();
        let text = content_text(message.get("content"), " ").to_text().into_owned();
        let number = from + number;
        Node::Element(fold_of(&format!("{number} {role}: {text}"), message))
    });
    let mut nodes: Vec<Node> = shown.collect();
    if rest.len() > MOST_SHOWN {
        nodes.push(remark(&format!("{} more messages", rest.len() - MOST_SHOWN)));
    }
    nodes
}

fn paragraph(text: &str) -> Node {
    Node::Element(Element::new(Tag::P).text(text))
}

fn remark(text: &str) -> Node {
    Node::Element(Element::new(Tag::P).class(Class::Note).text(text))
}

fn fold(summary: &str) -> Element {
    let summary = Element::new(Tag::Summary).text(&clean_beginning(summary, CHARS));
    Element::new(Tag::Details).child(summary)
}

/// A value as JSON, folded.
fn fold_of(summary: &str, value: &Value) -> Element {
    let mut text = stringify(value);
    let length = text.len();
    text.truncate(text.floor_char_boundary(MOST_BYTES));
    let mut fold = fold(summary).child(Element::new(Tag::Pre).text(&text));
    if text.len() < length {
        let left = format!("{} more bytes", length - text.len());
        fold = fold.child(Element::new(Tag::P).class(Class::Note).text(&left));
    }
    fold
}
