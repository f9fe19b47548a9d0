//! Changes that others hear of who use a shared index of the sessions.

use pitree_store::shared_index::Announcement;

use crate::protocol::{Command, Turn};
use crate::server::{Call, Server};

/// Changes that write no session, or see to it themselves.
const SAID_ELSEWHERE: [&str; 6] = [
    "set_steering_mode",
    "set_follow_up_mode",
    "set_auto_compaction",
    "set_auto_retry",
    "switch_session",
    "delete_session",
];

impl Server {
    /// Announces that a command is about to change the session, or to put another one in its
    /// place. `None` where it does not.
    pub(crate) fn announce(&self, command: &Command) -> Option<Announcement> {
        let writes = command.turn == Turn::Change && !SAID_ELSEWHERE.contains(&command.name);
        writes.then(|| self.announce_change())
    }

    /// Announces that the session is about to change.
    pub(crate) fn announce_change(&self) -> Announcement {
        let live = self.live();
        let Some(path) = live.session().path() else { return Announcement::default() };
        let environment = self.choices().environment();
        let mut change = Announcement::of(self.store().locations(), &[path], environment);
        change.add(path);
        change
    }

    /// Ends a change, and names the session that is there by now. Nobody may hold the session.
    pub(crate) fn announced(&self, mut change: Announcement) {
        if let Some(path) = self.live().session().path() {
            change.add(path);
        }
    }
}

impl Call<'_> {
    /// Announces that another session is about to go.
    pub(crate) fn announce_end(&self, path: &std::path::Path) -> Announcement {
        let environment = self.server.choices().environment();
        let mut change = Announcement::of(self.server.store().locations(), &[path], environment);
        change.add(path);
        change
    }
}
