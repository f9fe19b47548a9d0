//! What the view does when the agent has done what it was asked for.

use pitree_format::{JsString, Value};
use pitree_host::live::Arrival;

use super::wish::{Granted, Held, Wish};
use crate::desk::Desk;
use crate::view::SessionView;

/// The answer to a user whose agent has an extension that does not want it.
const CANCELLED_THERE: &str = "An extension of the agent cancelled it; nothing was changed.";

impl SessionView {
    pub(super) fn hear_granted(&mut self, wish: &Wish, granted: &Granted, desk: &mut Desk) {
        // A message that was taken is answered by events.
        let Some(held) = &granted.held else { return };
        let goes_on = self.attached.as_ref().is_some_and(|attached| attached.agent.is_working());
        let arrived = self.go_where_it_is(held, arrival(wish, granted), desk);
        if !goes_on {
            self.settle(desk);
        }
        if let Err(problem) = arrived {
            return self.complain(&problem);
        }
        if granted.is_cancelled() && wish.replaces() {
            return self.complain(CANCELLED_THERE);
        }
        self.tell_granted(wish, granted, desk);
    }

    /// Goes to the session that the agent has, if it is another one, and reads what is new.
    fn go_where_it_is(
        &mut self,
        held: &Held,
        arrival: Arrival,
        desk: &mut Desk,
    ) -> Result<(), String> {
        let Some(live) = &mut desk.live else { return Ok(()) };
        let is_same = held.file.as_deref() == live.session().path();
        if is_same && held.file.as_ref().is_some_and(|file| file.exists()) {
            self.follow_file(desk);
            return Ok(());
        }
        let cwd = live.session().cwd().to_owned();
        let session = held.open(&cwd, &desk.environment).map_err(|error| error.to_string())?;
        if is_same {
            *live.session_mut() = session;
        } else {
            live.arrive(session, arrival);
        }
        Ok(())
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
