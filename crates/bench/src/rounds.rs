//! Several tools at the same work in turns, and what came of the goals.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::usage::{Usages, measure};

/// After this time every tool has one more turn at each work and no more.
const LONG_ENOUGH: Duration = Duration::from_secs(360);

/// What one tool does at one work.
pub(crate) struct Job<'a> {
    name: String,
    /// Makes things ready and gives the command; its own time does not count.
    prepare: Box<dyn FnMut() -> Result<Command> + 'a>,
    /// A peer that fails is left out; pitree may not fail.
    is_peer: bool,
}

impl<'a> Job<'a> {
    pub(crate) fn ours(name: &str, prepare: impl FnMut() -> Result<Command> + 'a) -> Self {
        Self { name: name.to_owned(), prepare: Box::new(prepare), is_peer: false }
    }

    pub(crate) fn peer(name: &str, mut prepare: impl FnMut() -> Command + 'a) -> Self {
        let prepare = Box::new(move || Ok(prepare()));
        Self { name: name.to_owned(), prepare, is_peer: true }
    }
}

/// What is aimed at, and what came of it.
struct Verdict {
    work: String,
    goal: String,
    measured: String,
    met: bool,
}

/// Measures and keeps what was found.
pub(crate) struct Rounds {
    count: usize,
    scratch: PathBuf,
    start: Instant,
    /// What else the machine did when the run began.
    load: String,
    work: String,
    verdicts: Vec<Verdict>,
    skipped: Vec<String>,
}

impl Rounds {
    pub(crate) fn new(count: usize, scratch: PathBuf) -> Self {
        let (verdicts, skipped) = (Vec::new(), Vec::new());
        let start = Instant::now();
        let (count, load, work) = (count.max(1), load(), String::new());
        Self { count, scratch, start, load, work, verdicts, skipped }
    }

    /// Notes what is not measured, and why.
    pub(crate) fn skip(&mut self, what: &str, why: &anyhow::Error) {
        self.skipped.push(format!("{what}: {why:#}"));
    }

    /// Lets every tool do the work once in each round, in turns; gives what each took, with
    /// nothing for a peer that failed.
    pub(crate) fn measure<const N: usize>(
        &mut self,
        work: &str,
        jobs: [Option<Job<'_>>; N],
    ) -> Result<[Option<Usages>; N]> {
        work.clone_into(&mut self.work);
        println!("\n{work}");
        println!(
            "  {:<34} {:>9} {:>9}  {:>9} {:>9}  {:>8}",
            "", "wall ms", "median", "CPU ms", "median", "peak MB"
        );
        let mut jobs = jobs;
        let mut results = [const { None }; N];
        for round in 0..self.count {
            if round > 0 && self.start.elapsed() > LONG_ENOUGH {
                break;
            }
            for (job, result) in jobs.iter_mut().zip(&mut results) {
                let Some(doing) = job else { continue };
                let usage = (doing.prepare)().and_then(|made| measure(&made, &self.scratch));
                match usage {
                    Ok(usage) => result.get_or_insert_with(Usages::default).add(usage),
                    Err(error) if doing.is_peer => {
                        self.skip(&format!("{} ({work})", doing.name), &error);
                        (*job, *result) = (None, None);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        for (job, result) in jobs.iter().zip(&results) {
            if let (Some(job), Some(usages)) = (job, result) {
                print_usages(&job.name, usages);
            }
        }
        Ok(results)
    }

    /// Measures something that no peer does.
    pub(crate) fn alone(&mut self, work: &str, job: Job<'_>) -> Result<Usages> {
        let [usages] = self.measure(work, [Some(job)])?;
        Ok(usages.unwrap_or_default())
    }

    /// A goal for a figure of ours.
    pub(crate) fn below(&mut self, what: &str, figure: f64, limit: f64) {
        let goal = format!("{what} below {limit}");
        self.judge(goal, format!("{figure:.1}"), figure < limit);
    }

    /// A goal for how many times as much a peer takes.
    pub(crate) fn times_less(&mut self, what: &str, peer: f64, ours: f64, least: f64) {
        let ratio = peer / ours;
        self.judge(format!("{what}: {least}x less"), format!("{ratio:.1}x"), ratio >= least);
    }

    /// A goal for how many times as much as a peer ours may take.
    pub(crate) fn at_most(&mut self, what: &str, peer: f64, ours: f64, most: f64) {
        let ratio = ours / peer;
        self.judge(format!("{what}: at most {most}x"), format!("{ratio:.2}x"), ratio <= most);
    }

    fn judge(&mut self, goal: String, measured: String, met: bool) {
        println!("  -> {goal}: {measured}, {}", verdict(met));
        self.verdicts.push(Verdict { work: self.work.clone(), goal, measured, met });
    }

    /// Prints all goals in one table, and what was skipped.
    pub(crate) fn finish(&self) {
        println!("\nGoals (ratios by the best of each side, limits by our median)");
        for Verdict { work, goal, measured, met } in &self.verdicts {
            println!("  {work:<52} {goal:<44} {measured:>9}  {}", verdict(*met));
        }
        let met = self.verdicts.iter().filter(|verdict| verdict.met).count();
        println!("  {met} of {} met", self.verdicts.len());
        for skipped in &self.skipped {
            println!("Skipped: {skipped}");
        }
        let seconds = self.start.elapsed().as_secs_f64();
        println!("The run took {seconds:.0} s; load average before and after it:");
        println!("  {}\n  {}", self.load, load());
    }
}

/// What the kernel says of the load, if it does.
fn load() -> String {
    fs_err::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "NOT MET" }
}

fn print_usages(name: &str, usages: &Usages) {
    println!(
        "  {name:<34} {:>9.1} {:>9.1}  {:>9.0} {:>9.0}  {:>8.1}",
        usages.wall.best(),
        usages.wall.median(),
        usages.cpu.best(),
        usages.cpu.median(),
        usages.peak.median(),
    );
}
