//! The requests behind the last replies of an exported page.

use std::collections::VecDeque;

use pitree_format::js::stringify;
use pitree_format::{EntryKind, Object, Role, Value};
use pitree_sample::request::{RequestError, RequestSettings, for_replies};
use pitree_session::{EntryRef, Session};

use crate::requests::Rebuilt;

/// So many replies have their request in the file.
const MOST_REPLIES: usize = 100;

/// All requests together are not longer than this, before they are compressed.
const MOST_BYTES: usize = 8 << 20;

/// A context of more bytes than this is not rebuilt: that would take more memory than all the rest.
const MOST_CONTEXT_BYTES: usize = 32 << 20;

/// The requests behind the last replies on the way to a leaf.
pub(crate) struct LastRequests {
    /// What is shown of each, oldest first.
    pub(crate) requests: Vec<Value>,
    /// How many replies there are on the way.
    pub(crate) replies: usize,
}

/// `place` gives the place on the page of an entry.
pub(crate) fn of_last_replies(
    session: &Session,
    leaf: Option<usize>,
    place: &impl Fn(usize) -> Option<usize>,
) -> Result<LastRequests, RequestError> {
    let path = leaf.map(|leaf| session.path_to(leaf)).unwrap_or_default();
    let is_reply = |entry: &EntryRef<'_>| entry.is_message(Role::Assistant);
    let replies: Vec<usize> = path.iter().filter(|it| is_reply(it)).map(EntryRef::index).collect();
    let mut last = LastRequests { requests: Vec::new(), replies: replies.len() };
    // One more than is shown, to compare with.
    let begin = replies.len().saturating_sub(MOST_REPLIES + 1);
    let shown = &replies[begin..];
    if shown.is_empty() || is_too_long(&path, shown[0])? {
        return Ok(last);
    }
    let settings = RequestSettings::default();
    let (mut kept, mut bytes) = (VecDeque::new(), 0);
    let mut before = None;
    for (number, request) in for_replies(session, &settings, shown.iter().copied()).enumerate() {
        let (at, request) = (shown[number], request?);
        let previous = before.as_ref().map(|(at, request)| (*at, request));
        if number > 0 || begin == 0 {
            let rebuilt = Rebuilt::of_whole(session, (at, &request), previous);
            let described = on_page(rebuilt.described(), place);
            let length = stringify(&described).len();
            bytes += length;
            kept.push_back((described, length));
        }
        while bytes > MOST_BYTES
            && let Some((_, length)) = kept.pop_front()
        {
            bytes -= length;
        }
        before = Some((at, request));
    }
    last.requests = kept.into_iter().map(|(described, _)| described).collect();
    Ok(last)
}

/// Whether the requests from a reply on are too long, by what they can have in them: everything since
/// the last compaction before that reply.
fn is_too_long(path: &[EntryRef<'_>], first: usize) -> Result<bool, RequestError> {
    let (mut bytes, mut is_before) = (0, false);
    for entry in path.iter().rev() {
        bytes += entry.raw()?.len();
        if bytes > MOST_CONTEXT_BYTES {
            return Ok(true);
        }
        is_before |= entry.index() == first;
        if is_before && entry.kind() == EntryKind::Compaction {
            break;
        }
    }
    Ok(false)
}

/// With the places that entries have on the page.
fn on_page(mut request: Object, place: &impl Fn(usize) -> Option<usize>) -> Value {
    for name in ["at", "previous"] {
        let at = request.get(name).and_then(Value::as_number);
        request.set(name, at.and_then(|at| place(at as usize)).into());
    }
    request.into()
}
