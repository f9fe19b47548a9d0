//! The test binaries of the workspace: built once by Cargo, then run side by side.
//!
//! `cargo test` runs one binary after the other, so the last slow test of each leaves the other
//! cores idle. Here as many binaries run at a time as there are cores, those first that took
//! longest the last time.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process::{self, Workspace};
use crate::progress::Progress;

/// What the binaries took the last time, in the target folder.
const TIMES: &str = "test-times.txt";

/// Variables for every test.
pub(crate) type Variables = Vec<(&'static str, OsString)>;

/// One test binary.
struct Binary {
    /// The package and the target, such as `pitree-session/writers`.
    name: String,
    executable: PathBuf,
    /// The folder of its package, in which Cargo runs tests.
    folder: PathBuf,
}

/// A binary that ended.
struct Ended<'a> {
    binary: &'a Binary,
    time: Duration,
    output: Output,
}

/// Builds all test binaries and runs those that have not passed yet.
pub(crate) fn run(
    workspace: &Workspace,
    variables: &Variables,
    progress: &mut Progress,
) -> Result<()> {
    let mut binaries = build(workspace)?;
    let known = Times::read(workspace);
    binaries.retain(|binary| !progress.has_passed(&binary.name));
    binaries.sort_by_key(|binary| std::cmp::Reverse(known.of(&binary.name)));
    let workers = std::thread::available_parallelism()?.get();
    println!("{} test binaries, {workers} at a time", binaries.len());

    let results = Mutex::new(TestResults { progress, times: known, failed: Vec::new() });
    side_by_side(&binaries, workers, |binary| {
        let ended = binary.run(variables)?;
        locked(&results).take(&ended)
    })?;
    let results = locked(&results);
    results.times.write(workspace)?;
    ensure!(results.failed.is_empty(), "failed: {}", results.failed.join(", "));
    Ok(())
}

/// Hands the items to as many workers, each taking the next as soon as it is done with one. A worker
/// that fails stops; the others go on.
fn side_by_side<T: Sync>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> Result<()> + Sync,
) -> Result<()> {
    let queue = Mutex::new(items.iter());
    let worker = || -> Result<()> {
        loop {
            // A statement of its own, so that the queue is free again while the item is worked on.
            let next = locked(&queue).next();
            let Some(item) = next else { return Ok(()) };
            work(item)?;
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let ends = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| bail!("a runner of tests panicked")));
        ends.collect()
    })
}

/// What all runners add to.
struct TestResults<'a> {
    progress: &'a mut Progress,
    times: Times,
    failed: Vec<String>,
}

impl TestResults<'_> {
    fn take(&mut self, ended: &Ended<'_>) -> Result<()> {
        let name = &ended.binary.name;
        ended.show();
        self.times.set(name, ended.time);
        if ended.output.status.success() {
            self.progress.pass(name)
        } else {
            self.failed.push(name.clone());
            Ok(())
        }
    }
}

/// A runner that panicked has ended the run anyway; the others may finish theirs.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Builds the tests of the whole workspace, and reads from Cargo's messages where they are.
fn build(workspace: &Workspace) -> Result<Vec<Binary>> {
    let args = ["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"];
    let mut command = workspace.cargo(&args);
    println!("$ {}", process::show(&command));
    let messages = process::capture(&mut command)?;
    let messages = messages.lines().map(serde_json::from_str::<Value>);
    let binaries: Vec<Binary> = messages.filter_map(|message| binary(&message.ok()?)).collect();
    ensure!(!binaries.is_empty(), "Cargo built no tests");
    Ok(binaries)
}

/// The test binary that a message is about.
fn binary(message: &Value) -> Option<Binary> {
    if message["profile"]["test"] != Value::Bool(true) {
        return None;
    }
    let executable = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.file_name()?.to_string_lossy();
    let name = format!("{package}/{}", message["target"]["name"].as_str()?);
    Some(Binary { name, executable, folder })
}

impl Binary {
    fn run(&self, variables: &Variables) -> Result<Ended<'_>> {
        let start = Instant::now();
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.envs(variables.iter().map(|(name, value)| (name, value))).stdin(Stdio::null());
        let output = command.output();
        let output = output.with_context(|| format!("cannot start {}", self.executable.display()));
        Ok(Ended { binary: self, time: start.elapsed(), output: output? })
    }
}

impl Ended<'_> {
    /// What it printed: all of it if it failed, else its closing line.
    fn show(&self) {
        let text = String::from_utf8_lossy(&self.output.stdout);
        let name = &self.binary.name;
        println!("     Running {name} ({:.1} s)", self.time.as_secs_f64());
        if self.output.status.success() {
            text.lines().filter(|line| line.starts_with("test result:")).for_each(|line| {
                println!("{line}");
            });
        } else {
            println!("{text}{}", String::from_utf8_lossy(&self.output.stderr));
            println!("{name} FAILED ({})", self.output.status);
        }
    }
}

/// Seconds by name of a binary.
struct Times(HashMap<String, u64>);

impl Times {
    fn read(workspace: &Workspace) -> Self {
        let text = fs_err::read_to_string(workspace.target.join(TIMES)).unwrap_or_default();
        let time = |line: &str| {
            let (name, seconds) = line.split_once(' ')?;
            Some((name.to_owned(), seconds.parse().ok()?))
        };
        Self(text.lines().filter_map(time).collect())
    }

    /// A binary that was never run goes first: it may be a long one.
    fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(u64::MAX)
    }

    fn set(&mut self, name: &str, time: Duration) {
        self.0.insert(name.to_owned(), time.as_secs());
    }

    fn write(&self, workspace: &Workspace) -> Result<()> {
        let mut lines: Vec<String> =
            self.0.iter().map(|(name, seconds)| format!("{name} {seconds}\n")).collect();
        lines.sort_unstable();
        Ok(fs_err::write(workspace.target.join(TIMES), lines.concat())?)
    }
}

/// Sets the variables for a command that Cargo itself runs.
pub(crate) fn set_variables(command: &mut Command, variables: &Variables) {
    command.envs(variables.iter().map(|(name, value)| (OsStr::new(name), value)));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Each of two items waits for the other: one after the other, they would never meet.
    #[test]
    fn items_are_worked_on_at_the_same_time() {
        let (to_second, from_first) = mpsc::channel();
        let (to_first, from_second) = mpsc::channel();
        let pairs = [(to_second, Mutex::new(from_second)), (to_first, Mutex::new(from_first))];
        let met = side_by_side(&pairs, 2, |(sender, receiver)| {
            sender.send(())?;
            Ok(locked(receiver).recv_timeout(Duration::from_secs(20))?)
        });
        assert!(met.is_ok(), "{met:?}");
    }
}
