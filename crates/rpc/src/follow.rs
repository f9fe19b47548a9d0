//! Tells clients what is written into the session's file, by whom ever.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use pitree_format::Object;

use crate::answer::Failure;
use crate::client::Client;
use crate::server::Server;

/// How often the file is looked at. That is one question to the system about its size.
const PACE: Duration = Duration::from_millis(150);

/// How far the file has been told.
#[derive(Default)]
struct Told {
    session: String,
    entries: usize,
}

impl Server {
    /// Begins to follow the session's file, unless that was done before.
    pub(crate) fn follow_file(self: &Arc<Self>) {
        if self.follows.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut told = self.told_so_far();
        let server = Arc::downgrade(self);
        thread::spawn(move || {
            while let Some(server) = Weak::upgrade(&server) {
                // A file that cannot be read now may be readable later.
                let _ = server.tell_growth(&mut told);
                drop(server);
                thread::sleep(PACE);
            }
        });
    }

    fn told_so_far(&self) -> Told {
        let live = self.live();
        Told { session: live.session().id(), entries: live.session().len() }
    }

    fn tell_growth(&self, told: &mut Told) -> Result<(), Failure> {
        let wants = |client: &Arc<Client>| client.wishes().file;
        let listeners: Vec<Arc<Client>> =
            self.clients.present().into_iter().filter(wants).collect();
        if listeners.is_empty() || self.live().session().id() != told.session {
            *told = self.told_so_far();
            return Ok(());
        }
        if self.has_grown()? {
            self.live_mut().session_mut().refresh()?;
        }
        let live = self.live();
        let session = live.session();
        if session.id() != told.session {
            return Ok(());
        }
        for entry in session.entries().skip(told.entries) {
            let event = Object::new().with("type", "entry_appended").with("entry", entry.value()?);
            let event = event.into();
            listeners.iter().for_each(|client| client.send_event(&event));
        }
        told.entries = session.len();
        Ok(())
    }

    /// Whether the file is longer than what was read of it. A look at its size needs no change.
    fn has_grown(&self) -> Result<bool, Failure> {
        let live = self.live();
        Ok(live.session().has_grown()?)
    }
}
