//! The request behind a reply, and what of it the provider had seen before.

use pitree_export::harmless::{clean_beginning, clean_block};
use pitree_format::js::stringify;
use pitree_format::message::content_text;
use pitree_format::{Object, Role, Value};
use pitree_sample::request::{Request, RequestSettings, for_replies, for_reply};
use pitree_session::{EntryRef, Session};

use crate::answer::{Answer, Json, Problem, list};
use crate::opened::OpenSession;
use crate::rows::Window;

/// The length of what is shown of a message in the list.
const CHARS: usize = 160;

/// Of the messages that were sent before, so many are shown if nobody asks for others.
const SHOWN_BEFORE: usize = 20;

/// A window of the messages of a request; or one message whole.
pub(crate) fn of_reply(
    opened: &OpenSession,
    at: usize,
    message: Option<usize>,
    from: Option<usize>,
) -> Answer {
    let session = &opened.session;
    let reply = opened.entry(at)?;
    let settings = RequestSettings::default();
    if let Some(number) = message {
        return whole(&for_reply(session, reply, &settings)?, number);
    }
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
    let from = from.unwrap_or(shared.saturating_sub(SHOWN_BEFORE));
    let window = Window::new(Some(from), None);
    let messages = list(window.of(&request.messages).iter().enumerate(), |(number, message)| {
        let number = from + number;
        let text = message.get("content").map(text_of).unwrap_or_default();
        Object::new()
            .with("role", Role::of(message).name())
            .with("said", message.get_string("role"))
            .with("chars", stringify(message).encode_utf16().count())
            .with("text", clean_beginning(&text, CHARS))
            .with("isNew", number >= shared)
            .into()
    });
    let tools = list(request.tools.iter().flat_map(|tools| tools.iter()), |tool| {
        let function = tool.get("function").unwrap_or(tool);
        let name = function.get_string("name").map(ToString::to_string).unwrap_or_default();
        let chars = stringify(tool).encode_utf16().count();
        Object::new().with("name", clean_beginning(&name, CHARS)).with("chars", chars).into()
    });
    let object = Object::new()
        .with("at", at)
        .with("provider", request.provider.as_str())
        .with("model", request.model.as_str())
        .with("api", request.api.as_str())
        .with("from", from)
        .with("total", request.messages.len())
        .with("messages", messages)
        .with("tools", tools)
        .with("notes", list(&request.notes, |note| note.to_string().into()))
        .with("previous", previous.map(|previous| previous.index()))
        .with("shared", shared)
        .with("cacheBreak", before.and_then(|before| cache_break(before, request)));
    Ok(Json::of(object))
}

/// One message of a request as it was sent, as text.
fn whole(request: &Request, number: usize) -> Answer {
    let gone = || Problem::not_found("This request has no such message");
    let message = request.messages.get(number).ok_or_else(gone)?;
    let text = stringify(message);
    Ok(Json::of(Object::new().with("text", &*clean_block(&text))))
}

fn text_of(content: &Value) -> String {
    content_text(Some(content), " ").to_text().into_owned()
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
fn cache_break(before: &Request, request: &Request) -> Option<Value> {
    let place = |what: &str, message: Option<usize>| {
        Some(Object::new().with("what", what).with("message", message).into())
    };
    if (&before.provider, &before.model) != (&request.provider, &request.model) {
        return place("Another model was asked", None);
    }
    // Providers put the tools before the messages.
    let tools =
        |request: &Request| request.tools.iter().flat_map(|it| it.iter().cloned()).collect();
    let (old, new): (Vec<Value>, Vec<Value>) = (tools(before), tools(request));
    if old != new {
        return place("The tools changed", None);
    }
    let shared = shared(before, request);
    if shared < before.messages.len() {
        return place("This message is not what was sent before", Some(shared));
    }
    None
}
