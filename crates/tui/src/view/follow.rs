//! A thread that watches the session's file, so that the view follows it, and finds out what
//! takes long: sums over all branches, and how full the context is.
//!
//! It has a session of its own, opened from the same file. Nothing is ever written.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use pitree_format::{JsString, Value};
use pitree_host::models::{Model, Models};
use pitree_session::{Environment, Session, SessionError};
use pitree_store::{FileStamp, SessionFacts, ShortIds, Store, read_facts};

use crate::state::AppState;
use crate::wake::WakingSender;

/// How often the file is looked at. That is one question to the system about its size.
const PACE: Duration = Duration::from_millis(150);
/// Sums are made at most so often, and not so often that they take a tenth of the time.
const REST: Duration = Duration::from_secs(1);

/// What the thread found out.
pub(crate) enum FileReport {
    /// Another program has written to the file.
    Grown,
    /// Sums over all branches.
    Facts(Box<SessionFacts>),
    /// The context at the leaf that was asked about.
    Context(ContextFacts),
    /// By which prefixes sessions can be named.
    Ids(ShortIds),
}

/// What the next request to a model would be like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContextFacts {
    /// About how many tokens it has.
    pub(crate) tokens: f64,
    /// How many there can be, if the model is known.
    pub(crate) window: Option<f64>,
    /// The model that goes on.
    pub(crate) model: Option<String>,
}

/// The view's end of the thread, which ends with it.
pub(crate) struct Follower {
    questions: Sender<Option<String>>,
    pub(crate) reports: Receiver<FileReport>,
}

impl Follower {
    pub(crate) fn start(path: PathBuf, state: &AppState) -> Self {
        let (questions, asked) = channel();
        let (sender, reports) = state.waker.channel();
        let (environment, store) = (state.environment.clone(), state.store.clone());
        std::thread::spawn(move || {
            let watch = FileWatch { path, environment, store, sender, session: None, models: None };
            watch.run(&asked);
        });
        Self { questions, reports }
    }

    /// Asks about the context at a leaf. The answer is a [`FileReport::Context`].
    pub(crate) fn ask(&self, leaf_id: Option<&str>) {
        // A thread that has gone answers nothing.
        let _ = self.questions.send(leaf_id.map(str::to_owned));
    }
}

struct FileWatch {
    path: PathBuf,
    environment: Environment,
    store: Store,
    sender: WakingSender<FileReport>,
    session: Option<Session>,
    models: Option<Models>,
}

impl FileWatch {
    fn run(mut self, asked: &Receiver<Option<String>>) {
        // The first look is reported too: the file may have grown since the view read it.
        let mut seen = None;
        let mut summed: Option<FileStamp> = None;
        let mut next_sum = Instant::now();
        let mut has_ids = false;
        loop {
            match asked.recv_timeout(PACE) {
                Ok(leaf) => {
                    // Only the last question matters.
                    let leaf = asked.try_iter().last().unwrap_or(leaf);
                    if let Ok(context) = self.context(leaf.as_deref())
                        && !self.sender.send(FileReport::Context(context))
                    {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let stamp = self.stamp();
            if stamp != seen {
                seen = stamp;
                self.sender.send(FileReport::Grown);
            }
            if let Some(now) = stamp
                && stamp != summed
                && Instant::now() >= next_sum
            {
                let begun = Instant::now();
                if let Ok(facts) = read_facts(&self.path, now) {
                    self.sender.send(FileReport::Facts(Box::new(facts)));
                }
                summed = stamp;
                next_sum = Instant::now() + REST.max(begun.elapsed() * 10);
            }
            // After what the user waits for.
            if !std::mem::replace(&mut has_ids, true) {
                self.sender.send(FileReport::Ids(self.store.short_ids()));
            }
        }
    }

    fn stamp(&self) -> Option<FileStamp> {
        FileStamp::of(&self.path)
    }

    fn context(&mut self, leaf: Option<&str>) -> Result<ContextFacts, SessionError> {
        let mut session = match self.session.take() {
            Some(mut session) => {
                session.refresh()?;
                session
            }
            None => Session::open(&self.path, &self.environment)?,
        };
        match leaf {
            Some(leaf) => session.branch(leaf)?,
            None => session.reset_leaf(),
        }
        let tokens = session.context_estimate()?.tokens;
        let model = session.restored()?.model.and_then(|model| {
            let text = |value: &Option<Value>| {
                value.as_ref().and_then(Value::as_string).map(JsString::to_string)
            };
            Some((text(&model.provider)?, text(&model.model_id)?))
        });
        self.session = Some(session);
        let window = model.as_ref().and_then(|(provider, id)| self.window(provider, id));
        let model = model.map(|(provider, id)| format!("{provider}/{id}"));
        Ok(ContextFacts { tokens, window, model })
    }

    fn window(&mut self, provider: &str, id: &str) -> Option<f64> {
        if self.models.is_none() {
            self.models = Models::load(&self.environment).ok();
        }
        let model = self.models.as_ref()?.find(provider, id)?;
        Some(Model::context_window(model)).filter(|window| *window >= 1.0)
    }
}
