//! What all requests share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use pitree_session::Environment;
use pitree_store::Store;
use pitree_store::delete::Trash;
use tokio::sync::{Semaphore, broadcast};
use tokio::task::spawn_blocking;

use std::sync::Arc;

use crate::answer::{Answer, Problem};
use crate::events::Change;
use crate::gate::Gate;
use crate::last_search::LastSearch;
use crate::opened::OpenSessions;
use crate::snapshot::Snapshots;
use crate::{ModelWindows, WebOptions};

/// So many requests work on files at a time; the others wait.
const WORKERS: usize = 4;

/// The server's state.
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) environment: Environment,
    pub(crate) gate: Gate,
    pub(crate) trash: Trash,
    pub(crate) windows: ModelWindows,
    pub(crate) snapshots: Snapshots,
    pub(crate) last_search: LastSearch,
    pub(crate) opened: OpenSessions,
    pub(crate) changes: broadcast::Sender<Change>,
    workers: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(
        store: Store,
        environment: Environment,
        gate: Gate,
        options: &WebOptions,
        changes: broadcast::Sender<Change>,
    ) -> Self {
        let (trash, windows) = (options.trash.clone(), options.windows.clone());
        let (snapshots, opened) = (Snapshots::default(), OpenSessions::default());
        let workers = Arc::new(Semaphore::new(WORKERS));
        let last_search = LastSearch::default();
        Self {
            store,
            environment,
            gate,
            trash,
            windows,
            snapshots,
            last_search,
            opened,
            changes,
            workers,
        }
    }

    /// Does work that reads files on a thread of its own.
    pub(crate) async fn work(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Answer + Send + 'static,
    ) -> Answer {
        let failed = || Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "The request failed");
        let permit = Arc::clone(&self.workers).acquire_owned().await.map_err(|_| failed())?;
        let done = spawn_blocking(move || {
            let answer = work(&self);
            drop(permit);
            answer
        });
        done.await.map_err(|_| failed())?
    }
}

/// A thread that panicked has left nothing half done that another could stumble over.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
