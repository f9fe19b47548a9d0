//! An errand: a thread has the open session and does something that may take long, since an
//! extension is asked or a large file is read. Keys stay alive, and the screens have a copy of the
//! session to show meanwhile.
//!
//! What is quick is done before anybody could press a key, and looks as if it were done at once.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use pitree_host::live::LiveSession;
use pitree_session::{Environment, OpenOptions, Session, SessionError};

use crate::state::AppState;
use crate::wake::Waker;

/// Who leaves while an errand is out waits for its end, but no longer than this.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// The end of an errand that whoever sent it out holds.
pub(crate) struct Errand<T>(Receiver<T>);

impl<T> Errand<T> {
    /// What came of it. Nothing before the session is checked in.
    pub(crate) fn hear(&self, state: &AppState) -> Option<T> {
        if state.is_away() { None } else { self.0.try_recv().ok() }
    }
}

/// The session while a thread has it.
pub(crate) struct Away {
    back: Receiver<LiveSession>,
    /// The same session as it was, to look at.
    copy: Option<Session>,
    copying: Receiver<Session>,
}

impl Away {
    /// What can be looked at, if it is there yet.
    pub(crate) fn copy(&self) -> Option<&Session> {
        self.copy.as_ref()
    }

    /// Waits for the session, since the program ends.
    pub(crate) fn wait(&self) -> Option<LiveSession> {
        self.back.recv_timeout(END_PATIENCE).ok()
    }
}

impl AppState {
    /// Gives the open session to a thread that does something to it. `None` if there is none.
    pub(crate) fn send_out<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut LiveSession) -> T + Send + 'static,
    ) -> Option<Errand<T>> {
        let mut live = self.live.take()?;
        let place = Place::of(live.session());
        let ((tell, told), (give, back), waker) = (channel(), channel(), self.waker.clone());
        std::thread::spawn(move || {
            // In this order: once the session is back, the answer is there too. Nobody may be
            // left to hear either.
            let _ = tell.send(work(&mut live));
            let _ = give.send(live);
            waker.wake();
        });
        match back.recv_timeout(self.grace) {
            Ok(live) => self.live = Some(live),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let copying = place.copy_in_thread(&self.waker);
                self.away = Some(Away { back, copy: None, copying });
            }
        }
        Some(Errand(told))
    }

    /// Whether a thread has the session.
    pub(crate) fn is_away(&self) -> bool {
        self.away.is_some()
    }

    /// Takes the session back if the thread has done with it, and the copy if it is made.
    pub(crate) fn take_back(&mut self) {
        let Some(away) = &mut self.away else { return };
        match away.back.try_recv() {
            Ok(live) => (self.live, self.away) = (Some(live), None),
            Err(TryRecvError::Disconnected) => self.away = None,
            Err(TryRecvError::Empty) => {
                away.copy = away.copying.try_recv().ok().or(away.copy.take());
            }
        }
    }

    /// The session to look at: the open one, or its copy while a thread has it.
    pub fn session(&self) -> Option<&Session> {
        match &self.live {
            Some(live) => Some(live.session()),
            None => self.away.as_ref().and_then(Away::copy),
        }
    }
}

/// Where a session stands, which may be known to this process only: enough for a thread to open
/// it for itself. A session cannot be shared.
pub(crate) struct Place {
    file: Option<PathBuf>,
    cwd: PathBuf,
    leaf_id: Option<String>,
    environment: Environment,
}

impl Place {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            file: session.path().map(Path::to_owned),
            cwd: session.cwd().to_owned(),
            leaf_id: session.leaf_id().map(str::to_owned),
            environment: session.environment().clone(),
        }
    }

    /// Opens the session where it stood. `None` if it has no file.
    pub(crate) fn open(&self) -> Option<Result<Session, SessionError>> {
        let options = OpenOptions::new().cwd(&self.cwd);
        let opened = options.open(self.file.as_ref()?, &self.environment);
        Some(opened.and_then(|mut session| {
            match &self.leaf_id {
                Some(leaf) => session.branch(leaf)?,
                None => session.reset_leaf(),
            }
            Ok(session)
        }))
    }

    fn copy_in_thread(self, waker: &Waker) -> Receiver<Session> {
        let (news, copying) = waker.channel();
        std::thread::spawn(move || {
            if let Some(Ok(session)) = self.open() {
                news.send(session);
            }
        });
        copying
    }
}
