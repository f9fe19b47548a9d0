//! Work shared out among threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// As many threads as the machine has processors, but not more than pay.
pub fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(8)
}

/// Works on all items, those with the largest weight first so that no thread is left with one of
/// them alone. The results stand in the order of the items.
pub fn in_parallel<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    weight: impl Fn(&I) -> u64,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    if threads <= 1 || items.len() < 2 {
        return items.iter().map(work).collect();
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_cached_key(|&at| std::cmp::Reverse(weight(&items[at])));
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(items.len()));
    let thread = || {
        let mut own = Vec::new();
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            own.push((at, work(&items[at])));
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(thread);
        }
        thread();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
