//! News for pages that are open: which sessions have changed.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream, Sse};
use futures_core::Stream;
use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_store::watch::{WatchChange, WatchOptions};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::key::Key;
use crate::state::App;

/// How often the thread that follows looks whether it is still wanted.
const PACE: Duration = Duration::from_millis(500);

/// What has changed since the last news.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The sessions that have grown or were replaced.
    sessions: Arc<[String]>,
    /// Whether a session came, went, or has another name.
    list: bool,
}

/// The thread that follows the files.
pub(crate) struct Follower {
    is_wanted: Arc<AtomicBool>,
}

impl Follower {
    /// Follows all sessions until it is stopped.
    pub(crate) fn start(app: &Arc<App>) -> Self {
        let is_wanted = Arc::new(AtomicBool::new(true));
        let (wanted, app) = (Arc::clone(&is_wanted), Arc::downgrade(app));
        thread::spawn(move || follow(&app, &wanted));
        Self { is_wanted }
    }

    pub(crate) fn stop(&self) {
        self.is_wanted.store(false, Ordering::Relaxed);
    }
}

fn follow(app: &Weak<App>, is_wanted: &AtomicBool) {
    let Some(store) = app.upgrade().map(|app| app.store.clone()) else { return };
    let mut watcher = store.watch(WatchOptions::default());
    while is_wanted.load(Ordering::Relaxed) {
        let (mut sessions, mut list) = (BTreeSet::new(), false);
        watcher.wait(PACE, &mut |event| {
            list |= !matches!(event.change, WatchChange::Appended { .. });
            sessions.insert(Key::of(&event.path).to_string());
        });
        if sessions.is_empty() {
            continue;
        }
        let Some(app) = app.upgrade() else { return };
        app.snapshots.expire();
        // Nobody may listen just now.
        let _ = app.changes.send(Change { sessions: sessions.into_iter().collect(), list });
    }
}

/// News as long as the page is open.
pub(crate) async fn events(State(app): State<Arc<App>>) -> Sse<KeepAliveStream<News>> {
    Sse::new(News::new(app.changes.subscribe())).keep_alive(KeepAlive::default())
}

type Next = Pin<Box<dyn Future<Output = (Result<Change, RecvError>, Receiver<Change>)> + Send>>;

/// Changes as server-sent events.
pub(crate) struct News(Next);

impl News {
    fn new(changes: Receiver<Change>) -> Self {
        Self(next(changes))
    }
}

fn next(mut changes: Receiver<Change>) -> Next {
    Box::pin(async move { (changes.recv().await, changes) })
}

impl Stream for News {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Poll::Ready((change, changes)) = self.0.as_mut().poll(context) else {
            return Poll::Pending;
        };
        self.0 = next(changes);
        let value = match change {
            Ok(change) => {
                let keys = change.sessions.iter().map(|key| Value::from(key.as_str()));
                Object::new()
                    .with("changed", keys.collect::<Vec<Value>>())
                    .with("list", change.list)
            }
            // It was too slow: everything may have changed.
            Err(RecvError::Lagged(_)) => Object::new().with("all", true),
            Err(RecvError::Closed) => return Poll::Ready(None),
        };
        Poll::Ready(Some(Ok(Event::default().data(stringify(&value.into())))))
    }
}
