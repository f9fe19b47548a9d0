//! How far long work has come and what went wrong on the way, for whoever wants to show it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Somebody who wants to know how far the reading of many files has come.
pub trait Progress: Send + Sync {
    /// So many files of so many are done. Called for every file, by several threads at a time,
    /// so a later call may bring a smaller number. Once `done` is `total`, this work is over;
    /// further work begins at one again.
    fn step(&self, done: usize, total: usize);

    /// A cache was damaged. It was deleted, and what it had kept is read from the files again.
    fn damaged_cache(&self, path: &Path) {
        let _ = path;
    }

    /// Whether anybody still waits for the answer. Once it is `false`, files are not read any more
    /// and nothing is kept of the work at hand; what it gives then is not to be used.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// Who is told, if anybody.
#[derive(Clone, Default)]
pub(crate) struct Listener(Option<Arc<dyn Progress>>);

impl Listener {
    pub(crate) fn new(progress: Arc<dyn Progress>) -> Self {
        Self(Some(progress))
    }

    pub(crate) fn damaged_cache(&self, path: &Path) {
        if let Some(progress) = &self.0 {
            progress.damaged_cache(path);
        }
    }

    /// Whether anybody still waits for the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_none_or(|progress| progress.is_wanted())
    }

    /// Begins work on so many files.
    pub(crate) fn begin(&self, total: usize) -> Count<'_> {
        Count::of(self.0.as_deref(), total)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Listener" } else { "nobody" })
    }
}

/// Counts the files of one piece of work.
pub(crate) struct Count<'a> {
    progress: Option<&'a dyn Progress>,
    done: AtomicUsize,
    total: usize,
}

impl<'a> Count<'a> {
    pub(crate) fn of(progress: Option<&'a dyn Progress>, total: usize) -> Self {
        Self { progress, done: AtomicUsize::new(0), total }
    }

    /// One more file is done, and this came of it.
    pub(crate) fn after<T>(&self, result: T) -> T {
        self.one();
        result
    }

    /// One more file is done.
    pub(crate) fn one(&self) {
        if let Some(progress) = self.progress {
            progress.step(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.total);
        }
    }
}
