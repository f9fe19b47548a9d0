//! Background jobs on the open session: a thread checks it out and does something that may take
//! long, since an extension is asked or a large file is read. Keys stay alive, and the screens show
//! a copy of the session until it is checked in.
//!
//! A quick job ends before anybody could press a key, and looks as if it were done at once.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use pitree_host::live::LiveSession;
use pitree_session::{Environment, OpenOptions, Session, SessionError};

use crate::state::AppState;
use crate::wake::Waker;

/// How long the program, when it ends, waits for a job that has the session.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// A job that has the session; whoever started it polls for what it returns.
pub(crate) struct BackgroundJob<T>(Receiver<T>);

impl<T> BackgroundJob<T> {
    /// What it returned; nothing before the session is checked in.
    pub(crate) fn poll(&self, state: &AppState) -> Option<T> {
        if state.is_checked_out() { None } else { self.0.try_recv().ok() }
    }
}

/// The session while a background job has it.
pub(crate) struct CheckedOut {
    back: Receiver<LiveSession>,
    /// The same session as it was, to look at.
    copy: Option<Session>,
    copying: Receiver<Session>,
}

impl CheckedOut {
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
    /// Runs a job with the open session on a thread of its own. `None` if no session is open.
    pub(crate) fn run_on_session<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut LiveSession) -> T + Send + 'static,
    ) -> Option<BackgroundJob<T>> {
        let mut live = self.live.take()?;
        let position = SessionPosition::of(live.session());
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
                let copying = position.copy_in_thread(&self.waker);
                self.checked_out = Some(CheckedOut { back, copy: None, copying });
            }
        }
        Some(BackgroundJob(told))
    }

    /// Whether a background job has the session.
    pub(crate) fn is_checked_out(&self) -> bool {
        self.checked_out.is_some()
    }

    /// Checks the session in if the job is done with it, and takes the copy if it is made.
    pub(crate) fn check_in(&mut self) {
        let Some(out) = &mut self.checked_out else { return };
        match out.back.try_recv() {
            Ok(live) => (self.live, self.checked_out) = (Some(live), None),
            Err(TryRecvError::Disconnected) => self.checked_out = None,
            Err(TryRecvError::Empty) => {
                out.copy = out.copying.try_recv().ok().or(out.copy.take());
            }
        }
    }

    /// The session to look at: the open one, or its copy while a thread has it.
    pub fn session(&self) -> Option<&Session> {
        match &self.live {
            Some(live) => Some(live.session()),
            None => self.checked_out.as_ref().and_then(CheckedOut::copy),
        }
    }
}

/// The file of a session and the current position in it, which only this process may know: enough
/// for a thread to open the session for itself. A session cannot be shared.
pub(crate) struct SessionPosition {
    file: Option<PathBuf>,
    cwd: PathBuf,
    leaf_id: Option<String>,
    environment: Environment,
}

impl SessionPosition {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            file: session.path().map(Path::to_owned),
            cwd: session.cwd().to_owned(),
            leaf_id: session.leaf_id().map(str::to_owned),
            environment: session.environment().clone(),
        }
    }

    /// Opens the session at that position. `None` if it has no file.
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
        let (sender, copying) = waker.channel();
        std::thread::spawn(move || {
            if let Some(Ok(session)) = self.open() {
                sender.send(session);
            }
        });
        copying
    }
}
