//! Work shared out among threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Works on all items, those with the largest weight first so that no thread is left with one of
/// them alone. The results stand in the order of the items.
pub(crate) fn in_parallel<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    weight: impl Fn(&I) -> u64,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    if threads == 1 || items.len() < 2 {
        return items.iter().map(work).collect();
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(weight(&items[at])));
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(items.len()));
    let thread = || {
        let mut own = Vec::new();
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            own.push((at, work(&items[at])));
        }
        if let Ok(mut done) = done.lock() {
            done.append(&mut own);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(thread);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
