//! Tells clients what is written into the session's file, by whomever.
//!
//! Each client has its own place in the file, and is told more only while it reads: a client that
//! is slow hears later, and keeps nobody waiting.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use pitree_format::{Object, Value};

use crate::answer::Failure;
use crate::client::Client;
use crate::server::Server;

/// How often the file is looked at. That is one question to the system about its size.
const PACE: Duration = Duration::from_millis(150);
/// As many entries are read at a time, so that nobody holds the session for long.
const MOST_AT_ONCE: usize = 64;

/// How much of a session a client was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followed {
    session: String,
    entries: usize,
}

impl Server {
    /// Begins to tell a client what is added to the session's file from now on. Takes the session
    /// to see how long it is.
    pub(crate) fn follow_file(self: &Arc<Self>, client: &Client) {
        *client.followed.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.told_so_far());
        if self.follows.swap(true, Ordering::Relaxed) {
            return;
        }
        let server = Arc::downgrade(self);
        thread::spawn(move || {
            while let Some(server) = Weak::upgrade(&server) {
                let wants = |client: &Arc<Client>| client.wishes().file && client.has_room();
                for client in server.clients.present().into_iter().filter(wants) {
                    // A file that cannot be read now may be readable later.
                    let _ = server.tell_growth(&client);
                }
                drop(server);
                thread::sleep(PACE);
            }
        });
    }

    fn told_so_far(&self) -> Followed {
        let live = self.live();
        Followed { session: live.session().id(), entries: live.session().len() }
    }

    fn tell_growth(&self, client: &Client) -> Result<(), Failure> {
        let mut followed = client.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(told) = followed.as_mut() else { return Ok(()) };
        if self.has_grown()? {
            self.live_mut().session_mut().refresh()?;
        }
        while client.has_room() && !client.is_gone() {
            let Some(events) = self.events_after(told)? else {
                *told = self.told_so_far();
                return Ok(());
            };
            if events.is_empty() {
                return Ok(());
            }
            told.entries += events.len();
            events.iter().for_each(|event| client.send_event(event));
        }
        Ok(())
    }

    /// The next entries that a client was not told; `None` if there is another session by now.
    fn events_after(&self, told: &Followed) -> Result<Option<Vec<Value>>, Failure> {
        let live = self.live();
        let session = live.session();
        if session.id() != told.session {
            return Ok(None);
        }
        let mut events = Vec::new();
        for entry in session.entries().skip(told.entries).take(MOST_AT_ONCE) {
            let event = Object::new().with("type", "entry_appended").with("entry", entry.value()?);
            events.push(event.into());
        }
        Ok(Some(events))
    }

    /// Whether the file is longer than what was read of it. A look at its size needs no change.
    fn has_grown(&self) -> Result<bool, Failure> {
        let live = self.live();
        Ok(live.session().has_grown()?)
    }
}
