//! Events on their way to the clients.
//!
//! What Pi's protocol sends, all clients get: a new name, a new thinking level, the beginning and
//! the end of a compaction, trouble with an extension. The other events of a session go to those
//! who subscribed to them. An event that asks (`session_before_…`) carries an `eventId`, and the
//! client answers with `answer_event` within its time.

use std::sync::Arc;

use pitree_format::{Object, Value};
use pitree_host::events::{
    BeforeReply, EventKind, Moment, Notice, ObserverError, SessionEvent, SessionObserver,
};

use crate::client::{Client, Clients};

/// Passes on what happens to the session.
pub(crate) struct Messenger {
    pub(crate) clients: Arc<Clients>,
}

impl SessionObserver for Messenger {
    fn name(&self) -> &str {
        "a client of the protocol"
    }

    fn wants(&self, kind: EventKind) -> bool {
        is_for_all(kind) || self.listeners(kind).next().is_some()
    }

    fn on_event(
        &mut self,
        event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        let kind = event.kind();
        let value = event.to_value();
        if kind.asks() {
            return self.ask(kind, &value);
        }
        if is_for_all(kind) {
            self.clients.tell(&value);
        } else {
            self.listeners(kind).for_each(|client| client.send_event(&value));
        }
        Ok(None)
    }

    fn on_notice(&mut self, notice: &Notice) {
        self.clients.tell(&notice.to_value());
    }
}

impl Messenger {
    fn listeners(&self, kind: EventKind) -> impl Iterator<Item = Arc<Client>> {
        let present = self.clients.present().into_iter();
        present.filter(move |client| client.wishes().events.contains(&kind))
    }

    /// Asks one client after the other; the last answer wins, and one that cancels ends it.
    fn ask(&self, kind: EventKind, event: &Value) -> Result<Option<BeforeReply>, ObserverError> {
        let mut last = None;
        let mut problem = None;
        for client in self.listeners(kind) {
            let number = self.clients.question_number();
            let answer = client.ask(&number, &numbered(event, &number));
            let reply = match &answer {
                None => Err("it gave no answer in time".to_owned()),
                Some(answer) => BeforeReply::from_value(answer),
            };
            match reply {
                Ok(None) => {}
                Ok(Some(reply)) if reply.cancel => return Ok(Some(reply)),
                Ok(Some(reply)) => last = Some(reply),
                Err(words) => problem = Some(words),
            }
        }
        match (last, problem) {
            (None, Some(words)) => Err(ObserverError(words)),
            (last, _) => Ok(last),
        }
    }
}

/// Events that Pi's protocol sends without being asked.
fn is_for_all(kind: EventKind) -> bool {
    kind == EventKind::SessionInfoChanged
}

/// The event with its number right after its type.
fn numbered(event: &Value, number: &str) -> Value {
    let Some(members) = event.as_object() else { return event.clone() };
    let mut object =
        Object::new().with_some("type", members.get("type").cloned()).with("eventId", number);
    for (name, value) in members.iter() {
        object.set(&name.to_text(), value.clone());
    }
    object.into()
}
