//! What the view does when the agent has done what it was asked for.

use pitree_format::{JsString, Value};
use pitree_host::live::{Arrival, LiveSession};

use super::wish::{Granted, Held, Wish};
use crate::desk::Desk;
use crate::view::SessionView;
use crate::view::work::Progress;

/// The answer to a user whose agent has an extension that does not want it.
const CANCELLED_THERE: &str = "An extension of the agent cancelled it; nothing was changed.";

impl SessionView {
    /// Goes to the session that the agent has now, and reads what is new.
    pub(super) fn hear_granted(&mut self, wish: Wish, granted: Granted, desk: &mut Desk) {
        // A message that was taken is answered by events.
        let (Some(held), Some(live)) = (&granted.held, &desk.live) else { return };
        if held.is_written() && held.file.as_deref() == live.session().path() {
            return self.hear_arrival(&wish, &granted, Ok(()), desk);
        }
        // A file may be large, and extensions hear of another session.
        self.send_out("opening the session", desk, move |live| {
            let arrived = match &granted.held {
                Some(held) => go_where_it_is(held, arrival(&wish, &granted), live),
                None => Ok(()),
            };
            Progress::Arrived(wish, Box::new(granted), arrived)
        });
    }

    /// The view has the session that the agent has.
    pub(in crate::view) fn hear_arrival(
        &mut self,
        wish: &Wish,
        granted: &Granted,
        arrived: Result<(), String>,
        desk: &mut Desk,
    ) {
        let goes_on = self.attached.as_ref().is_some_and(|attached| attached.agent.is_working());
        match goes_on {
            true => self.follow_file(desk),
            false => self.settle(desk),
        }
        if let Err(problem) = arrived {
            return self.complain(&problem);
        }
        if granted.is_cancelled() && wish.replaces() {
            return self.complain(CANCELLED_THERE);
        }
        self.tell_granted(wish, granted, desk);
    }

    /// Says what came of it, where that is not seen.
    fn tell_granted(&mut self, wish: &Wish, granted: &Granted, desk: &mut Desk) {
        match wish {
            Wish::New => self.say("A new session. Its file is written with the first message."),
            Wish::Clone => self.say("This is the clone."),
            Wish::Fork { .. } => {
                self.say("Forked to a new session");
                if let Some(text) = text_to_say(granted) {
                    self.take_draft(&text.to_string());
                }
            }
            Wish::Name(_) => {
                let Some(live) = &mut desk.live else { return };
                let name = live.session().name().ok().flatten().unwrap_or_default();
                if let Err(error) = live.tell_name() {
                    return self.complain(&error.to_string());
                }
                self.say(&format!("The session is called {name} now."));
            }
            Wish::Shell { .. } if granted.is_cancelled() => self.say("Stopped."),
            Wish::Compact(_) => self.say("Compacted."),
            Wish::Shell { .. } | Wish::Prompt(_) | Wish::Command(_) => {}
        }
    }
}

/// Opens the session that the agent has, if it is another one or in the agent's memory only.
fn go_where_it_is(held: &Held, arrival: Arrival, live: &mut LiveSession) -> Result<(), String> {
    let is_same = held.file.as_deref() == live.session().path();
    let session = held.open(live.session().cwd(), live.environment());
    let session = session.map_err(|error| error.to_string())?;
    if is_same {
        *live.session_mut() = session;
    } else {
        live.arrive(session, arrival);
    }
    Ok(())
}

/// How our observers are told of the session that the agent has now. A command of an extension
/// may have gone anywhere.
fn arrival(wish: &Wish, granted: &Granted) -> Arrival {
    let forked = |entry_id: &str, text| Arrival::Forked { entry_id: entry_id.to_owned(), text };
    match wish {
        Wish::New => Arrival::New,
        Wish::Fork { entry_id } => forked(entry_id, text_to_say(granted).unwrap_or_default()),
        Wish::Clone => forked("", JsString::default()),
        _ => Arrival::Resumed,
    }
}

fn text_to_say(granted: &Granted) -> Option<JsString> {
    granted.data.get("text").and_then(Value::as_string).cloned()
}
