//! `session`: pitree against the real Pi, on the same files in the same run. The rounds of both
//! sides take turns, so that a busy moment of the machine hits both.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use pitree_session::{Durability, Environment};

use crate::corpus::{self, FEW, LARGE, MANY, Recipe, SMALL};
use crate::engine::{self, Appending};
use crate::pi::{Installation, Pi};
use crate::process::{child, peak_memory, pitree, run_time};
use crate::table::{Goal, Row, print};
use crate::timing::Samples;

/// Appends in one measurement, and fewer where each of them waits for the disk.
const APPENDS: usize = 1000;
const DURABLE_APPENDS: usize = 200;
/// Bytes that the file of 2 GB needs, with some to spare.
const HUGE_BYTES: u64 = 3_000_000_000;

/// Measures everything and prints the tables.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let installation = Installation::find()?;
    let bench = Bench {
        rounds: rounds.max(1),
        pi: Pi::start(&installation)?,
        installation,
        pitree: pitree()?,
        environment: engine::environment()?,
    };
    bench.measure()
}

struct Bench {
    rounds: usize,
    installation: Installation,
    pi: Pi,
    pitree: PathBuf,
    environment: Environment,
}

impl Bench {
    fn measure(mut self) -> Result<()> {
        println!("{} rounds; the best of each side, then the median", self.rounds);
        for recipe in [LARGE, SMALL] {
            self.in_process(recipe)?;
        }
        for recipe in [LARGE, SMALL] {
            self.whole_process(recipe)?;
        }
        self.memory()?;
        self.appends()?;
        self.append_by_length()?;
        self.last_entries()
    }

    fn in_process(&mut self, recipe: Recipe) -> Result<()> {
        let file = recipe.file()?;
        let mut rows = [
            row("open to tree, 1 thread", if recipe.name == LARGE.name { 12.0 } else { 0.0 }),
            row("open to tree, 2 threads", if recipe.name == LARGE.name { 20.0 } else { 0.0 }),
            row("tree alone", 0.0),
            // Pi holds every body in memory since opening; ours are read now.
            row("context alone", 0.0),
            row("open and context, 2 threads", 0.0),
        ];
        for _ in 0..self.rounds {
            let pi = self.pi.open(&file)?;
            let one = engine::open(&file, 1, &self.environment)?;
            let two = engine::open(&file, 2, &self.environment)?;
            ensure!(
                pi.facts == one.facts && one.facts == two.facts,
                "Pi sees {:?}, pitree {:?}",
                pi.facts,
                one.facts
            );
            rows[0].ours.add(one.open_and_tree);
            rows[1].ours.add(two.open_and_tree);
            rows[2].ours.add(one.tree.min(two.tree));
            rows[3].ours.add(one.context.min(two.context));
            rows[4].ours.add(two.open_and_context());
            rows[0].pi.add(pi.open_and_tree);
            rows[1].pi.add(pi.open_and_tree);
            rows[2].pi.add(pi.tree);
            rows[3].pi.add(pi.context);
            rows[4].pi.add(pi.open_and_context());
        }
        print(&format!("In one process, {}, ms", title(recipe, &file)?), &rows);
        Ok(())
    }

    fn whole_process(&mut self, recipe: Recipe) -> Result<()> {
        let file = recipe.file()?;
        let goal = if recipe.name == LARGE.name { 12.0 } else { 0.0 };
        let mut rows = [row("open and print the context", goal), row("open to tree", 0.0)];
        for _ in 0..self.rounds {
            rows[0].pi.add(run_time(&mut self.installation.once("context", &file))?);
            rows[0].ours.add(run_time(&mut self.command(&["context", "--json"], &file))?);
            rows[1].pi.add(run_time(&mut self.installation.once("tree", &file))?);
            rows[1].ours.add(run_time(&mut child("tree", &file)?)?);
        }
        print(&format!("Whole process, {}, ms", title(recipe, &file)?), &rows);
        Ok(())
    }

    fn memory(&mut self) -> Result<()> {
        let file = LARGE.file()?;
        let mut rows = [row("open to tree", 10.0), row("open and print the context", 10.0)];
        for _ in 0..self.rounds.min(3) {
            rows[0].pi.add(peak_memory(&mut self.installation.once("tree", &file))?);
            rows[0].ours.add(peak_memory(&mut child("tree", &file)?)?);
            rows[1].pi.add(peak_memory(&mut self.installation.once("context", &file))?);
            rows[1].ours.add(peak_memory(&mut self.command(&["context", "--json"], &file))?);
        }
        print(&format!("Peak memory, {}, MB", title(LARGE, &file)?), &rows);
        Ok(())
    }

    fn appends(&mut self) -> Result<()> {
        let folder = corpus::folder()?.join("appends");
        fs_err::create_dir_all(&folder)?;
        let modes = [
            ("fast, one by one", Durability::Fast, Appending::OneByOne, APPENDS, 2.0),
            ("fast, one batch", Durability::Fast, Appending::Batch, APPENDS, 5.0),
            ("durable, one by one", Durability::Durable, Appending::OneByOne, DURABLE_APPENDS, 0.0),
            ("durable, one batch", Durability::Durable, Appending::Batch, APPENDS, 0.0),
        ];
        let mut rows = modes.map(|(what, .., goal)| row(what, goal));
        for _ in 0..self.rounds {
            let pi = self.pi.append_new(&folder, APPENDS)?;
            for (row, (_, durability, how, count, _)) in rows.iter_mut().zip(modes) {
                let took =
                    engine::append_new(&folder, count, (durability, how), &self.environment)?;
                row.ours.add(took * 1000.0 / count as f64);
                row.pi.add(pi * 1000.0 / APPENDS as f64);
            }
        }
        print("One append of 0.8 KB, microseconds (Pi never waits for the disk)", &rows);
        Ok(())
    }

    fn append_by_length(&mut self) -> Result<()> {
        let mut rows = Vec::new();
        for recipe in [FEW, MANY] {
            let file = recipe.file()?;
            let copy = file.with_extension("copy");
            let mut row = row(&format!("to a session of {} entries", recipe.entries), 2.0);
            for _ in 0..self.rounds {
                let pi = self.pi.append_to_copy(&file, &copy, APPENDS)?;
                let ours = engine::append_to_copy(&file, &copy, APPENDS, &self.environment)?;
                row.pi.add(pi * 1000.0 / APPENDS as f64);
                row.ours.add(ours * 1000.0 / APPENDS as f64);
            }
            rows.push(row);
        }
        print("One fast append by the length of the session, microseconds", &rows);
        let growth = rows[1].ours.best() / rows[0].ours.best();
        let verdict = if growth < 1.5 { "met" } else { "NOT MET" };
        println!(
            "  the long one costs {growth:.2} times the short one (goal: below 1.5) {verdict}"
        );
        Ok(())
    }

    fn last_entries(&mut self) -> Result<()> {
        let folder = corpus::folder()?;
        if !folder.join("huge.jsonl").exists() && free_bytes(&folder) < HUGE_BYTES {
            println!("\nNot measured: the last entries of 2 GB, for want of disk space");
            return Ok(());
        }
        let file = corpus::huge()?;
        let mut time = Row { goal: Goal::Below(50.0), ..row("time, ms", 0.0) };
        let mut memory = Row { goal: Goal::Below(32.0), ..row("peak memory, MB", 0.0) };
        for _ in 0..self.rounds {
            time.ours.add(run_time(&mut self.command(&["entries", "--last", "50"], &file))?);
            let mut command = self.command(&["entries", "--json", "--last", "50"], &file);
            memory.ours.add(peak_memory(&mut command)?);
        }
        let size = fs_err::metadata(&file)?.len() as f64 / 1e9;
        print(&format!("The last 50 entries of {size:.1} GB, whole process"), &[time, memory]);
        Ok(())
    }

    fn command(&self, arguments: &[&str], file: &Path) -> Command {
        let mut command = Command::new(&self.pitree);
        command.args(arguments).arg(file);
        command
    }
}

/// A row that is still empty; a goal of 0 is none.
fn row(what: &str, goal: f64) -> Row {
    let goal = if goal > 0.0 { Goal::Ratio(goal) } else { Goal::None };
    Row { what: what.to_owned(), ours: Samples::default(), pi: Samples::default(), goal }
}

fn title(recipe: Recipe, file: &Path) -> Result<String> {
    let megabytes = fs_err::metadata(file)?.len() as f64 / 1e6;
    Ok(format!("{} entries, {megabytes:.1} MB", recipe.entries))
}

/// What `df` says; everything if it says nothing.
fn free_bytes(folder: &Path) -> u64 {
    let output = Command::new("df").args(["--output=avail", "-B1"]).arg(folder).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let number = text.ok().and_then(|text| text.lines().last()?.trim().parse().ok());
    number.unwrap_or(u64::MAX)
}
