//! What is said on standard error while many files are read: a bar for work that takes a while,
//! on a terminal only and gone when the work is done, and that a cache was damaged.

use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pitree_store::Progress;

use crate::output::say;
use crate::text::clean_line;

/// Quick answers stay without a bar.
const DELAY: Duration = Duration::from_millis(300);

const TEMPLATE: &str = "reading {bar:30} {pos} of {len} files";

/// Whether another program has the terminal, so that no bar is drawn any more.
static ENDED: AtomicBool = AtomicBool::new(false);

/// The bar that is on the screen.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Takes the bar off the screen for good: another program gets the terminal.
pub(crate) fn end() {
    ENDED.store(true, Ordering::SeqCst);
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    shown.into_iter().for_each(|bar| bar.finish_and_clear());
}

/// The bar of this terminal; `None` where nobody would see it.
pub(crate) fn bar() -> Option<Arc<Bar>> {
    let dumb = std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    (stderr().is_terminal() && !dumb).then(|| Arc::new(Bar::new(DELAY)))
}

/// Says nothing but that a cache was damaged.
pub(crate) struct DamageOnly;

impl Progress for DamageOnly {
    fn step(&self, _: usize, _: usize) {}

    fn damaged_cache(&self, path: &Path) {
        say_damaged(path);
    }
}

fn say_damaged(path: &Path) {
    say(&format!("{}\n", damaged(path)));
}

/// That a cache was damaged, in words.
pub(crate) fn damaged(path: &Path) -> String {
    let path = clean_line(&path.to_string_lossy());
    format!("the cache {path} was damaged and is being rebuilt from the session files")
}

/// A bar that appears when work lasts longer than a moment.
pub(crate) struct Bar {
    delay: Duration,
    work: Mutex<Option<Work>>,
}

/// The work at hand.
struct Work {
    begun: Instant,
    most: usize,
    shown: Option<ProgressBar>,
}

impl Bar {
    fn new(delay: Duration) -> Self {
        Self { delay, work: Mutex::new(None) }
    }
}

impl Progress for Bar {
    fn step(&self, done: usize, total: usize) {
        let mut slot = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = || Work { begun: Instant::now(), most: 0, shown: None };
        let work = slot.get_or_insert_with(begin);
        work.most = work.most.max(done);
        if done >= total {
            work.shown.take().into_iter().for_each(|bar| bar.finish_and_clear());
            *slot = None;
        } else if work.begun.elapsed() >= self.delay && !ENDED.load(Ordering::SeqCst) {
            let bar = work.shown.get_or_insert_with(|| new_bar(total));
            bar.set_position(work.most as u64);
        }
    }

    fn damaged_cache(&self, path: &Path) {
        say_damaged(path);
    }
}

fn new_bar(total: usize) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let style = ProgressStyle::with_template(TEMPLATE)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(total as u64), target).with_style(style);
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Bar {
        fn position(&self) -> Option<u64> {
            let slot = self.work.lock().unwrap();
            slot.as_ref()?.shown.as_ref().map(ProgressBar::position)
        }
    }

    #[test]
    fn quick_work_has_no_bar() {
        let bar = Bar::new(Duration::from_secs(3600));
        (1..=1000).for_each(|done| bar.step(done, 1000));
        assert_eq!(bar.position(), None);
    }

    #[test]
    fn long_work_has_one_until_it_is_done() {
        let bar = Bar::new(Duration::ZERO);
        bar.step(2, 4);
        bar.step(1, 4);
        assert_eq!(bar.position(), Some(2), "threads may be out of step");
        bar.step(4, 4);
        assert_eq!(bar.position(), None);
        bar.step(1, 2);
        assert_eq!(bar.position(), Some(1), "the next work has its own");
    }
}
