//! The request behind a reply, and what of it the provider had seen before.

use std::collections::VecDeque;
use std::sync::Arc;

use pitree_export::nodes::{Class, Element, Node, Tag, output_beginning, to_json};
use pitree_format::js::stringify;
use pitree_format::message::content_text;
use pitree_format::{Object, Role, Value};
use pitree_sample::request::{Request, RequestError, RequestSettings, each_message};
use pitree_session::{EntryRef, Session};

use crate::answer::{Answer, Json};
use crate::breaks::{Firsts, Parting, cause};
use crate::opened::OpenSession;

/// The length of what is shown of a message in the list.
const CHARS: usize = 160;

/// Of the messages that were sent before, the last ones are shown.
const SHOWN_BEFORE: usize = 40;

/// So many messages are shown at a time.
const MOST_SHOWN: usize = 400;

/// Of a longer message the beginning is shown.
const MOST_BYTES: usize = 64 << 10;

/// The messages that are shown at a time are not longer than this together.
const MOST_BYTES_SHOWN: usize = 2 << 20;

/// The request behind a reply, beside the one before it. Of the messages those from a number on are
/// shown; if none is given, those that are new and some before them. Neither request is ever held
/// as a whole.
pub(crate) fn of_reply(opened: &OpenSession, at: usize, from: Option<usize>) -> Answer {
    Ok(Json::of(Rebuilt::new(&opened.session, opened.entry(at)?, from)?.described()))
}

/// What is known of the messages of a request that has passed by.
struct Passed {
    request: Request,
    messages: Vec<blake3::Hash>,
}

impl Passed {
    fn new(session: &Session, reply: EntryRef<'_>) -> Result<Self, RequestError> {
        let mut messages = Vec::new();
        let settings = RequestSettings::default();
        let request = each_message(session, reply, &settings, |message| {
            messages.push(hash(&message));
            Ok::<_, RequestError>(())
        })?;
        Ok(Self { request, messages })
    }
}

/// What messages are known by.
fn hash(message: &Value) -> blake3::Hash {
    blake3::hash(stringify(message).as_bytes())
}

/// A window of messages that pass by, ready to be shown.
#[derive(Default)]
struct Shown {
    /// The number of the first one.
    from: usize,
    nodes: Vec<Node>,
    bytes: usize,
    /// How many there were no room for.
    left: usize,
}

impl Shown {
    fn push(&mut self, number: usize, message: &Value) {
        let is_full = self.nodes.len() == MOST_SHOWN || self.bytes > MOST_BYTES_SHOWN;
        if is_full || self.left > 0 {
            self.left += 1;
            return;
        }
        if self.nodes.is_empty() {
            self.from = number;
        }
        let role = message.get_string("role").map(ToString::to_string).unwrap_or_default();
        let text = content_text(message.get("content"), " ").to_text().into_owned();
        let (node, bytes) = fold_of(&format!("{number} {role}: {text}"), message);
        self.nodes.push(Node::Element(node));
        self.bytes += bytes;
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        let left = (self.left > 0).then(|| remark(&format!("{} more messages", self.left)));
        self.nodes.iter().cloned().chain(left)
    }
}

/// The request before another one, as far as that one needs it.
struct Before {
    /// The place of its reply.
    at: usize,
    request: Request,
    /// How many messages it had.
    count: usize,
    /// Those that the other one does not have.
    dropped: Shown,
    gone: Firsts,
    /// What changed the context since then.
    cause: Option<&'static str>,
}

/// A request made again, and what it shares with the one before.
pub(crate) struct Rebuilt {
    at: usize,
    before: Option<Before>,
    request: Request,
    total: usize,
    /// How many messages at the beginning are those of the request before.
    shared: usize,
    /// What is shown of all messages.
    body: Shown,
    /// What is shown of those that are new.
    added: Shown,
    new: Firsts,
}

impl Rebuilt {
    fn new(
        session: &Session,
        reply: EntryRef<'_>,
        from: Option<usize>,
    ) -> Result<Self, RequestError> {
        let previous = previous(session, reply);
        let before = previous.map(|previous| Passed::new(session, previous)).transpose()?;
        let known = before.as_ref().map(|before| &before.messages[..]).unwrap_or_default();
        let (mut total, mut shared) = (0, 0);
        let (mut body, mut added) = (Shown::default(), Shown::default());
        let mut new = Firsts::default();
        // The last of those that were sent before.
        let mut last: VecDeque<Arc<Value>> = VecDeque::new();
        let settings = RequestSettings::default();
        let request = each_message(session, reply, &settings, |message| {
            let is_shared = shared == total && known.get(total) == Some(&hash(&message));
            shared += usize::from(is_shared);
            match from {
                Some(from) if total >= from => body.push(total, &message),
                None if is_shared => {
                    last.push_back(Arc::clone(&message));
                    if last.len() > SHOWN_BEFORE {
                        last.pop_front();
                    }
                }
                None => {
                    let first = shared - last.len();
                    let last = last.drain(..).enumerate();
                    last.for_each(|(place, message)| body.push(first + place, &message));
                    body.push(total, &message);
                }
                Some(_) => {}
            }
            if !is_shared {
                added.push(total, &message);
                new.push(&message);
            }
            total += 1;
            Ok::<_, RequestError>(())
        })?;
        // Nothing was new.
        let first = shared - last.len();
        last.iter().enumerate().for_each(|(place, message)| body.push(first + place, message));
        let before = match (previous, before) {
            (Some(previous), Some(Passed { request, messages })) => {
                let count = messages.len();
                let (dropped, gone) = match shared < count {
                    true => shown_from(session, previous, shared)?,
                    false => Default::default(),
                };
                let at = previous.index();
                let cause = cause(session, at, reply);
                Some(Before { at, request, count, dropped, gone, cause })
            }
            _ => None,
        };
        Ok(Self { at: reply.index(), before, request, total, shared, body, added, new })
    }

    /// The same of requests that are there as a whole; of the messages only the new ones are shown.
    pub(crate) fn of_whole(
        session: &Session,
        (at, request): (usize, &Request),
        before: Option<(usize, &Request)>,
    ) -> Self {
        let known = before.map(|(_, before)| &before.messages[..]).unwrap_or_default();
        let is_same =
            |(one, other): &(&Arc<Value>, &Arc<Value>)| Arc::ptr_eq(one, other) || one == other;
        let shared = known.iter().zip(&request.messages).take_while(is_same).count();
        let shown = |messages: &[Arc<Value>]| {
            let mut shown = Shown::default();
            let new = messages.iter().enumerate().skip(shared);
            new.for_each(|(number, message)| shown.push(number, message));
            shown
        };
        let firsts = |messages: &[Arc<Value>]| {
            let mut firsts = Firsts::default();
            messages.iter().skip(shared).take(2).for_each(|message| firsts.push(message));
            firsts
        };
        let before = before.map(|(before_at, before)| Before {
            at: before_at,
            request: without_messages(before),
            count: before.messages.len(),
            dropped: shown(&before.messages),
            gone: firsts(&before.messages),
            cause: session.at(at).and_then(|reply| cause(session, before_at, reply)),
        });
        let (total, body) = (request.messages.len(), shown(&request.messages));
        let (added, new) = (shown(&request.messages), firsts(&request.messages));
        Self { at, before, request: without_messages(request), total, shared, body, added, new }
    }

    /// The JSON that the page shows.
    pub(crate) fn described(&self) -> Object {
        Object::new()
            .with("at", self.at)
            .with("model", format!("{}/{}", self.request.provider, self.request.model))
            .with("total", self.total)
            .with("from", self.body.from)
            .with("shown", self.body.nodes.len())
            .with("shared", self.shared)
            .with("previous", self.before.as_ref().map(|before| before.at))
            .with("body", to_json(&self.body()))
            .with("difference", self.before.as_ref().map(|it| to_json(&self.difference(it))))
            .with("cacheBreak", self.before.as_ref().and_then(|it| self.cache_break(it)))
    }

    /// All of a request: how it was sent, the tools, the messages.
    fn body(&self) -> Vec<Node> {
        let request = &self.request;
        let mut nodes = Vec::new();
        nodes.push(paragraph(&format!("Interface: {}", request.api)));
        nodes.extend(request.notes.iter().map(|note| remark(note.about())));
        let tools = tools(request);
        if !tools.is_empty() {
            let mut fold = fold(&format!("{} tools", tools.len()));
            for tool in tools {
                let name = tool.get("function").unwrap_or(tool).get_string("name");
                let name = name.map(ToString::to_string).unwrap_or_default();
                fold = fold.child(fold_of(&name, tool).0);
            }
            nodes.push(Node::Element(fold));
        }
        nodes.extend(self.body.nodes.iter().cloned());
        nodes
    }

    /// What was sent that the request before did not have, and what is missing of that one.
    fn difference(&self, before: &Before) -> Vec<Node> {
        let mut nodes = Vec::new();
        let other = &before.request;
        if (&other.provider, &other.model) != (&self.request.provider, &self.request.model) {
            nodes.push(paragraph(&format!("Sent before to {}/{}", other.provider, other.model)));
        }
        let dropped = before.count - self.shared;
        if dropped > 0 {
            nodes.push(paragraph(&match dropped {
                1 => "1 message of the request before is gone:".to_owned(),
                dropped => format!("{dropped} messages of the request before are gone:"),
            }));
            nodes.extend(before.dropped.nodes());
        }
        let added = self.total - self.shared;
        if added > 0 {
            nodes.push(paragraph(&match added {
                1 => "1 new message:".to_owned(),
                added => format!("{added} new messages:"),
            }));
            nodes.extend(self.added.nodes());
        }
        nodes
    }

    fn cache_break(&self, before: &Before) -> Option<Value> {
        let (one, other, gone, new) = (&before.request, &self.request, &before.gone, &self.new);
        Parting { one, other, shared: self.shared, gone, new, cause: before.cause }.described()
    }
}

/// The messages of a request from a number on.
fn shown_from(
    session: &Session,
    reply: EntryRef<'_>,
    from: usize,
) -> Result<(Shown, Firsts), RequestError> {
    let (mut shown, mut firsts, mut number) = (Shown::default(), Firsts::default(), 0);
    each_message(session, reply, &RequestSettings::default(), |message| {
        if number >= from {
            shown.push(number, &message);
            firsts.push(&message);
        }
        number += 1;
        Ok::<_, RequestError>(())
    })?;
    Ok((shown, firsts))
}

fn without_messages(request: &Request) -> Request {
    let (transcript, messages) = (Vec::new(), Vec::new());
    let tools = request.tools.clone();
    let (reply, provider) = (request.reply.clone(), request.provider.clone());
    let (model, api) = (request.model.clone(), request.api.clone());
    Request {
        reply,
        provider,
        model,
        api,
        transcript,
        messages,
        tools,
        notes: request.notes.clone(),
    }
}

/// The reply before this one on its branch.
fn previous<'s>(session: &'s Session, reply: EntryRef<'s>) -> Option<EntryRef<'s>> {
    let path = session.path_to(reply.index());
    path.into_iter().rev().skip(1).find(|entry| entry.is_message(Role::Assistant))
}

fn tools(request: &Request) -> Vec<&Value> {
    request.tools.iter().flat_map(|tools| tools.iter()).collect()
}

fn paragraph(text: &str) -> Node {
    Node::Element(Element::new(Tag::P).text(text))
}

fn remark(text: &str) -> Node {
    Node::Element(Element::new(Tag::P).class(Class::Note).text(text))
}

fn fold(summary: &str) -> Element {
    let summary = Element::new(Tag::Summary).text(&output_beginning(summary, CHARS));
    Element::new(Tag::Details).child(summary)
}

/// A value as JSON, folded, and how long that is.
fn fold_of(summary: &str, value: &Value) -> (Element, usize) {
    let mut text = stringify(value);
    let length = text.len();
    text.truncate(text.floor_char_boundary(MOST_BYTES));
    let mut fold = fold(summary).child(Element::new(Tag::Pre).text(&text));
    if text.len() < length {
        let left = format!("{} more bytes", length - text.len());
        fold = fold.child(Element::new(Tag::P).class(Class::Note).text(&left));
    }
    (fold, text.len())
}
