//! Times of several rounds.

use std::time::Instant;

/// What one job took in each round, in milliseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, ms: f64) {
        self.0.push(ms);
    }

    /// The shortest time: what the job needs when nothing disturbs it.
    pub(crate) fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Runs a job and gives what it made and its milliseconds.
pub(crate) fn timed<T>(job: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = job();
    (made, start.elapsed().as_secs_f64() * 1000.0)
}
